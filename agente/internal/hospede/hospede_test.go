package hospede

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/rastro"
)

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
		{"name twice", `{"structuredContent":{"a":1},"structuredContent":{"a":2}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"name twice inside", `{"structuredContent":{"a":1,"a":2}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"name twice in a question", `{"resultType":"input_required","requestState":"s","inputRequests":{"z":{"method":"elicitation/create","params":{"mode":"url","mode":"form","message":"M"}}}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"names of another case", `{"resulttype":"input_required","ISERROR":true,"structuredContent":{"a":1}}`, `Concluido {"a":1}`},
		{"null where nothing is", `{"resultType":null,"isError":null,"content":null,"structuredContent":{"a":1}}`, `Concluido {"a":1}`},
		{"resultType of another type", `{"resultType":7,"structuredContent":{"a":1}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"text of another type", `{"content":[{"type":"text","text":7}],"structuredContent":{"a":1}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"state of another type", `{"resultType":"input_required","requestState":7}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"not UTF-8", "{\"structuredContent\":{\"a\":\"\xff\"}}", "Inacessivel Servidor MCP deu uma resposta invalida."},
		{"too deep", `{"structuredContent":{"a":` + strings.Repeat("[", maxFundo) + strings.Repeat("]", maxFundo) + `}}`, "Inacessivel Servidor MCP deu uma resposta invalida."},
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
