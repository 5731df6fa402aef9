// Package tarefa is the Task as the agent keeps it: the record, its states,
// and the Store that holds it. A pause is part of the record: nothing of it
// lives in a goroutine, and nothing of it leaves through A2A.
package tarefa

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"
)

// Tarefa is one Task. Values are snapshots: whoever has one may read it, and
// changes it only through the methods that return a new one.
type Tarefa struct {
	// ID and Contexto are unguessable unless the client brought the context.
	ID       string
	Contexto string
	// Versao counts the stored changes; the Store sets it.
	Versao int64
	Estado a2a.TaskState
	// Mudada is when Estado was last stored, in UTC, to the millisecond.
	Mudada time.Time
	// Prazo is until when the work under way is claimed by whoever does it. Past
	// it that agent is taken for dead, and another one may settle the Task. Zero
	// while nobody works.
	Prazo time.Time
	// Palavra is the agent's message that belongs to Estado, nil for none. It
	// is the last of Historico when there is one.
	Palavra *a2a.Message
	// Historico is the conversation, in the order in which it happened.
	Historico []*a2a.Message
	Artefatos []*a2a.Artifact
	// Rastro is the traceparent of the last message, so that a continuation
	// without one goes on in the same trace.
	Rastro string
	// Chamada is the tool call that the Task stands for; nil before the request
	// is understood.
	Chamada *Chamada
	// Estados are the requestStates that the Task has had, the latest last: what
	// must not be shown, should the server repeat it. Dropped at the end.
	Estados []string
	// Pausa is what the server asked last and has not had an answer to. It
	// stays while an answer is under way, so that the pause can be restored.
	Pausa *Pausa
}

// Chamada is a tool call, as it was first made and will be repeated.
type Chamada struct {
	// Verbo names the profile's request.
	Verbo string
	// Ferramenta is the tool, Argumentos its arguments, a JSON object.
	Ferramenta string
	Argumentos json.RawMessage
}

// Pausa is an MCP server's unanswered question, bound to this Task.
type Pausa struct {
	// RequestState is the server's, opaque: kept, echoed, never read, and never
	// shown to anybody but the server (MCP 2026-07-28, MRTR).
	RequestState string
	// Perguntas are the questions, in the server's order.
	Perguntas []Pergunta
}

// Pergunta is one elicitation in form mode.
type Pergunta struct {
	// Chave is the key that the server gave it, and under which the answer goes.
	Chave string
	// Mensagem is the server's wording.
	Mensagem string
	// Esquema is the requestedSchema, as it came.
	Esquema json.RawMessage
}

// Bounds of the conversation of one Task. Answers that kept a pause are
// forgotten first, the oldest before; the request and the last words stay.
const (
	// MaxHistorico is the most messages kept.
	MaxHistorico = 200
	// MaxTexto is about how many bytes are kept in them, whatever they hold.
	MaxTexto = 256 << 10
)

// maxEstados bounds Estados. A server that asks more often in one call repeats
// none that old.
const maxEstados = 32

// Nova makes the Task of a first message, in TASK_STATE_SUBMITTED. The
// message is stored with the ids of the Task in it.
func Nova(m *a2a.Message, rastro string, agora time.Time) *Tarefa {
	t := &Tarefa{
		ID:       uuid.NewString(),
		Contexto: m.ContextID,
		Estado:   a2a.TaskStateSubmitted,
		Mudada:   instante(agora),
		Rastro:   rastro,
	}
	if t.Contexto == "" {
		t.Contexto = uuid.NewString()
	}
	t.Historico = []*a2a.Message{t.minha(m)}
	return t
}

func instante(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// minha returns a copy of a caller's message that belongs to this Task.
func (t *Tarefa) minha(m *a2a.Message) *a2a.Message {
	c := *m
	c.TaskID, c.ContextID = a2a.TaskID(t.ID), t.Contexto
	return &c
}

// Com returns the Task after an event: in its new state, without a word of
// the agent's. The error is a [*TransicaoError].
func (t *Tarefa) Com(e Evento, agora time.Time) (*Tarefa, error) {
	novo, err := Proximo(t.Estado, e)
	if err != nil {
		return nil, err
	}
	c := *t
	c.Estado, c.Mudada, c.Palavra, c.Prazo = novo, instante(agora), nil, time.Time{}
	if novo.Terminal() {
		c.Pausa, c.Estados = nil, nil
	}
	return &c, nil
}

// Ouvindo returns the Task with one more message of the caller's in its
// history, and the trace that the message came with.
func (t *Tarefa) Ouvindo(m *a2a.Message, rastro string) *Tarefa {
	c := *t
	c.Historico = podar(append(slices.Clip(t.Historico), t.minha(m)))
	c.Rastro = rastro
	return &c
}

// Dizendo returns the Task with a message of the agent's, one text part for
// each text, as its current word and in its history.
func (t *Tarefa) Dizendo(textos ...string) *Tarefa {
	partes := make([]*a2a.Part, len(textos))
	for i, s := range textos {
		partes[i] = a2a.NewTextPart(s)
	}
	c := *t
	c.Palavra = &a2a.Message{
		ID:        uuid.NewString(),
		Role:      a2a.MessageRoleAgent,
		TaskID:    a2a.TaskID(t.ID),
		ContextID: t.Contexto,
		Parts:     partes,
	}
	c.Historico = podar(append(slices.Clip(t.Historico), c.Palavra))
	return &c
}

// AtePrazo returns the Task claimed until prazo.
func (t *Tarefa) AtePrazo(prazo time.Time) *Tarefa {
	c := *t
	c.Prazo = instante(prazo)
	return &c
}

// Chamando returns the Task with the tool call that it stands for.
func (t *Tarefa) Chamando(chamada Chamada) *Tarefa {
	c := *t
	c.Chamada = &chamada
	return &c
}

// Pausando returns the Task with the pause bound to it, or without one.
func (t *Tarefa) Pausando(pausa *Pausa) *Tarefa {
	c := *t
	c.Pausa = pausa
	if pausa != nil && pausa.RequestState != "" && !slices.Contains(t.Estados, pausa.RequestState) {
		c.Estados = append(slices.Clip(t.Estados), pausa.RequestState)
		if len(c.Estados) > maxEstados {
			c.Estados = c.Estados[1:]
		}
	}
	return &c
}

// Produzindo returns the Task with one more artifact.
func (t *Tarefa) Produzindo(a *a2a.Artifact) *Tarefa {
	c := *t
	c.Artefatos = append(slices.Clip(t.Artefatos), a)
	return &c
}

// podar forgets the oldest exchanges after the first one, as many as it takes.
func podar(h []*a2a.Message) []*a2a.Message {
	texto := 0
	for _, m := range h {
		texto += tamanho(m)
	}
	sobra := 0
	for len(h)-sobra > MaxHistorico || texto > MaxTexto && len(h)-sobra > 4 {
		texto -= tamanho(h[2+sobra]) + tamanho(h[3+sobra])
		sobra += 2
	}
	if sobra == 0 {
		return h
	}
	return slices.Delete(slices.Clone(h), 2, 2+sobra)
}

// JaOuviu reports whether a message of the caller's with this id belongs to
// the Task already.
func (t *Tarefa) JaOuviu(messageID string) bool {
	return slices.ContainsFunc(t.Historico, func(m *a2a.Message) bool {
		return m.Role == a2a.MessageRoleUser && m.ID == messageID
	})
}

// A2A renders the Task for a caller. historico is how many of the last
// messages to show, negative for all; artifacts only when asked for. The pause
// is not part of it.
func (t *Tarefa) A2A(historico int, artefatos bool) *a2a.Task {
	mudada := t.Mudada
	task := &a2a.Task{
		ID:        a2a.TaskID(t.ID),
		ContextID: t.Contexto,
		Status:    a2a.TaskStatus{State: t.Estado, Message: t.Palavra, Timestamp: &mudada},
		History:   t.Historico,
	}
	if historico >= 0 {
		task.History = t.Historico[max(0, len(t.Historico)-historico):]
	}
	if artefatos {
		task.Artifacts = t.Artefatos
	}
	return task
}
