package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNotUnderstood: what is no request is rejected with the expected form, and
// the server is not called for it.
func TestNotUnderstood(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	b := startBorder(t, server.URL)
	c := &a2aClient{base: startAgent(t, b.url).URL}
	const form = "reservar sala=<id> inicio=<iso8601> fim=<iso8601> responsavel=<nome>"
	for _, text := range []string{
		"", "   ", "oi", "Reservar sala=x", "cancelar sala=x", "reservar", "reservar sala-garagem",
		strings.Replace(conflict.text(), "sala=", "quarto=", 1),
		strings.Replace(conflict.text(), " responsavel=Marty", "", 1),
		conflict.text() + " sala=sala-fusca",
		"escolha=sala-fusca",
		`reservar sala="sala-garagem`,
	} {
		tk := c.send(t, text)
		wantTask(t, tk, rejected)
		if says := strings.Join(tk.Status.Message.texts(), " "); !strings.Contains(says, form) {
			t.Errorf("%q: expected a message that shows %s, got %q", text, form, says)
		}
		wantError(t, c.call(t, "SendMessage", say(tk.ID, conflict.text())), 200, -32004)
	}
	if calls := b.exchanges("tools/call"); len(calls) != 0 {
		t.Errorf("expected no tools/call for what was not understood, got %d", len(calls))
	}

	// What is understood in other spellings.
	spaced := booking{sala: "sala-porao", responsavel: "Emmett Brown"}.at("12-01", "09:00", "10:00")
	wantBooked(t, c.send(t, spaced.text()), "sala-porao", spaced)
	quoted := spaced.at("12-02", "09:00", "10:00")
	wantBooked(t, c.send(t, strings.Replace(quoted.text(), "Emmett Brown", `"Emmett Brown"`, 1)), "sala-porao", quoted)
	parted := spaced.at("12-03", "09:00", "10:00")
	before, after, _ := strings.Cut(parted.text(), " fim=")
	params := say("", "")
	params["message"].(object)["parts"] = []object{{"text": before}, {"text": "fim=" + after}}
	wantBooked(t, c.sendParams(t, params), "sala-porao", parted)
	accents := booking{sala: "sala-porao", responsavel: "Zoë Ação <b>&"}.at("12-04", "09:00", "10:00")
	var product struct{ Responsavel string }
	if done := c.send(t, accents.text()); json.Unmarshal([]byte(done.artifact()), &product) != nil || product.Responsavel != accents.responsavel {
		t.Errorf("expected the name %q as it came, got: %s", accents.responsavel, done.artifact())
	}
}
