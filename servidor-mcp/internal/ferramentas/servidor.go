// Package ferramentas puts the domain on the wire: three tools and one
// resource on the official SDK, the table from domain errors to MCP, and the
// multi round-trip request of a conflict.
package ferramentas

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
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

type servidor struct{ Config }

// Novo makes the MCP server "central-de-salas" with its tools and resource.
func Novo(cfg Config) *mcp.Server {
	s := &servidor{cfg}
	srv := mcp.NewServer(&mcp.Implementation{Name: "central-de-salas", Title: "Central de Salas", Version: "1.0.0"}, &mcp.ServerOptions{
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
	srv.AddReceivingMiddleware(s.recuperar)
	for _, f := range s.catalogo() {
		srv.AddTool(f.tool, f.executar)
	}
	srv.AddResource(&mcp.Resource{
		URI:         URIPolitica,
		Name:        "politica-de-uso",
		Title:       "Politica de uso das salas",
		Description: "As regras de uso. A primeira linha declara a versao.",
		MIMEType:    "text/markdown",
	}, s.lerPolitica)
	return srv
}

// recuperar keeps a panic in a handler from ending the process: the caller
// gets an internal error that shows nothing, the log gets the stack.
func (s *servidor) recuperar(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("panic", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		return next(ctx, method, req)
	}
}

func (s *servidor) lerPolitica(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if req.Params.RequestState != "" { // a state belongs to tools/call
		_, err := responder(selo.ErrInvalido)
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI:      URIPolitica,
		MIMEType: "text/markdown",
		Text:     s.Agenda.Politica().Texto,
	}}}, nil
}

// concluir is the result of a tool that succeeded: the value as
// structuredContent and the same JSON as text, for clients that read only text.
func concluir(v any) (*mcp.CallToolResult, error) {
	raw, err := envelope.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding result: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(raw)}},
		StructuredContent: json.RawMessage(raw),
	}, nil
}
