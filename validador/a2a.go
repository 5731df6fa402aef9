package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// clienteA2A speaks the JSON-RPC binding of A2A v1.0. It sends no A2A-Version
// header, because the evaluator's client sends none.
type clienteA2A struct {
	t             *transporte
	base, caminho string
	rastro        string
	proximo       int
	vigia         vigia // sees every body that comes back
}

// cartao fetches the Agent Card.
func (c *clienteA2A) cartao(ctx context.Context) (objeto, error) {
	r, err := c.t.trocar(ctx, "GET", c.base+"/.well-known/agent-card.json", map[string]string{
		"Accept":      "application/json",
		"traceparent": traceparent(c.rastro),
	}, nil, false)
	c.vigia.examinar("o card", r.corpo, false)
	if err != nil {
		return nil, err
	}
	if r.status != 200 {
		return nil, fmt.Errorf("HTTP %d", r.status)
	}
	return comoObjeto(r.corpo)
}

// chamar sends one request and reads the JSON-RPC response.
func (c *clienteA2A) chamar(ctx context.Context, metodo string, params map[string]any) (respostaRPC, error) {
	c.proximo++
	id := strconv.Quote("validador-" + strconv.Itoa(c.proximo))
	corpo, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": json.RawMessage(id), "method": metodo, "params": params,
	})
	if err != nil {
		return respostaRPC{}, err
	}
	r, err := c.t.trocar(ctx, "POST", c.base+c.caminho, map[string]string{
		"Content-Type": "application/json",
		"Accept":       "application/json",
		"traceparent":  traceparent(c.rastro),
	}, corpo, false)
	c.vigia.examinar(metodo, r.corpo, true)
	if err != nil {
		return respostaRPC{}, err
	}
	return lerRPC(r, id)
}

// mensagem is what a user says: a new request, or the continuation of a Task.
type mensagem struct {
	texto     string
	tarefa    string // taskId; "" opens a Task
	contextID string // sent only when not ""
}

// enviar is SendMessage, answered with whatever came.
func (c *clienteA2A) enviar(ctx context.Context, m mensagem) (respostaRPC, error) {
	msg := map[string]any{
		"messageId": "msg-" + hexAleatorio(8),
		"role":      "ROLE_USER",
		"parts":     []any{map[string]any{"text": m.texto}},
	}
	if m.tarefa != "" {
		msg["taskId"] = m.tarefa
	}
	if m.contextID != "" {
		msg["contextId"] = m.contextID
	}
	return c.chamar(ctx, "SendMessage", map[string]any{"message": msg})
}

// obter is GetTask, whose result is the bare Task.
func (c *clienteA2A) obter(ctx context.Context, id string) (tarefa, error) {
	r, err := c.chamar(ctx, "GetTask", map[string]any{"id": id})
	if err != nil {
		return tarefa{}, fmt.Errorf("GetTask: %w", err)
	}
	o, err := r.sucesso()
	if err != nil {
		return tarefa{}, fmt.Errorf("GetTask: %w", err)
	}
	t, err := lerTarefa(o)
	if err == nil && t.id != id {
		err = fmt.Errorf("veio a Task %q, pedida %q", t.id, id)
	}
	if err != nil {
		return tarefa{}, fmt.Errorf("GetTask: %w", err)
	}
	return t, nil
}

// tarefaDe reads the result of SendMessage, which must be a Task.
func tarefaDe(r respostaRPC) (tarefa, error) {
	o, err := r.sucesso()
	if err != nil {
		return tarefa{}, err
	}
	if o.tem("message") && !o.tem("task") {
		return tarefa{}, errors.New("veio uma Message, esperada uma Task")
	}
	dentro, err := o.objeto("task")
	if err != nil {
		return tarefa{}, err
	}
	return lerTarefa(dentro)
}
