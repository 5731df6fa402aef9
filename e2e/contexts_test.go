package e2e

import (
	"bytes"
	"strings"
	"testing"
)

// TestContexts: whose conversation a message belongs to.
func TestContexts(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	params := say("", conflict.text())
	params["message"].(object)["contextId"] = "my own context"
	tk := p.a2a.sendParams(t, params)
	if tk.ContextID != "my own context" {
		t.Errorf("expected the context that came with a new Task to be kept, got %q", tk.ContextID)
	}
	other := p.a2a.pause(t, conflict, line)
	if other.ContextID == "" || other.ContextID == tk.ContextID || other.ID == tk.ID {
		t.Errorf("expected a Task and a context of their own, got %q of %q", other.ID, other.ContextID)
	}

	stored := func() []byte { return p.a2a.call(t, "GetTask", object{"id": tk.ID}).body }
	before := stored()
	for _, context := range []string{other.ContextID, "somebody's", "My Own Context"} {
		params := say(tk.ID, "escolha=sala-fusca")
		params["message"].(object)["contextId"] = context
		wantError(t, p.a2a.call(t, "SendMessage", params), 200, -32602)
	}
	if after := stored(); !bytes.Equal(before, after) {
		t.Errorf("expected refused messages to store nothing, the Task was\n%s\nand is\n%s", before, after)
	}
	for _, unknown := range []string{"no-such-task", strings.Repeat("x", 5000), "../etc", tk.ContextID} {
		wantError(t, p.a2a.call(t, "SendMessage", say(unknown, "escolha=sala-fusca")), 200, -32001)
		wantError(t, p.a2a.call(t, "GetTask", object{"id": unknown}), 200, -32001)
		wantError(t, p.a2a.call(t, "CancelTask", object{"id": unknown}), 200, -32001)
	}

	params = say(tk.ID, "escolha=sala-fusca")
	params["message"].(object)["contextId"] = tk.ContextID
	wantBooked(t, p.a2a.sendParams(t, params), "sala-fusca", conflict)
}
