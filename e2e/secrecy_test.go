package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestRequestStateStaysInside takes Tasks through everything that can happen
// to a pause, reads the real states at the border behind the agent, and looks
// for them in all that the agent gave away: answers and log lines.
func TestRequestStateStaysInside(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	b := startBorder(t, server.URL)
	agent := startAgent(t, b.url)
	c := &a2aClient{base: agent.URL}
	const line = "alternativas: sala-fusca, sala-mirante"

	refused, chosen, cut := c.pause(t, conflict, line), c.pause(t, conflict, line), c.pause(t, conflict, line)
	c.reply(t, chosen.ID, "escolha=sala-aquario")
	wantTask(t, c.reply(t, refused.ID, "escolha=recusar"), canceled)
	wantError(t, c.call(t, "SendMessage", say(refused.ID, "escolha=sala-fusca")), 200, -32004)

	// A server that carries its own secret out: in an error of the tool's, in
	// one of the protocol's, and in an answer that is none.
	leak := func(make func(state string) answer) {
		b.set(func(w http.ResponseWriter, _ *http.Request, call crossing, forward func() answer) {
			if !call.retry {
				write(w, forward())
				return
			}
			var sent struct {
				Params struct {
					State string `json:"requestState"`
				} `json:"params"`
			}
			_ = json.Unmarshal(call.request, &sent) // it is a retry: it has one
			a := make(sent.Params.State)
			a.body = bytes.ReplaceAll(a.body, []byte("$ID"), call.id)
			write(w, a)
		})
	}
	asJSON := http.Header{"Content-Type": {"application/json"}}
	for name, body := range map[string]string{
		"tool error":     `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"nao vale: $STATE"}]}}`,
		"protocol error": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"bad $STATE","data":"$STATE"}}`,
		"broken JSON":    `{"jsonrpc":"2.0","id":$ID,"result":"$STATE`,
		"not JSON":       `$STATE`,
		"product":        `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[],"structuredContent":{"reserva":"$STATE","sala":"$STATE"}}}`,
	} {
		b.set(nil)
		tk := c.pause(t, conflict, line)
		leak(func(state string) answer {
			return answer{200, asJSON, []byte(strings.ReplaceAll(body, "$STATE", state))}
		})
		after := c.reply(t, tk.ID, "escolha=sala-fusca")
		t.Logf("%s: %s %q", name, after.Status.State, after.Status.Message.texts())
		c.get(t, tk.ID)
	}
	b.set(nil)

	server.kill()
	wantTask(t, c.reply(t, cut.ID, "escolha=sala-mirante"), inputRequired)
	server.restart(t)
	wantTask(t, c.reply(t, cut.ID, "escolha=sala-mirante"), completed)
	wantTask(t, c.reply(t, chosen.ID, "escolha=sala-mirante"), inputRequired, "alternativas: sala-fusca") // taken meanwhile
	c.get(t, chosen.ID)
	c.call(t, "ListTasks", object{"includeArtifacts": true})
	c.call(t, "CancelTask", object{"id": chosen.ID})
	c.call(t, "SendMessage", say("no-such-task", "escolha=sala-fusca"))

	agent.written(t)
	states := b.states()
	if len(states) < 9 {
		t.Fatalf("expected at least 9 requestStates at the border, got %d", len(states))
	}
	for _, state := range states {
		for _, body := range append(c.seen(), c.card(t).body) {
			if bytes.Contains(body, []byte(state)) {
				t.Errorf("expected no requestState in an answer of the agent, found one in: %s", body)
			}
		}
		for _, l := range agent.log.lines() {
			if strings.Contains(l, state) {
				t.Errorf("expected no requestState in the agent's log, found one in: %s", l)
			}
		}
	}
}
