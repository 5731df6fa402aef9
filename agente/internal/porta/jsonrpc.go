package porta

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// maxIDDePedido bounds a JSON-RPC id, in bytes of its JSON.
const maxIDDePedido = 1 << 10

func tamanhoMaximo(n int) string { return fmt.Sprintf("is too long: at most %d bytes", n) }

// rpc serves one JSON-RPC request (A2A v1.0, 9). Its errors are JSON-RPC answers
// with HTTP status 200; only a body that is too large, and an agent that is too
// busy, have a status of their own.
func (p *Porta) rpc(w http.ResponseWriter, r *http.Request, reg *registro) {
	body, bad := p.lerCorpo(w, r)
	if bad != nil {
		p.falhar(w, reg, bad.http, envelope.Failure(nil, bad.jsonRPC()), bad)
		return
	}
	req, err := envelope.Parse(body, p.Limites.Profundidade)
	if len(req.ID) > maxIDDePedido {
		// A stream keeps it for as long as it lasts, and repeats it with each event.
		req.ID = envelope.Null
		if err == nil {
			err = &envelope.Error{Code: envelope.CodeInvalidRequest, Message: fmt.Sprintf("Invalid request: id is longer than %d bytes", maxIDDePedido)}
		}
	}
	reg.method, reg.id = limitar(req.Method), limitar(string(req.ID))
	antiga, eAntiga := operacoesAntigas[req.Method]
	extensoes := r.Header.Values(a2a.SvcParamExtensions)
	if eAntiga {
		extensoes = append(extensoes, r.Header.Values(extensoesAntigas)...)
	}
	ctx := p.contexto(r, w, reg, extensoes)
	falhar := func(err error) {
		e := recusar(ctx, err)
		status := http.StatusOK
		if e.http == http.StatusServiceUnavailable {
			status = e.http
		}
		p.falhar(w, reg, status, envelope.Failure(req.ID, e.jsonRPC()), e)
	}
	op, sabida := operacoes[req.Method]
	switch {
	case err != nil:
		falhar(doEnvelope(err))
		return
	case req.ID == nil:
		// Every method answers with something; a notification would lose it.
		falhar(novoErro(a2a.ErrInvalidRequest, "Invalid request: id is missing"))
		return
	case eAntiga:
		// A method of v0.3 says the version, whatever the header does.
		op, sabida = antiga, true
	default:
		var query url.Values
		if r.URL.RawQuery != "" {
			query = r.URL.Query()
		}
		if e := conferirVersao(versoesDe(r.Header, query)); e != nil {
			falhar(e)
			return
		}
	}
	if !sabida {
		falhar(novoErro(a2a.ErrMethodNotFound, "Method not found"))
		return
	}
	if err := op.falta(p.Capacidades); err != nil {
		falhar(err)
		return
	}
	forma := func(e a2a.Event) any { return formaEvento(e) }
	if eAntiga {
		forma = formaAntiga
	}
	p.executar(ctx, w, reg, op, req.Params, grafia{
		falhar:    falhar,
		resultado: func(corpo json.RawMessage) (string, []byte) { return tipoJSON, envelope.Result(req.ID, corpo) },
		evento:    func(e a2a.Event) ([]byte, error) { return comoResultado(req.ID, forma(e)) },
		erro:      func(e *erro) []byte { return envelope.Failure(req.ID, e.jsonRPC()) },
	})
}

func comoResultado(id json.RawMessage, v any) ([]byte, error) {
	corpo, err := envelope.Marshal(v)
	if err != nil {
		return nil, err
	}
	return envelope.Result(id, corpo), nil
}
