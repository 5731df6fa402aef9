package porta

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/processo"
)

// chamadorDeTeste answers by the name of the tool.
type chamadorDeTeste struct{ aoChamar func() }

func (c chamadorDeTeste) Chamar(p Chamada) (json.RawMessage, error) {
	if c.aoChamar != nil {
		c.aoChamar()
	}
	switch p.Ferramenta {
	case "direta":
		return json.RawMessage(`{"resultType":"complete","argumentos":` + string(p.Argumentos) + `}`), nil
	case "recusa":
		return nil, &jsonrpc.Error{Code: -32602, Message: strings.Repeat("á", 1000), Data: json.RawMessage(`{"a":1}`)}
	case "falha":
		return nil, errors.New("segredo da casa")
	}
	return nil, ErrOutraForma
}

func TestChamadaDireta(t *testing.T) {
	b := novaBancaCom(t, func(cfg *Config) { cfg.Chamador = chamadorDeTeste{} })
	for _, c := range []struct {
		p      pedido
		status int
		has    string
	}{
		{tool("direta", `{"a":1}`), 200, `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","argumentos":{"a":1}}}`},
		{tool("direta", `{}`).com("Mcp-Name", "=?base64?ZGlyZXRh?="), 200, `"argumentos":{}`},
		// The checks of the front come first.
		{tool("direta", `{}`).com("Mcp-Name", "eco"), 400, "-32020"},
		{tool("direta", `{}`).com("MCP-Protocol-Version", "2025-11-25"), 400, "-32022"},
		{tool("recusa", `{}`), 400, `"data":{"a":1}`},
		{tool("falha", `{}`), 500, `{"code":-32603,"message":"internal error"}`},
		// What the Chamador leaves, and what it is not even asked, the SDK answers.
		{tool("eco", `{"a":1}`), 200, `{\"a\":1}`},
		{tool("direta", `{}`).trocando(`"arguments"`, `"x":1,"arguments"`), 400, "direta"},
	} {
		if status, _, body := b.enviar(t, c.p); status != c.status || !strings.Contains(body, c.has) || len(body) > 600 {
			t.Errorf("%s: want %d and %s, got %d %s", c.p.body, c.status, c.has, status, body)
		}
	}
	log := b.log.String()
	for _, has := range []string{"name=direta id=7 traceparent=\"\" outcome=ok status=200", `outcome="error -32602" status=400`, "segredo da casa"} {
		if !strings.Contains(log, has) {
			t.Errorf("want %q in the log, got %s", has, log)
		}
	}
}

// A caller that left during a direct call gets nothing, and the log says so.
func TestQuemSaiDaChamadaDireta(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	b := novaBancaCom(t, func(cfg *Config) { cfg.Chamador = chamadorDeTeste{aoChamar: leave} })
	p := tool("direta", `{}`)
	r := httptest.NewRequestWithContext(ctx, p.method, p.path, strings.NewReader(p.body))
	for k, v := range p.header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("want the connection ended, got %v", p)
			}
		}()
		b.Config.Handler.ServeHTTP(w, r)
	}()
	if w.Body.Len() > 0 || !strings.Contains(b.log.String(), "outcome=cancelled") {
		t.Errorf("want no answer and cancelled in the log, got %s and %s", w.Body, b.log)
	}
}

// What the SDK answers does not depend on whether it has seen a request before.
func TestPrimeiroPedido(t *testing.T) {
	for _, antes := range []int{0, 1} {
		b := novaBanca(t)
		for range antes {
			b.enviar(t, tool("eco", `{}`))
		}
		if status, _, body := b.enviar(t, tool("eco", `{}`).trocando(`"_meta":{`, `"_meta":{"x":1e999,`)); status != 400 || !strings.Contains(body, "-32602") {
			t.Errorf("after %d requests: want -32602, got %d %s", antes, status, body)
		}
	}
}

// BenchmarkFrente is what the front costs around a call that costs nothing.
func BenchmarkFrente(b *testing.B) {
	srv := mcp.NewServer(&mcp.Implementation{Name: "banca", Version: "1"}, nil)
	p, err := Nova(b.Context(), Config{Servidor: srv, Chamador: chamadorDeTeste{}, Versao: versao, Limites: processo.LimitesPadrao, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Fechar()
	pedido := tool("direta", `{"sala":"sala-garagem","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00"}`)
	r := httptest.NewRequest(pedido.method, pedido.path, nil)
	for k, v := range pedido.header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(strings.NewReader(pedido.body))
		w.Body.Reset()
		p.ServeHTTP(w, r)
	}
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"complete"`) {
		b.Fatalf("got %d %s", w.Code, w.Body)
	}
}

func BenchmarkLerChamada(b *testing.B) {
	meta := json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba90202-01"}`)
	raw := json.RawMessage(`{"name":"direta","arguments":{},"_meta":` + string(meta) + `}`)
	params, err := envelope.Split(nil, raw)
	if err != nil {
		b.Fatal(err)
	}
	members, err := envelope.Split(nil, meta)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if c, ok := lerChamada(raw, params, members); !ok || c.Elicitation == nil {
			b.Fatal("want a call of the usual form")
		}
	}
}
