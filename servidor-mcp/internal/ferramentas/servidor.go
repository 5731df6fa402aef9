// Package ferramentas puts the domain on the wire: three tools and one
// resource, the table from domain errors to MCP, and the multi round-trip
// request of a conflict.
//
// There are two ways to a tool. The official SDK has them all, with discovery,
// the lists and the resource; a call of the usual form goes past it (see
// [Ferramentas.Chamar]), because the SDK costs many times what the tools cost.
// Both give the same answers, byte for byte.
package ferramentas

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

// VersaoProtocolo is the only MCP revision that this server speaks.
const VersaoProtocolo = "2026-07-28"

// URIPolitica is the address of the policy resource.
const URIPolitica = "politica://uso"

// cacheTTL is the ttlMs of lists and of the resource: the data do not change
// within the life of a process, so this bounds how long a client may live with
// those of the process before.
const cacheTTL = time.Minute

// Config is what the tools need.
type Config struct {
	// Agenda answers and books.
	Agenda *reserva.Agenda
	// Chaveiro seals and opens the requestState.
	Chaveiro *selo.Chaveiro
	// TTL is the validity of a requestState.
	TTL time.Duration
	// Agora is the clock of the seal; time.Now outside tests.
	Agora func() time.Time
	// Log gets the stack of a recovered panic. The SDK's own lines are not
	// logged: each request has its line already.
	Log *slog.Logger
}

// Ferramentas are the tools, and the resource. They are safe for concurrent use.
type Ferramentas struct {
	cfg        Config
	srv        *mcp.Server
	executores map[string]executor // by the tool's name
	meta       json.RawMessage     // the _meta of every result
	salas      func() []byte       // the result of listar_salas, made once
}

// Novo makes the MCP server "central-de-salas" with its tools and resource.
func Novo(cfg Config) *Ferramentas {
	impl := &mcp.Implementation{Name: "central-de-salas", Title: "Central de Salas", Version: "1.0.0"}
	f := &Ferramentas{
		cfg:        cfg,
		executores: map[string]executor{},
		salas:      sync.OnceValue(func() []byte { return salasJSON(cfg.Agenda.Salas()) }),
	}
	f.meta, _ = json.Marshal(map[string]any{mcp.MetaKeyServerInfo: impl}) // strings: cannot fail
	f.srv = mcp.NewServer(impl, &mcp.ServerOptions{
		Instructions: "Consulta e reserva as salas de reuniao da Hill Valley Tech. Em conflito, reservar_sala pede a escolha de uma alternativa.",
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{},
			Resources: &mcp.ResourceCapabilities{},
			// Empty, but declared: clients that list prompts get an empty list
			// instead of an error.
			Prompts: &mcp.PromptCapabilities{},
		},
		SupportedProtocolVersions: []string{VersaoProtocolo},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(cacheTTL.Milliseconds()), "public"
		},
	})
	f.srv.AddReceivingMiddleware(f.recuperar)
	for _, t := range f.catalogo() {
		f.srv.AddTool(t.tool, t.executar.handler)
		f.executores[t.tool.Name] = t.executar
	}
	f.srv.AddResource(&mcp.Resource{
		URI:         URIPolitica,
		Name:        "politica-de-uso",
		Title:       "Politica de uso das salas",
		Description: "As regras de uso. A primeira linha declara a versao.",
		MIMEType:    "text/markdown",
	}, f.lerPolitica)
	return f
}

// Servidor is the SDK's server, for what is not called directly.
func (f *Ferramentas) Servidor() *mcp.Server { return f.srv }

// concluir is the answer of a tool that succeeded: compact JSON as
// structuredContent, and the same JSON as text, for clients that read only text.
func concluir(json []byte) saida { return saida{estruturado: json} }

// recuperar keeps a panic in a handler of the SDK's from ending the process.
func (f *Ferramentas) recuperar(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer f.recuperarEm(method, &err)
		return next(ctx, method, req)
	}
}

// recuperarEm, deferred, turns a panic into *err: the caller gets an internal
// error that shows nothing, the log gets the stack.
func (f *Ferramentas) recuperarEm(method string, err *error) {
	if p := recover(); p != nil {
		f.cfg.Log.Error("panic", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = errInterno
	}
}

func (f *Ferramentas) lerPolitica(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if req.Params.RequestState != "" { // a state belongs to tools/call
		_, err := responder(saida{}, selo.ErrInvalido)
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI:      URIPolitica,
		MIMEType: "text/markdown",
		Text:     f.cfg.Agenda.Politica().Texto,
	}}}, nil
}
