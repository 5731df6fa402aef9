package e2e

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// moment is a point in the life of a Task at which its agent is killed.
type moment struct {
	name string
	// method is the MCP request that is waited for; "" for none.
	method string
	// first and retry say which tool calls count.
	first, retry bool
	// acted lets the server do its work before the kill; told lets the agent
	// have the answer, too, so that the kill meets it while it stores.
	acted, told bool
}

const idle = "paused, nobody at work"

var (
	onItsWay     = moment{name: "answer, before the server acts", method: "tools/call", retry: true}
	onItsWayBack = moment{name: "answer, the server has acted", method: "tools/call", retry: true, acted: true}
)

// moments are the points of the sequence, in its order. What an agent has not
// asked for yet after its start, it asks for between claim and call.
var moments = []moment{
	{name: idle},
	{name: "any time"},
	{name: "claimed, before the call (resource)", method: "resources/read"},
	{name: "claimed, before the call (tools)", method: "tools/list"},
	{name: "first call, before the server acts", method: "tools/call", first: true},
	onItsWay,
	{name: "first call, the server has acted", method: "tools/call", first: true, acted: true},
	onItsWayBack,
	{name: "while the agent stores", method: "tools/call", first: true, retry: true, acted: true, told: true},
}

// caught is a tool call that an agent was waiting for when it was killed.
type caught struct {
	responsavel string
	retry       bool
	// reserva is the booking in the answer that the agent never had.
	reserva string
	at      time.Time
}

// trap holds the requests of a moment at a border.
type trap struct {
	moment
	hit      chan struct{} // closed at the first of them
	released chan struct{}

	mu   sync.Mutex
	held map[*caught]bool
}

// lay sets a trap at the border, in place of other rules.
func (b *border) lay(m moment) *trap {
	p := &trap{moment: m, hit: make(chan struct{}), released: make(chan struct{}), held: map[*caught]bool{}}
	sprung := sync.OnceFunc(func() { close(p.hit) })
	b.set(func(w http.ResponseWriter, r *http.Request, c crossing, forward func() answer) {
		if c.method != m.method || c.method == "tools/call" && !(c.retry && m.retry || !c.retry && m.first) {
			pass(w, r, c, forward)
			return
		}
		var a answer
		if m.acted {
			a = forward()
		}
		if m.told {
			write(w, a)
			_ = http.NewResponseController(w).Flush() // the agent may be dead
			sprung()
			return
		}
		k := newCaught(c, a)
		p.mu.Lock()
		p.held[k] = true
		p.mu.Unlock()
		sprung()
		select {
		case <-r.Context().Done():
		case <-p.released:
		}
		p.mu.Lock()
		delete(p.held, k)
		p.mu.Unlock()
	})
	return p
}

// newCaught reads a call and the answer to it, if there is one.
func newCaught(c crossing, a answer) *caught {
	k := &caught{retry: c.retry, at: time.Now()}
	var request struct {
		Params struct {
			Arguments struct {
				Responsavel string `json:"responsavel"`
			} `json:"arguments"`
		} `json:"params"`
	}
	var response struct {
		Result struct {
			Structured struct {
				Reserva string `json:"reserva"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	_ = json.Unmarshal(c.request, &request) // the server judges what is wrong
	_ = json.Unmarshal(a.body, &response)
	k.responsavel, k.reserva = request.Params.Arguments.Responsavel, response.Result.Structured.Reserva
	return k
}

// calls are the tool calls held right now; their agents still wait.
func (p *trap) calls() []*caught {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ks []*caught
	for k := range p.held {
		// One that is older may be given up at this very moment.
		if p.method == "tools/call" && time.Since(k.at) < 500*time.Millisecond {
			ks = append(ks, k)
		}
	}
	return ks
}

// wait returns whether the trap was sprung in time.
func (p *trap) wait(limit time.Duration) bool {
	select {
	case <-p.hit:
		return true
	case <-time.After(limit):
		return false
	}
}

// release drops what is held, unanswered, and lets all later requests through.
func (b *border) release(p *trap) {
	b.set(nil)
	close(p.released)
}
