// Package hospede is the agent as an MCP host: it connects to the server,
// discovers its tools and reads its resources, through the SDK, and calls its
// tools by itself, each call one request complete in itself. It answers
// no question of the server's: an input_required comes back raw, for whoever
// called to deal with.
package hospede

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/rastro"
)

// VersaoProtocolo is the MCP revision that the agent needs the server to speak.
const VersaoProtocolo = "2026-07-28"

// maxConexoes bounds the idle connections kept to the server.
const maxConexoes = 128

// Config is where the server is and how the agent names itself to it.
type Config struct {
	// URL is the MCP endpoint.
	URL string
	// Nome and Versao go out as clientInfo.
	Nome, Versao string
	// Agora is the clock of the caches; time.Now outside tests.
	Agora func() time.Time
}

// Hospede is the connection to one MCP server. It is safe for concurrent use,
// connects at the first use, and again whenever the connection has failed.
type Hospede struct {
	cfg        Config
	ids        *numerador
	transporte *http.Transport
	molde      molde

	// The SDK's client, and the HTTP client that it uses.
	client *mcp.Client
	http   *http.Client

	connecting chan struct{} // capacity 1: only one caller connects at a time
	mu         sync.Mutex
	session    *mcp.ClientSession

	ferramentas *guardado[map[string]*oferta] // by name
	recursos    sync.Map                      // of URI to *guardado[string]
}

// Novo makes a host. Nothing is sent before the first use.
func Novo(cfg Config) *Hospede {
	h := &Hospede{
		cfg:         cfg,
		ids:         novoNumerador(),
		transporte:  http.DefaultTransport.(*http.Transport).Clone(),
		molde:       novoMolde(cfg),
		connecting:  make(chan struct{}, 1),
		ferramentas: novoGuardado[map[string]*oferta](),
	}
	h.transporte.DialContext = vigiar(h.transporte.DialContext)
	h.transporte.MaxIdleConns, h.transporte.MaxIdleConnsPerHost = maxConexoes, maxConexoes
	h.http = &http.Client{
		Transport: isolado{h.transporte, h.ids},
		// No redirect is followed, as none is by a call.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	h.client = mcp.NewClient(&mcp.Implementation{Name: cfg.Nome, Version: cfg.Versao}, &mcp.ClientOptions{
		// Exactly {"elicitation":{"form":{}}}: without a value the SDK would
		// declare roots as well.
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		// Without this the SDK would look here for an answer to a resource that
		// asks; Recurso refuses it.
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	h.client.AddSendingMiddleware(rastrear)
	return h
}

// rastrear puts the trace of the context into the _meta of every request, with
// a span of its own (MCP 2026-07-28, Overview, "OpenTelemetry trace context").
func rastrear(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := rastro.DoContexto(ctx); ok {
			params := req.GetParams()
			meta := params.GetMeta()
			if meta == nil {
				meta = map[string]any{}
			}
			meta["traceparent"] = r.Filho().Traceparent()
			if r.State != "" {
				meta["tracestate"] = r.State
			}
			if r.Baggage != "" {
				meta["baggage"] = r.Baggage
			}
			params.SetMeta(meta)
		}
		return next(ctx, method, req)
	}
}

// conectar returns the live session, connecting if there is none.
func (h *Hospede) conectar(ctx context.Context) (*mcp.ClientSession, error) {
	if s := h.viva(); s != nil {
		return s, nil
	}
	select {
	case h.connecting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.connecting }()
	if s := h.viva(); s != nil {
		return s, nil
	}
	s, err := h.client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             h.cfg.URL,
		HTTPClient:           h.http,
		DisableStandaloneSSE: true,
		MaxRetries:           -1,
	}, nil)
	if err != nil {
		return nil, err
	}
	if v := s.InitializeResult().ProtocolVersion; v != VersaoProtocolo {
		go func() { _ = s.Close() }()
		return nil, fmt.Errorf("%w: the server speaks MCP %s", errRevisao, v)
	}
	h.mu.Lock()
	h.session = s
	h.mu.Unlock()
	go func() { // a session that has failed is of no more use to anybody
		_ = s.Wait()
		h.largar(s)
	}()
	return s, nil
}

func (h *Hospede) viva() *mcp.ClientSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// largar makes the next call connect, and list the tools, anew: a list belongs
// to its session. What is under way on s goes on.
func (h *Hospede) largar(s *mcp.ClientSession) {
	h.mu.Lock()
	if h.session == s {
		h.session = nil
		h.ferramentas.esquecer()
	}
	h.mu.Unlock()
}

// trocarSessao gives up the session, if there is one. It is closed once what is
// under way on it has ended.
func (h *Hospede) trocarSessao() {
	if s := h.viva(); s != nil {
		h.largar(s)
		go func() { _ = s.Close() }()
	}
}

// Fechar ends the connection. It does not wait for calls under way: whoever
// made them has ended them, or will by their contexts.
func (h *Hospede) Fechar() {
	h.trocarSessao()
	h.transporte.CloseIdleConnections()
}

// usar runs one exchange of the SDK's with the server and classifies its failure.
// One without an answer says nothing of the session: others go on with it.
func (h *Hospede) usar(ctx context.Context, f func(context.Context, *mcp.ClientSession) error) Desfecho {
	s, err := h.conectar(ctx)
	if err == nil {
		err = f(ctx, s)
	}
	if err == nil {
		return nil
	}
	return falha(ctx, err)
}
