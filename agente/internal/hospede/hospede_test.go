package hospede

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hillvalley.example/ponte/internal/rastro"
)

// pedido is a request as the fake server saw it.
type pedido struct {
	Method string
	ID     json.RawMessage
	Params struct {
		Name           string
		URI            string
		Arguments      json.RawMessage
		RequestState   *string
		InputResponses json.RawMessage
		Meta           map[string]json.RawMessage `json:"_meta"`
	}
	header http.Header
}

// fingido is an MCP server that answers what a test tells it to. What responde
// returns is the result, as JSON; "" leaves the answer to w.
type fingido struct {
	*httptest.Server
	mu       sync.Mutex
	pedidos  []pedido
	responde func(w http.ResponseWriter, p pedido) string
}

const ferramentas = `{"resultType":"complete","ttlMs":%d,"cacheScope":"public","tools":[{"name":"pinta","inputSchema":{"type":"object","properties":{"cor":{"type":"string"},"n":{"type":"integer"},"ok":{"type":"boolean"},"xs":{"type":"array"},"dois":{"type":["string","null"]}},"required":["cor"]}}]}`

// normal answers discovery and lists, and leaves tools/call to f.
func normal(ttl int, f func(w http.ResponseWriter, p pedido) string) func(http.ResponseWriter, pedido) string {
	return func(w http.ResponseWriter, p pedido) string {
		switch p.Method {
		case "server/discover":
			return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
		case "tools/list":
			return fmt.Sprintf(ferramentas, ttl)
		case "resources/read":
			return fmt.Sprintf(`{"resultType":"complete","ttlMs":%d,"contents":[{"uri":"x://y","text":"v: 1"}]}`, ttl)
		}
		return f(w, p)
	}
}

func novoFingido(t *testing.T, responde func(http.ResponseWriter, pedido) string) *fingido {
	t.Helper()
	f := &fingido{responde: responde}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p pedido
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Errorf("request is not JSON: %v", err)
		}
		p.header = r.Header
		f.mu.Lock()
		f.pedidos = append(f.pedidos, p)
		responde := f.responde
		f.mu.Unlock()
		if res := responde(w, p); res != "" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, p.ID, res)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fingido) trocar(responde func(http.ResponseWriter, pedido) string) {
	f.mu.Lock()
	f.responde = responde
	f.mu.Unlock()
}

func (f *fingido) de(method string) []pedido {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ps []pedido
	for _, p := range f.pedidos {
		if p.Method == method {
			ps = append(ps, p)
		}
	}
	return ps
}

func novoHospede(t *testing.T, url string) *Hospede {
	t.Helper()
	h := Novo(Config{URL: url, Nome: "agente-de-teste", Versao: "1.2.3", Agora: time.Now})
	t.Cleanup(h.Fechar)
	return h
}

func TestTodoPedidoEstaCompleto(t *testing.T) {
	f := novoFingido(t, normal(60_000, func(http.ResponseWriter, pedido) string { return `{"resultType":"complete","structuredContent":{}}` }))
	h := novoHospede(t, f.URL)
	r := rastro.Novo().Com("a=b", "k=v")
	ctx := rastro.ComContexto(t.Context(), r)
	if _, ok, falhou := h.Ferramenta(ctx, "pinta"); !ok || falhou != nil {
		t.Fatal(falhou)
	}
	if _, falhou := h.Recurso(ctx, "x://y"); falhou != nil {
		t.Fatal(falhou)
	}
	if _, ok := h.Chamar(ctx, "pinta", []byte(`{"cor":"azul"}`), nil).(Concluido); !ok {
		t.Fatal("call failed")
	}
	spans, ids := map[string]bool{}, map[string]bool{}
	for i, want := range []struct{ method, name string }{{"server/discover", ""}, {"tools/list", ""}, {"resources/read", "x://y"}, {"tools/call", "pinta"}} {
		p := f.pedidos[i]
		if p.Method != want.method {
			t.Fatalf("request %d: want %s, got %s", i, want.method, p.Method)
		}
		if p.header.Get("Mcp-Protocol-Version") != "2026-07-28" || p.header.Get("Mcp-Method") != want.method || p.header.Get("Mcp-Name") != want.name {
			t.Errorf("%s: headers that mirror the body: %v", p.Method, p.header)
		}
		m := p.Params.Meta
		if string(m["io.modelcontextprotocol/protocolVersion"]) != `"2026-07-28"` ||
			string(m["io.modelcontextprotocol/clientCapabilities"]) != `{"elicitation":{"form":{}}}` ||
			string(m["io.modelcontextprotocol/clientInfo"]) != `{"name":"agente-de-teste","version":"1.2.3"}` ||
			string(m["tracestate"]) != `"a=b"` || string(m["baggage"]) != `"k=v"` {
			t.Errorf("%s: _meta %v", p.Method, m)
		}
		var tp string
		_ = json.Unmarshal(m["traceparent"], &tp)
		got, ok := rastro.Ler(tp)
		if !ok || got.TraceID != r.TraceID || got.SpanID == r.SpanID || spans[got.SpanID] {
			t.Errorf("%s: want trace %s with a span of its own, got %q", p.Method, r.TraceID, tp)
		}
		spans[got.SpanID] = true
		if ids[string(p.ID)] {
			t.Errorf("%s: id %s was used before", p.Method, p.ID)
		}
		ids[string(p.ID)] = true
	}
}

func TestDescobertaValePeloTTL(t *testing.T) {
	agora := time.Now()
	f := novoFingido(t, normal(60_000, nil))
	h := Novo(Config{URL: f.URL, Nome: "x", Versao: "1", Agora: func() time.Time { return agora }})
	t.Cleanup(h.Fechar)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, ok, falhou := h.Ferramenta(t.Context(), "pinta"); !ok || falhou != nil {
				t.Error(falhou)
			}
			if s, falhou := h.Recurso(t.Context(), "x://y"); s != "v: 1" || falhou != nil {
				t.Error(s, falhou)
			}
		})
	}
	wg.Wait()
	if l, r, d := len(f.de("tools/list")), len(f.de("resources/read")), len(f.de("server/discover")); l != 1 || r != 1 || d != 1 {
		t.Errorf("20 at once: want one request of each kind, got %d, %d, %d", l, r, d)
	}
	if _, ok, falhou := h.Ferramenta(t.Context(), "outra"); ok || falhou != nil {
		t.Error("a tool that is not offered is no failure, only not there")
	}

	f.trocar(normal(0, nil)) // nothing may be kept
	agora = agora.Add(time.Hour)
	fresco := novoHospede(t, f.URL)
	for range 3 {
		if _, ok, falhou := fresco.Ferramenta(t.Context(), "pinta"); !ok || falhou != nil {
			t.Fatal(falhou)
		}
	}
	if l := len(f.de("tools/list")); l != 4 {
		t.Errorf("ttlMs 0: want a request each time, got %d", l-1)
	}
}

func TestValoresPeloTipo(t *testing.T) {
	f, err := LerFerramenta("pinta", json.RawMessage(`{"properties":{"s":{"type":"string"},"n":{"type":"integer"},"b":{"type":"boolean"},"o":{"type":"object"},"u":{"type":["string","null"]},"x":{},"v":true},"required":7}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ chave, texto, want string }{
		{"n", "1_0", ""}, {"n", "0x10", ""}, {"n", "+1", ""},
		{"s", "12", `"12"`}, {"n", "12345678901234567890", "12345678901234567890"}, {"n", "x", ""}, {"n", `"1"`, ""}, {"n", "", ""},
		{"b", "true", "true"}, {"b", "sim", ""}, {"o", `{"a": 1}`, `{"a":1}`}, {"o", "{", ""}, {"u", "a", `"a"`}, {"x", "7", `"7"`}, {"v", "7", `"7"`},
	} {
		v, err := f.Valor(c.chave, c.texto)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s=%q: want an error, got %v", c.chave, c.texto, v)
			}
			continue
		}
		if raw, _ := json.Marshal(v); err != nil || string(raw) != c.want {
			t.Errorf("%s=%q: want %s, got %s, %v", c.chave, c.texto, c.want, raw, err)
		}
	}
}

func TestDesfechos(t *testing.T) {
	for _, c := range []struct {
		nome, result, want string
	}{
		{"structured", `{"resultType":"complete","content":[],"structuredContent":{"b":1,"a":12345678901234567890}}`, `Concluido {"b":1,"a":12345678901234567890}`},
		{"no resultType", `{"structuredContent":{"a":1}}`, `Concluido {"a":1}`},
		{"JSON as text", `{"resultType":"complete","content":[{"type":"text","text":"{\"a\":1}"}]}`, `Concluido {"a":1}`},
		{"plain text", `{"resultType":"complete","content":[{"type":"text","text":"ok"}]}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"structured list", `{"resultType":"complete","structuredContent":[1]}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"tool error", `{"resultType":"complete","isError":true,"content":[{"type":"text","text":"nao <b>"},{"type":"text","text":"dois"}]}`, "Recusado nao <b>\ndois"},
		{"unknown resultType", `{"resultType":"later","structuredContent":{"a":1}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"tool error without text", `{"isError":true,"content":[]}`, "Recusado A ferramenta recusou sem dizer por que."},
		{"question", `{"resultType":"input_required","requestState":"s","inputRequests":{"z":{"method":"elicitation/create","params":{"mode":"form","message":"M","requestedSchema":{"type":"object","properties":{"q":{"type":"string"},"a":{"type":"string"}}}}},"b":{"method":"elicitation/create","params":{"message":"N","requestedSchema":{"type":"object"}}}}}`,
			`PedeEntrada s z M {"type":"object","properties":{"q":{"type":"string"},"a":{"type":"string"}}} b N {"type":"object"}`},
		{"url mode", `{"resultType":"input_required","requestState":"s","inputRequests":{"z":{"method":"elicitation/create","params":{"mode":"url","message":"M","url":"https://x"}}}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"sampling", `{"resultType":"input_required","inputRequests":{"z":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"nothing asked", `{"resultType":"input_required"}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
	} {
		t.Run(c.nome, func(t *testing.T) {
			f := novoFingido(t, normal(0, func(http.ResponseWriter, pedido) string { return c.result }))
			h := novoHospede(t, f.URL)
			if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); !strings.HasPrefix(got, c.want) {
				t.Errorf("want %s\ngot  %s", c.want, got)
			}
		})
	}
}

func ver(d Desfecho) string {
	switch d := d.(type) {
	case Concluido:
		return "Concluido " + string(d.Estruturado)
	case Recusado:
		return "Recusado " + d.Mensagem
	case PedeEntrada:
		s := "PedeEntrada " + d.RequestState
		for _, q := range d.Perguntas {
			s += " " + q.Chave + " " + q.Mensagem + " " + string(q.Esquema)
		}
		return s
	case ErroDeProtocolo:
		return fmt.Sprintf("ErroDeProtocolo %d", d.Codigo)
	case Inacessivel:
		return "Inacessivel " + d.Motivo + " " + d.Causa
	}
	return fmt.Sprintf("%T", d)
}

// What one call gets for an answer ends no other call.
func TestUmaChamadaNaoDerrubaAsOutras(t *testing.T) {
	solta := make(chan struct{})
	var lentas sync.WaitGroup
	for nome, ruim := range map[string]func(http.ResponseWriter, pedido) string{
		"plain 400": func(w http.ResponseWriter, _ pedido) string { http.Error(w, "no", 400); return "" },
		"cut JSON": func(w http.ResponseWriter, _ pedido) string {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{nope")
			return ""
		},
		"body that hangs": func(w http.ResponseWriter, _ pedido) string {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{")
			w.(http.Flusher).Flush()
			<-solta
			return ""
		},
	} {
		f := novoFingido(t, normal(60_000, func(w http.ResponseWriter, p pedido) string {
			if strings.Contains(string(p.Params.Arguments), "lenta") {
				<-solta
				return `{"structuredContent":{"a":1}}`
			}
			return ruim(w, p)
		}))
		h := novoHospede(t, f.URL)
		if _, _, falhou := h.Ferramenta(t.Context(), "pinta"); falhou != nil {
			t.Fatal(falhou)
		}
		for range 3 {
			lentas.Go(func() {
				if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{"cor":"lenta"}`), nil)); got != `Concluido {"a":1}` {
					t.Errorf("%s: a stranger's call ended as %s", nome, got)
				}
			})
		}
		for len(f.de("tools/call")) < 3 {
			time.Sleep(time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if d, ok := h.Chamar(ctx, "pinta", []byte(`{}`), nil).(Inacessivel); !ok {
			t.Errorf("%s: %v", nome, d)
		}
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		h.Chamar(ctx, "pinta", []byte(`{}`), nil)
	}
	close(solta)
	lentas.Wait()
}

// A value that may not be kept is still fetched once for all who wait for it.
func TestBuscaCompartilhada(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, buscas := novoGuardado[int](), 0
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				v, err := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) {
					buscas++
					time.Sleep(time.Second) // everybody is there by now
					return buscas, 0, nil
				})
				if v != 1 || err != nil {
					t.Errorf("want what the one fetch got, got %d, %v", v, err)
				}
			})
		}
		wg.Wait()
		if v, _ := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) { return 7, 0, nil }); v != 7 {
			t.Errorf("ttlMs 0: want a fetch for who comes later, got %d", v)
		}
	})
	// Who gives up while fetching for others leaves them their own try.
	g := novoGuardado[int]()
	ctx, sai := context.WithCancel(t.Context())
	dentro := make(chan struct{})
	go func() {
		_, _ = g.obter(ctx, time.Now, func(ctx context.Context) (int, time.Duration, error) {
			close(dentro)
			<-ctx.Done()
			return 0, 0, ctx.Err()
		})
	}()
	<-dentro
	time.AfterFunc(10*time.Millisecond, sai)
	if v, err := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) { return 7, 0, nil }); v != 7 || err != nil {
		t.Errorf("want an own try, got %d, %v", v, err)
	}
}

func TestTTLAbsurdo(t *testing.T) {
	for ms, want := range map[int]time.Duration{-1: 0, 0: 0, 1500: 1500 * time.Millisecond, 1 << 62: maxTTL, 9223372036855: maxTTL} {
		if got := ttlDe(ms); got != want {
			t.Errorf("ttlMs %d: want %s, got %s", ms, want, got)
		}
	}
}

// Another tool of the server's may be as odd as it likes.
func TestOutrasFerramentasNaoAtrapalham(t *testing.T) {
	f := novoFingido(t, func(w http.ResponseWriter, p pedido) string {
		if p.Method == "tools/list" {
			return `{"tools":[{"name":"estranha","inputSchema":{"type":"object","properties":7}},{"name":"pinta","inputSchema":{"type":"object","properties":{"cor":true},"required":["cor"]}}]}`
		}
		return normal(0, nil)(w, p)
	})
	h := novoHospede(t, f.URL)
	if g, ok, falhou := h.Ferramenta(t.Context(), "pinta"); !ok || falhou != nil || len(g.Chaves()) != 1 || g.Obrigatorias[0] != "cor" {
		t.Errorf("got %+v, %v, %v", g, ok, falhou)
	}
	if _, _, falhou := h.Ferramenta(t.Context(), "estranha"); !strings.HasPrefix(ver(falhou), "Inacessivel Servidor MCP deu uma resposta invalida.") {
		t.Errorf("got %s", ver(falhou))
	}
}

// A call refused for its headers is looked up again and repeated, once.
func TestCabecalhosMudaram(t *testing.T) {
	recusas := 1
	f := novoFingido(t, normal(60_000, func(w http.ResponseWriter, p pedido) string {
		if recusas--; recusas >= 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"x"}}`, p.ID)
			return ""
		}
		return `{"structuredContent":{"a":1}}`
	}))
	h := novoHospede(t, f.URL)
	if _, _, falhou := h.Ferramenta(t.Context(), "pinta"); falhou != nil {
		t.Fatal(falhou)
	}
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != `Concluido {"a":1}` || len(f.de("tools/list")) != 2 {
		t.Errorf("got %s after %d lists", got, len(f.de("tools/list")))
	}
	antes := runtime.NumGoroutine()
	for range 20 {
		recusas = 1
		h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)
	}
	for fim := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > antes+10; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(fim) {
			t.Fatalf("sessions are left over: %d goroutines, then %d", antes, runtime.NumGoroutine())
		}
	}
	chamadas := len(f.de("tools/call"))
	recusas = 100
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != "ErroDeProtocolo -32020" || len(f.de("tools/call")) != chamadas+2 {
		t.Errorf("not for ever: got %s after %d calls", got, len(f.de("tools/call")))
	}
}

func TestCalar(t *testing.T) {
	const estado = `um"estado\opaco`
	if got := Calar("veja "+estado+"!", []string{"curto", estado}); got != "veja [...]!" {
		t.Errorf("got %q", got)
	}
	raw, _ := json.Marshal(map[string]any{"a": []any{estado, 12345678901234567}, estado: 1})
	if got := CalarJSON(raw, []string{estado}); string(got) != `{"[...]":1,"a":["[...]",12345678901234567]}` {
		t.Errorf("got %s", got)
	}
	intacto := json.RawMessage(`{"b": 1, "a":"curto"}`)
	if got := CalarJSON(intacto, []string{"curto", estado}); string(got) != string(intacto) {
		t.Errorf("nothing to hide, and it changed: %s", got)
	}
}

// However a server fails, the call is classified, and the next one works.
func TestFalhasERecuperacao(t *testing.T) {
	plain := func(status int, contentType, body string) func(http.ResponseWriter, pedido) string {
		return func(w http.ResponseWriter, _ pedido) string {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return ""
		}
	}
	rpc := func(status int, body string) func(http.ResponseWriter, pedido) string {
		return func(w http.ResponseWriter, p pedido) string {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, p.ID, body)
			return ""
		}
	}
	ok := func(http.ResponseWriter, pedido) string {
		return `{"resultType":"complete","structuredContent":{"a":1}}`
	}
	for _, c := range []struct {
		nome string
		f    func(http.ResponseWriter, pedido) string
		want string
	}{
		{"protocol error, 400", rpc(400, `"error":{"code":-32602,"message":"nao"}`), "ErroDeProtocolo -32602"},
		{"protocol error, 200", rpc(200, `"error":{"code":-32603,"message":"x"}`), "ErroDeProtocolo -32603"},
		{"html", plain(200, "text/html", "<html>"), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"404 text", plain(404, "text/plain", "not here"), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"401 text", plain(401, "text/plain", "who"), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"500 text", plain(500, "text/plain", "oops"), "Inacessivel Servidor MCP inacessivel."},
		{"503 text", plain(503, "text/plain", "busy"), "Inacessivel Servidor MCP inacessivel."},
		{"redirect", func(w http.ResponseWriter, _ pedido) string {
			w.Header().Set("Location", "http://127.0.0.1:1/x")
			w.WriteHeader(307)
			return ""
		}, "Inacessivel"},
		{"null", plain(200, "application/json", "null"), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"cut JSON", plain(200, "application/json", `{"jsonrpc":"2.0","id":`), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"result of another type", rpc(200, `"result":7`), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"result null", rpc(200, `"result":null`), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"content of another type", rpc(200, `"result":{"content":7}`), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"too large", func(w http.ResponseWriter, p pedido) string {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"x":"%s"}}`, p.ID, strings.Repeat("x", maxResposta))
			return ""
		}, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"connection cut", func(http.ResponseWriter, pedido) string { panic(http.ErrAbortHandler) }, "Inacessivel Servidor MCP inacessivel."},
		{"another id", plain(200, "application/json", `{"jsonrpc":"2.0","id":"nobody","result":{}}`), "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"error without id", plain(413, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}`), "ErroDeProtocolo -32600"},
		{"stream without an answer", plain(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n"), "Inacessivel Servidor MCP inacessivel."},
		{"stream of nonsense", plain(200, "text/event-stream", "data: {nope\n\ndata\n\n"), "Inacessivel Servidor MCP inacessivel."},
	} {
		t.Run(c.nome, func(t *testing.T) {
			f := novoFingido(t, normal(0, c.f))
			h := novoHospede(t, f.URL)
			got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil))
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("want %s, got %s", c.want, got)
			}
			f.trocar(normal(0, ok))
			if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != `Concluido {"a":1}` {
				t.Errorf("afterwards: want to work again, got %s", got)
			}
		})
	}
}

// Ids are never used twice, not even over connections that failed or by an
// agent that was restarted.
func TestIDsNuncaSeRepetem(t *testing.T) {
	f := novoFingido(t, normal(60_000, func(http.ResponseWriter, pedido) string { panic(http.ErrAbortHandler) }))
	for range 2 {
		h := novoHospede(t, f.URL)
		for range 3 {
			h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)
		}
	}
	f.mu.Lock()
	pedidos := slices.Clone(f.pedidos)
	f.mu.Unlock()
	seen := map[string]bool{}
	for _, p := range pedidos {
		if seen[string(p.ID)] {
			t.Errorf("id %s was used twice", p.ID)
		}
		seen[string(p.ID)] = true
	}
	if len(f.de("server/discover")) != 2 || len(f.de("tools/call")) != 6 {
		t.Errorf("a failed call costs no connection: want 2 discoveries and 6 calls, got %d and %d", len(f.de("server/discover")), len(f.de("tools/call")))
	}
	if len(f.de("notifications/cancelled")) != 0 {
		t.Error("over HTTP nothing is cancelled by a message")
	}
}

func TestServidorForaDoAr(t *testing.T) {
	f := novoFingido(t, normal(0, nil))
	url := f.URL
	f.Close()
	h := novoHospede(t, url)
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); !strings.HasPrefix(got, "Inacessivel Servidor MCP inacessivel.") {
		t.Errorf("got %s", got)
	}
	if _, _, falhou := h.Ferramenta(t.Context(), "pinta"); !strings.HasPrefix(ver(falhou), "Inacessivel Servidor MCP inacessivel.") {
		t.Errorf("got %s", ver(falhou))
	}
	if _, falhou := h.Recurso(t.Context(), "x://y"); !strings.HasPrefix(ver(falhou), "Inacessivel Servidor MCP inacessivel.") {
		t.Errorf("got %s", ver(falhou))
	}
}

func TestRevisaoAntiga(t *testing.T) {
	f := novoFingido(t, func(w http.ResponseWriter, p pedido) string {
		switch p.Method {
		case "initialize":
			return `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`
		case "notifications/initialized":
			w.WriteHeader(202)
			return ""
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, p.ID)
		return ""
	})
	h := novoHospede(t, f.URL)
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); !strings.HasPrefix(got, "Inacessivel Servidor MCP fala outra revisao do protocolo.") {
		t.Errorf("got %s", got)
	}
	if len(f.de("tools/call")) != 0 {
		t.Error("a server of another revision must not be called")
	}
}

func TestTempoEsgotadoEInterrupcao(t *testing.T) {
	solta := make(chan struct{})
	f := novoFingido(t, normal(0, func(http.ResponseWriter, pedido) string { <-solta; return `{}` }))
	defer close(solta)
	h := novoHospede(t, f.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got := ver(h.Chamar(ctx, "pinta", []byte(`{}`), nil)); !strings.HasPrefix(got, "Inacessivel Servidor MCP nao respondeu a tempo.") {
		t.Errorf("a server that hangs: got %s", got)
	}
	ctx, interrompe := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, interrompe)
	if got := ver(h.Chamar(ctx, "pinta", []byte(`{}`), nil)); got != "hospede.Interrompido" {
		t.Errorf("cancelled: got %s", got)
	}
}

// A state without a question is load shed: the call is repeated with the state
// after a moment, with a new id, and not for ever.
func TestServidorOcupado(t *testing.T) {
	var n int
	f := novoFingido(t, normal(0, func(_ http.ResponseWriter, p pedido) string {
		if n++; n < 3 {
			return fmt.Sprintf(`{"resultType":"input_required","requestState":"s%d"}`, n)
		}
		return `{"resultType":"complete","structuredContent":{"a":1}}`
	}))
	h := novoHospede(t, f.URL)
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{"cor":"x"}`), nil)); got != `Concluido {"a":1}` {
		t.Errorf("got %s", got)
	}
	calls := f.de("tools/call")
	if len(calls) != 3 || calls[0].Params.RequestState != nil || *calls[1].Params.RequestState != "s1" || *calls[2].Params.RequestState != "s2" || string(calls[2].Params.Arguments) != `{"cor":"x"}` {
		t.Errorf("want the call repeated with each state, got %+v", calls)
	}
	n = -1000
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); !strings.HasPrefix(got, "Inacessivel Servidor MCP ocupado.") {
		t.Errorf("not for ever: got %s", got)
	}
}

func TestRetomadaEcoaSemTocar(t *testing.T) {
	f := novoFingido(t, normal(0, func(http.ResponseWriter, pedido) string { return `{"resultType":"complete","structuredContent":{}}` }))
	h := novoHospede(t, f.URL)
	const estado = "v9.çã \" \\ \u2028 =="
	h.Chamar(t.Context(), "pinta", []byte(`{"cor":"x"}`), nil)
	h.Chamar(t.Context(), "pinta", []byte(`{"cor":"x"}`), &Retomada{RequestState: estado, Respostas: map[string]Resposta{
		"a": {Acao: "accept", Conteudo: map[string]any{"n": int64(7), "b": true, "s": "<x>"}}, "b": {Acao: "decline"},
	}})
	calls := f.de("tools/call")
	if calls[0].Params.InputResponses != nil || calls[0].Params.RequestState != nil {
		t.Errorf("a first call carries neither: %+v", calls[0].Params)
	}
	p := calls[1].Params
	var respostas map[string]struct {
		Action  string
		Content map[string]any
	}
	if err := json.Unmarshal(p.InputResponses, &respostas); err != nil {
		t.Fatal(err)
	}
	if *p.RequestState != estado || respostas["a"].Action != "accept" || respostas["a"].Content["n"] != 7.0 || respostas["a"].Content["s"] != "<x>" || respostas["b"].Action != "decline" || respostas["b"].Content != nil {
		t.Errorf("got state %q and %s", *p.RequestState, p.InputResponses)
	}
}

// Answers may come as a stream of events; the result is the last of them.
func TestRespostaEmSSE(t *testing.T) {
	f := novoFingido(t, normal(0, func(w http.ResponseWriter, p pedido) string {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": x\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"structuredContent\":{\"a\":1}}}\n\n", p.ID)
		return ""
	}))
	h := novoHospede(t, f.URL)
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != `Concluido {"a":1}` {
		t.Errorf("got %s", got)
	}
}
