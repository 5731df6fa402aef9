package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEvaluator walks the way of whoever evaluates the project, steps 2 to 13,
// on one pair of processes and in order.
func TestEvaluator(t *testing.T) {
	t.Parallel()
	// Step 2: both processes run; the server's stderr is in view.
	p := startPair(t)
	w := &walk{pair: p}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"03 card", w.card},
		{"04 conformance", w.conformance},
		{"05 log: tools/list first, and the trace-id", w.logged},
		{"06 to 08 pause, new id, choice", w.choose},
		{"09 refusal", w.refuse},
		{"10 unknown room", w.unknownRoom},
		{"11 altered requestState", w.altered},
		{"12 server killed between pause and retry", w.killed},
		{"13 no elicitation", w.noElicitation},
	} {
		if !t.Run(step.name, step.run) {
			t.Fatalf("step %q failed; those after it build on it", step.name)
		}
	}
}

// walk is what one step leaves for the next.
type walk struct {
	*pair
	trace string // the trace-id that the conformance client printed
}

func (w *walk) card(t *testing.T) {
	a := w.a2a.card(t)
	var card struct {
		Name       string `json:"name"`
		Interfaces []struct {
			URL      string `json:"url"`
			Binding  string `json:"protocolBinding"`
			Revision string `json:"protocolVersion"`
		} `json:"supportedInterfaces"`
		Skills []struct {
			ID string `json:"id"`
		} `json:"skills"`
	}
	if err := json.Unmarshal(a.body, &card); err != nil || a.status != 200 {
		t.Fatalf("expected HTTP 200 and a card, got HTTP %d: %.200s (%v)", a.status, a.body, err)
	}
	if card.Name != "Central de Salas" || len(card.Interfaces) != 1 || len(card.Skills) != 1 {
		t.Fatalf("expected the card of Central de Salas with one interface and one skill, got: %s", a.body)
	}
	i := card.Interfaces[0]
	if want := "http://localhost:" + port(t, w.agent.URL) + "/a2a"; i.URL != want || i.Binding != "JSONRPC" || i.Revision != "1.0" {
		t.Errorf("expected JSONRPC 1.0 at %s, got %s %s at %s", want, i.Binding, i.Revision, i.URL)
	}
	if card.Skills[0].ID != "reservar-sala" {
		t.Errorf("expected the skill reservar-sala, got %q", card.Skills[0].ID)
	}
}

func (w *walk) conformance(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), binaries[validator], "--agente", w.agent.URL, "--mcp", strings.TrimSuffix(w.server.URL, "/mcp"))
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || !strings.HasPrefix(lines[len(lines)-1], "resumo: 36 passaram, 0 falharam") {
		t.Fatalf("expected all 36 checks to pass and exit code 0, got %v and:\n%s", err, out)
	}
	var ok bool
	if w.trace, ok = strings.CutPrefix(lines[0], "trace-id desta execucao: "); !ok {
		t.Fatalf("expected the trace-id in the first line, got %q", lines[0])
	}
}

func (w *walk) logged(t *testing.T) {
	var es []entry
	method := func(name string) int {
		return slices.IndexFunc(es, func(e entry) bool { return e["method"] == name })
	}
	eventually(t, "a tools/call in the server's log", func() bool {
		es = w.server.log.requests(nil)
		return method("tools/call") >= 0
	})
	if list, call := method("tools/list"), method("tools/call"); list < 0 || call < 0 || list > call {
		t.Errorf("expected a tools/list before the first tools/call in the server's log, got them at lines %d and %d", list, call)
	}
	for _, e := range es {
		if e.traceID() != w.trace {
			t.Errorf("expected the trace-id %s in every request of this run, got: %v", w.trace, e)
		}
	}
}

// receipt is the pattern of the artifact of a booking by Marty.
func receipt(room string, b booking) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`^\{"reserva":"(res-[0-9]{4})","sala":"%s","inicio":"%s","fim":"%s","responsavel":"%s","politica":"2026-11-01"\}$`,
		room, b.inicio, b.fim, b.responsavel))
}

// wantBooked checks a Task that ended in a booking of room.
func wantBooked(t testing.TB, tk task, room string, b booking) {
	t.Helper()
	wantTask(t, tk, completed)
	m := receipt(room, b).FindStringSubmatch(tk.artifact())
	if m == nil || tk.Artifacts[0].Name != "reserva" {
		t.Fatalf("expected one artifact named reserva that matches %s, got: %+v", receipt(room, b), tk.Artifacts)
	}
	wantTask(t, tk, completed, "Reserva "+m[1]+" confirmada na "+room+".")
}

func (w *walk) choose(t *testing.T) {
	trace, traceparent := newTrace()
	client := w.a2a.with("traceparent", traceparent)
	tk := client.pause(t, conflict, "alternativas: sala-fusca, sala-mirante")
	client.reply(t, tk.ID, "escolha=sala-mirante")
	done := client.get(t, tk.ID)
	wantBooked(t, done, "sala-mirante", conflict)
	if done.ID != tk.ID || done.ContextID != tk.ContextID {
		t.Errorf("expected Task %s of context %s, got %s of %s", tk.ID, tk.ContextID, done.ID, done.ContextID)
	}
	want := []string{
		"user: " + conflict.text(),
		"agent: alternativas: sala-fusca, sala-mirante",
		"user: escolha=sala-mirante",
		"agent: " + done.Status.Message.texts()[0],
	}
	if got := done.said(); !slices.Equal(got, want) {
		t.Errorf("expected the history\n%q, got\n%q", want, got)
	}

	var calls []entry
	eventually(t, "two tools/call in the trace of the request", func() bool {
		calls = w.server.log.requests(func(e entry) bool { return e["method"] == "tools/call" && e.traceID() == trace })
		return len(calls) >= 2
	})
	if len(calls) != 2 || calls[0]["id"] == "" || calls[0]["id"] == calls[1]["id"] {
		t.Errorf("expected two tools/call with different ids in the trace %s, got: %v", trace, calls)
	}
}

func (w *walk) refuse(t *testing.T) {
	tk := w.a2a.pause(t, conflict, "alternativas: sala-fusca") // the other one is taken by now
	wantTask(t, w.a2a.reply(t, tk.ID, "escolha=recusar"), canceled, "Reserva recusada.")
	end := w.a2a.get(t, tk.ID)
	wantTask(t, end, canceled, "Reserva recusada.")
	if len(end.Artifacts) != 0 {
		t.Errorf("expected no artifact after a refusal, got: %+v", end.Artifacts)
	}
}

func (w *walk) unknownRoom(t *testing.T) {
	b := conflict
	b.sala = "sala-inexistente"
	const want = "Sala inexistente: sala-inexistente"
	tk := w.a2a.send(t, b.text())
	wantTask(t, tk, failed, want)
	end := w.a2a.get(t, tk.ID)
	wantTask(t, end, failed, want)
	if said := end.said(); len(said) != 2 || said[1] != "agent: "+want {
		t.Errorf("expected %q as the last line of the history, got %q", want, said)
	}
}

func (w *walk) altered(t *testing.T) {
	q := w.mcp.ask(t, conflict)
	if !slices.Equal(q.rooms, []string{"sala-fusca"}) {
		t.Fatalf("expected the alternative sala-fusca alone, got %q", q.rooms)
	}
	for name, state := range alterations(q.state) {
		q := question{key: q.key, state: state}
		a := w.mcp.tool(t, "reservar_sala", conflict.args(), q.accepting("sala-fusca"))
		if r, err := a.rpc(); err != nil || r.Error == nil || r.Error.Code != -32602 || a.status != 400 {
			t.Errorf("requestState %s: expected -32602 with HTTP 400, got HTTP %d: %s (%v)", name, a.status, a.body, err)
		}
	}
	fusca := conflict
	fusca.sala = "sala-fusca"
	w.mcp.wantHolders(t, fusca)
}

// alterations are ways to change a requestState, by name.
func alterations(state string) map[string]string {
	out := map[string]string{
		"cut at the end":         state[:len(state)-1],
		"cut in half":            state[:len(state)/2],
		"one character more":     state + "A",
		"a line break more":      state + "\n",
		"empty":                  "",
		"of another version":     "v2" + strings.TrimPrefix(state, "v1"),
		"not a requestState":     "x",
		"JSON without a seal":    "eyJzYWxhIjoic2FsYS1mdXNjYSJ9",
		"in another alphabet":    strings.NewReplacer("-", "+", "_", "/").Replace(state) + "=",
		"of absurd length":       strings.Repeat(state, 200),
		"with a null byte in it": state[:10] + "\x00" + state[10:],
	}
	for i := 0; i < len(state); i += 13 {
		other := byte('A')
		if state[i] == other {
			other = 'B'
		}
		out[fmt.Sprintf("with character %d changed", i)] = state[:i] + string(other) + state[i+1:]
	}
	return out
}

func (w *walk) noElicitation(t *testing.T) {
	for name, capabilities := range map[string]object{
		"no capability":  {},
		"another one":    {"sampling": object{}},
		"url mode alone": {"elicitation": object{"url": object{}}},
	} {
		a := w.mcp.toolWith(t, capabilities, "reservar_sala", conflict.args(), nil)
		e := wantError(t, a, 400, -32021)
		if want := `{"requiredCapabilities":{"elicitation":{"form":{}}}}`; string(e.Data) != want {
			t.Errorf("%s: expected the data %s and nothing more, got %s", name, want, e.Data)
		}
	}
	a := w.mcp.toolWith(t, object{"elicitation": object{}}, "reservar_sala", conflict.args(), nil)
	if r := toolResultOf(t, a); r.ResultType != "input_required" {
		t.Errorf(`expected {"elicitation":{}} to count as form mode, got: %s`, a.body)
	}
}
