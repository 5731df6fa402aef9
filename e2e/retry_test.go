package e2e

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// receiptOf is the structuredContent of reservar_sala.
type receiptOf struct {
	Reserva   *string `json:"reserva"`
	Reservado bool    `json:"reservado"`
	Sala      *string `json:"sala"`
	Motivo    *string `json:"motivo"`
}

// TestRetry plays every answer to the server's question, straight at the
// server: the first that counts decides, and one state is good for one booking.
func TestRetry(t *testing.T) {
	t.Parallel()
	c := &mcpClient{url: startServer(t).URL}
	q := c.ask(t, conflict)
	if want := []string{"sala-fusca", "sala-mirante"}; !slices.Equal(q.rooms, want) {
		t.Fatalf("expected the alternatives %q in this order, got %q", want, q.rooms)
	}
	answering := func(answer any) object {
		return object{"requestState": q.state, "inputResponses": object{q.key: answer}}
	}
	retry := func(extra object) answer { return c.tool(t, "reservar_sala", conflict.args(), extra) }
	receipt := func(a answer) receiptOf {
		t.Helper()
		r := toolResultOf(t, a)
		var got receiptOf
		if err := json.Unmarshal(r.Structured, &got); err != nil || r.ResultType != "complete" || r.IsError {
			t.Fatalf("expected a complete result with structuredContent, got: %s (%v)", a.body, err)
		}
		return got
	}

	for name, extra := range map[string]object{
		"no answer":               {"requestState": q.state},
		"an empty answer":         {"requestState": q.state, "inputResponses": object{}},
		"an answer to another":    {"requestState": q.state, "inputResponses": object{"other": object{"action": "accept", "content": object{"sala": "sala-fusca"}}}},
		"accepted, no content":    answering(object{"action": "accept"}),
		"accepted, other field":   answering(object{"action": "accept", "content": object{"room": "sala-fusca"}}),
		"the room asked first":    answering(object{"action": "accept", "content": object{"sala": "sala-garagem"}}),
		"a room too small":        answering(object{"action": "accept", "content": object{"sala": "sala-porao"}}),
		"an unknown room":         answering(object{"action": "accept", "content": object{"sala": "sala-nove"}}),
		"answers without state":   {"inputResponses": object{q.key: object{"action": "accept", "content": object{"sala": "sala-fusca"}}}},
		"a decline, but no state": {"inputResponses": object{q.key: object{"action": "decline"}}},
	} {
		a := retry(extra)
		if r := toolResultOf(t, a); r.ResultType != "input_required" || r.RequestState == "" || r.RequestState == q.state {
			t.Errorf("%s: expected to be asked again with a fresh state, got: %s", name, a.body)
		}
	}
	for name, extra := range map[string]object{
		"unknown action":   answering(object{"action": "maybe"}),
		"state empty":      {"requestState": ""},
		"state a number":   {"requestState": 1},
		"state an object":  {"requestState": object{}},
		"state null":       {"requestState": nil},
		"answers a number": {"requestState": q.state, "inputResponses": 1},
	} {
		if r, err := retry(extra).rpc(); err != nil || r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%s: expected error -32602, got: %+v (%v)", name, r, err)
		}
	}
	wantError(t, c.tool(t, "listar_salas", object{}, object{"requestState": q.state}), 400, -32602)
	wantError(t, c.tool(t, "consultar_disponibilidade", conflict.args(), object{"requestState": q.state}), 400, -32602)

	for action, reason := range map[string]string{"decline": "recusado", "cancel": "cancelado"} {
		if got := receipt(retry(answering(object{"action": action}))); got.Reservado || got.Reserva != nil || got.Motivo == nil || *got.Motivo != reason {
			t.Errorf("%s: expected nothing booked, motivo %s, got %+v", action, reason, got)
		}
	}
	for _, room := range q.rooms {
		b := conflict
		b.sala = room
		c.wantHolders(t, b)
	}

	// Altered arguments have no effect; the same choice again brings the same
	// booking; another one is refused.
	altered := maps.Clone(conflict.args())
	altered["responsavel"], altered["fim"] = "Biff", "2026-11-03T16:00:00-03:00"
	first := receipt(c.tool(t, "reservar_sala", altered, q.accepting("sala-mirante")))
	if !first.Reservado || *first.Sala != "sala-mirante" {
		t.Fatalf("expected sala-mirante to be booked, got %+v", first)
	}
	if again := receipt(retry(q.accepting("sala-mirante"))); *again.Reserva != *first.Reserva {
		t.Errorf("expected the booking %s again, got %s", *first.Reserva, *again.Reserva)
	}
	wantError(t, retry(q.accepting("sala-fusca")), 400, -32602)
	wantError(t, retry(answering(object{"action": "decline"})), 400, -32602)
	for room, holders := range map[string][]string{"sala-mirante": {"Marty"}, "sala-fusca": nil} {
		b := conflict.at("11-03", "14:00", "16:00")
		b.sala = room
		c.wantHolders(t, b, holders...)
	}
}

// TestRetryManyTimes: one state at the server many times at once is one
// booking.
func TestRetryManyTimes(t *testing.T) {
	t.Parallel()
	c := &mcpClient{url: startServer(t).URL}
	q := c.ask(t, conflict)
	params := object{"name": "reservar_sala", "arguments": conflict.args()}
	maps.Copy(params, q.accepting("sala-fusca"))
	answers, err := together(16, func(int) (answer, error) {
		return c.call(t.Context(), "tools/call", "reservar_sala", params, withForm)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if r := toolResultOf(t, a); r.IsError || string(r.Structured) != string(toolResultOf(t, answers[0]).Structured) {
			t.Errorf("expected the same booking for everybody, got: %s", a.body)
		}
	}
	fusca := conflict
	fusca.sala = "sala-fusca"
	c.wantHolders(t, fusca, "Marty")
}
