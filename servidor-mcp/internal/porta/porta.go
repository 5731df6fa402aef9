// Package porta is the HTTP front of the MCP server: Streamable HTTP of
// revision 2026-07-28. It answers a POST with one JSON object, or, once the
// server has something to say before its answer, with a stream of events.
//
// It stands in place of the SDK's HTTP handler and feeds the SDK's server
// through a transport of its own, because that handler leaves open what a
// server that speaks this revision only must close: requests without a version
// header are served as older ones, older versions get a plain-text answer,
// encoded Mcp-Name values are not decoded, malformed input responses get the
// wrong code, and nothing checks the Origin. Every answer to a request body is
// JSON-RPC, whatever the body.
//
// A tool call of the usual form goes past the SDK, to a [Chamador], when there is
// one: what the SDK would do for it the front has done already, and the SDK's
// share of a call is many times all others. Both ways stay open, and give the same
// answers.
package porta

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/processo"
)

// Caminho is the MCP endpoint's path.
const Caminho = "/mcp"

// maxMensagem bounds an error message, in bytes: the SDK quotes what it could
// not read.
const maxMensagem = 300

// Porta serves the MCP endpoint. It is safe for concurrent use.
type Porta struct {
	servidor *mcp.Server
	conn     *conexao
	chamador Chamador // nil when all goes through the SDK
	porteiro processo.Porteiro
	versao   string
	limites  processo.Limites
	log      *slog.Logger
	parada   <-chan struct{}
	batida   time.Duration

	assinaturas chan struct{} // a place for each
	atendimento http.Handler
}

// Config is what the front needs.
type Config struct {
	// Servidor answers; Versao is the one protocol revision that it speaks.
	Servidor *mcp.Server
	Versao   string
	// Chamador answers the tool calls that it can; nil leaves all of them to
	// Servidor. Those that it answers pass no middleware of Servidor's: what all
	// calls must pass belongs into the front.
	Chamador Chamador
	Porteiro processo.Porteiro
	Limites  processo.Limites
	// Assinaturas is how many subscriptions/listen streams may be open at a time.
	// Each also counts as a request in flight. With 0 the server has no such
	// method: one whose lists never change, as those of this project's do not. The
	// conformance suite holds the front to the others.
	Assinaturas int
	// Parada, when closed, ends the subscriptions in good order. Nil for never.
	Parada <-chan struct{}
	Log    *slog.Logger

	batida time.Duration // for tests; 0 is processo.Batida
}

// Nova connects the server and returns the handler of the whole process. The
// connection lives until ctx ends.
func Nova(ctx context.Context, cfg Config) (*Porta, error) {
	p := &Porta{
		servidor:    cfg.Servidor,
		conn:        novaConexao(),
		chamador:    cfg.Chamador,
		porteiro:    cfg.Porteiro,
		versao:      cfg.Versao,
		limites:     cfg.Limites,
		log:         cfg.Log,
		parada:      cfg.Parada,
		batida:      cmp.Or(cfg.batida, processo.Batida),
		assinaturas: make(chan struct{}, cfg.Assinaturas),
	}
	cfg.Servidor.AddReceivingMiddleware(associar)
	// The one session counts as begun. Each request says for itself what it speaks,
	// and what the SDK answers must not depend on which one it sees first.
	begun := &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{InitializeParams: &mcp.InitializeParams{ProtocolVersion: cfg.Versao}}}
	if _, err := cfg.Servidor.Connect(ctx, p.conn, begun); err != nil {
		return nil, fmt.Errorf("connecting the MCP server: %w", err)
	}
	p.atendimento = processo.EmCurso(processo.NovasVagas(cfg.Limites.EmCurso), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.servir(w, r, p.responder)
	}), func(w http.ResponseWriter, r *http.Request) {
		p.servir(w, r, func(http.ResponseWriter, *http.Request, *registro) resposta {
			return falha(http.StatusServiceUnavailable, nil, &envelope.Error{Code: envelope.CodeInternal, Message: "Busy: too many requests in flight"})
		})
	})
	return p, nil
}

// Fechar ends the connection to the SDK. Requests that arrive later are
// answered with an error.
func (p *Porta) Fechar() { _ = p.conn.Close() }

// resposta is an answer before it is written.
type resposta struct {
	status int
	body   []byte
	// desfecho is what the log says.
	desfecho string
	// escrita is set when the answer has been written already.
	escrita bool
}

// registro is what the log line of a request says of it, also of a refused one.
type registro struct {
	method, name, id, traceparent string
}

// ServeHTTP implements [http.Handler].
func (p *Porta) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.atendimento.ServeHTTP(w, r) }

// servir writes the answer that responder decides on, and one log line.
func (p *Porta) servir(w http.ResponseWriter, r *http.Request, responder func(http.ResponseWriter, *http.Request, *registro) resposta) {
	start := time.Now()
	var reg registro
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	res := responder(w, r, &reg)
	processo.PrazoDeEscrita(w, p.limites.Escrita)
	if !res.escrita && res.desfecho != desfechoCancelado {
		if res.body != nil {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(res.status)
		_, _ = w.Write(res.body)
	}
	processo.Anotar(r.Context(), p.log, "request",
		slog.String("method", reg.method),
		slog.String("name", reg.name),
		slog.String("id", reg.id),
		slog.String("traceparent", reg.traceparent),
		slog.String("outcome", res.desfecho),
		slog.Int("status", res.status),
		slog.Duration("dur", time.Since(start)))
	if res.desfecho == desfechoCancelado {
		// The caller left. Should only its sending half have closed, it sees the
		// connection end, not an empty answer.
		panic(http.ErrAbortHandler)
	}
}

const desfechoCancelado = "cancelled"

// responder decides the answer. The order of the checks is that of the cost:
// who asks, how, what, and only then the body.
func (p *Porta) responder(w http.ResponseWriter, r *http.Request, reg *registro) resposta {
	if err := p.porteiro.Admitir(w, r); err != nil {
		return falha(http.StatusForbidden, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Forbidden: " + err.Error()})
	}
	if processo.Previo(w, r) {
		return resposta{status: http.StatusNoContent, desfecho: "preflight", escrita: true}
	}
	if r.URL.Path != Caminho {
		return falha(http.StatusNotFound, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Not found: the MCP endpoint is " + Caminho})
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return falha(http.StatusMethodNotAllowed, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Method not allowed: use POST"})
	}
	if !ehJSON(r.Header.Get("Content-Type")) {
		return falha(http.StatusUnsupportedMediaType, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Unsupported media type: use application/json"})
	}
	if !aceita(r.Header.Values("Accept"), tipoJSON) {
		return falha(http.StatusNotAcceptable, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Not acceptable: Accept must allow application/json"})
	}
	body, grande, err := processo.LerCorpo(w, r, p.limites.Corpo)
	switch {
	case grande:
		return falha(http.StatusRequestEntityTooLarge, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: fmt.Sprintf("Request body over %d bytes", p.limites.Corpo)})
	case err != nil:
		return falha(http.StatusBadRequest, nil, &envelope.Error{Code: envelope.CodeParse, Message: "Parse error: body could not be read"})
	}
	return p.atender(w, r, body, reg)
}

// atender serves a body that was read whole.
func (p *Porta) atender(w http.ResponseWriter, r *http.Request, body []byte, reg *registro) resposta {
	req, err := envelope.Parse(body, p.limites.Profundidade)
	reg.method, reg.id = envelope.Cut(req.Method, maxMensagem), envelope.Cut(string(req.ID), maxMensagem)
	var bad *envelope.Error
	if errors.As(err, &bad) {
		if bad.Code == envelope.CodeInvalidParams { // params of no structure make no request object
			bad.Code = envelope.CodeInvalidRequest
		}
		return falha(http.StatusBadRequest, req.ID, bad)
	}
	var roomP, roomM [8]envelope.Member
	var params, meta []envelope.Member
	if req.Params != nil {
		if params, err = envelope.Split(roomP[:0], req.Params); err != nil {
			return falha(http.StatusBadRequest, req.ID, invalido("params: %v", err))
		}
		if name, ok := envelope.String(envelope.Find(params, nomeEspelhado[req.Method])); ok {
			reg.name = envelope.Cut(name, maxMensagem)
		}
		if raw := envelope.Find(params, "_meta"); raw != nil {
			if meta, err = envelope.Split(roomM[:0], raw); err != nil {
				return falha(http.StatusBadRequest, req.ID, invalido("_meta: %v", err))
			}
			if tp, ok := envelope.String(envelope.Find(meta, "traceparent")); ok {
				reg.traceparent = envelope.Cut(tp, maxMensagem)
			}
		}
	}

	if req.ID == nil {
		return p.notificacao(req.Method)
	}
	if req.ID[0] != '"' && !envelope.IsInteger(req.ID) {
		return falha(http.StatusBadRequest, envelope.Null, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Invalid request: id must be a string or an integer"})
	}
	if bad := p.conferir(r.Header, req.Method, params, meta); bad != nil {
		return falha(statusDe(bad.Code), req.ID, bad)
	}

	if req.Method == metodoAssinar {
		return p.assinar(w, r, req)
	}
	if p.chamador != nil && req.Method == "tools/call" {
		if a, ok := p.chamarDireto(r, req, params, meta); ok {
			return a
		}
	}
	if raw := envelope.Find(params, "inputResponses"); raw != nil {
		if req.Params, err = semRespostasVazias(req.Params, raw, envelope.Find(params, "requestState") != nil); err != nil {
			return falha(http.StatusBadRequest, req.ID, invalido("inputResponses: %v", err))
		}
	}
	return p.chamar(w, r, req)
}

// notificacao answers a message without id. This revision defines none that
// does anything over HTTP; they are accepted and dropped. Anything else
// without an id is no request.
func (p *Porta) notificacao(method string) resposta {
	if strings.HasPrefix(method, "notifications/") {
		return resposta{status: http.StatusAccepted, desfecho: "accepted"}
	}
	return falha(http.StatusBadRequest, nil, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Invalid request: id is missing"})
}

// conferir is the validation of the transport: version, mirrored headers,
// required _meta fields, and what the SDK's types would hide from the tools.
func (p *Porta) conferir(h http.Header, method string, params, meta []envelope.Member) *envelope.Error {
	if method == "initialize" && h.Get(cabVersao) != p.versao {
		// A client of an older revision, which looks at the answer only for the
		// version. In this one the method does not exist.
		pedida, _ := envelope.String(envelope.Find(params, "protocolVersion"))
		return naoSuportada(pedida, p.versao)
	}
	if bad := conferirVersao(h, p.versao); bad != nil {
		return bad
	}
	if bad := conferirEspelhos(h, method, params); bad != nil {
		return bad
	}
	if bad := conferirMeta(meta, p.versao); bad != nil {
		return bad
	}
	if method == metodoAssinar && cap(p.assinaturas) == 0 {
		return &envelope.Error{Code: envelope.CodeMethodNotFound, Message: "Method not found: this server has no subscriptions"}
	}
	if raw := envelope.Find(params, "requestState"); raw != nil {
		// The SDK reads an empty state as an absent one, and so a retry that
		// lost its state as a first call.
		if s, ok := envelope.String(raw); !ok || s == "" {
			return invalido("requestState must be a non-empty string")
		}
	}
	return nil
}

// statusDe is the HTTP status of a JSON-RPC error (MCP 2026-07-28, Streamable
// HTTP, "Protocol Version Header" and "Server Validation").
func statusDe(code int) int {
	switch code {
	case envelope.CodeMethodNotFound:
		return http.StatusNotFound
	case envelope.CodeInternal:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

func falha(status int, id json.RawMessage, e *envelope.Error) resposta {
	return resposta{status: status, body: envelope.Failure(id, e), desfecho: "error " + strconv.Itoa(e.Code)}
}
