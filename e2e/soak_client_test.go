package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// client is one of the many. Its fields belong to its own goroutine.
type client struct {
	*soak
	n    int
	rnd  *rand.Rand
	jobs []*job
	// left are Tasks that the client has left paused, to answer them later.
	left []*job
	// cut counts the Tasks canceled while a call was under way, lost the
	// answers which said that the server gave none, calm those of them that met
	// no kill but came right after one.
	cut, lost, calm int
}

// job is a Task and what its client knows of it.
type job struct {
	booking
	id, context string
	// refusal is the message that the server owes to a booking that breaks a
	// rule; notUnderstood is set when the agent must reject the request.
	refusal       string
	notUnderstood bool
	// rooms are those that the Task may book: the one asked for, then those
	// that it was answered with.
	rooms              []string
	declined, canceled bool
	// doubt is set once a call of the Task has had no answer that anybody saw:
	// the server may have done what it was asked. doubtIn is the epoch in which
	// that was last the case; nothing of it outlives its life.
	doubt   bool
	doubtIn int

	state, word string // the last status seen, and the id of its message
	texts       []string
	offers      []string
	changed     time.Time
	// life is that in which a COMPLETED Task was booked, or unsure.
	life   int
	ticket ticket
}

// ticket is the content of the artifact.
type ticket struct {
	Reserva     string `json:"reserva"`
	Sala        string `json:"sala"`
	Inicio      string `json:"inicio"`
	Fim         string `json:"fim"`
	Responsavel string `json:"responsavel"`
	Politica    string `json:"politica"`
}

func terminal(state string) bool {
	return state == completed || state == failed || state == canceled || state == rejected
}

// reply is a JSON-RPC answer of the agent's. ok is false when there was none;
// that is reported already.
type reply struct {
	response
	span
	ok bool
}

// is reports whether the answer is an error of the code.
func (r reply) is(code int) bool { return r.Error != nil && r.Error.Code == code }

// String shows the answer as it came, for the report of a fault.
func (r reply) String() string {
	if r.Error != nil {
		return fmt.Sprintf("error %d %q %s", r.Error.Code, r.Error.Message, r.Error.Data)
	}
	return fmt.Sprintf("result %.300s", r.Result)
}

// unseen notes that a call may have been carried out without anybody knowing.
func (j *job) unseen(sp span) { j.doubt, j.doubtIn = true, sp.to }

// think waits a random time.
func (c *client) think(least, most time.Duration) {
	time.Sleep(least + time.Duration(c.rnd.Int64N(int64(most-least))))
}

// request calls a method of the agent's.
func (c *client) request(method string, params any) reply {
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		c.fault("%s: %v", method, err)
		return reply{}
	}
	return c.post(body, http.StatusOK)
}

// post sends a body to the agent. Whatever the body, the answer is JSON-RPC
// with the HTTP status given, tells of no internal error and holds no
// requestState.
func (c *client) post(body []byte, status int) reply {
	r := reply{span: c.lives.enter()}
	a, err := c.exchange(body)
	c.lives.leave(&r.span)
	c.exchanges.Add(1)
	if err != nil {
		c.fault("%.120s: expected an answer, got: %v", body, err)
		return r
	}
	if a.status != status {
		c.fault("%.120s: expected HTTP %d, got HTTP %d: %.300s", body, status, a.status, a.body)
		return r
	}
	if secret := sealed(a.body); secret != nil || bytes.Contains(a.body, []byte("requestState")) {
		c.fault("expected no requestState in an answer of the agent, got %q in: %.600s", secret, a.body)
	}
	if r.response, err = a.rpc(); err != nil {
		c.fault("%.120s: %v", body, err)
		return r
	}
	if r.is(-32603) {
		c.fault("%.120s: expected no internal error, got: %s", body, a.body)
		return r
	}
	r.ok = true
	return r
}

func (c *client) exchange(body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(c.ctx, "POST", c.a2a.base+"/a2a", bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, read}, err
}

// sealed finds what looks like a requestState: a run of base64url that is
// longer than any id.
func sealed(text []byte) []byte {
	const long = 80
	run := 0
	for i, b := range text {
		if 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '-' || b == '_' {
			if run++; run == long {
				return text[i+1-long : i+1]
			}
		} else {
			run = 0
		}
	}
	return nil
}

// taskIn reads the Task in an answer to SendMessage. An error is a fault.
func (c *client) taskIn(r reply, what string) (task, bool) {
	var out struct {
		Task task `json:"task"`
	}
	if !r.ok {
		return task{}, false
	}
	if r.Error != nil || json.Unmarshal(r.Result, &out) != nil || out.Task.ID == "" {
		c.fault("%s: expected a Task, got %s", what, r)
		return task{}, false
	}
	return out.Task, true
}

// read is GetTask of a job's Task.
func (c *client) read(j *job) (task, span, bool) {
	var tk task
	r := c.request("GetTask", object{"id": j.id})
	if !r.ok {
		return tk, r.span, false
	}
	if r.Error != nil || json.Unmarshal(r.Result, &tk) != nil {
		c.fault("GetTask %s (last seen %s): expected the Task, got %s", j.id, j.state, r)
		return tk, r.span, false
	}
	return tk, r.span, true
}

// open sends a request that makes a Task. With immediately, the Task comes back
// as it is, and the job is not looked at yet.
func (c *client) open(j *job, text string, immediately bool) (span, bool) {
	params := say("", text)
	j.context = params["message"].(object)["messageId"].(string)
	params["message"].(object)["contextId"] = j.context
	if immediately {
		params["configuration"] = object{"returnImmediately": true}
	}
	j.rooms = []string{j.sala}
	r := c.request("SendMessage", params)
	tk, ok := c.taskIn(r, text)
	if !ok {
		return r.span, false
	}
	j.id = tk.ID
	c.jobs = append(c.jobs, j)
	if !immediately {
		c.see(j, tk, r.span)
	}
	return r.span, true
}

// wait polls a Task until it neither waits nor works. sp is the exchange that
// set it to work.
func (c *client) wait(j *job, sp span) {
	for end := time.Now().Add(soakWait + soakMargin); ; c.think(2*time.Millisecond, 20*time.Millisecond) {
		tk, last, ok := c.read(j)
		if !ok {
			return
		}
		if s := tk.Status.State; s != submitted && s != working {
			c.see(j, tk, sp.until(last))
			return
		}
		if time.Now().After(end) {
			c.fault("Task %s: expected it to stop working within %s, it is %s", j.id, soakWait+soakMargin, tk.Status.State)
			return
		}
	}
}

// see notes how a Task stands and holds it to what its client knows. sp is the
// exchange that brought it there.
func (c *client) see(j *job, tk task, sp span) {
	texts := tk.Status.Message.texts()
	if tk.ID != j.id || tk.ContextID != j.context {
		c.fault("expected Task %s of context %s, got %s of %s", j.id, j.context, tk.ID, tk.ContextID)
	}
	if terminal(j.state) && (tk.Status.State != j.state || !slices.Equal(texts, j.texts)) {
		c.fault("Task %s: expected it to stay %s %q, got %s %q", j.id, j.state, j.texts, tk.Status.State, texts)
		return
	}
	if state := tk.Status.State; !terminal(state) && state != inputRequired || len(texts) == 0 {
		c.fault("Task %s: expected it to have stopped, with a status message, got %s %q", j.id, state, texts)
		return
	}
	if tk.Status.Message.ID == j.word {
		return // seen before
	}
	said := map[string]bool{}
	for _, m := range tk.History {
		if said[m.ID] {
			c.fault("Task %s: expected each message in its history once, got %q", j.id, tk.said())
		}
		said[m.ID] = true
	}
	if n := len(tk.History); n == 0 || tk.History[n-1].ID != tk.Status.Message.ID {
		c.fault("Task %s: expected its status message at the end of its history, got %q and %q", j.id, texts, tk.said())
	}
	j.state, j.word, j.texts = tk.Status.State, tk.Status.Message.ID, texts
	var err error
	if j.changed, err = time.Parse(time.RFC3339, tk.Status.Timestamp); err != nil {
		c.fault("Task %s: expected a timestamp, got %q", j.id, tk.Status.Timestamp)
	}
	c.judge(j, tk, sp)
}

// offersIn reads the line of a pause.
func offersIn(line string) ([]string, bool) {
	list, ok := strings.CutPrefix(line, "alternativas: ")
	return strings.Split(list, ", "), ok
}
