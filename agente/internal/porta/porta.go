// Package porta is the HTTP front of the agent: the Agent Card, and A2A v1.0
// over JSON-RPC on the SDK's transport. The front checks what that transport
// leaves open (the protocol version, the size and the form of a body, the
// values of parameters, ids as they were sent) and hands on only requests that
// are whole.
package porta

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/internal/rastro"
)

// Config is what the front needs.
type Config struct {
	Ponte *ponte.Ponte
	// Cartao is the profile's card, a JSON object; Base the public base URL that
	// it gets.
	Cartao   json.RawMessage
	Base     string
	Porteiro processo.Porteiro
	Limites  processo.Limites
	// MaxMensagem is the largest message that is taken, in bytes of its JSON.
	MaxMensagem int
	Agora       func() time.Time
	Log         *slog.Logger
}

// Porta serves the agent. It is safe for concurrent use.
type Porta struct {
	Config
	cartao      *cartao
	sdk         http.Handler
	atendimento http.Handler
}

// Nova makes the handler of the whole process.
func Nova(cfg Config) (*Porta, error) {
	c, err := novoCartao(cfg.Cartao, strings.TrimSuffix(cfg.Base, "/"))
	if err != nil {
		return nil, fmt.Errorf("encoding the card: %w", err)
	}
	p := &Porta{Config: cfg, cartao: c}
	p.sdk = a2asrv.NewJSONRPCHandler(&atendente{cfg.Ponte}, a2asrv.WithTransportPanicHandler(func(v any) error {
		p.Log.Error("panic", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		return a2a.NewError(a2a.ErrInternalError, "Internal error")
	}))
	p.atendimento = processo.EmCurso(cfg.Limites.EmCurso, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.registrar(w, r, p.servir)
	}), func(w http.ResponseWriter, r *http.Request) {
		p.registrar(w, r, func(w http.ResponseWriter, _ *http.Request, reg *registro) {
			p.falhar(w, reg, http.StatusServiceUnavailable, nil, erroA2A(a2a.ErrInternalError, "Busy: too many requests in flight", p.Agora()))
		})
	})
	return p, nil
}

// registro is what the log line of a request says of it. It travels in the
// request's context to whoever knows more.
type registro struct {
	method, id, traceparent, taskID, contextID, outcome string
	// cause is what is behind an internal error; only the log says it.
	cause  string
	status int
}

type chaveRegistro struct{}

// registroDe returns the record of the request that ctx belongs to.
func registroDe(ctx context.Context) *registro {
	if reg, ok := ctx.Value(chaveRegistro{}).(*registro); ok {
		return reg
	}
	return &registro{}
}

// ServeHTTP implements [http.Handler].
func (p *Porta) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.atendimento.ServeHTTP(w, r) }

// registrar serves a request and writes its log line.
func (p *Porta) registrar(w http.ResponseWriter, r *http.Request, servir func(http.ResponseWriter, *http.Request, *registro)) {
	start := time.Now()
	reg := registro{method: r.Method + " " + limitar(r.URL.Path), status: http.StatusOK, outcome: "ok"}
	if t, ok := rastroDe(r.Header); ok {
		reg.traceparent = t.Traceparent()
	}
	servir(w, r, &reg)
	p.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("method", reg.method),
		slog.String("id", reg.id),
		slog.String("traceparent", reg.traceparent),
		slog.String("task_id", reg.taskID),
		slog.String("context_id", reg.contextID),
		slog.String("outcome", reg.outcome),
		slog.Int("status", reg.status),
		slog.Duration("dur", time.Since(start)))
	if reg.cause != "" {
		p.Log.Error("internal error", "method", reg.method, "task_id", reg.taskID, "traceparent", reg.traceparent, "err", reg.cause)
	}
	if reg.outcome == desfechoCancelado {
		// Should only the caller's sending half have closed, it sees the
		// connection end, not an empty answer.
		panic(http.ErrAbortHandler)
	}
}

const desfechoCancelado = "caller left"

func (p *Porta) servir(w http.ResponseWriter, r *http.Request, reg *registro) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := p.Porteiro.Admitir(w, r); err != nil {
		p.falhar(w, reg, http.StatusForbidden, nil, erroA2A(a2a.ErrInvalidRequest, "Forbidden: "+err.Error(), p.Agora()))
		return
	}
	if processo.Previo(w, r) {
		reg.status, reg.outcome = http.StatusNoContent, "preflight"
		return
	}
	switch r.URL.Path {
	case CaminhoCartao:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			p.falhar(w, reg, http.StatusMethodNotAllowed, nil, erroA2A(a2a.ErrInvalidRequest, "Method not allowed: use GET", p.Agora()))
			return
		}
		processo.PrazoDeEscrita(w, p.Limites.Escrita)
		p.cartao.ServeHTTP(w, r)
	case CaminhoRPC, CaminhoRPC + "/":
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			p.falhar(w, reg, http.StatusMethodNotAllowed, nil, erroA2A(a2a.ErrInvalidRequest, "Method not allowed: use POST", p.Agora()))
			return
		}
		p.rpc(w, r, reg)
	default:
		p.falhar(w, reg, http.StatusNotFound, nil, erroA2A(a2a.ErrInvalidRequest, "Not found: the agent answers at "+CaminhoRPC+" and "+CaminhoCartao, p.Agora()))
	}
}

// falhar writes an error answer.
func (p *Porta) falhar(w http.ResponseWriter, reg *registro, status int, id json.RawMessage, e *envelope.Error) {
	processo.PrazoDeEscrita(w, p.Limites.Escrita)
	reg.status, reg.outcome = status, fmt.Sprintf("error %d", e.Code)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(envelope.Failure(id, e))
}

// rpc serves one JSON-RPC request. Its errors are JSON-RPC answers with HTTP
// status 200, as the SDK's transport gives them; only a body that is too large
// has a status of its own.
func (p *Porta) rpc(w http.ResponseWriter, r *http.Request, reg *registro) {
	body, grande, err := processo.LerCorpo(w, r, p.Limites.Corpo)
	switch {
	case grande:
		p.falhar(w, reg, http.StatusRequestEntityTooLarge, nil, erroA2A(a2a.ErrInvalidRequest, fmt.Sprintf("Request body over %d bytes", p.Limites.Corpo), p.Agora()))
		return
	case err != nil:
		p.falhar(w, reg, http.StatusBadRequest, nil, erroA2A(a2a.ErrParseError, "Body could not be read", p.Agora()))
		return
	}
	req, bad := p.conferir(r, body, reg)
	reg.method, reg.id = limitar(req.Method), limitar(string(req.ID))
	if bad != nil {
		p.falhar(w, reg, http.StatusOK, req.ID, bad)
		return
	}
	ctx := context.WithValue(r.Context(), chaveRegistro{}, reg)
	if t, ok := rastroDe(r.Header); ok {
		ctx = rastro.ComContexto(ctx, t)
	}
	p.passar(w, r.WithContext(ctx), req, reg)
}

// conferir checks a request whole, from its envelope to its parameters.
func (p *Porta) conferir(r *http.Request, body []byte, reg *registro) (envelope.Request, *envelope.Error) {
	req, err := envelope.Parse(body, p.Limites.Profundidade)
	var bad *envelope.Error
	if errors.As(err, &bad) {
		sentinel := a2a.ErrInvalidRequest
		switch bad.Code {
		case envelope.CodeParse:
			sentinel = a2a.ErrParseError
		case envelope.CodeInvalidParams:
			sentinel = a2a.ErrInvalidParams
		}
		return req, erroA2A(sentinel, bad.Message, p.Agora())
	}
	if req.ID == nil {
		// Every method answers with something; a notification would lose it.
		return req, erroA2A(a2a.ErrInvalidRequest, "Invalid request: id is missing", p.Agora())
	}
	if v, ok := versaoAceita(r); !ok {
		return req, erroA2A(a2a.ErrVersionNotSupported, fmt.Sprintf("A2A version %q is not supported: this agent speaks 1.0", limitar(v)), p.Agora())
	}
	conferir, ok := conferidores[req.Method]
	if !ok {
		return req, p.naoOferecido(req.Method)
	}
	if req.Params == nil && req.Method == "ListTasks" {
		req.Params = json.RawMessage("{}") // every parameter of it is optional
	}
	c := conferencia{maxMensagem: p.MaxMensagem}
	conferir(&c, req.Params)
	reg.taskID, reg.contextID = limitar(c.taskID), limitar(c.contextID)
	if len(c.violacoes) > 0 {
		v := c.violacoes[0]
		return req, erroA2A(a2a.ErrInvalidParams, fmt.Sprintf("Invalid parameters: %s %s", v.Campo, v.Descricao), p.Agora(), c.violacoes...)
	}
	return req, nil
}

// naoOferecido refuses methods of the protocol that the card does not declare,
// each with its own error (A2A v1.0, 3.3.4), and methods that do not exist.
func (p *Porta) naoOferecido(method string) *envelope.Error {
	switch method {
	case "SendStreamingMessage", "SubscribeToTask":
		return erroA2A(a2a.ErrUnsupportedOperation, "Streaming is not supported by this agent", p.Agora())
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig":
		return erroA2A(a2a.ErrPushNotificationNotSupported, "Push notifications are not supported by this agent", p.Agora())
	case "GetExtendedAgentCard":
		return erroA2A(a2a.ErrExtendedCardNotConfigured, "This agent has no extended card", p.Agora())
	}
	return erroA2A(a2a.ErrMethodNotFound, "Method not found", p.Agora())
}

var versaoUm = regexp.MustCompile(`^1\.0(\.[0-9]+)?$`)

// versaoAceita reports whether the A2A-Version of a request is served. None at
// all counts as 1.0, not as the 0.3 of the specification (3.6.2): callers of
// this agent may leave it out.
func versaoAceita(r *http.Request) (string, bool) {
	versions := r.Header.Values(a2a.SvcParamVersion)
	versions = append(versions, r.URL.Query()[a2a.SvcParamVersion]...)
	for _, v := range versions {
		if v = strings.TrimSpace(v); v != "" && !versaoUm.MatchString(v) {
			return v, false
		}
	}
	return "", true
}

// rastroDe reads the trace context of a request. A header that is malformed,
// or stands twice, is ignored.
func rastroDe(h http.Header) (rastro.Rastro, bool) {
	v := h.Values("Traceparent")
	if len(v) != 1 {
		return rastro.Rastro{}, false
	}
	r, ok := rastro.Ler(v[0])
	if !ok {
		return rastro.Rastro{}, false
	}
	return r.Com(strings.Join(h.Values("Tracestate"), ","), strings.Join(h.Values("Baggage"), ",")), true
}

// idInterno stands for the caller's id while the SDK's transport handles a
// request: it reads ids as floats, and large integers would come back changed.
const idInterno = `"@"`

// passar hands a checked request to the SDK's transport and puts the caller's
// id back into the answer.
func (p *Porta) passar(w http.ResponseWriter, r *http.Request, req envelope.Request, reg *registro) {
	var b bytes.Buffer
	method, _ := json.Marshal(req.Method) // a string: cannot fail
	fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, idInterno, method, req.Params)
	inner := r.Clone(r.Context())
	inner.Body, inner.ContentLength = io.NopCloser(&b), int64(b.Len())

	answer := &resposta{header: w.Header()}
	p.sdk.ServeHTTP(answer, inner)
	if r.Context().Err() != nil {
		reg.status, reg.outcome = 0, desfechoCancelado
		return
	}
	out := answer.comID(req.ID)
	processo.PrazoDeEscrita(w, p.Limites.Escrita)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(out)
}

// resposta keeps what the SDK's transport writes.
type resposta struct {
	header http.Header
	body   bytes.Buffer
}

func (r *resposta) Header() http.Header         { return r.header }
func (r *resposta) WriteHeader(int)             {}
func (r *resposta) Write(b []byte) (int, error) { return r.body.Write(b) }

// comID returns the answer with the caller's id. The SDK writes the id as the
// second member, before anything that a caller could have put there.
func (r *resposta) comID(id json.RawMessage) []byte {
	const head = `{"jsonrpc":"2.0","id":`
	return bytes.Replace(r.body.Bytes(), []byte(head+idInterno), append([]byte(head), id...), 1)
}
