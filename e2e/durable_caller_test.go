package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd are several callers at once, of one agent or of several that are one.
// They keep what they were told, to hold it against what is found after the
// kills.
type crowd struct {
	t       testing.TB
	doors   []*door
	callers []*caller
	// hasty is set when the agent waits so little for the server that a busy
	// machine may exceed it.
	hasty bool
	// outage is set while the database is down for long: errors are no broken
	// promise, nor is a Task that its agent could not settle.
	outage atomic.Bool

	mu    sync.Mutex
	cells int       // hours of the agenda in use
	taken []booking // what is booked, the latest last
}

// door is one agent, as callers reach it.
type door struct {
	*a2aClient
	// doomed is set just before the agent is killed, shut by the first caller
	// that finds it gone.
	doomed, shut atomic.Bool
}

// caller is one of the crowd. Its fields belong to one goroutine at a time.
type caller struct {
	*crowd
	n       int
	rnd     *rand.Rand
	errands []*errand
}

func newCrowd(t testing.TB, seed uint64, size int, bases ...string) *crowd {
	w := &crowd{t: t}
	for _, base := range bases {
		w.doors = append(w.doors, &door{a2aClient: &a2aClient{base: base}})
	}
	for n := range size {
		w.callers = append(w.callers, &caller{crowd: w, n: n, rnd: rand.New(rand.NewPCG(seed, uint64(n)))})
	}
	return w
}

// run lets the callers loose until stop is closed or no agent is left.
func (w *crowd) run(stop <-chan struct{}) (wait func()) {
	var wg sync.WaitGroup
	for _, c := range w.callers {
		wg.Go(func() {
			for c.door() != nil && !w.t.Failed() {
				select {
				case <-stop:
					return
				default:
					c.step()
				}
			}
		})
	}
	w.t.Cleanup(wg.Wait) // a test that gave up waits for its callers, too
	return wg.Wait
}

// each runs f for all errands that keep chooses, the callers side by side.
func (w *crowd) each(keep func(*errand) bool, f func(*caller, *errand)) {
	var wg sync.WaitGroup
	for _, c := range w.callers {
		wg.Go(func() {
			for _, e := range c.errands {
				if keep(e) {
					f(c, e)
				}
			}
		})
	}
	wg.Wait()
}

// door picks an agent that is not known to be gone.
func (c *caller) door() *door {
	for _, i := range c.rnd.Perm(len(c.doors)) {
		if d := c.doors[i]; !d.shut.Load() {
			return d
		}
	}
	return nil
}

// request calls a method at any agent. Without an answer ok is false.
func (c *caller) request(method string, params any) (r response, ok bool) {
	d := c.door()
	if d == nil {
		return r, false
	}
	a, err := d.try(c.t.Context(), method, params)
	if err != nil {
		if !d.doomed.Load() && c.t.Context().Err() == nil {
			c.t.Errorf("%s %v: expected an answer of an agent that was not killed, got: %v", method, params, err)
		}
		d.shut.Store(true)
		return r, false
	}
	if r, err = a.rpc(); err == nil && a.status == http.StatusOK && (r.Error == nil || r.Error.Code != -32603) {
		return r, true
	}
	if !c.outage.Load() {
		c.t.Errorf("%s %v: expected JSON-RPC with HTTP 200 and no internal error, got HTTP %d: %.300s", method, params, a.status, a.body)
	}
	return r, false
}

// step does one thing.
func (c *caller) step() {
	var open []*errand
	for _, e := range c.errands {
		if e.paused() {
			open = append(open, e)
		}
	}
	if len(open) > 0 && (len(open) > 4 || c.rnd.IntN(100) < 60) {
		c.answer(open[c.rnd.IntN(len(open))])
		return
	}
	c.begin(c.invent())
}

// begin opens a Task, and waits until it stops.
func (c *caller) begin(e *errand) {
	c.errands = append(c.errands, e)
	params := say("", e.text)
	e.context = "ctx-" + e.responsavel
	params["message"].(object)["contextId"] = e.context
	immediately := c.rnd.IntN(3) == 0
	if immediately {
		params["configuration"] = object{"returnImmediately": true}
	}
	tk, ok := c.submit(e, params)
	switch {
	case !ok:
	case immediately:
		e.id = tk.ID
		c.watch(e)
	default:
		e.id = tk.ID
		c.see(e, tk)
	}
}

// submit sends a message for an errand. Without an answer the errand is in
// doubt.
func (c *caller) submit(e *errand, params object) (task, bool) {
	r, ok := c.request("SendMessage", params)
	if !ok {
		e.doubt, e.shaken = true, true
		return task{}, false
	}
	var out struct {
		Task task `json:"task"`
	}
	if r.Error != nil || json.Unmarshal(r.Result, &out) != nil || out.Task.ID == "" {
		c.t.Errorf("%v (last seen %s): expected a Task, got error %+v, result %.300s", params, e.last.Status.State, r.Error, r.Result)
		return task{}, false
	}
	if s := out.Task.Status.State; c.outage.Load() && (s == submitted || s == working) {
		e.id, e.doubt, e.shaken = out.Task.ID, true, true
		return task{}, false
	}
	return out.Task, true
}

// watch polls a Task that the caller was told of until it stops, or for so long
// that its agent may be dead, where others live on.
func (c *caller) watch(e *errand) {
	limit := patience
	if c.hasty {
		limit = 2 * time.Second
	}
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Millisecond) {
		tk, ok := c.get(e)
		if !ok {
			break
		}
		if s := tk.Status.State; s != submitted && s != working {
			c.see(e, tk)
			return
		}
	}
	e.doubt, e.shaken = true, true
}

// get is GetTask for an errand. That there is no such Task is a fault.
func (c *caller) get(e *errand) (task, bool) {
	var tk task
	r, ok := c.request("GetTask", object{"id": e.id})
	if !ok {
		return tk, false
	}
	if r.Error != nil || json.Unmarshal(r.Result, &tk) != nil {
		c.t.Errorf("lost: expected Task %s of %s (last seen %q), got error %+v, result %.300s", e.id, e.responsavel, e.last.Status.State, r.Error, r.Result)
		return tk, false
	}
	return tk, true
}

// answer goes on with a paused Task: most of the time with a room that was
// offered. Where the answer before was lost, it mostly comes again.
func (c *caller) answer(e *errand) {
	if e.sent != nil && e.shaken && c.rnd.IntN(3) == 0 {
		// The very same message: it may have been heard already, and is then
		// not to be carried out again.
		if tk, ok := c.submit(e, e.sent); ok {
			c.see(e, tk)
		}
		return
	}
	offers := offered(e.last)
	if len(offers) == 0 {
		return // reported when it was seen
	}
	room, n := offers[c.rnd.IntN(len(offers))], c.rnd.IntN(100)
	if e.shaken && e.choice != "" && c.rnd.IntN(5) > 0 {
		room = e.choice
	}
	switch {
	case n < 12:
		c.reply(e, "recusar")
	case n < 20:
		c.reply(e, "sala-nenhuma")
	default:
		c.reply(e, room)
	}
}

// reply answers a pause.
func (c *caller) reply(e *errand, choice string) {
	e.sent, e.choice = say(e.id, "escolha="+choice), ""
	if choice == "recusar" {
		e.declined = true
	} else if choice != "sala-nenhuma" {
		e.choice, e.choices = choice, append(e.choices, choice)
	}
	if tk, ok := c.submit(e, e.sent); ok {
		c.see(e, tk)
	}
}

// clarify ends the doubt about an errand: nobody works on its Task any more.
func (c *caller) clarify(e *errand) {
	if e.id == "" {
		var got page
		r, ok := c.request("ListTasks", object{"contextId": e.context})
		if !ok || r.Error != nil || json.Unmarshal(r.Result, &got) != nil || len(got.Tasks) > 1 {
			c.t.Errorf("ListTasks of %s: expected at most one Task, got error %+v, result %.300s", e.context, r.Error, r.Result)
			return
		}
		if len(got.Tasks) == 0 {
			e.doubt, e.void = false, true
			return
		}
		e.id = got.Tasks[0].ID
	}
	if tk, ok := c.get(e); ok {
		c.see(e, tk)
	}
}

// finish answers a pause until the Task ends.
func (c *caller) finish(e *errand) {
	for range 8 {
		if e.settled() {
			return
		}
		offers := offered(e.last)
		if len(offers) == 0 {
			return
		}
		c.reply(e, offers[0])
	}
	c.t.Errorf("Task %s: expected it to end after eight answers, it is %s with history %q", e.id, e.last.Status.State, e.last.said())
}
