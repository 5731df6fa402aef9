package porta

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/processo"
)

// comAvisos adds a tool that notifies its caller n times before it answers, and
// one that does so without end.
func comAvisos(cfg *Config) {
	add := func(name string, h mcp.ToolHandler) {
		cfg.Servidor.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
	}
	add("avisa", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args struct {
			N     int
			Falha bool
		}
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		for i := range args.N {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
			if err != nil {
				return nil, err
			}
		}
		//lint:ignore SA1019 deprecated, and still part of the revision
		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "visto"}); err != nil {
			return nil, err
		}
		if args.Falha {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "nao"}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fim"}}}, nil
	})
	add("tagarela", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for ctx.Err() == nil {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "t", Message: strings.Repeat("x", 64<<10)})
			if err != nil {
				return nil, err
			}
			time.Sleep(time.Millisecond)
		}
		return nil, ctx.Err()
	})
}

func comMeta(p pedido, meta string) pedido { return p.trocando(`"_meta":{`, `"_meta":{`+meta+`,`) }

// mensagens are the JSON-RPC messages of a stream of events.
func mensagens(t *testing.T, body string) []string {
	t.Helper()
	var ms []string
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") || !json.Valid([]byte(data)) {
			t.Fatalf("want one message per event, got %q", event)
		}
		ms = append(ms, data)
	}
	return ms
}

func TestAvisosVaoAntesDaResposta(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	p := comMeta(tool("avisa", `{"n":3}`), `"progressToken":"t"`)
	status, header, body := b.enviar(t, p)
	if status != 200 || header.Get("Content-Type") != "text/event-stream" || header.Get("X-Accel-Buffering") != "no" || header.Get("Cache-Control") != "no-store" {
		t.Fatalf("want a stream of events, got %d %v", status, header)
	}
	ms := mensagens(t, body)
	if len(ms) != 4 {
		t.Fatalf("want three notifications and the answer, got %q", ms)
	}
	for i, m := range ms[:3] {
		want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"progressToken":"t"}}`, i)
		if !igualJSON(t, m, want) {
			t.Errorf("notification %d: want %s, got %s", i, want, m)
		}
	}
	if !strings.HasPrefix(ms[3], `{"jsonrpc":"2.0","id":7,"result":`) || !strings.Contains(ms[3], "fim") {
		t.Errorf("the answer comes last, with its id, got %s", ms[3])
	}
	if log := b.log.String(); !strings.Contains(log, "outcome=ok status=200") {
		t.Errorf("want the outcome in the log, got %s", log)
	}

	// The status is said before the outcome is known; the event tells it.
	status, _, body = b.enviar(t, comMeta(tool("avisa", `{"n":1,"falha":true}`), `"progressToken":"t"`))
	if ms := mensagens(t, body); status != 200 || len(ms) != 2 || !strings.Contains(ms[1], `"id":7,"error":{"code":-32602`) {
		t.Errorf("want the error as the last event, got %d %q", status, ms)
	}
}

func igualJSON(t *testing.T, got, want string) bool {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(got), &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// Without anything to say before the answer, or a caller who takes it, the
// answer is one JSON object.
func TestSemAvisosEhJSON(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	for name, p := range map[string]pedido{
		"nothing to say":        tool("avisa", `{"n":0}`),
		"JSON only":             tool("avisa", `{"n":3}`).com("Accept", "application/json"),
		"no accept":             tool("avisa", `{"n":3}`).com("Accept", ""),
		"anything":              tool("avisa", `{"n":3}`).com("Accept", "*/*"),
		"events not wanted":     tool("avisa", `{"n":3}`).com("Accept", "application/json, text/event-stream;q=0"),
		"log level not reached": comMeta(tool("avisa", `{"n":0}`), `"io.modelcontextprotocol/logLevel":"error"`),
	} {
		status, header, body := b.enviar(t, p)
		if status != 200 || header.Get("Content-Type") != "application/json" || !strings.Contains(body, "fim") {
			t.Errorf("%s: want one JSON object, got %d %v %s", name, status, header, body)
		}
	}
	status, header, body := b.enviar(t, comMeta(tool("avisa", `{"n":0}`), `"io.modelcontextprotocol/logLevel":"info"`))
	if status != 200 || header.Get("Content-Type") != "text/event-stream" || !strings.Contains(body, `"method":"notifications/message"`) {
		t.Errorf("log level reached: want the line as an event, got %d %v %s", status, header, body)
	}
}

// Many callers with one id and one token: each sees its own notifications.
func TestAvisosNaoSeMisturam(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	var wg sync.WaitGroup
	for n := range 10 {
		wg.Go(func() {
			_, _, body := b.enviar(t, comMeta(tool("avisa", fmt.Sprintf(`{"n":%d}`, n+1)), `"progressToken":"t"`))
			if ms := mensagens(t, body); len(ms) != n+2 {
				t.Errorf("want %d messages, got %q", n+2, ms)
			}
		})
	}
	wg.Wait()
}

// More notifications than fit are dropped; the answer is not.
func TestAvisosDemais(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	_, _, body := b.enviar(t, comMeta(tool("avisa", `{"n":20000}`), `"progressToken":"t"`))
	if ms := mensagens(t, body); !strings.Contains(ms[len(ms)-1], "fim") {
		t.Errorf("want the answer at the end, got %s", ms[len(ms)-1])
	}
}

// A caller that does not read its stream loses it, and holds up nobody.
func TestQuemNaoLeEventos(t *testing.T) {
	b := novaBancaCom(t, func(cfg *Config) {
		comAvisos(cfg)
		cfg.Limites.Escrita = 300 * time.Millisecond
	})
	conn := b.semLer(t, tool("tagarela", `{}`))
	defer conn.Close()
	deadline := time.Now().Add(20 * time.Second)
	for !strings.Contains(b.log.String(), "name=tagarela") {
		if time.Now().After(deadline) {
			t.Fatal("the stream was not given up")
		}
		if status, _, body := b.enviar(t, tool("eco", `{"a":1}`)); status != 200 {
			t.Fatalf("others must be served meanwhile, got %d %s", status, body)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.Contains(b.log.String(), "outcome=cancelled") {
		t.Errorf("want it in the log as cancelled, got %s", b.log)
	}
}

// semLer sends a request and reads nothing of the answer.
func (b *banca) semLer(t *testing.T, p pedido) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", b.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	req, err := http.NewRequest(p.method, b.URL+p.path, strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range p.header {
		req.Header.Set(k, v)
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

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
