package porta

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/processo"
)

// chamar passes a request on to the SDK and answers it: as a stream when the
// handler notifies the caller of something before its answer, and the caller
// takes one.
func (p *Porta) chamar(w http.ResponseWriter, r *http.Request, req envelope.Request) resposta {
	f := processo.NovosEventos(w, p.limites.Escrita)
	var o *ouvinte
	if aceita(r.Header.Values("Accept"), processo.TipoEventos) {
		o = &ouvinte{aviso: func(method string, params json.RawMessage) error {
			return f.Enviar(notificacaoJSON(method, params))
		}}
	}
	res, err := p.conn.chamar(r.Context(), req.Method, req.Params, r.Header, o)
	var a resposta
	switch {
	case r.Context().Err() != nil, err != nil && f.Aberto():
		return resposta{desfecho: desfechoCancelado}
	case err != nil:
		return falha(http.StatusServiceUnavailable, req.ID, &envelope.Error{Code: envelope.CodeInternal, Message: err.Error()})
	case res.Error != nil:
		bad := p.erroDeHandler(req.Method, res.Error)
		a = falha(statusDe(bad.Code), req.ID, bad)
	default:
		a = resposta{status: http.StatusOK, body: envelope.Result(req.ID, res.Result), desfecho: desfechoDe(res.Result)}
	}
	if !f.Aberto() {
		return a
	}
	if f.Enviar(a.body) != nil {
		return resposta{desfecho: desfechoCancelado}
	}
	return resposta{status: http.StatusOK, desfecho: a.desfecho, escrita: true}
}

// desfechoDe says for the log how a result ended. Quotes inside strings are
// escaped, so that text in a result cannot look like one of these members.
func desfechoDe(result json.RawMessage) string {
	switch {
	case bytes.Contains(result, []byte(`"resultType":"input_required"`)):
		return "input_required"
	case bytes.Contains(result, []byte(`"isError":true`)):
		return "tool_error"
	}
	return "ok"
}

// erroDeHandler turns an error of a handler, or of the SDK, into ours: bounded in
// length, and nothing of an unexpected error shown.
func (p *Porta) erroDeHandler(method string, err error) *envelope.Error {
	var je *jsonrpc.Error
	if !errors.As(err, &je) || je.Code == 0 {
		p.log.Error("handler failed", "method", method, "err", err)
		return &envelope.Error{Code: envelope.CodeInternal, Message: "internal error"}
	}
	message := err.Error()
	if strings.Contains(message, "unmarshaling") { // the SDK quotes the whole input and its own types
		message = "Invalid params: not of the form that " + method + " takes"
	}
	return &envelope.Error{Code: int(je.Code), Message: envelope.Cut(message, maxMensagem), Data: je.Data}
}

// notificacaoJSON encodes a notification.
func notificacaoJSON(method string, params json.RawMessage) []byte {
	name, _ := envelope.Marshal(method) // a string: cannot fail
	members := []envelope.Member{{Name: "jsonrpc", Value: json.RawMessage(`"2.0"`)}, {Name: "method", Value: name}}
	if len(params) > 0 {
		members = append(members, envelope.Member{Name: "params", Value: params})
	}
	return envelope.Encode(members)
}
