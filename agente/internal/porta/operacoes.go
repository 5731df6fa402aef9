package porta

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// operacao is one operation of the protocol, from the JSON of its parameters:
// it gives either one result or a stream.
type operacao struct {
	// exige are capabilities that the card has to declare; nil for none.
	exige func(Capacidades) error
	uma   func(ctx context.Context, p *Porta, params json.RawMessage) (any, error)
	fluxo func(ctx context.Context, p *Porta, params json.RawMessage) (iter.Seq2[a2a.Event, error], error)
}

// falta is the error of an operation that the card does not declare. It comes
// before whatever else may be wrong (A2A v1.0, 3.3.4).
func (o operacao) falta(k Capacidades) error {
	if o.exige == nil {
		return nil
	}
	return o.exige(k)
}

func exigeFluxo(k Capacidades) error {
	if !k.Fluxo {
		return errSemFluxo
	}
	return nil
}

func exigeAvisos(k Capacidades) error {
	if !k.Avisos {
		return errSemAvisos
	}
	return nil
}

// operacoes are the operations by their names in JSON-RPC and gRPC (A2A v1.0, 5.3
// and 9.4).
var operacoes = map[string]operacao{
	"SendMessage": {uma: func(ctx context.Context, p *Porta, params json.RawMessage) (any, error) {
		req, err := p.lerEnvio(params)
		if err != nil {
			return nil, err
		}
		res, err := p.atendente.SendMessage(ctx, req)
		return envio{res}, err
	}},
	"SendStreamingMessage": {exige: exigeFluxo, fluxo: func(ctx context.Context, p *Porta, params json.RawMessage) (iter.Seq2[a2a.Event, error], error) {
		req, err := p.lerEnvio(params)
		if err != nil {
			return nil, err
		}
		return p.atendente.SendStreamingMessage(ctx, req), nil
	}},
	"SubscribeToTask": {exige: exigeFluxo, fluxo: func(ctx context.Context, p *Porta, params json.RawMessage) (iter.Seq2[a2a.Event, error], error) {
		var req a2a.SubscribeToTaskRequest
		if err := ler(params, &req); err != nil {
			return nil, err
		}
		return p.atendente.SubscribeToTask(ctx, &req), nil
	}},
	"GetTask":    uma((*atendente).GetTask),
	"CancelTask": uma((*atendente).CancelTask),
	"ListTasks": {uma: func(ctx context.Context, p *Porta, params json.RawMessage) (any, error) {
		var req a2a.ListTasksRequest
		if err := lerLista(params, &req); err != nil {
			return nil, err
		}
		return p.atendente.ListTasks(ctx, &req)
	}},
	"CreateTaskPushNotificationConfig": deAvisos(uma((*atendente).CreateTaskPushConfig)),
	"GetTaskPushNotificationConfig":    deAvisos(uma((*atendente).GetTaskPushConfig)),
	"ListTaskPushNotificationConfigs":  deAvisos(uma((*atendente).ListTaskPushConfigs)),
	"DeleteTaskPushNotificationConfig": deAvisos(uma(func(a *atendente, ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) (any, error) {
		return nil, a.DeleteTaskPushConfig(ctx, req)
	})),
	"GetExtendedAgentCard": {uma: func(ctx context.Context, p *Porta, _ json.RawMessage) (any, error) {
		return p.atendente.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	}},
}

// uma is an operation with one result, whose parameters are a P.
func uma[P, R any](f func(*atendente, context.Context, *P) (R, error)) operacao {
	return operacao{uma: func(ctx context.Context, p *Porta, params json.RawMessage) (any, error) {
		var req P
		if err := ler(params, &req); err != nil {
			return nil, err
		}
		return f(p.atendente, ctx, &req)
	}}
}

// deAvisos is an operation of push notifications.
func deAvisos(o operacao) operacao {
	o.exige = exigeAvisos
	return o
}

// grafia is how a binding over HTTP spells what an operation gives.
type grafia struct {
	// falhar answers with an error, as long as nothing else was answered.
	falhar func(error)
	// resultado is the answer with a result, and its media type.
	resultado func(json.RawMessage) (tipo string, corpo []byte)
	// evento and erro are an event of a stream, and what ends it early.
	evento func(a2a.Event) ([]byte, error)
	erro   func(*erro) []byte
}

// tipoJSON is the media type of answers.
const tipoJSON = "application/json"

// executar runs an operation and answers with what it gives.
func (p *Porta) executar(ctx context.Context, w http.ResponseWriter, reg *registro, op operacao, params json.RawMessage, g grafia) {
	if op.fluxo != nil {
		p.fluir(ctx, w, reg, op, params, g)
		return
	}
	corpo, err := p.atender(ctx, op, params)
	switch {
	case ctx.Err() != nil:
		reg.status, reg.outcome = 0, desfechoCancelado
	case err != nil:
		g.falhar(err)
	default:
		tipo, resposta := g.resultado(corpo)
		p.responder(w, reg, http.StatusOK, tipo, resposta)
	}
}

// atender runs an operation with one result and encodes it.
func (p *Porta) atender(ctx context.Context, op operacao, params json.RawMessage) (corpo json.RawMessage, err error) {
	defer p.salvar(ctx, &err)
	res, err := op.uma(ctx, p, params)
	if err != nil {
		return nil, err
	}
	return formaDe(res)
}

// lerEnvio decodes a message, which has a bound of its own.
func (p *Porta) lerEnvio(params json.RawMessage) (*a2a.SendMessageRequest, error) {
	if err := p.conferirTamanho(len(params)); err != nil {
		return nil, err
	}
	if req, ok := lerSimples(params); ok {
		return req, nil
	}
	var req a2a.SendMessageRequest
	if err := ler(params, &req); err != nil {
		return nil, err
	}
	return &req, nil
}

// conferirTamanho refuses a message of more than MaxMensagem bytes, with all that
// is sent along with it, in the form in which it came.
func (p *Porta) conferirTamanho(n int) error {
	if n <= p.MaxMensagem {
		return nil
	}
	return invalido([]violacao{{"message", tamanhoMaximo(p.MaxMensagem)}})
}
