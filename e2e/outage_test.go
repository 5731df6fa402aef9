package e2e

import (
	"net"
	"strings"
	"testing"
	"time"
)

const line = "alternativas: sala-fusca, sala-mirante"

// wantExcuse checks a FAILED Task whose message says that the server is at
// fault, and stands in its history.
func wantExcuse(t testing.TB, tk task) {
	t.Helper()
	wantTask(t, tk, failed)
	texts := tk.Status.Message.texts()
	if len(texts) != 1 || !strings.Contains(texts[0], "Servidor MCP") {
		t.Fatalf("expected one text that says what is wrong with the MCP server, got %q", texts)
	}
	if strings.Contains(texts[0], "-32005") { // an error of the SDK's inside the agent
		t.Errorf("expected a text about the MCP server that did not answer, got one of a refusal that it never sent: %q", texts[0])
	}
	if said := tk.said(); len(said) != 2 || said[1] != "agent: "+texts[0] {
		t.Errorf("expected the history to be the request and %q, got %q", texts[0], said)
	}
}

// wantPauseKept checks a Task whose continuation had no answer: the line to
// the letter, and what happened.
func wantPauseKept(t testing.TB, tk task) {
	t.Helper()
	wantTask(t, tk, inputRequired)
	texts := tk.Status.Message.texts()
	if len(texts) != 2 || texts[0] != line || !strings.Contains(texts[1], "Servidor MCP") {
		t.Fatalf("expected the parts %q and what happened to the MCP server, got %q", line, texts)
	}
}

// pauseInTime is [a2aClient.pause] at an agent that waits so little that a busy
// machine may need more than one try.
func pauseInTime(t testing.TB, c *a2aClient) task {
	t.Helper()
	var tk task
	eventually(t, "a Task to pause within the agent's limit", func() bool {
		tk = c.send(t, conflict.text())
		return tk.Status.State == inputRequired
	})
	wantTask(t, tk, inputRequired, line)
	return tk
}

// replyInTime is the same for an answer to a pause.
func replyInTime(t testing.TB, c *a2aClient, taskID, text string) task {
	t.Helper()
	var tk task
	eventually(t, "an answer to the pause within the agent's limit", func() bool {
		tk = c.reply(t, taskID, text)
		return tk.Status.State != inputRequired
	})
	return tk
}

// TestServerDownAtFirstCall: the Task fails with a message, and the next one
// works as soon as the server does.
func TestServerDownAtFirstCall(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	p.a2a.pause(t, conflict, line) // the agent has a connection and a cache
	p.server.kill()
	tk := p.a2a.send(t, conflict.text())
	wantExcuse(t, tk)
	wantExcuse(t, p.a2a.get(t, tk.ID))
	p.server.restart(t)
	p.a2a.pause(t, conflict, line)
}

// TestAgentBeforeServer: the agent comes up alone, serves its card, and finds
// the server when it is there.
func TestAgentBeforeServer(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	server.kill() // its port is now one where nobody listens
	agent := startAgent(t, server.URL)
	c := &a2aClient{base: agent.URL}
	if a := c.card(t); a.status != 200 {
		t.Fatalf("expected the card with HTTP 200 while the server is down, got HTTP %d", a.status)
	}
	wantExcuse(t, c.send(t, conflict.text()))
	server.restart(t)
	wantBooked(t, c.reply(t, c.pause(t, conflict, line).ID, "escolha=sala-fusca"), "sala-fusca", conflict)
}

// TestServerDownAtContinuation: the pause is kept, however often the server is
// missed, and answers as soon as it is back.
func TestServerDownAtContinuation(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	chosen, refused := p.a2a.pause(t, conflict, line), p.a2a.pause(t, conflict, line)
	p.server.kill()
	for range 2 {
		wantPauseKept(t, p.a2a.reply(t, chosen.ID, "escolha=sala-mirante"))
		wantPauseKept(t, p.a2a.get(t, chosen.ID))
	}
	wantPauseKept(t, p.a2a.reply(t, refused.ID, "escolha=recusar"))
	wantTask(t, p.a2a.reply(t, chosen.ID, "escolha=sala-porao"), inputRequired, line)
	p.server.restart(t)
	wantBooked(t, p.a2a.reply(t, chosen.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	wantTask(t, p.a2a.reply(t, refused.ID, "escolha=recusar"), canceled, "Reserva recusada.")
}

// TestServerComesAndGoes: whatever moment the server dies at, calls fail as
// unanswered, and the first call after its return works, whether or not the
// agent has noticed in between that it was gone.
func TestServerComesAndGoes(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	tk := p.a2a.pause(t, conflict, line)
	for round := range 12 {
		p.server.kill()
		if round%3 > 0 {
			wantExcuse(t, p.a2a.send(t, conflict.text()))
		}
		p.server.restart(t)
		if round%2 == 0 {
			p.a2a.pause(t, conflict, line)
		} else {
			wantTask(t, p.a2a.reply(t, p.a2a.pause(t, conflict, line).ID, "escolha=recusar"), canceled)
		}
	}
	p.server.kill()
	p.server.restart(t)
	wantBooked(t, p.a2a.reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
}

// TestServerHangs: a server that accepts and never answers costs the limit and
// no more.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	server := startServer(t)
	agent := startAgent(t, server.URL, "-espera", limit.String())
	c := &a2aClient{base: agent.URL}
	tk := pauseInTime(t, c)
	server.kill()

	address := strings.TrimSuffix(strings.TrimPrefix(server.URL, "http://"), "/mcp")
	mute, err := net.Listen("tcp", address) // the kernel accepts; nobody reads
	if err != nil {
		t.Fatalf("expected the port of the killed server to be free: %v", err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	timed := func(what string, f func() task) task {
		t.Helper()
		begin := time.Now()
		tk := f()
		// Well above the limit for a busy machine, well below the default.
		if took := time.Since(begin); took > limit+6*time.Second {
			t.Errorf("%s: expected an answer within about %s, got one after %s", what, limit, took)
		}
		return tk
	}
	wantExcuse(t, timed("first call", func() task { return c.send(t, conflict.text()) }))
	wantPauseKept(t, timed("continuation", func() task { return c.reply(t, tk.ID, "escolha=sala-fusca") }))
	wantPauseKept(t, timed("refusal", func() task { return c.reply(t, tk.ID, "escolha=recusar") }))

	// Many at once wait side by side, not one after the other.
	timed("ten at once", func() task {
		all, err := together(10, func(int) (task, error) {
			return taskOfTry(c.try(t.Context(), "SendMessage", say("", conflict.text())))
		})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	})

	if err := mute.Close(); err != nil {
		t.Fatal(err)
	}
	server.restart(t)
	wantBooked(t, replyInTime(t, c, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
}
