package porta

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/processo"
)

// assinante reads an open stream.
type assinante struct {
	*http.Response
	r    *bufio.Reader
	sair context.CancelFunc
}

func (b *banca) assinar(t *testing.T, id, filtro string) *assinante {
	t.Helper()
	p := chamada(metodoAssinar, `"notifications":`+filtro).trocando(`"id":7`, `"id":`+id)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, p.method, b.URL+p.path, strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range p.header {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); res.Body.Close() })
	return &assinante{res, bufio.NewReader(res.Body), cancel}
}

// evento is the next event, or comment, of the stream.
func (a *assinante) evento(t *testing.T) string {
	t.Helper()
	var event string
	for {
		line, err := a.r.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended (%v) after %q", err, event)
		}
		if line == "\n" {
			return strings.TrimPrefix(strings.TrimSuffix(event, "\n"), "data: ")
		}
		event += line
	}
}

func comAssinaturas(cfg *Config) {
	cfg.Assinaturas = 3
	cfg.Servidor.AddPrompt(&mcp.Prompt{Name: "velho"}, nil)
}

const tudo = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`

func (b *banca) mudar() {
	b.mcp.AddTool(&mcp.Tool{Name: "nova", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
}

func TestAssinatura(t *testing.T) {
	b := novaBancaCom(t, comAssinaturas)
	// Two at once: the SDK knows only one of a kind per session.
	for _, id := range []string{`"a"`, `123456789012345678901234567890`} {
		a := b.assinar(t, id, `{"toolsListChanged":true}`)
		defer func() {
			want := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
			if got := a.evento(t); got != want {
				t.Errorf("want %s, got %s", want, got)
			}
		}()
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("want a stream, got %d %v", a.StatusCode, a.Header)
		}
		want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{"toolsListChanged":true}}}`
		if got := a.evento(t); got != want {
			t.Errorf("want %s first, got %s", want, got)
		}
	}
	b.mudar()
}

func TestAssinaturaSoDoQueSePediu(t *testing.T) {
	b := novaBancaCom(t, comAssinaturas)
	prompts := b.assinar(t, "1", `{"promptsListChanged":true}`)
	prompts.evento(t)
	tools := b.assinar(t, "2", `{"toolsListChanged":true}`)
	tools.evento(t)
	b.mudar()
	tools.evento(t)
	b.mcp.AddPrompt(&mcp.Prompt{Name: "novo"}, nil)
	if got := prompts.evento(t); !strings.Contains(got, "notifications/prompts/list_changed") {
		t.Errorf("want nothing but what was asked for, got %s", got)
	}
}

func TestAssinaturasDemais(t *testing.T) {
	b := novaBancaCom(t, comAssinaturas)
	var last *assinante
	for range 3 {
		last = b.assinar(t, "1", tudo)
		last.evento(t)
	}
	if status, header, body := b.enviar(t, chamada(metodoAssinar, `"notifications":`+tudo)); status != 503 || header.Get("Retry-After") != "1" || !strings.Contains(body, `"id":7`) {
		t.Errorf("want 503, got %d %v %s", status, header, body)
	}
	last.sair()
	deadline := time.Now().Add(10 * time.Second)
	for {
		a := b.assinar(t, "1", tudo)
		if a.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("whoever leaves makes room")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := len(slices.Collect(b.mcp.Sessions())); n != 4 {
		t.Errorf("want the front's session and one for each subscription, got %d", n)
	}
}

func TestAssinaturaRecusada(t *testing.T) {
	b := novaBancaCom(t, comAssinaturas)
	p := chamada(metodoAssinar, `"notifications":`+tudo)
	for name, c := range map[string]struct {
		p      pedido
		status int
		code   string
	}{
		"JSON only":           {p.com("Accept", "application/json"), 406, "-32600"},
		"no filter":           {chamada(metodoAssinar, ""), 400, "-32602"},
		"filter of no object": {chamada(metodoAssinar, `"notifications":7`), 400, "-32602"},
		"no method header":    {p.com("Mcp-Method", ""), 400, "-32020"},
	} {
		if status, _, body := b.enviar(t, c.p); status != c.status || !strings.Contains(body, `"code":`+c.code) {
			t.Errorf("%s: want %d and %s, got %d %s", name, c.status, c.code, status, body)
		}
	}
	// What the server has not got is not agreed to; there is nothing to wait for.
	a := b.assinar(t, "1", `{}`)
	if got := a.evento(t); !strings.Contains(got, `"notifications":{}`) {
		t.Errorf("want an empty acknowledgment, got %s", got)
	}
	if got := a.evento(t); !strings.Contains(got, `"id":1,"result":{`) {
		t.Errorf("want the end, got %s", got)
	}
}

// When the process stops, subscriptions end in good order.
func TestAssinaturaTermina(t *testing.T) {
	parada := make(chan struct{})
	b := novaBancaCom(t, func(cfg *Config) {
		comAssinaturas(cfg)
		cfg.Parada = parada
	})
	a := b.assinar(t, `"x"`, tudo)
	a.evento(t)
	close(parada)
	got := a.evento(t)
	for _, has := range []string{`{"jsonrpc":"2.0","id":"x","result":{`, `"resultType":"complete"`, `"io.modelcontextprotocol/subscriptionId":"x"`} {
		if !strings.Contains(got, has) {
			t.Errorf("want the empty result with %s, got %s", has, got)
		}
	}
	if rest, err := io.ReadAll(a.r); err != nil || len(rest) > 0 {
		t.Errorf("want the end of the stream, got %q %v", rest, err)
	}
}

// A quiet stream is kept alive, and a silent caller found out.
func TestAssinaturaBate(t *testing.T) {
	b := novaBancaCom(t, func(cfg *Config) {
		comAssinaturas(cfg)
		cfg.Limites.Leitura = 50 * time.Millisecond // no bound of a stream's
		cfg.batida = 100 * time.Millisecond
	})
	a := b.assinar(t, "1", tudo)
	a.evento(t)
	for range 3 {
		if got := a.evento(t); got != ":" {
			t.Fatalf("want a comment, got %q", got)
		}
	}
}

// The SDK may notify of a change before it has acknowledged; the client must
// not see that.
func TestNadaAntesDaAceitacao(t *testing.T) {
	w := httptest.NewRecorder()
	a := &assinatura{id: json.RawMessage(`5`), eventos: processo.NovosEventos(w, time.Second)}
	meta := json.RawMessage(`{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`)
	for _, c := range []struct {
		method string
		params json.RawMessage
	}{
		{"notifications/tools/list_changed", meta},
		{"notifications/prompts/list_changed", json.RawMessage(`{}`)}, // of no subscription
		{"notifications/prompts/list_changed", nil},
		{avisoAceita, meta},
	} {
		if err := a.aviso(c.method, c.params); err != nil {
			t.Fatal(err)
		}
	}
	ms := mensagens(t, w.Body.String())
	if len(ms) != 2 || !strings.Contains(ms[0], avisoAceita) || !strings.Contains(ms[1], "tools/list_changed") || !strings.Contains(ms[1], `Id":5`) {
		t.Errorf("want the acknowledgment and then the change, got %q", ms)
	}
}

// A subscription that loses a notification is broken off, and nothing waits.
func TestAssinaturaQuePerdeTermina(t *testing.T) {
	c := novaConexao()
	c.unica = true
	stalled, release := make(chan struct{}), make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		_, err := c.chamar(t.Context(), metodoAssinar, nil, nil, &ouvinte{aviso: func(string, json.RawMessage) error {
			stalled <- struct{}{}
			<-release
			return nil
		}})
		failed <- err
	}()
	if _, err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	write := func() {
		if err := c.Write(t.Context(), &jsonrpc.Request{Method: "notifications/tools/list_changed"}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	<-stalled
	for range maxAvisos {
		write()
	}
	select {
	case <-c.done:
		t.Fatal("there was room for this many")
	default:
	}
	write()
	<-c.done
	close(release)
	go func() {
		for range stalled {
		}
	}()
	if err := <-failed; !errors.Is(err, errFechada) {
		t.Errorf("want %v, got %v", errFechada, err)
	}
}
