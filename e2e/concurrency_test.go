package e2e

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
)

// TestPausesCross: two Tasks pause, the later one goes on first, and each ends
// with its own booking.
func TestPausesCross(t *testing.T) {
	t.Parallel()
	const line = "alternativas: sala-fusca, sala-mirante"
	doc := conflict
	doc.responsavel = "Emmett Brown"
	jennifer := booking{sala: "sala-fusca", responsavel: "Jennifer"}.at("11-03", "16:00", "17:00")

	t.Run("same interval", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		first, second := p.a2a.pause(t, conflict, line), p.a2a.pause(t, doc, line)
		wantBooked(t, p.a2a.reply(t, second.ID, "escolha=sala-fusca"), "sala-fusca", doc)
		wantBooked(t, p.a2a.reply(t, first.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	})
	t.Run("different intervals", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		first, second := p.a2a.pause(t, conflict, line), p.a2a.pause(t, jennifer, "alternativas: sala-garagem, sala-mirante")
		wantBooked(t, p.a2a.reply(t, second.ID, "escolha=sala-mirante"), "sala-mirante", jennifer)
		wantBooked(t, p.a2a.reply(t, first.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	})
	t.Run("at the same moment", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		asked := []booking{conflict, doc}
		rooms := []string{"sala-mirante", "sala-fusca"}
		paused, err := together(2, func(i int) (task, error) {
			return taskOfTry(p.a2a.try(t.Context(), "SendMessage", say("", asked[i].text())))
		})
		if err != nil {
			t.Fatal(err)
		}
		ended, err := together(2, func(i int) (task, error) {
			return taskOfTry(p.a2a.try(t.Context(), "SendMessage", say(paused[i].ID, "escolha="+rooms[i])))
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, tk := range ended {
			wantBooked(t, tk, rooms[i], asked[i])
		}
	})
}

func taskOfTry(a answer, err error) (task, error) {
	if err != nil {
		return task{}, err
	}
	return taskOf(a)
}

// TestTenWantOneRoom: ten pauses choose the same room at once. One gets it, the
// others are asked again; then all of those want the last room left.
func TestTenWantOneRoom(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	var waiting []task
	for i := range 10 {
		b := conflict
		b.responsavel = fmt.Sprintf("Biff %d", i)
		waiting = append(waiting, p.a2a.pause(t, b, "alternativas: sala-fusca, sala-mirante"))
	}
	for _, round := range []struct {
		room, state, message string // of those who do not get the room
	}{
		{"sala-mirante", inputRequired, "alternativas: sala-fusca"},
		{"sala-fusca", failed, "Sem alternativas disponiveis no intervalo"},
	} {
		ended, err := together(len(waiting), func(i int) (task, error) {
			return taskOfTry(p.a2a.try(t.Context(), "SendMessage", say(waiting[i].ID, "escolha="+round.room)))
		})
		if err != nil {
			t.Fatal(err)
		}
		var others []task
		for _, tk := range ended {
			if tk.Status.State != completed {
				wantTask(t, tk, round.state, round.message)
				others = append(others, tk)
			}
		}
		if len(others) != len(waiting)-1 {
			t.Fatalf("expected exactly one of %d to get %s, got %d", len(waiting), round.room, len(waiting)-len(others))
		}
		b := conflict
		b.sala = round.room
		if names := p.mcp.holders(t, b); len(names) != 1 {
			t.Errorf("expected one booking of %s, got those of %q", round.room, names)
		}
		waiting = others
	}
}

// TestTwoAnswersOneTask: of two continuations of one Task exactly one proceeds.
func TestTwoAnswersOneTask(t *testing.T) {
	t.Parallel()
	t.Run("one while the other is under way", func(t *testing.T) {
		t.Parallel()
		server := startServer(t)
		b := startBorder(t, server.URL)
		c := &a2aClient{base: startAgent(t, b.url).URL}
		tk := c.pause(t, conflict, "alternativas: sala-fusca, sala-mirante")
		g := b.hold(t, false)
		first := make(chan answer, 1)
		go func() {
			a, err := c.try(t.Context(), "SendMessage", say(tk.ID, "escolha=sala-fusca"))
			if err != nil {
				t.Errorf("first continuation: expected an answer, got: %v", err)
			}
			first <- a
		}()
		g.wait()
		before := c.get(t, tk.ID)
		for _, text := range []string{"escolha=sala-mirante", "escolha=recusar", "escolha=nada"} {
			wantError(t, c.call(t, "SendMessage", say(tk.ID, text)), 200, -32004)
		}
		if after := c.get(t, tk.ID); !slices.Equal(after.said(), before.said()) || after.Status.State != working {
			t.Errorf("expected the refused messages to change nothing, got %s and %q", after.Status.State, after.said())
		}
		g.open()
		done, err := taskOf(<-first)
		if err != nil {
			t.Fatal(err)
		}
		wantBooked(t, done, "sala-fusca", conflict)
	})
	t.Run("at the same moment", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		for round := range 10 {
			b := booking{sala: "sala-garagem", responsavel: "Marty"}.at(fmt.Sprintf("12-%02d", round+1), "09:00", "10:00")
			wantTask(t, p.a2a.send(t, b.text()), completed)
			tk := p.a2a.pause(t, b, "alternativas: sala-fusca, sala-mirante")
			rooms := []string{"sala-fusca", "sala-mirante"}
			answers, err := together(2, func(i int) (answer, error) {
				return p.a2a.try(t.Context(), "SendMessage", say(tk.ID, "escolha="+rooms[i]))
			})
			if err != nil {
				t.Fatal(err)
			}
			winner, done := wantOneWinner(t, answers)
			wantBooked(t, done, rooms[winner], b)
			lost := b
			lost.sala = rooms[1-winner]
			p.mcp.wantHolders(t, lost)
		}
	})
}

// TestSameMessageManyTimes: a message that comes eight times at once is carried
// out once, and everybody is answered with the Task.
func TestSameMessageManyTimes(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	b := startBorder(t, server.URL)
	c := &a2aClient{base: startAgent(t, b.url).URL}
	tk := c.pause(t, conflict, "alternativas: sala-fusca, sala-mirante")

	m := say(tk.ID, "escolha=sala-mirante")
	answers, err := together(8, func(int) (task, error) {
		return taskOfTry(c.try(t.Context(), "SendMessage", m))
	})
	if err != nil {
		t.Fatalf("expected a Task for each of the eight, got: %v", err)
	}
	for _, got := range answers {
		if got.ID != tk.ID || got.Status.State != working && got.Status.State != completed {
			t.Errorf("expected Task %s, %s or %s, got %s, %s", tk.ID, working, completed, got.ID, got.Status.State)
		}
	}
	end := c.get(t, tk.ID)
	wantBooked(t, end, "sala-mirante", conflict)
	if said := end.said(); len(said) != 4 {
		t.Errorf("expected four messages in the history, each once, got %q", said)
	}
	// And later again: the Task as it stands, also now that it has ended.
	wantBooked(t, c.sendParams(t, m), "sala-mirante", conflict)
	if calls := b.exchanges("tools/call"); len(calls) != 2 {
		t.Errorf("expected two tools/call, the first and one retry, got %d", len(calls))
	}
	mirante := conflict
	mirante.sala = "sala-mirante"
	(&mcpClient{url: server.URL}).wantHolders(t, mirante, "Marty")

	other := say(tk.ID, "escolha=sala-mirante")
	other["message"].(object)["messageId"] = rand.Text()
	wantError(t, c.call(t, "SendMessage", other), 200, -32004)
}

// wantOneWinner checks that of two answers to one pause exactly one went on and
// the other was refused, and returns which, with its Task.
func wantOneWinner(t *testing.T, answers []answer) (winner int, done task) {
	t.Helper()
	if _, err := taskOf(answers[0]); err != nil {
		winner = 1
	}
	wantError(t, answers[1-winner], 200, -32004)
	done, err := taskOf(answers[winner])
	if err != nil {
		t.Fatal(err)
	}
	return winner, done
}
