package e2e

import (
	"context"
	"testing"
)

// held is an agent whose tool calls stand at a gate.
type held struct {
	agent  *process
	client *a2aClient
	border *border
	gate   *gate
}

func startHeld(t *testing.T, args ...string) held {
	t.Helper()
	b := startBorder(t, startServer(t).URL)
	agent := startAgent(t, b.url, args...)
	return held{agent, &a2aClient{base: agent.URL}, b, b.hold(t, false)}
}

// sending sends a message in the background and waits until its tool call
// stands at the gate.
func (h held) sending(t *testing.T, params object) <-chan outcome {
	t.Helper()
	done := make(chan outcome, 1)
	go func() {
		tk, err := taskOfTry(h.client.try(t.Context(), "SendMessage", params))
		done <- outcome{tk, err}
	}()
	h.gate.wait()
	return done
}

type outcome struct {
	task task
	err  error
}

// TestCallerLeaves: work goes on when nobody waits for it.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	h := startHeld(t)
	ended := func(state string) func() bool {
		return func() bool { return len(h.agent.log.matching("state="+state)) > 0 }
	}

	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := h.client.try(ctx, "SendMessage", say("", conflict.text()))
		gone <- err
	}()
	h.gate.wait()
	leave()
	if err := <-gone; err == nil {
		t.Fatal("expected the caller to have left without an answer")
	}
	var list struct {
		Tasks []task `json:"tasks"`
	}
	if err := h.client.call(t, "ListTasks", object{}).result(&list); err != nil || len(list.Tasks) != 1 {
		t.Fatalf("expected one Task, got %+v (%v)", list.Tasks, err)
	}
	tk := list.Tasks[0]
	wantTask(t, tk, working)
	h.gate.open()
	eventually(t, "the Task to pause without its caller", ended(inputRequired))
	wantTask(t, h.client.get(t, tk.ID), inputRequired, line)

	// The same in the middle of a continuation.
	h.gate = h.border.hold(t, true)
	ctx, leave = context.WithCancel(t.Context())
	go func() {
		_, err := h.client.try(ctx, "SendMessage", say(tk.ID, "escolha=sala-fusca"))
		gone <- err
	}()
	h.gate.wait()
	leave()
	<-gone
	h.gate.open()
	eventually(t, "the Task to end without its caller", ended(completed))
	wantBooked(t, h.client.get(t, tk.ID), "sala-fusca", conflict)
}

// TestReturnImmediately: the Task comes back as soon as it exists, and GetTask
// shows how it goes on.
func TestReturnImmediately(t *testing.T) {
	t.Parallel()
	h := startHeld(t)
	immediately := func(taskID, text string) task {
		t.Helper()
		params := say(taskID, text)
		params["configuration"] = object{"returnImmediately": true}
		tk := h.client.sendParams(t, params) // the gate is closed: only a Task that does not wait comes back
		if s := tk.Status.State; s != submitted && s != working {
			t.Fatalf("expected %s or %s, got %s", submitted, working, s)
		}
		h.gate.wait()
		wantTask(t, h.client.get(t, tk.ID), working)
		h.gate.open()
		return tk
	}
	settles := func(id string) task {
		t.Helper()
		var tk task
		eventually(t, "the Task to stop working", func() bool {
			tk = h.client.get(t, id)
			return tk.Status.State != submitted && tk.Status.State != working
		})
		return tk
	}
	tk := settles(immediately("", conflict.text()).ID)
	wantTask(t, tk, inputRequired, line)
	h.gate = h.border.hold(t, false)
	immediately(tk.ID, "escolha=sala-mirante")
	wantBooked(t, settles(tk.ID), "sala-mirante", conflict)
}
