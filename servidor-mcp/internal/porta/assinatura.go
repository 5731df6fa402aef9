package porta

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/processo"
)

const (
	metodoAssinar = "subscriptions/listen"
	avisoAceita   = "notifications/subscriptions/acknowledged"
)

// assinar serves a subscriptions/listen: a stream that lasts until the client
// leaves or the process stops (MCP 2026-07-28, Subscriptions).
//
// Each has a connection to the SDK of its own, because the SDK keeps one
// subscription of a kind per session: on one connection the second would
// silently take the place of the first.
func (p *Porta) assinar(w http.ResponseWriter, r *http.Request, req envelope.Request) resposta {
	if !aceita(r.Header.Values("Accept"), processo.TipoEventos) {
		return falha(http.StatusNotAcceptable, req.ID, &envelope.Error{Code: envelope.CodeInvalidRequest, Message: "Not acceptable: Accept must allow text/event-stream"})
	}
	select {
	case p.assinaturas <- struct{}{}:
		defer func() { <-p.assinaturas }()
	default:
		w.Header().Set("Retry-After", "1")
		return falha(http.StatusServiceUnavailable, req.ID, &envelope.Error{Code: envelope.CodeInternal, Message: "Busy: too many subscriptions"})
	}
	conn := novaConexao()
	conn.unica = true
	session, err := p.servidor.Connect(context.WithoutCancel(r.Context()), conn, nil)
	if err != nil {
		return falha(http.StatusServiceUnavailable, req.ID, &envelope.Error{Code: envelope.CodeInternal, Message: "internal error"})
	}
	defer session.Close()

	f := processo.NovosEventos(w, p.limites.Escrita)
	ticker := time.NewTicker(p.batida)
	defer ticker.Stop()
	a := &assinatura{id: req.ID, eventos: f}
	res, err := conn.chamar(r.Context(), req.Method, req.Params, r.Header, &ouvinte{aviso: a.aviso, pulso: ticker.C, bater: f.Bater, fim: p.parada})
	if err == nil && res.Error == nil {
		// The server ends it, and says so.
		var result json.RawMessage
		if result, err = a.comID(res.Result); err == nil {
			err = f.Enviar(envelope.Result(req.ID, result))
		}
		if err == nil {
			return resposta{status: http.StatusOK, desfecho: "ended", escrita: true}
		}
	}
	switch {
	case f.Aberto(), r.Context().Err() != nil:
		return resposta{status: http.StatusOK, desfecho: desfechoCancelado}
	case err != nil:
		return falha(http.StatusServiceUnavailable, req.ID, &envelope.Error{Code: envelope.CodeInternal, Message: err.Error()})
	}
	bad := p.erroDeHandler(req.Method, res.Error)
	return falha(statusDe(bad.Code), req.ID, bad)
}

// assinatura is the client's side of a subscription.
type assinatura struct {
	id      json.RawMessage // the client's
	eventos *processo.Eventos
	// aceita is set by the acknowledgment, before which nothing may be sent; the
	// SDK can be early. What came before it waits in antes.
	aceita bool
	antes  [][]byte
}

var errSemAssinatura = errors.New("no subscription id")

// aviso sends a notification on with the client's id of the subscription.
func (a *assinatura) aviso(method string, params json.RawMessage) error {
	params, err := a.comID(params)
	if errors.Is(err, errSemAssinatura) {
		return nil // for sessions of older revisions, which subscribe to nothing
	}
	if err != nil {
		return err
	}
	message := notificacaoJSON(method, params)
	if !a.aceita && method != avisoAceita {
		a.antes = append(a.antes, message)
		return nil
	}
	a.aceita = true
	if err := a.eventos.Enviar(message); err != nil {
		return err
	}
	for _, m := range a.antes {
		if err := a.eventos.Enviar(m); err != nil {
			return err
		}
	}
	a.antes = nil
	return nil
}

// comID puts the client's id of the subscription in the place of ours.
func (a *assinatura) comID(object json.RawMessage) (json.RawMessage, error) {
	members, err := envelope.Members(object)
	if err != nil {
		return nil, errSemAssinatura
	}
	for i, m := range members {
		if m.Name != "_meta" {
			continue
		}
		meta, err := envelope.Members(m.Value)
		if err != nil {
			return nil, err
		}
		for j := range meta {
			if meta[j].Name == mcp.MetaKeySubscriptionID {
				meta[j].Value = a.id
				members[i].Value = envelope.Encode(meta)
				return envelope.Encode(members), nil
			}
		}
	}
	return nil, errSemAssinatura
}
