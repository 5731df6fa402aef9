package porta

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// corrente is a stream as its caller reads it.
type corrente struct {
	t      testing.TB
	res    *http.Response
	linhas *bufio.Scanner
	sair   context.CancelFunc
}

// seguir sends a request that is answered with a stream.
func (a *agente) seguir(t testing.TB, method, params string, header ...string) *corrente {
	t.Helper()
	ctx, sair := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(sair)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"f-1","method":%q,"params":%s}`, method, params)
	return a.abrirCorrente(t, ctx, sair, CaminhoRPC, body, header...)
}

func (a *agente) abrirCorrente(t testing.TB, ctx context.Context, sair context.CancelFunc, path, body string, header ...string) *corrente {
	t.Helper()
	req, _ := http.NewRequestWithContext(ctx, "POST", a.URL+path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	c := &corrente{t, res, bufio.NewScanner(res.Body), sair}
	c.linhas.Buffer(nil, 1<<20)
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		raw, _ := io.ReadAll(res.Body)
		t.Fatalf("want a stream, got %d %v %s", res.StatusCode, res.Header, raw)
	}
	return c
}

// dado reads the data of the next event; empty at the end of the stream.
func (c *corrente) dado() string {
	c.t.Helper()
	for c.linhas.Scan() {
		if d, ok := strings.CutPrefix(c.linhas.Text(), "data: "); ok {
			return d
		}
	}
	return ""
}

// evento is what an event says, in one word or two.
func resumir(t testing.TB, raw string) string {
	t.Helper()
	if raw == "" {
		return "end"
	}
	var e struct {
		Task           *task
		StatusUpdate   *task
		ArtifactUpdate *struct{ Artifact struct{ Name string } }
		Error          any
	}
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	curto := func(s string) string { return strings.TrimPrefix(s, "TASK_STATE_") }
	switch {
	case e.Task != nil:
		return "task " + curto(e.Task.Status.State)
	case e.StatusUpdate != nil:
		return curto(e.StatusUpdate.Status.State)
	case e.ArtifactUpdate != nil:
		return "artifact " + e.ArtifactUpdate.Artifact.Name
	}
	return "error " + raw
}

// quer reads the stream as far as want goes.
func (c *corrente) quer(want ...string) (ultimo string) {
	c.t.Helper()
	for i, w := range want {
		raw := c.dado()
		got := raw
		if raw != "" && strings.HasPrefix(raw, `{"jsonrpc"`) {
			var r struct {
				ID     json.RawMessage
				Result json.RawMessage
			}
			if err := json.Unmarshal([]byte(raw), &r); err != nil || string(r.ID) != `"f-1"` {
				c.t.Fatalf("want the id of the request, got %s", raw)
			}
			if r.Result != nil {
				got = string(r.Result)
			}
		}
		if s := resumir(c.t, got); s != w {
			c.t.Fatalf("event %d: want %q, got %q (%s)", i, w, s, raw)
		}
		ultimo = got
	}
	return ultimo
}

func idDe(t testing.TB, evento string) string {
	t.Helper()
	var e struct {
		Task         *struct{ ID string }
		StatusUpdate *struct{ TaskID string }
	}
	if err := json.Unmarshal([]byte(evento), &e); err != nil {
		t.Fatal(err)
	}
	if e.Task != nil {
		return e.Task.ID
	}
	return e.StatusUpdate.TaskID
}

// The stream of a message begins with the Task, shows each step as it is stored,
// and ends where a blocking call would have returned.
func TestStreamDeUmaMensagem(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	a.seguir(t, "SendStreamingMessage", mensagem("pintar cor=azul", "", "")).
		quer("task SUBMITTED", "WORKING", "artifact pintura", "COMPLETED", "end")
	pausa := a.seguir(t, "SendStreamingMessage", mensagem("pintar cor=rosa", "", "")).
		quer("task SUBMITTED", "WORKING", "INPUT_REQUIRED")
	id := idDe(t, pausa)
	if !strings.Contains(pausa, `"text":"alternativas: a, b"`) {
		t.Errorf("the pause carries its line: %s", pausa)
	}
	// What is no answer keeps the pause, and the stream ends with it.
	a.seguir(t, "SendStreamingMessage", mensagem("escolha=c", `"taskId":"`+id+`"`, "")).quer("task INPUT_REQUIRED", "end")
	a.seguir(t, "SendStreamingMessage", mensagem("escolha=a", `"taskId":"`+id+`"`, "")).
		quer("task WORKING", "artifact pintura", "COMPLETED", "end")
	a.seguir(t, "SendStreamingMessage", mensagem("nada", "", "")).quer("task SUBMITTED", "REJECTED", "end")
	// The Task says as much as a blocking caller would have been shown.
	if raw := a.seguir(t, "SendStreamingMessage", mensagem("pintar cor=azul", "", `{"historyLength":0}`)).quer("task SUBMITTED"); strings.Contains(raw, "history") {
		t.Errorf("historyLength 0: %s", raw)
	}
}

// A subscription shows the Task as it stands and goes on through a pause, until
// it ends; all subscribers see the same.
func TestSubscricaoAtravessaAPausa(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	um := a.seguir(t, "SubscribeToTask", `{"id":"`+tk.ID+`"}`)
	dois := a.seguir(t, "SubscribeToTask", `{"id":"`+tk.ID+`"}`)
	um.quer("task INPUT_REQUIRED")
	dois.quer("task INPUT_REQUIRED")
	a.chamar(t, "SendMessage", mensagem("escolha=z", `"taskId":"`+tk.ID+`"`, ""))
	um.quer("INPUT_REQUIRED")
	dois.sair() // one that leaves takes nothing from the other
	a.chamar(t, "SendMessage", mensagem("escolha=b", `"taskId":"`+tk.ID+`"`, ""))
	um.quer("WORKING", "artifact pintura", "COMPLETED", "end")
	a.chamar(t, "SubscribeToTask", `{"id":"`+tk.ID+`"}`).quer(t, -32004)
}

// What fails before the first event is an ordinary answer, not a stream.
func TestErrosAntesDoStream(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", "")).task(t)
	for _, c := range []struct {
		method, params string
		code           int
	}{
		{"SendStreamingMessage", `{}`, -32602},
		{"SendStreamingMessage", `{"message":{"messageId":"a","role":"ROLE_USER","parts":[null]}}`, -32602},
		{"SendStreamingMessage", mensagem(strings.Repeat("x", 4<<10), "", ""), -32602},
		{"SendStreamingMessage", mensagem("escolha=a", `"taskId":"x"`, ""), -32001},
		{"SendStreamingMessage", mensagem("escolha=a", `"taskId":"`+tk.ID+`"`, ""), -32004},
		{"SubscribeToTask", `{}`, -32602}, {"SubscribeToTask", `{"id":"x"}`, -32001}, {"SubscribeToTask", `{"id":"` + tk.ID + `"}`, -32004},
	} {
		a.chamar(t, c.method, c.params).quer(t, c.code)
	}
}

// Streams have places of their own: many that wait keep nobody else out, and one
// too many is told so.
func TestLugaresDosStreams(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.MaxFluxos = 9 })
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	for range 9 { // more than the requests that may be in flight
		a.seguir(t, "SubscribeToTask", `{"id":"`+tk.ID+`"}`).quer("task INPUT_REQUIRED")
	}
	r := a.chamar(t, "SubscribeToTask", `{"id":"`+tk.ID+`"}`)
	if r.status != 503 || r.header.Get("Retry-After") == "" || r.Error == nil || r.Error.Code != -32603 {
		t.Errorf("one too many: want 503, got %d %s", r.status, r.raw)
	}
	if fim := a.chamar(t, "SendMessage", mensagem("escolha=a", `"taskId":"`+tk.ID+`"`, "")).task(t); fim.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("the others are served: %+v", fim.Status)
	}
}

// The end of the process ends streams that wait for their caller, and lets those
// at work come to their end.
func TestStreamsNoFimDoProcesso(t *testing.T) {
	encerrando := make(chan struct{})
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.Encerrando = encerrando })
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	parado := a.seguir(t, "SubscribeToTask", `{"id":"`+tk.ID+`"}`)
	parado.quer("task INPUT_REQUIRED")
	andando := a.seguir(t, "SendStreamingMessage", mensagem("pintar cor=cinza", "", ""))
	andando.quer("task SUBMITTED", "WORKING")
	close(encerrando)
	parado.quer("end")
	close(a.solta)
	andando.quer("artifact pintura", "COMPLETED", "end")
}

// tubo listens on connections without any buffer: what is not read is not
// written either.
type tubo struct {
	conns  chan net.Conn
	fechar func()
}

func (l tubo) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l tubo) Close() error   { l.fechar(); return nil }
func (l tubo) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// A caller that asks for a stream and does not read it is dropped: its place is
// free, nothing runs for it any more, and the Task never noticed.
func TestQuemNaoLeEDeixado(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.MaxFluxos, c.Limites.Escrita = 1, 200*time.Millisecond })
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	conns := make(chan net.Conn)
	l := tubo{conns, sync.OnceFunc(func() { close(conns) })}
	srv := &http.Server{Handler: a.porta}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	nosso, deles := net.Pipe()
	l.conns <- deles
	body := `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"` + tk.ID + `"}}`
	fmt.Fprintf(nosso, "POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	first := make([]byte, 64)
	if _, err := io.ReadFull(nosso, first); err != nil || !strings.HasPrefix(string(first), "HTTP/1.1 200 OK") {
		t.Fatalf("want a stream, got %q, %v", first, err)
	}
	if fim := a.chamar(t, "SendMessage", mensagem("escolha=a", `"taskId":"`+tk.ID+`"`, "")).task(t); fim.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("the Task waits for nobody who listens: %+v", fim.Status)
	}
	for fim := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		a.log.mu.Lock()
		deixado := strings.Contains(a.log.b.String(), "caller does not read")
		a.log.mu.Unlock()
		if deixado {
			break
		}
		if time.Now().After(fim) {
			t.Fatal("the caller was not dropped")
		}
	}
	outra := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	a.seguir(t, "SubscribeToTask", `{"id":"`+outra.ID+`"}`).quer("task INPUT_REQUIRED")
}
