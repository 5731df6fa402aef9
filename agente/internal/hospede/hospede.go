// Package hospede is the agent as an MCP host: it connects to the server,
// discovers its tools, reads its resources and calls its tools, one request at
// a time and each of them complete in itself. It answers no question of the
// server's: an input_required comes back raw, for whoever called to deal with.
package hospede

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/rastro"
)

// VersaoProtocolo is the MCP revision that the agent needs the server to speak.
const VersaoProtocolo = "2026-07-28"

// maxResposta is the largest answer taken from a server, in bytes.
const maxResposta = 8 << 20

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
	cfg    Config
	client *mcp.Client
	http   *http.Client
	ids    *numerador

	connecting chan struct{} // capacity 1: only one caller connects at a time
	mu         sync.Mutex
	session    *mcp.ClientSession

	ferramentas *guardado[map[string]json.RawMessage] // inputSchema by name
	recursos    sync.Map                              // of URI to *guardado[string]
}

// Novo makes a host. Nothing is sent before the first use.
func Novo(cfg Config) *Hospede {
	h := &Hospede{
		cfg:         cfg,
		ids:         novoNumerador(),
		connecting:  make(chan struct{}, 1),
		ferramentas: novoGuardado[map[string]json.RawMessage](),
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = maxConexoes, maxConexoes
	h.http = &http.Client{
		Transport: isolado{transport},
		// A redirect could take a requestState to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	h.client = mcp.NewClient(&mcp.Implementation{Name: cfg.Nome, Version: cfg.Versao}, &mcp.ClientOptions{
		// Exactly {"elicitation":{"form":{}}}: without a value the SDK would
		// declare roots as well.
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		// Without this the SDK would look for somebody here to answer, and no
		// Task would ever pause.
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
	s, err := h.client.Connect(ctx, capturando{&mcp.StreamableClientTransport{
		Endpoint:             h.cfg.URL,
		HTTPClient:           h.http,
		DisableStandaloneSSE: true,
		MaxRetries:           -1,
	}, h.ids}, nil)
	if err != nil {
		return nil, err
	}
	if v := s.InitializeResult().ProtocolVersion; v != VersaoProtocolo {
		go func() { _ = s.Close() }()
		return nil, fmt.Errorf("%w: the server speaks MCP %s", errRevisao, v)
	}
	// What was discovered belongs to its session: the SDK mirrors parameters
	// into headers by the list that it has seen itself.
	h.ferramentas.esquecer()
	h.mu.Lock()
	h.session = s
	h.mu.Unlock()
	go func() { // a session that has failed is of no more use to anybody
		_ = s.Wait()
		h.largar(s)
	}()
	return s, nil
}

var errRevisao = errors.New("unsupported MCP revision")

func (h *Hospede) viva() *mcp.ClientSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// largar makes the next call connect anew. Calls under way on s go on.
func (h *Hospede) largar(s *mcp.ClientSession) {
	h.mu.Lock()
	if h.session == s {
		h.session = nil
	}
	h.mu.Unlock()
}

// trocarSessao makes the next call connect, and list the tools, anew. The old
// session is closed once the calls under way on it have ended.
func (h *Hospede) trocarSessao() {
	s := h.viva()
	h.largar(s)
	h.ferramentas.esquecer()
	if s != nil {
		go func() { _ = s.Close() }()
	}
}

// Fechar ends the connection. It does not wait for calls under way: whoever
// made them has ended them, or will by their contexts.
func (h *Hospede) Fechar() {
	if s := h.viva(); s != nil {
		h.largar(s)
		go func() { _ = s.Close() }()
	}
	h.http.CloseIdleConnections()
}

// usar runs one exchange with the server and classifies its failure. A call
// without an answer says nothing of the connection: others go on with it.
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

// falha classifies an error of the SDK's, or of this package.
func falha(ctx context.Context, err error) Desfecho {
	var je *jsonrpc.Error
	coded := errors.As(err, &je)
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return Inacessivel{"Servidor MCP nao respondeu a tempo.", explicar(ctx, err)}
	case ctx.Err() != nil:
		return Interrompido{}
	case errors.Is(err, errRevisao):
		return Inacessivel{"Servidor MCP fala outra revisao do protocolo.", errRevisao.Error()}
	case coded && je.Code == codigoInacessivel:
		return Inacessivel{"Servidor MCP inacessivel.", je.Message}
	case coded && je.Code == codigoSemSentido:
		return Inacessivel{"Servidor MCP deu uma resposta invalida.", je.Message}
	case coded && doServidor(je.Code):
		return ErroDeProtocolo{int(je.Code)}
	case semConexao(err):
		return Inacessivel{"Servidor MCP inacessivel.", explicar(ctx, err)}
	}
	return Inacessivel{"Servidor MCP deu uma resposta invalida.", explicar(ctx, err)}
}

// semConexao reports whether the request did not get through at all.
func semConexao(err error) bool {
	var u *url.Error
	return errors.As(err, &u) || errors.Is(err, mcp.ErrConnectionClosed)
}

// doServidor reports whether a code is an answer of the server's. The SDK
// reports what happened on this side (no connection, a status without a body)
// as errors of the same type.
func doServidor(code int64) bool {
	return code != 0 && !semSignificado(code)
}

// errSemSentido is an answer that is well formed and cannot be what was asked
// for.
var errSemSentido = errors.New("the answer makes no sense")

// codigoCabecalho is HeaderMismatch: the server expected other headers, perhaps
// because the tool's schema has changed since it was listed.
const codigoCabecalho = mcp.CodeHeaderMismatch
