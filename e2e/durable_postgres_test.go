package e2e

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/bancodeteste"
	"hillvalley.example/ponte/internal/dupla"
)

// postgres starts a PostgreSQL server for a test, or skips it where there is
// none, unless that is not allowed.
func postgres(t testing.TB) *bancodeteste.Servidor {
	t.Helper()
	s, err := bancodeteste.Iniciar()
	switch {
	case errors.Is(err, bancodeteste.ErrNaoEncontrado) && os.Getenv(bancodeteste.Exige) != "1":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(s.Parar)
	return s
}

// cluster is one MCP server, and three agents that are one: they share a
// database. Each has a border of its own.
type cluster struct {
	server  *process
	agents  []*process
	borders []*border
	clients []*a2aClient
}

// startCluster starts three agents at once on an empty database.
func startCluster(t testing.TB, pg *bancodeteste.Servidor, args ...string) *cluster {
	t.Helper()
	database, err := pg.NovoBanco()
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{server: startServer(t)}
	for range 3 {
		c.borders = append(c.borders, startBorder(t, c.server.URL))
	}
	started, err := together(3, func(i int) (*process, error) {
		p := &process{name: dupla.Agente, log: &logbook{}}
		p.args = append([]string{"-addr", "localhost:0", "-mcp", c.borders[i].url, "-tarefas", database}, args...)
		var err error
		p.Processo, err = dupla.Iniciar(t.Context(), binaries[p.name], p.args, p.env, p.log)
		return p, err
	})
	for i, p := range started {
		if p.Processo == nil {
			continue
		}
		c.agents = append(c.agents, p)
		c.clients = append(c.clients, &a2aClient{base: p.URL})
		t.Cleanup(func() {
			if !p.gone {
				if err := p.Parar(patience); err != nil {
					t.Errorf("agent %d: expected an orderly end after SIGTERM, got: %v", i, err)
				}
			}
			p.log.inspect(t, fmt.Sprintf("agent %d", i))
		})
	}
	if err != nil {
		t.Fatalf("expected three agents to start at once on an empty database: %v", err)
	}
	return c
}

// calls counts the tools/call of all agents.
func (c *cluster) calls() (n int) {
	for _, b := range c.borders {
		n += len(b.exchanges("tools/call"))
	}
	return n
}

// same asks every agent, expects the same answer to the byte, and returns it.
func (c *cluster) same(t testing.TB, method string, params object) answer {
	t.Helper()
	var first answer
	for i, client := range c.clients {
		a := client.call(t, method, params)
		if i == 0 {
			first = a
		} else if string(a.body) != string(first.body) {
			t.Errorf("%s %v: expected agent %d to answer as agent 0,\n%s\ngot\n%s", method, params, i, first.body, a.body)
		}
	}
	return first
}

// TestSeveralAgents: three agents on one PostgreSQL are one agent.
func TestSeveralAgents(t *testing.T) {
	t.Parallel()
	pg := postgres(t)
	for name, test := range map[string]func(*testing.T, *bancodeteste.Servidor){
		"pause here, go on there":     pauseHereGoOnThere,
		"two answers at once":         twoAnswersTwoAgents,
		"the same message everywhere": sameMessageEverywhere,
		"two of three killed":         twoOfThreeKilled,
		"an agent with another key":   otherKey,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, pg)
		})
	}
}

func pauseHereGoOnThere(t *testing.T, pg *bancodeteste.Servidor) {
	c := startCluster(t, pg)
	var tasks []task
	for _, client := range c.clients {
		tasks = append(tasks, client.pause(t, conflict, line))
	}
	first, second, third := c.clients[0], c.clients[1], c.clients[2]
	wantTask(t, second.reply(t, tasks[0].ID, "escolha=sala-nove"), inputRequired, line)
	wantBooked(t, third.reply(t, tasks[0].ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	wantTask(t, first.reply(t, tasks[2].ID, "escolha=recusar"), canceled, "Reserva recusada.")
	var got task
	if err := third.call(t, "CancelTask", object{"id": tasks[1].ID}).result(&got); err != nil || got.Status.State != canceled {
		t.Errorf("expected %s, got %s (%v)", canceled, got.Status.State, err)
	}
	wantError(t, first.call(t, "SendMessage", say(tasks[1].ID, "escolha=sala-mirante")), 200, -32004)
	for _, tk := range tasks {
		c.same(t, "GetTask", object{"id": tk.ID})
	}
	var listed page
	if err := c.same(t, "ListTasks", object{"includeArtifacts": true, "historyLength": 10}).result(&listed); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, tk := range listed.Tasks {
		order = append(order, tk.ID)
	}
	if want := []string{tasks[1].ID, tasks[2].ID, tasks[0].ID}; !slices.Equal(order, want) {
		t.Errorf("expected the last changed first, %q, got %q", want, order)
	}
	// A list that begins at one agent goes on at another.
	var joined []string
	token := ""
	for i := range c.clients {
		var p page
		params := object{"pageSize": 1}
		if token != "" {
			params["pageToken"] = token
		}
		if err := c.clients[i].call(t, "ListTasks", params).result(&p); err != nil || len(p.Tasks) != 1 {
			t.Fatalf("expected one Task on page %d, got %+v (%v)", i, p.Tasks, err)
		}
		joined, token = append(joined, p.Tasks[0].ID), *p.Next
	}
	if !slices.Equal(joined, order) {
		t.Errorf("expected the pages to be %q, got %q", order, joined)
	}
	if calls := c.calls(); calls != 5 {
		t.Errorf("expected five tools/call, three first ones and two answers, got %d", calls)
	}
}

func twoAnswersTwoAgents(t *testing.T, pg *bancodeteste.Servidor) {
	c := startCluster(t, pg)
	mcp := &mcpClient{url: c.server.URL}
	rooms := []string{"sala-fusca", "sala-mirante"}
	for round := range 10 {
		b := booking{sala: "sala-garagem", responsavel: "Marty"}.at(fmt.Sprintf("12-%02d", round+1), "09:00", "10:00")
		wantTask(t, c.clients[2].send(t, b.text()), completed)
		tk := c.clients[round%3].pause(t, b, line)
		before := c.calls()
		answers, err := together(2, func(i int) (answer, error) {
			return c.clients[i].try(t.Context(), "SendMessage", say(tk.ID, "escolha="+rooms[i]))
		})
		if err != nil {
			t.Fatal(err)
		}
		winner, done := wantOneWinner(t, answers)
		wantBooked(t, done, rooms[winner], b)
		if calls := c.calls() - before; calls != 1 {
			t.Errorf("expected one tools/call for the two answers, got %d", calls)
		}
		lost := b
		lost.sala = rooms[1-winner]
		mcp.wantHolders(t, lost)
		var end task
		if err := c.same(t, "GetTask", object{"id": tk.ID}).result(&end); err != nil || len(end.History) != 4 {
			t.Errorf("expected four messages in the history, got %q (%v)", end.said(), err)
		}
	}
}

func sameMessageEverywhere(t *testing.T, pg *bancodeteste.Servidor) {
	c := startCluster(t, pg)
	mcp := &mcpClient{url: c.server.URL}
	for round := range 5 {
		b := booking{sala: "sala-garagem", responsavel: "Marty"}.at(fmt.Sprintf("12-%02d", round+1), "09:00", "10:00")
		wantTask(t, c.clients[2].send(t, b.text()), completed)
		tk := c.clients[round%3].pause(t, b, line)
		m, before := say(tk.ID, "escolha=sala-mirante"), c.calls()
		heard, err := together(3, func(i int) (task, error) {
			return taskOfTry(c.clients[i].try(t.Context(), "SendMessage", m))
		})
		if err != nil {
			t.Fatalf("expected a Task from each of the three, got: %v", err)
		}
		for _, got := range heard {
			if got.ID != tk.ID || got.Status.State != working && got.Status.State != completed {
				t.Errorf("expected Task %s, %s or %s, got %s, %s", tk.ID, working, completed, got.ID, got.Status.State)
			}
		}
		var end task
		if err := c.same(t, "GetTask", object{"id": tk.ID}).result(&end); err != nil {
			t.Fatal(err)
		}
		wantBooked(t, end, "sala-mirante", b)
		if calls := c.calls() - before; calls != 1 || len(end.History) != 4 {
			t.Errorf("expected the message to be carried out once, got %d tools/call and the history %q", calls, end.said())
		}
		b.sala = "sala-mirante"
		mcp.wantHolders(t, b, "Marty")
		for _, client := range c.clients { // later again: nothing happens
			wantTask(t, client.sendParams(t, maps.Clone(m)), completed)
		}
	}
}

// otherKey: an agent whose key does not open the others' pauses does not join.
func otherKey(t *testing.T, pg *bancodeteste.Servidor) {
	database, err := pg.NovoBanco()
	if err != nil {
		t.Fatal(err)
	}
	key := "TAREFAS_CHAVE=" + secret()
	server := startServer(t)
	args := []string{"-addr", "localhost:0", "-mcp", server.URL, "-tarefas", database}
	first := &a2aClient{base: start(t, dupla.Agente, args, key).URL}
	tk := first.pause(t, conflict, line)
	other := badStart{process: dupla.Agente, args: args, env: []string{"TAREFAS_CHAVE=" + secret()}, want: []string{"TAREFAS_CHAVE", "1 pausa(s)"}}
	other.check(t)
	if said := runToEnd(t, dupla.Agente, other.args, other.env).stderr; strings.Contains(said, pg.Senha) {
		t.Errorf("expected no password, got %q", said)
	}
	second := &a2aClient{base: start(t, dupla.Agente, args, key).URL}
	wantBooked(t, second.reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
}
