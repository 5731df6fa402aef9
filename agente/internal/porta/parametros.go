package porta

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// conferencia collects what is wrong with the parameters of a request.
type conferencia struct{ violacoes []violacao }

func (c *conferencia) falta(campo, format string, args ...any) {
	c.violacoes = append(c.violacoes, violacao{campo, fmt.Sprintf(format, args...)})
}

// erro is nil when nothing is wrong.
func (c *conferencia) erro() error {
	if len(c.violacoes) == 0 {
		return nil
	}
	return invalido(c.violacoes)
}

// ler decodes the parameters of a request, whose names may be written as in
// JSON or as in the protocol buffers (contextId, context_id).
func ler(raw json.RawMessage, v any) error {
	var c conferencia
	if raw == nil || raw[0] != '{' {
		c.falta("params", "must be an object")
		return c.erro()
	}
	raw, err := emCamelCase(raw)
	if err != nil {
		c.falta("params", "%s", limitar(err.Error()))
		return c.erro()
	}
	err = json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	campo := "params"
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			campo = wrong.Field
		}
		c.falta(campo, "must not be a %s", limitar(wrong.Value))
		return c.erro()
	}
	c.falta(campo, "%s", limitar(err.Error()))
	return c.erro()
}

// lerLista is ler for ListTasks, whose type cannot tell a page size of 0 from
// none.
func lerLista(raw json.RawMessage, v *a2a.ListTasksRequest) error {
	if raw == nil {
		raw = json.RawMessage("{}") // every parameter of it is optional
	}
	if err := ler(raw, v); err != nil {
		return err
	}
	var asked struct {
		Camel *int `json:"pageSize"`
		Snake *int `json:"page_size"`
	}
	if json.Unmarshal(raw, &asked) == nil && (asked.Camel != nil && *asked.Camel == 0 || asked.Snake != nil && *asked.Snake == 0) {
		var c conferencia
		c.pagina(0)
		return c.erro()
	}
	return nil
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

// Bounds of a page of ListTasks (A2A v1.0, 3.1.4).
const (
	paginaPadrao = 50
	paginaMaxima = 100
)

func (c *conferencia) pagina(n int) {
	c.falta("pageSize", "must be from 1 to %d, got %d", paginaMaxima, n)
}

// The checks of what each operation takes (A2A v1.0, 3.1 and 3.2), whatever the
// binding.

func (c *conferencia) envio(r *a2a.SendMessageRequest) {
	if r.Config != nil {
		c.historico("configuration.historyLength", r.Config.HistoryLength)
	}
	m := r.Message
	if m == nil {
		c.falta("message", "is required")
		return
	}
	c.preenchido("message.messageId", m.ID)
	if m.Role != a2a.MessageRoleUser {
		c.falta("message.role", "must be %s", a2a.MessageRoleUser)
	}
	if len(m.Parts) == 0 {
		c.falta("message.parts", "at least one part is required")
	}
	if slices.ContainsFunc(m.Parts, func(p *a2a.Part) bool { return p == nil || p.Content == nil }) {
		c.falta("message.parts", "a part must not be null")
	}
}

// estados are the values of ListTasksRequest.status.
var estados = []a2a.TaskState{
	a2a.TaskStateUnspecified, a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted,
	a2a.TaskStateFailed, a2a.TaskStateCanceled, a2a.TaskStateInputRequired, a2a.TaskStateRejected, a2a.TaskStateAuthRequired,
}

func (c *conferencia) lista(r *a2a.ListTasksRequest) {
	if r.PageSize < 0 || r.PageSize > paginaMaxima {
		c.pagina(r.PageSize)
	}
	if !slices.Contains(estados, r.Status) {
		c.falta("status", "is not a task state")
	}
	c.historico("historyLength", r.HistoryLength)
}

// requisitada reports whether the extension stands in the values of an
// A2A-Extensions header, each of which may list several, separated by commas.
func requisitada(values []string, uri string) bool {
	for _, v := range values {
		for v != "" {
			var uma string
			uma, v, _ = strings.Cut(v, ",")
			if strings.TrimSpace(uma) == uri {
				return true
			}
		}
	}
	return false
}
