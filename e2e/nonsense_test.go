package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// fixed answers with fixed bytes; $ID in the body becomes the request's id.
func fixed(status int, contentType, body string) rule {
	return func(w http.ResponseWriter, _ *http.Request, c crossing, _ func() answer) {
		id := c.id
		if id == nil {
			id = []byte("null")
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write(bytes.ReplaceAll([]byte(body), []byte("$ID"), id))
	}
}

// nonsense are answers that no MCP server should give.
var nonsense = map[string]rule{
	"HTML with 200":          fixed(200, "text/html", "<!doctype html><h1>It works!</h1>"),
	"HTML that says JSON":    fixed(200, "application/json", "<!doctype html><h1>It works!</h1>"),
	"JSON null":              fixed(200, "application/json", "null"),
	"JSON of another kind":   fixed(200, "application/json", `{"status":"up"}`),
	"an empty list":          fixed(200, "application/json", "[]"),
	"result null":            fixed(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":null}`),
	"result of a wrong type": fixed(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":[1,2]}`),
	"empty result":           fixed(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":{}}`),
	"unknown resultType":     fixed(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"maybe"}}`),
	"question without any":   fixed(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required"}}`),
	"internal error":         fixed(500, "application/json", `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"internal error"}}`),
	"text with 500":          fixed(500, "text/plain", "Internal Server Error"),
	"text with 404":          fixed(404, "text/plain", "404 page not found"),
	"text with 401":          fixed(401, "text/plain", "who are you?"),
	"nothing with 200":       fixed(200, "application/json", ""),
	"nothing with 202":       fixed(202, "application/json", ""),
	"broken JSON":            fixed(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":{`),
	"redirect":               redirect,
	"cut in the middle":      cut,
	"closed connection":      hangUp,
	"huge body":              huge,
	"stream without answer":  fixed(200, "text/event-stream", ": nothing\n\n"),
}

func redirect(w http.ResponseWriter, r *http.Request, _ crossing, _ func() answer) {
	http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
}

func cut(w http.ResponseWriter, _ *http.Request, _ crossing, _ func() answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"jsonrpc":"2.0",`))
}

func hangUp(w http.ResponseWriter, _ *http.Request, _ crossing, _ func() answer) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// huge writes until the other side has had enough of it.
func huge(w http.ResponseWriter, _ *http.Request, _ crossing, _ func() answer) {
	w.Header().Set("Content-Type", "application/json")
	block := []byte(strings.Repeat(" ", 1<<20))
	for range 64 {
		// Straight to the connection: what is written need not be recorded.
		if _, err := w.(tee).ResponseWriter.Write(block); err != nil {
			return
		}
	}
}

// TestNonsense: whatever a server answers, the Task fails or keeps its pause,
// and the agent goes on serving, and works again with the next good answer.
func TestNonsense(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	for name, bad := range nonsense {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBorder(t, server.URL)
			// Told at once, with time to spare on a busy machine, and not only
			// when the agent has waited for as long as it may.
			const most = 15 * time.Second
			agent := startAgent(t, b.url, "-espera", "1m")
			c := &a2aClient{base: agent.URL}
			bounded := func(stage string, f func()) {
				t.Helper()
				begin := time.Now()
				f()
				if took := time.Since(begin); took > most {
					t.Errorf("%s: expected an answer within %s, got one after %s", stage, most, took)
				}
			}

			b.set(bad)
			bounded("first contact", func() { wantExcuse(t, c.send(t, conflict.text())) })
			if a := c.card(t); a.status != 200 {
				t.Errorf("expected the card with HTTP 200, got HTTP %d", a.status)
			}

			b.set(nil)
			tk := c.pause(t, conflict, line)

			b.set(onlyToolCalls(bad))
			bounded("tools/call", func() { wantExcuse(t, c.send(t, conflict.text())) })
			bounded("continuation", func() { wantPauseKept(t, c.reply(t, tk.ID, "escolha=sala-fusca")) })
			bounded("refusal", func() { wantPauseKept(t, c.reply(t, tk.ID, "escolha=recusar")) })

			b.set(nil)
			wantTask(t, c.reply(t, tk.ID, "escolha=recusar"), canceled, "Reserva recusada.")
			if rss, ok := residentMemory(t, agent.PID()); ok && !raceEnabled && rss > 100<<20 {
				t.Errorf("expected the agent to stay below 100 MiB, it has %s", mib(rss))
			}
		})
	}
}

// TestAnswerToAnotherRequest: an answer with a foreign id is no answer. The
// agent waits for its own until its time is over.
func TestAnswerToAnotherRequest(t *testing.T) {
	t.Parallel()
	b := startBorder(t, startServer(t).URL)
	c := &a2aClient{base: startAgent(t, b.url, "-espera", "800ms").URL}
	tk := pauseInTime(t, c)
	for _, id := range []string{"987654321", "null", `"1"`} {
		b.set(onlyToolCalls(fixed(200, "application/json", `{"jsonrpc":"2.0","id":`+id+`,"result":{"resultType":"complete","content":[],"structuredContent":{}}}`)))
		wantExcuse(t, c.send(t, conflict.text()))
		wantPauseKept(t, c.reply(t, tk.ID, "escolha=sala-fusca"))
	}
	b.set(nil)
	wantBooked(t, replyInTime(t, c, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
}

func onlyToolCalls(bad rule) rule {
	return func(w http.ResponseWriter, r *http.Request, c crossing, forward func() answer) {
		if c.method == "tools/call" {
			bad(w, r, c, forward)
			return
		}
		pass(w, r, c, forward)
	}
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
