package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// pedidoA2A builds a JSON-RPC request to the agent. It sends no A2A-Version
// header: the agent takes its absence for 1.0.
func pedidoA2A(url string, id int, metodo string, params objeto, traceparent string) pedido {
	return pedido{"POST", url, objeto{
		{"Content-Type", "application/json"},
		{"Accept", "application/json"},
		{"traceparent", traceparent},
	}, objeto{
		{"jsonrpc", "2.0"}, {"id", id}, {"method", metodo}, {"params", params},
	}}
}

// mensagemA2A is the params of a SendMessage with one text part: a new request
// when tarefa is empty, else the continuation of that Task.
func mensagemA2A(id, tarefa, texto string) objeto {
	m := objeto{{"messageId", id}}
	if tarefa != "" {
		m = m.com("taskId", tarefa)
	}
	return objeto{{"message", m.com("role", "ROLE_USER").com("parts", []any{objeto{{"text", texto}}})}}
}

// tarefa is an A2A Task, as far as this program reads it.
type tarefa struct {
	ID        string `json:"id"`
	ContextID string `json:"contextId"`
	Status    struct {
		State   string    `json:"state"`
		Message *mensagem `json:"message"`
	} `json:"status"`
	Artifacts []struct {
		Name  string  `json:"name"`
		Parts []parte `json:"parts"`
	} `json:"artifacts"`
	History []mensagem `json:"history"`
}

type mensagem struct {
	Role  string  `json:"role"`
	Parts []parte `json:"parts"`
}

type parte struct {
	Text string `json:"text"`
}

// texto is the text of a message that must have exactly one part; what has
// not comes out as a remark that no expectation equals.
func (m *mensagem) texto() string {
	switch {
	case m == nil:
		return ""
	case len(m.Parts) != 1:
		return fmt.Sprintf("(%d partes)", len(m.Parts))
	}
	return m.Parts[0].Text
}

// fala is the agent's line of the Task's present state.
func (t *tarefa) fala() string { return t.Status.Message.texto() }

// lerTarefa reads the Task out of the answer to SendMessage (result.task) or
// GetTask (result itself). An error object, or an answer with another id, is
// an error.
func lerTarefa(body []byte, id int) (*tarefa, error) {
	var r struct {
		ID     json.RawMessage `json:"id"`
		Error  json.RawMessage `json:"error"`
		Result *struct {
			tarefa
			Task *tarefa `json:"task"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("a resposta nao e JSON-RPC: %w", err)
	}
	switch {
	case len(r.Error) > 0:
		return nil, fmt.Errorf("veio um erro: %s", r.Error)
	case string(r.ID) != fmt.Sprint(id):
		return nil, fmt.Errorf("a resposta tem o id %s, o pedido tinha %d", r.ID, id)
	case r.Result == nil:
		return nil, errors.New("a resposta nao tem result")
	case r.Result.Task != nil:
		return r.Result.Task, nil
	case r.Result.ID == "":
		return nil, errors.New("a resposta nao traz uma Task")
	}
	return &r.Result.tarefa, nil
}
