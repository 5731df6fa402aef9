package porta

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/processo"
)

const versao = "2026-07-28"

// banca is a small MCP server behind the front.
type banca struct {
	*httptest.Server
	mcp       *mcp.Server
	log       *registroSeguro
	arrived   chan string
	cancelled chan struct{}
	release   chan struct{}
}

type registroSeguro struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *registroSeguro) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(b)
}

func (r *registroSeguro) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

func novaBanca(t *testing.T) *banca {
	t.Helper()
	return novaBancaCom(t, func(*Config) {})
}

func novaBancaCom(t *testing.T, mudar func(*Config)) *banca {
	t.Helper()
	b := &banca{log: &registroSeguro{}, arrived: make(chan string, 100), cancelled: make(chan struct{}, 1), release: make(chan struct{})}
	srv := mcp.NewServer(&mcp.Implementation{Name: "banca", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{versao}})
	add := func(name string, h mcp.ToolHandler) {
		srv.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
	}
	texto := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	add("eco", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return texto(string(r.Params.Arguments)), nil
	})
	add("olá mundo", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return texto("unicode"), nil })
	add("falha", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, context.Canceled // no error of the protocol's
	})
	add("recusa", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: -32602, Message: strings.Repeat("á", 1000), Data: json.RawMessage(`{"a":1}`)}
	})
	add("lenta", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		b.arrived <- string(r.Params.Arguments)
		select {
		case <-ctx.Done():
			b.cancelled <- struct{}{}
			return nil, ctx.Err()
		case <-b.release:
			return texto(string(r.Params.Arguments)), nil
		}
	})
	limites := processo.LimitesPadrao
	limites.EmCurso = 20
	cfg := Config{
		Servidor: srv,
		Versao:   versao,
		Porteiro: processo.Porteiro{Origens: []string{"https://app.example"}},
		Limites:  limites,
		Log:      slog.New(slog.NewTextHandler(b.log, nil)),
	}
	b.mcp = srv
	mudar(&cfg)
	p, err := Nova(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Server = httptest.NewServer(p)
	t.Cleanup(func() { b.Close(); p.Fechar() })
	return b
}

// pedido is an HTTP request to the front, right in every way until changed.
type pedido struct {
	method, path, body string
	header             map[string]string // "" removes
}

func chamada(method, params string) pedido {
	h := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": versao, "Mcp-Method": method}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		params += ","
	}
	return pedido{method: "POST", path: Caminho, header: h, body: `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + meta + `}}`}
}

func tool(name, args string) pedido {
	p := chamada("tools/call", `"name":"`+name+`","arguments":`+args)
	p.header["Mcp-Name"] = name
	return p
}

func (p pedido) com(k, v string) pedido {
	h := map[string]string{k: v}
	for name, value := range p.header {
		if _, set := h[name]; !set {
			h[name] = value
		}
	}
	p.header = h
	return p
}

func (p pedido) trocando(old, novo string) pedido {
	p.body = strings.Replace(p.body, old, novo, 1)
	return p
}

func (b *banca) enviar(t *testing.T, p pedido) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequest(p.method, b.URL+p.path, strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range p.header {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	if host, ok := p.header["Host"]; ok {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(raw)
}
