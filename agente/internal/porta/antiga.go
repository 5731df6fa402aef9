package porta

import (
	"context"
	"encoding/json"
	"iter"

	antes "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// A2A v0.3 over JSON-RPC, at the same endpoint: a request with a method of that
// version is of that version, whatever its headers say. The SDK translates the
// types; what happens behind them is what happens to everybody.

// versaoAntiga is the version that the card of v0.3 shows.
const versaoAntiga = "0.3.0"

// extensoesAntigas is how v0.3 called A2A-Extensions.
const extensoesAntigas = "X-A2A-Extensions"

// operacoesAntigas are the operations of v0.3 by their names. Their results are of
// that version.
var operacoesAntigas = map[string]operacao{
	"message/send": antiga(func(ctx context.Context, p *Porta, params json.RawMessage) (any, error) {
		req, err := p.lerEnvioAntigo(params)
		if err != nil {
			return nil, err
		}
		res, err := p.atendente.SendMessage(ctx, req)
		if err != nil {
			return nil, err
		}
		return a2av0.FromV1Event(res)
	}),
	"tasks/get": umaAntiga(func(ctx context.Context, a *atendente, q *antes.TaskQueryParams) (any, error) {
		t, err := a.GetTask(ctx, a2av0.ToV1GetTaskRequest(q))
		return a2av0.FromV1Task(t), err
	}),
	"tasks/cancel": umaAntiga(func(ctx context.Context, a *atendente, q *antes.TaskIDParams) (any, error) {
		t, err := a.CancelTask(ctx, a2av0.ToV1CancelTaskRequest(q))
		return a2av0.FromV1Task(t), err
	}),
	"message/stream": {exige: exigeFluxo, fluxo: func(ctx context.Context, p *Porta, params json.RawMessage) (iter.Seq2[a2a.Event, error], error) {
		req, err := p.lerEnvioAntigo(params)
		if err != nil {
			return nil, err
		}
		return p.atendente.SendStreamingMessage(ctx, req), nil
	}},
	"tasks/resubscribe": {exige: exigeFluxo, fluxo: func(ctx context.Context, p *Porta, params json.RawMessage) (iter.Seq2[a2a.Event, error], error) {
		var q antes.TaskIDParams
		if err := lerAntigo(params, &q); err != nil {
			return nil, err
		}
		// In v0.3 a status that stops the Task says that the stream is over.
		return p.atendente.inscrever(ctx, a2av0.ToV1SubscribeToTaskRequest(&q), ate{a2a.TaskState.Terminal, tarefa.Parada}), nil
	}},
	"tasks/pushNotificationConfig/set": avisoAntigo(func(ctx context.Context, a *atendente, q *antes.TaskPushConfig) (any, error) {
		c, err := a.CreateTaskPushConfig(ctx, a2av0.ToV1PushConfig(q))
		return a2av0.FromV1PushConfig(c), err
	}),
	"tasks/pushNotificationConfig/get": avisoAntigo(func(ctx context.Context, a *atendente, q *antes.GetTaskPushConfigParams) (any, error) {
		req := a2av0.ToV1GetTaskPushConfigRequest(q)
		if req.ID != "" {
			c, err := a.GetTaskPushConfig(ctx, req)
			return a2av0.FromV1PushConfig(c), err
		}
		// v0.3 may leave the id out, for a Task that has one.
		todos, err := a.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: req.TaskID})
		if err != nil {
			return nil, err
		}
		if len(todos.Configs) == 0 {
			return nil, errSemAviso
		}
		return a2av0.FromV1PushConfig(todos.Configs[0]), nil
	}),
	"tasks/pushNotificationConfig/list": avisoAntigo(func(ctx context.Context, a *atendente, q *antes.ListTaskPushConfigParams) (any, error) {
		res, err := a.ListTaskPushConfigs(ctx, a2av0.ToV1ListTaskPushConfigRequest(q))
		if err != nil {
			return nil, err
		}
		if len(res.Configs) == 0 {
			return []*antes.TaskPushConfig{}, nil
		}
		return a2av0.FromV1PushConfigs(res.Configs), nil
	}),
	"tasks/pushNotificationConfig/delete": avisoAntigo(func(ctx context.Context, a *atendente, q *antes.DeleteTaskPushConfigParams) (any, error) {
		// v0.3 has null for the result of this one.
		return json.RawMessage("null"), a.DeleteTaskPushConfig(ctx, a2av0.ToV1DeleteTaskPushConfigRequest(q))
	}),
	"agent/getAuthenticatedExtendedCard": antiga(func(ctx context.Context, p *Porta, _ json.RawMessage) (any, error) {
		return p.atendente.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	}),
}

func antiga(f func(context.Context, *Porta, json.RawMessage) (any, error)) operacao {
	return operacao{uma: f}
}

// umaAntiga is an operation with one result, whose parameters are a P of v0.3.
func umaAntiga[P any](f func(context.Context, *atendente, *P) (any, error)) operacao {
	return antiga(func(ctx context.Context, p *Porta, params json.RawMessage) (any, error) {
		var q P
		if err := lerAntigo(params, &q); err != nil {
			return nil, err
		}
		return f(ctx, p.atendente, &q)
	})
}

// avisoAntigo is an operation of push notifications.
func avisoAntigo[P any](f func(context.Context, *atendente, *P) (any, error)) operacao {
	return deAvisos(umaAntiga(f))
}

// lerAntigo decodes parameters of v0.3.
func lerAntigo(raw json.RawMessage, v any) error {
	var c conferencia
	if raw == nil || raw[0] != '{' {
		c.falta("params", "must be an object")
		return c.erro()
	}
	if _, err := emCamelCase(raw); err != nil { // for the names that stand twice
		c.falta("params", "%s", limitar(err.Error()))
	} else if err := json.Unmarshal(raw, v); err != nil {
		c.falta("params", "%s", limitar(err.Error()))
	}
	return c.erro()
}

func (p *Porta) lerEnvioAntigo(params json.RawMessage) (*a2a.SendMessageRequest, error) {
	var q antes.MessageSendParams
	if err := lerAntigo(params, &q); err != nil {
		return nil, err
	}
	if q.Message == nil {
		return nil, invalido([]violacao{{"message", "is required"}})
	}
	if err := p.conferirTamanho(len(params)); err != nil {
		return nil, err
	}
	req, err := a2av0.ToV1SendMessageRequest(&q)
	if err != nil {
		return nil, invalido([]violacao{{"message", limitar(err.Error())}})
	}
	return req, nil
}

// formaAntiga is an event of a stream in v0.3, where the state says whether it is
// the last one.
func formaAntiga(e a2a.Event) any {
	old, err := a2av0.FromV1Event(e)
	if err != nil { // every kind that this agent sends exists there
		return nil
	}
	return old
}
