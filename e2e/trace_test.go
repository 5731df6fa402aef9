package e2e

import (
	"slices"
	"testing"
)

// TestTrace follows a trace-id from the caller's header into the server's log.
func TestTrace(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	methods := func(es []entry) []string {
		var names []string
		for _, e := range es {
			names = append(names, e["method"])
		}
		return names
	}
	in := func(trace string) func(entry) bool { return func(e entry) bool { return e.traceID() == trace } }

	// The agent knows nothing yet: this message causes everything.
	first, traceparent := newTrace()
	tk := p.a2a.with("traceparent", traceparent).pause(t, conflict, "alternativas: sala-fusca, sala-mirante")
	want := []string{"server/discover", "tools/list", "resources/read", "tools/call"}
	eventually(t, "four requests in the server's log", func() bool { return len(p.server.log.requests(nil)) == len(want) })
	all := p.server.log.requests(nil)
	if got := methods(p.server.log.requests(in(first))); !slices.Equal(got, want) || len(all) != len(want) {
		t.Errorf("expected %q, all in the trace %s, got: %v", want, first, all)
	}
	spans := map[string]bool{traceparent: true}
	for _, e := range all {
		if spans[e["traceparent"]] {
			t.Errorf("expected a span-id of its own in every request, got %s twice", e["traceparent"])
		}
		spans[e["traceparent"]] = true
	}

	// Without a header the Task's own trace goes on, with one it changes. A
	// header that is malformed counts as none.
	for _, step := range []struct{ name, header string }{
		{"no header", ""},
		{"malformed header", "00-xyz"},
		{"all-zero trace-id", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
	} {
		before := len(p.server.log.requests(nil)) + 1 // the tools and the resource are known: a pause is one request
		tk := p.a2a.with("traceparent", traceparent).pause(t, conflict, "alternativas: sala-fusca, sala-mirante")
		eventually(t, "the call in the server's log", func() bool { return len(p.server.log.requests(nil)) >= before })
		client := p.a2a
		if step.header != "" {
			client = client.with("traceparent", step.header)
		}
		wantTask(t, client.reply(t, tk.ID, "escolha=recusar"), canceled)
		eventually(t, "the retry in the server's log", func() bool { return len(p.server.log.requests(nil)) > before })
		if e := p.server.log.requests(nil)[before]; e.traceID() != first {
			t.Errorf("%s: expected the continuation in the Task's trace %s, got: %v", step.name, first, e)
		}
	}
	second, traceparent := newTrace()
	wantTask(t, p.a2a.with("traceparent", traceparent).reply(t, tk.ID, "escolha=sala-fusca"), completed)
	eventually(t, "the retry in the trace of its own message", func() bool {
		return slices.Contains(methods(p.server.log.requests(in(second))), "tools/call")
	})
}
