package hospede

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

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
