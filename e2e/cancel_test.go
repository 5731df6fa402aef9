package e2e

import "testing"

// TestCancelTask: a Task that has not ended can be ended, and stays so.
func TestCancelTask(t *testing.T) {
	t.Parallel()
	cancel := func(t *testing.T, c *a2aClient, id string) task {
		t.Helper()
		var tk task
		if err := c.call(t, "CancelTask", object{"id": id}).result(&tk); err != nil {
			t.Fatalf("CancelTask: %v", err)
		}
		return tk
	}

	t.Run("paused", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		tk := p.a2a.pause(t, conflict, line)
		wantTask(t, cancel(t, p.a2a, tk.ID), canceled)
		wantTask(t, p.a2a.get(t, tk.ID), canceled)
		wantError(t, p.a2a.call(t, "SendMessage", say(tk.ID, "escolha=sala-fusca")), 200, -32004)
		wantError(t, p.a2a.call(t, "CancelTask", object{"id": tk.ID}), 200, -32002)
		for _, room := range []string{"sala-fusca", "sala-mirante"} {
			b := conflict
			b.sala = room
			p.mcp.wantHolders(t, b)
		}
	})
	t.Run("ended", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		free := booking{sala: "sala-porao", responsavel: "Marty"}.at("12-01", "09:00", "10:00")
		done := p.a2a.send(t, free.text())
		wantTask(t, done, completed)
		unknown := free
		unknown.sala = "sala-nove"
		for _, tk := range []task{done, p.a2a.send(t, unknown.text()), p.a2a.send(t, "oi")} {
			wantError(t, p.a2a.call(t, "CancelTask", object{"id": tk.ID}), 200, -32002)
			wantTask(t, p.a2a.get(t, tk.ID), tk.Status.State, tk.Status.Message.texts()...)
		}
	})
	t.Run("working", func(t *testing.T) {
		t.Parallel()
		h := startHeld(t)
		// The server has done its part; its answer is on its way when the caller
		// gives up.
		h.gate = h.border.hold(t, true)
		free := booking{sala: "sala-porao", responsavel: "Marty"}.at("12-01", "09:00", "10:00")
		sent := h.sending(t, say("", free.text()))
		var list page
		if err := h.client.call(t, "ListTasks", object{"status": working}).result(&list); err != nil || len(list.Tasks) != 1 {
			t.Fatalf("expected one working Task, got %+v (%v)", list.Tasks, err)
		}
		id := list.Tasks[0].ID
		wantTask(t, cancel(t, h.client, id), canceled)
		h.gate.open()
		end := <-sent // whoever waited is told as well
		if end.err != nil {
			t.Fatalf("expected the waiting caller to be answered, got: %v", end.err)
		}
		wantTask(t, end.task, canceled)
		eventually(t, "the held answer to have crossed the border", func() bool { return len(h.border.exchanges("tools/call")) == 1 })
		h.border.set(nil)
		wantTask(t, h.client.send(t, conflict.text()), inputRequired) // one more exchange, after that answer
		last := h.client.get(t, id)
		wantTask(t, last, canceled)
		if len(last.Artifacts) != 0 {
			t.Errorf("expected no artifact of a canceled Task, got %+v", last.Artifacts)
		}
		wantError(t, h.client.call(t, "CancelTask", object{"id": id}), 200, -32002)
	})
}
