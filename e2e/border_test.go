package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// crossing is one exchange between the agent and its MCP server.
type crossing struct {
	method string
	id     json.RawMessage
	// retry is set when the request carries a requestState.
	retry             bool
	request, response []byte
}

// rule decides what becomes of a request on its way to the server. forward
// passes it on and returns the server's answer. A rule that writes nothing and
// returns makes an empty answer.
type rule func(w http.ResponseWriter, r *http.Request, c crossing, forward func() answer)

// border stands between the agent and its MCP server as a proxy: it records
// what crosses, and can be told to hold requests back or to answer in the
// server's place.
type border struct {
	url    string
	target string

	mu      sync.Mutex
	rule    rule
	crossed []crossing
}

// startBorder runs a border before the MCP server at target.
func startBorder(t testing.TB, target string) *border {
	b := &border{target: target}
	srv := httptest.NewServer(b)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	b.url = srv.URL + "/mcp"
	return b
}

// set puts a rule in place; nil passes everything on.
func (b *border) set(r rule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rule = r
}

// ServeHTTP implements [http.Handler].
func (b *border) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var head struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
		Params struct {
			State string `json:"requestState"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &head) // what is not JSON is recorded all the same
	c := crossing{method: head.Method, id: head.ID, retry: head.Params.State != "", request: body}

	forward := func() answer { return b.forward(r, body) }
	b.mu.Lock()
	now := b.rule
	b.mu.Unlock()
	if now == nil {
		now = pass
	}
	var kept bytes.Buffer
	now(tee{w, &kept}, r, c, forward)
	c.response = kept.Bytes()
	b.mu.Lock()
	b.crossed = append(b.crossed, c)
	b.mu.Unlock()
}

// forward passes a request on, also when its sender has left meanwhile.
func (b *border) forward(r *http.Request, body []byte) answer {
	req, err := http.NewRequest(r.Method, b.target, bytes.NewReader(body))
	if err != nil {
		return answer{status: http.StatusBadGateway}
	}
	req.Header = r.Header.Clone()
	res, err := httpClient.Do(req)
	if err != nil {
		return answer{status: http.StatusBadGateway}
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{status: http.StatusBadGateway}
	}
	return answer{res.StatusCode, res.Header, read}
}

func pass(w http.ResponseWriter, _ *http.Request, _ crossing, forward func() answer) {
	write(w, forward())
}

func write(w http.ResponseWriter, a answer) {
	if ct := a.header.Get("Content-Type"); ct != "" {
		w.Header().Set("Content-Type", ct)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the agent may have left
}

// tee keeps a copy of the body that is written.
type tee struct {
	http.ResponseWriter
	kept *bytes.Buffer
}

func (t tee) Write(b []byte) (int, error) {
	t.kept.Write(b)
	return t.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] find the connection.
func (t tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// exchanges returns the recorded exchanges of a method, in order.
func (b *border) exchanges(method string) []crossing {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []crossing
	for _, c := range b.crossed {
		if c.method == method {
			found = append(found, c)
		}
	}
	return found
}

// states returns every requestState that the server has given out.
func (b *border) states() []string {
	var states []string
	for _, c := range b.exchanges("tools/call") {
		var r struct {
			Result struct {
				State string `json:"requestState"`
			} `json:"result"`
		}
		if json.Unmarshal(c.response, &r) == nil && r.Result.State != "" {
			states = append(states, r.Result.State)
		}
	}
	return states
}

// gate holds the tool calls that come to a border.
type gate struct {
	t       testing.TB
	arrived chan struct{}
	opened  chan struct{}
	once    sync.Once
}

// hold makes tool calls wait at the border until the gate opens: before they
// reach the server or, with after, when its answer is already there.
func (b *border) hold(t testing.TB, after bool) *gate {
	g := &gate{t: t, arrived: make(chan struct{}, 100), opened: make(chan struct{})}
	t.Cleanup(g.open)
	b.set(func(w http.ResponseWriter, r *http.Request, c crossing, forward func() answer) {
		if c.method != "tools/call" {
			pass(w, r, c, forward)
			return
		}
		var a answer
		if after {
			a = forward()
		}
		g.arrived <- struct{}{}
		select {
		case <-g.opened:
		case <-r.Context().Done():
			return // the agent gave the call up
		}
		if !after {
			a = forward()
		}
		write(w, a)
	})
	return g
}

// wait returns when a call stands at the gate.
func (g *gate) wait() {
	g.t.Helper()
	select {
	case <-g.arrived:
	case <-time.After(patience):
		g.t.Fatalf("expected a tools/call at the border within %s", patience)
	}
}

// open lets everything through, from now on.
func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }
