// Package porta is the front of the agent: the Agent Card, and A2A v1.0 over
// JSON-RPC, over HTTP+JSON and over gRPC, with A2A v0.3 for old callers. The
// bindings differ in how a request and its answer are spelled; behind them is
// one request handler. The HTTP front is ours and not the SDK's, which leaves
// open what is checked here: the protocol version, the size and the form of a
// body, ids as they were sent, errors before a stream begins.
package porta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/internal/rastro"
)

// Config is what the front needs.
type Config struct {
	Ponte *ponte.Ponte
	// Cartao is the profile's card, a JSON object; Base the public base URL that
	// it gets.
	Cartao json.RawMessage
	Base   string
	// CartaoComAntigo lets the card be of v0.3 as well, for callers that look for
	// theirs where it is.
	CartaoComAntigo bool
	// Capacidades are what the card declares.
	Capacidades Capacidades
	// HTTPJSON serves that binding as well, below [CaminhoREST].
	HTTPJSON bool
	// GRPC is where that binding is reached, as the card shows it; empty for
	// nowhere. It is served by [Porta.ServidorGRPC].
	GRPC string
	// ConferirDestino says what is wrong with where a push notification is to go.
	ConferirDestino func(tarefa.Aviso) error
	// MaxFluxos is how many streams may be open at a time.
	MaxFluxos int
	Porteiro  processo.Porteiro
	Limites   processo.Limites
	// MaxMensagem is the largest message that is taken, in bytes of its JSON.
	MaxMensagem int
	// Encerrando is closed when the process is about to end; nil for never.
	Encerrando <-chan struct{}
	Log        *slog.Logger
}

// Porta serves the agent. It is safe for concurrent use.
type Porta struct {
	Config
	cartao, cartaoAntigo *cartao
	atendente            *atendente
	vagas                processo.Vagas
	atendimento          http.Handler
}

// Nova makes the handler of the whole process.
func Nova(cfg Config) (*Porta, error) {
	base := strings.TrimSuffix(cfg.Base, "/")
	interfaces := []*a2a.AgentInterface{a2a.NewAgentInterface(base+CaminhoRPC, a2a.TransportProtocolJSONRPC)}
	if cfg.HTTPJSON {
		interfaces = append(interfaces, a2a.NewAgentInterface(base+CaminhoREST, a2a.TransportProtocolHTTPJSON))
	}
	if cfg.GRPC != "" {
		interfaces = append(interfaces, a2a.NewAgentInterface(cfg.GRPC, a2a.TransportProtocolGRPC))
	}
	members, err := envelope.Members(cfg.Cartao)
	if err != nil {
		return nil, fmt.Errorf("reading the card: %w", err)
	}
	deAntes := comAntigo(members, base+CaminhoRPC)
	antigo, err := codificarCartao(deAntes)
	if err != nil {
		return nil, fmt.Errorf("encoding the card of v0.3: %w", err)
	}
	if cfg.CartaoComAntigo {
		members = deAntes
	}
	c, err := novoCartao(members, interfaces)
	if err != nil {
		return nil, fmt.Errorf("encoding the card: %w", err)
	}
	p := &Porta{
		Config:       cfg,
		cartao:       c,
		cartaoAntigo: antigo,
		atendente: &atendente{
			ponte:           cfg.Ponte,
			capacidades:     cfg.Capacidades,
			conferirDestino: cfg.ConferirDestino,
			fluxos:          make(chan struct{}, cfg.MaxFluxos),
			encerrando:      cfg.Encerrando,
		},
		vagas: processo.NovasVagas(cfg.Limites.EmCurso),
	}
	p.atendimento = processo.EmCurso(p.vagas, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.registrar(w, r, p.servir)
	}), func(w http.ResponseWriter, r *http.Request) {
		p.registrar(w, r, func(w http.ResponseWriter, r *http.Request, reg *registro) {
			e := novoErro(errOcupado, ocupado)
			p.falhar(w, reg, e.http, p.corpoDoErro(r, e), e)
		})
	})
	return p, nil
}

const ocupado = "Busy: too many requests in flight"

// ServeHTTP implements [http.Handler].
func (p *Porta) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.atendimento.ServeHTTP(w, r) }

// semFarejar keeps browsers from guessing another type than the one that is said. It
// is in the header of every answer: nobody writes into it.
var semFarejar = []string{"nosniff"}

// registrar serves a request and writes its log line.
func (p *Porta) registrar(w http.ResponseWriter, r *http.Request, servir func(http.ResponseWriter, *http.Request, *registro)) {
	start := time.Now()
	reg := &registro{method: r.Method + " " + limitar(r.URL.Path), status: http.StatusOK, outcome: "ok"}
	if t, ok := rastroDe(r.Header); ok {
		reg.rastro, reg.traceparent = t, t.Traceparent()
	}
	servir(w, r, reg)
	p.anotar(r.Context(), reg, start)
	if reg.outcome == desfechoCancelado {
		// Should only the caller's sending half have closed, it sees the
		// connection end, not an empty answer.
		panic(http.ErrAbortHandler)
	}
}

// anotar writes the log line of a request.
func (p *Porta) anotar(ctx context.Context, reg *registro, start time.Time) {
	processo.Anotar(ctx, p.Log, "request",
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
}

// salvar turns a panic of f into an internal error that shows nothing.
func (p *Porta) salvar(ctx context.Context, err *error) {
	if v := recover(); v != nil {
		p.Log.Error("panic", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		*err = recusar(ctx, fmt.Errorf("panic: %v", v))
	}
}

const desfechoCancelado = "caller left"

func (p *Porta) servir(w http.ResponseWriter, r *http.Request, reg *registro) {
	w.Header()["X-Content-Type-Options"] = semFarejar
	falhar := func(status int, err error, texto string) {
		e := novoErro(err, texto).com(status)
		p.falhar(w, reg, status, p.corpoDoErro(r, e), e)
	}
	soCom := func(metodos ...string) bool {
		for _, m := range metodos {
			if r.Method == m {
				return true
			}
		}
		w.Header().Set("Allow", strings.Join(metodos, ", "))
		falhar(http.StatusMethodNotAllowed, a2a.ErrInvalidRequest, "Method not allowed: use "+metodos[len(metodos)-1])
		return false
	}
	if err := p.Porteiro.Admitir(w, r); err != nil {
		falhar(http.StatusForbidden, a2a.ErrInvalidRequest, "Forbidden: "+err.Error())
		return
	}
	if processo.Previo(w, r) {
		reg.status, reg.outcome = http.StatusNoContent, "preflight"
		return
	}
	switch r.URL.Path {
	case CaminhoCartao, CaminhoCartaoAntigo:
		if soCom(http.MethodHead, http.MethodGet) {
			processo.PrazoDeEscrita(w, p.Limites.Escrita)
			c := p.cartao
			if r.URL.Path == CaminhoCartaoAntigo {
				c = p.cartaoAntigo
			}
			c.ServeHTTP(w, r)
		}
	case CaminhoRPC, CaminhoRPC + "/":
		if soCom(http.MethodPost) {
			p.rpc(w, r, reg)
		}
	default:
		if ehREST(r.URL.Path) && p.HTTPJSON {
			p.rest(w, r, reg)
			return
		}
		falhar(http.StatusNotFound, a2a.ErrInvalidRequest, "Not found: the agent answers at "+CaminhoRPC+"; its card is at "+CaminhoCartao)
	}
}

// contexto completes the context of a request for whoever serves it: its log
// record, its trace, the extensions of its caller.
func (p *Porta) contexto(r *http.Request, w http.ResponseWriter, reg *registro, extensoes []string) context.Context {
	ctx := comRegistro(r.Context(), reg)
	if reg.rastro.TraceID != "" {
		ctx = rastro.ComContexto(ctx, reg.rastro)
	}
	if p.Capacidades.Elicitacao && requisitada(extensoes, URIElicitacao) {
		reg.elicitacao = true
		w.Header().Set(a2a.SvcParamExtensions, URIElicitacao)
	}
	return ctx
}

// corpoDoErro is an error in the form of the binding that a request speaks,
// before anything more is known of it.
func (p *Porta) corpoDoErro(r *http.Request, e *erro) []byte {
	if ehREST(r.URL.Path) && p.HTTPJSON {
		return e.rest()
	}
	return envelope.Failure(nil, e.jsonRPC())
}

// falhar writes an error answer.
func (p *Porta) falhar(w http.ResponseWriter, reg *registro, status int, corpo []byte, e *erro) {
	reg.falhou(e)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	p.responder(w, reg, status, tipoJSON, corpo)
}

// responder writes an answer.
func (p *Porta) responder(w http.ResponseWriter, reg *registro, status int, tipo string, corpo []byte) {
	processo.PrazoDeEscrita(w, p.Limites.Escrita)
	reg.status = status
	h := w.Header()
	h.Set("Content-Type", tipo)
	h.Set("Content-Length", strconv.Itoa(len(corpo)))
	w.WriteHeader(status)
	_, _ = w.Write(corpo)
}

// lerCorpo reads the body of a request. The error has the status that goes with
// it.
func (p *Porta) lerCorpo(w http.ResponseWriter, r *http.Request) ([]byte, *erro) {
	body, grande, err := processo.LerCorpo(w, r, p.Limites.Corpo)
	var e *erro
	switch {
	case grande:
		e = novoErro(a2a.ErrInvalidRequest, fmt.Sprintf("Request body over %d bytes", p.Limites.Corpo)).com(http.StatusRequestEntityTooLarge)
	case err != nil:
		e = novoErro(a2a.ErrParseError, "Body could not be read")
	}
	return body, e
}

// doEnvelope is the error of a body that is no request.
func doEnvelope(err error) *erro {
	var bad *envelope.Error
	if !errors.As(err, &bad) {
		return novoErro(a2a.ErrParseError, "Parse error")
	}
	switch bad.Code {
	case envelope.CodeParse:
		return novoErro(a2a.ErrParseError, bad.Message)
	case envelope.CodeInvalidParams:
		return novoErro(a2a.ErrInvalidParams, bad.Message)
	}
	return novoErro(a2a.ErrInvalidRequest, bad.Message)
}

var versaoUm = regexp.MustCompile(`^1\.0(\.[0-9]+)?$`)

// conferirVersao refuses an A2A-Version that is not served. None at all counts
// as 1.0, not as the 0.3 of the specification (3.6.2): callers of this agent
// may leave it out.
func conferirVersao(versions []string) *erro {
	for _, v := range versions {
		if v = strings.TrimSpace(v); v != "" && !versaoUm.MatchString(v) {
			return novoErro(a2a.ErrVersionNotSupported, fmt.Sprintf("A2A version %q is not supported: this agent speaks 1.0, and 0.3 by its methods", limitar(v)))
		}
	}
	return nil
}

// versoesDe are the values that say the version of an HTTP request.
func versoesDe(h http.Header, query url.Values) []string {
	return append(h.Values(a2a.SvcParamVersion), query[a2a.SvcParamVersion]...)
}

// rastroDe reads the trace context of a request. A header that is malformed,
// or stands twice, is ignored.
func rastroDe(h http.Header) (rastro.Rastro, bool) {
	return lerRastro(h.Values("Traceparent"), h.Values("Tracestate"), h.Values("Baggage"))
}

func lerRastro(traceparent, tracestate, baggage []string) (rastro.Rastro, bool) {
	if len(traceparent) != 1 {
		return rastro.Rastro{}, false
	}
	r, ok := rastro.Ler(traceparent[0])
	if !ok {
		return rastro.Rastro{}, false
	}
	return r.Com(strings.Join(tracestate, ","), strings.Join(baggage, ",")), true
}
