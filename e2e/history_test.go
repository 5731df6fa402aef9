package e2e

import (
	"slices"
	"testing"
)

// TestHistoryLength: 0, 1, some, more than there are, none given.
func TestHistoryLength(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	tk := p.a2a.pause(t, conflict, line)
	tk = p.a2a.reply(t, tk.ID, "escolha=sala-porao")
	whole := []string{"user: " + conflict.text(), "agent: " + line, "user: escolha=sala-porao", "agent: " + line}
	if got := tk.said(); !slices.Equal(got, whole) {
		t.Fatalf("expected the history %q, got %q", whole, got)
	}
	for _, n := range []int{0, 1, 2, 3, 4, 5, 1000} {
		want := whole[max(0, len(whole)-n):]
		var got task
		if err := p.a2a.call(t, "GetTask", object{"id": tk.ID, "historyLength": n}).result(&got); err != nil {
			t.Fatal(err)
		}
		if said := got.said(); !slices.Equal(said, want) {
			t.Errorf("GetTask, historyLength %d: expected %q, got %q", n, want, said)
		}
		wantTask(t, got, inputRequired, line) // whatever the history shows

		// SendMessage: the answer that keeps the pause adds two messages.
		whole = append(whole, "user: escolha=sala-porao", "agent: "+line)
		params := say(tk.ID, "escolha=sala-porao")
		params["configuration"] = object{"historyLength": n}
		got = p.a2a.sendParams(t, params)
		if said, want := got.said(), whole[max(0, len(whole)-n):]; !slices.Equal(said, want) {
			t.Errorf("SendMessage, historyLength %d: expected %q, got %q", n, want, said)
		}
	}
	params := say(tk.ID, "escolha=sala-fusca")
	params["configuration"] = object{"historyLength": -1}
	wantError(t, p.a2a.call(t, "SendMessage", params), 200, -32602)
	wantError(t, p.a2a.call(t, "GetTask", object{"id": tk.ID, "historyLength": -1}), 200, -32602)
	wantTask(t, p.a2a.get(t, tk.ID), inputRequired, line)
}
