package porta

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// conferencia collects what is wrong with the parameters of a request.
type conferencia struct {
	violacoes []violacao
	// taskID and contextID are what the request names, for the log.
	taskID, contextID string
	// maxMensagem bounds a message, in bytes of its JSON.
	maxMensagem int
}

func (c *conferencia) falta(campo, format string, args ...any) {
	c.violacoes = append(c.violacoes, violacao{campo, fmt.Sprintf(format, args...)})
}

// conferidores decode and check the parameters of each method that the agent
// serves (A2A v1.0, 3.1 and 3.2). The SDK's transport decodes them again: it
// gives the wrong code for what does not fit, and checks no value.
var conferidores = map[string]func(*conferencia, json.RawMessage){
	"SendMessage": conferirEnvio,
	"GetTask": func(c *conferencia, raw json.RawMessage) {
		var r a2a.GetTaskRequest
		if c.ler(raw, &r) {
			c.taskID = string(r.ID)
			c.preenchido("id", c.taskID)
			c.historico("historyLength", r.HistoryLength)
		}
	},
	"CancelTask": func(c *conferencia, raw json.RawMessage) {
		var r a2a.CancelTaskRequest
		if c.ler(raw, &r) {
			c.taskID = string(r.ID)
			c.preenchido("id", c.taskID)
		}
	},
	"ListTasks": conferirLista,
}

// ler decodes raw into v and reports whether it could.
func (c *conferencia) ler(raw json.RawMessage, v any) bool {
	if raw == nil || raw[0] != '{' {
		c.falta("params", "must be an object")
		return false
	}
	err := json.Unmarshal(raw, v)
	if err == nil {
		return true
	}
	campo := "params"
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			campo = wrong.Field
		}
		c.falta(campo, "must not be a %s", wrong.Value)
		return false
	}
	c.falta(campo, "%s", limitar(err.Error()))
	return false
}

// maxTexto bounds text from outside in messages and in the log, in bytes.
const maxTexto = 200

func limitar(s string) string { return envelope.Cut(s, maxTexto) }

func (c *conferencia) preenchido(campo, valor string) {
	if valor == "" {
		c.falta(campo, "is required")
	}
}

func (c *conferencia) historico(campo string, n *int) {
	if n != nil && *n < 0 {
		c.falta(campo, "must not be negative, got %d", *n)
	}
}

func conferirEnvio(c *conferencia, raw json.RawMessage) {
	var r a2a.SendMessageRequest
	if !c.ler(raw, &r) {
		return
	}
	if r.Config != nil {
		c.historico("configuration.historyLength", r.Config.HistoryLength)
	}
	if len(raw) > c.maxMensagem {
		c.falta("message", "is too long: at most %d bytes", c.maxMensagem)
	}
	m := r.Message
	if m == nil {
		c.falta("message", "is required")
		return
	}
	c.taskID, c.contextID = string(m.TaskID), m.ContextID
	c.preenchido("message.messageId", m.ID)
	if m.Role != a2a.MessageRoleUser {
		c.falta("message.role", "must be %s", a2a.MessageRoleUser)
	}
	if len(m.Parts) == 0 {
		c.falta("message.parts", "at least one part is required")
	}
	if slices.Contains(m.Parts, nil) {
		c.falta("message.parts", "a part must not be null")
	}
}

// estados are the values of ListTasksRequest.status.
var estados = []a2a.TaskState{
	a2a.TaskStateUnspecified, a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted,
	a2a.TaskStateFailed, a2a.TaskStateCanceled, a2a.TaskStateInputRequired, a2a.TaskStateRejected, a2a.TaskStateAuthRequired,
}

// Bounds of a page of ListTasks (A2A v1.0, 3.1.4).
const (
	paginaPadrao = 50
	paginaMaxima = 100
)

func conferirLista(c *conferencia, raw json.RawMessage) {
	var r a2a.ListTasksRequest
	if !c.ler(raw, &r) {
		return
	}
	// The SDK's type cannot tell 0 from absent.
	var asked struct {
		PageSize *int `json:"pageSize"`
	}
	if json.Unmarshal(raw, &asked) == nil && asked.PageSize != nil && (*asked.PageSize < 1 || *asked.PageSize > paginaMaxima) {
		c.falta("pageSize", "must be from 1 to %d, got %d", paginaMaxima, *asked.PageSize)
	}
	if !slices.Contains(estados, r.Status) {
		c.falta("status", "is not a task state")
	}
	c.historico("historyLength", r.HistoryLength)
	c.contextID = r.ContextID
}
