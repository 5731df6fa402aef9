package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/dupla"
)

// inFile is an agent whose Tasks are in a SQLite file.
type inFile struct {
	server, agent *process
	border        *border
	path          string
	*a2aClient
}

func startInFile(t testing.TB, env ...string) *inFile {
	t.Helper()
	f := &inFile{server: startServer(t), path: filepath.Join(t.TempDir(), "tarefas.db")}
	f.border = startBorder(t, f.server.URL)
	f.agent = start(t, dupla.Agente, []string{"-addr", "localhost:0", "-mcp", f.border.url, "-tarefas", "sqlite:" + f.path}, env...)
	f.a2aClient = &a2aClient{base: f.agent.URL}
	return f
}

// stop ends the agent as an operator does.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if err := p.Parar(patience); err != nil {
		t.Fatalf("%s: expected an orderly end after SIGTERM, got: %v", p.name, err)
	}
	p.gone = true
}

// stored are the bytes of the database's file and of those beside it.
func (f *inFile) stored(t testing.TB) []byte {
	t.Helper()
	files, err := filepath.Glob(f.path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("expected %s to exist: %v", f.path, err)
	}
	var all []byte
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw...)
	}
	return all
}

// refuses runs a second agent on the file, which must end with one line that
// holds the words and none of the secrets.
func (f *inFile) refuses(t *testing.T, env []string, words ...string) {
	t.Helper()
	args := []string{"-addr", "localhost:0", "-mcp", f.border.url, "-tarefas", "sqlite:" + f.path}
	badStart{process: dupla.Agente, args: args, env: env, want: words}.check(t)
	for _, variable := range env {
		if _, key, _ := strings.Cut(variable, "="); key != "" && strings.Contains(runToEnd(t, dupla.Agente, args, env).stderr, key) {
			t.Errorf("expected a line without the key")
		}
	}
}

// TestSQLiteKeepsEverything: an orderly restart and a kill change nothing of
// what callers see, to the byte, and paused Tasks go on.
func TestSQLiteKeepsEverything(t *testing.T) {
	t.Parallel()
	f := startInFile(t)
	free := booking{sala: "sala-porao", responsavel: "Emmett Brown"}.at("12-01", "09:00", "10:00")
	chosen, refused, insisted := f.pause(t, conflict, line), f.pause(t, conflict, line), f.pause(t, conflict, line)
	done := f.send(t, free.text())
	wantBooked(t, done, "sala-porao", free)
	gone := free
	gone.sala = "sala-nove"
	wantTask(t, f.send(t, gone.text()), failed, "Sala inexistente: sala-nove")
	wantTask(t, f.send(t, "oi"), rejected)
	wantTask(t, f.reply(t, refused.ID, "escolha=recusar"), canceled, "Reserva recusada.")
	wantTask(t, f.reply(t, insisted.ID, "escolha=sala-nove"), inputRequired, line) // and is the last changed

	// What a caller may ask, and the answers to the byte.
	ask := func() []string {
		t.Helper()
		var said []string
		for _, params := range []object{
			{"includeArtifacts": true, "historyLength": 100},
			{"pageSize": 3},
			{"status": inputRequired},
			{"contextId": chosen.ContextID},
		} {
			said = append(said, string(f.call(t, "ListTasks", params).body))
		}
		var got page
		if err := f.call(t, "ListTasks", object{}).result(&got); err != nil || len(got.Tasks) != 6 || got.Tasks[0].ID != insisted.ID {
			t.Fatalf("expected six Tasks, %s first, got %+v (%v)", insisted.ID, got.Tasks, err)
		}
		for _, tk := range got.Tasks {
			said = append(said, string(f.call(t, "GetTask", object{"id": tk.ID}).body))
		}
		return said
	}
	before := ask()
	for how, end := range map[string]func(){
		"SIGTERM": func() { f.agent.stop(t) },
		"SIGKILL": f.agent.kill,
	} {
		end()
		f.agent.restart(t)
		for i, said := range ask() {
			if said != before[i] {
				t.Errorf("%s: expected the answer that came before the restart,\n%s\ngot\n%s", how, before[i], said)
			}
		}
	}

	// Lists go on across a restart.
	var first, second page
	if err := f.call(t, "ListTasks", object{"pageSize": 4}).result(&first); err != nil {
		t.Fatal(err)
	}
	f.agent.kill()
	f.agent.restart(t)
	if err := f.call(t, "ListTasks", object{"pageSize": 4, "pageToken": *first.Next}).result(&second); err != nil || len(second.Tasks) != 2 || *second.Next != "" {
		t.Errorf("expected the page token of before the restart to give the last two Tasks, got %+v (%v)", second, err)
	}

	// Pauses go on, ends stay ends, and what changes is the newest.
	wantTask(t, f.reply(t, chosen.ID, "escolha=sala-nove"), inputRequired, line)
	wantBooked(t, f.reply(t, chosen.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	wantBooked(t, f.reply(t, insisted.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	for _, id := range []string{done.ID, refused.ID, chosen.ID} {
		wantError(t, f.call(t, "SendMessage", say(id, "escolha=sala-fusca")), 200, -32004)
	}
	var got page
	if err := f.call(t, "ListTasks", object{"pageSize": 2}).result(&got); err != nil || got.Total != 6 || got.Tasks[0].ID != insisted.ID || got.Tasks[1].ID != chosen.ID {
		t.Errorf("expected six Tasks, %s and %s first, got %+v (%v)", insisted.ID, chosen.ID, got, err)
	}
	if said := f.get(t, chosen.ID).said(); len(said) != 6 {
		t.Errorf("expected three exchanges in the history, got %q", said)
	}
}

// TestSQLiteFile: the file is its owner's alone, and for one agent at a time.
func TestSQLiteFile(t *testing.T) {
	t.Parallel()
	f := startInFile(t)
	tk := f.pause(t, conflict, line)
	files, err := filepath.Glob(f.path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("expected files: %v", err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("expected %s to have mode 0600, got %#o", filepath.Base(name), mode)
		}
	}
	f.refuses(t, nil, "TAREFAS", "tarefas.db", "outro processo", "postgres://")
	wantBooked(t, f.reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict) // the first one did not mind
}

// TestSQLiteKey: with a key the file tells nothing of a requestState, and only
// an agent that has the key starts on it.
func TestSQLiteKey(t *testing.T) {
	t.Parallel()
	old, young := secret(), secret()
	f := startInFile(t, "TAREFAS_CHAVE="+old)
	var paused []task
	// Pauses of every kind: new, insisted on, cut short, ended.
	for range 4 {
		paused = append(paused, f.pause(t, conflict, line))
	}
	f.reply(t, paused[1].ID, "escolha=sala-nove")
	p := f.border.lay(onItsWay)
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		_, _ = f.try(t.Context(), "SendMessage", say(paused[2].ID, "escolha=sala-mirante")) // the agent dies
	}()
	if !p.wait(patience) {
		t.Fatal("expected the answer at the border")
	}
	f.agent.kill()
	f.border.release(p)
	<-cut
	f.unreadable(t, "after a kill", len(paused))
	f.agent.restart(t)
	wantTask(t, f.get(t, paused[2].ID), inputRequired, line, cutAnswer)
	wantTask(t, f.reply(t, paused[3].ID, "escolha=recusar"), canceled)
	f.unreadable(t, "while the agent runs", len(paused))
	f.agent.stop(t)
	f.unreadable(t, "after an orderly end", len(paused))

	f.refuses(t, []string{"TAREFAS_CHAVE=" + young}, "TAREFAS_CHAVE", "3 pausa(s)")
	f.refuses(t, []string{"TAREFAS_CHAVE="}, "TAREFAS_CHAVE", "3 pausa(s)")
	f.refuses(t, []string{"TAREFAS_CHAVE=" + young[:31]}, "TAREFAS_CHAVE", "31 bytes", "32", "openssl rand -hex 32")

	// A new key, with the old one behind it, and the pauses go on.
	f.agent.env = []string{"TAREFAS_CHAVE=" + young + "," + old}
	f.agent.restart(t)
	wantBooked(t, f.reply(t, paused[0].ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	wantTask(t, f.reply(t, paused[1].ID, "escolha=sala-nove"), inputRequired, line)
	wantBooked(t, f.reply(t, paused[2].ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	f.unreadable(t, "after a rotation", len(paused))
	f.agent.written(t)
	for _, l := range f.agent.log.lines() {
		if strings.Contains(l, old) || strings.Contains(l, young) {
			t.Errorf("expected no key in the log, got: %s", l)
		}
	}

	// The same search finds the states where there is no key.
	open := startInFile(t, "TAREFAS_CHAVE=")
	open.pause(t, conflict, line)
	if states := open.border.states(); len(states) != 1 || !bytes.Contains(open.stored(t), []byte(states[0])) {
		t.Errorf("expected the file of an agent without a key to hold the requestState, one of %d", len(states))
	}
}

// unreadable checks that none of the states that the server gave out is in the
// files.
func (f *inFile) unreadable(t testing.TB, when string, least int) {
	t.Helper()
	states, raw := f.border.states(), f.stored(t)
	if len(states) < least {
		t.Fatalf("expected at least %d requestStates at the border, got %d", least, len(states))
	}
	for _, state := range states {
		// A part of it is as telling as the whole.
		if bytes.Contains(raw, []byte(state[len(state)/2:])) || bytes.Contains(raw, []byte(state[:len(state)/2])) {
			t.Errorf("%s: expected no requestState in the file, found one", when)
		}
	}
	if bytes.Contains(raw, []byte("requestState")) {
		t.Errorf("%s: expected nothing of a pause in the file", when)
	}
}
