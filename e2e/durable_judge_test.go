package e2e

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// What the agent says of work that was cut short.
const (
	cutAnswer = "O agente foi interrompido antes de concluir a resposta. Responda de novo."
	cutCall   = "O agente foi interrompido durante o pedido, que pode ter tido efeito no servidor MCP."
	cutStart  = "O agente foi interrompido antes de comecar o pedido."
	spent     = "A pausa nao vale mais no servidor MCP: venceu, ou uma resposta anterior ja teve efeito. Confira antes de pedir de novo."
	noRoom    = "Sem alternativas disponiveis no intervalo"
	tooSlow   = "Servidor MCP nao respondeu a tempo."
)

// offered are the rooms in the line of a pause.
func offered(tk task) []string {
	texts := tk.Status.Message.texts()
	if len(texts) == 0 {
		return nil
	}
	rooms, ok := strings.CutPrefix(texts[0], "alternativas: ")
	if !ok || rooms == "" {
		return nil
	}
	return strings.Split(rooms, ", ")
}

// see notes how a Task stands and holds it to what its caller knows.
func (c *caller) see(e *errand, tk task) {
	wrong := func(want string) {
		c.t.Errorf("Task %s, %s: expected %s, got %s %q; history %q; seen before: %s %q", e.id, e.text, want,
			tk.Status.State, tk.Status.Message.texts(), tk.said(), e.last.Status.State, e.last.Status.Message.texts())
	}
	if tk.ID != e.id || tk.ContextID != e.context {
		wrong("its own id and context")
	}
	if e.settled() && !reflect.DeepEqual(tk, e.last) {
		wrong("a Task that has ended to stay as it is")
	}
	e.before, e.last, e.doubt = e.last, tk, false
	c.history(e, wrong)
	texts := tk.Status.Message.texts()
	if len(texts) == 0 || len(texts) > 1 && tk.Status.State != inputRequired {
		wrong("a status message of one text")
		return
	}
	if tk.Status.State != completed && tk.Artifacts != nil {
		wrong("no artifact")
	}
	switch tk.Status.State {
	case completed:
		c.booked(e, wrong)

	case inputRequired:
		if len(offered(tk)) == 0 || e.refusal != "" || e.bogus {
			wrong("a pause only for a conflict, with its line")
		}
		if len(texts) == 2 && texts[1] == tooSlow && c.hasty {
			e.shaken = true
		} else if len(texts) > 1 && (len(texts) > 2 || texts[1] != cutAnswer || !e.shaken || texts[0] != e.before.Status.Message.texts()[0]) {
			wrong("the line as it was, and a second part only after an interruption")
		}

	case failed:
		switch text := texts[0]; {
		case text == e.refusal || text == noRoom && e.refusal == "" && !e.bogus:
		case text == cutCall && e.shaken && e.sent == nil:
		case text == cutStart && e.shaken && e.sent == nil:
		case text == spent && e.shaken && len(e.choices) > 0:
		case text == tooSlow && c.hasty && e.sent == nil:
			e.shaken = true
		default:
			wrong("a reason that fits the request")
		}

	case canceled:
		if texts[0] != "Reserva recusada." || !e.declined {
			wrong("an end that the caller had asked for")
		}

	case rejected:
		if !e.bogus {
			wrong("a request that is understood")
		}

	default:
		wrong("a Task that has stopped")
	}
}

// history checks the conversation: it has grown from what it was, holds each
// message once, and ends with the status message.
func (c *caller) history(e *errand, wrong func(string)) {
	var ids, old []string
	for _, m := range e.last.History {
		if slices.Contains(ids, m.ID) {
			wrong("each message in the history once")
		}
		ids = append(ids, m.ID)
	}
	for _, m := range e.before.History {
		old = append(old, m.ID)
	}
	if len(ids) < len(old) || !slices.Equal(ids[:len(old)], old) {
		wrong("the history to go on from what it was")
	}
	if m := e.last.Status.Message; m != nil && (len(ids) < 2 || ids[len(ids)-1] != m.ID) {
		wrong("the history to end with the status message")
	}
}

// booked checks the artifact of a COMPLETED Task, to the letter.
func (c *caller) booked(e *errand, wrong func(string)) {
	var got struct {
		Reserva     string `json:"reserva"`
		Sala        string `json:"sala"`
		Inicio      string `json:"inicio"`
		Fim         string `json:"fim"`
		Responsavel string `json:"responsavel"`
		Politica    string `json:"politica"`
	}
	text := e.last.artifact()
	if json.Unmarshal([]byte(text), &got) != nil || got.Reserva == "" {
		wrong("an artifact")
		return
	}
	rooms := []string{e.sala}
	if len(e.choices) > 0 {
		if rooms = e.choices; !e.shaken {
			rooms = []string{e.choice}
		}
	}
	room := got.Sala
	got.Inicio, got.Fim, got.Responsavel, got.Politica = e.inicio, e.fim, e.responsavel, "2026-11-01"
	if whole, _ := json.Marshal(got); string(whole) != text || !slices.Contains(rooms, room) {
		wrong("the artifact " + string(whole) + " of one of " + strings.Join(rooms, ", ") + ", not " + text)
	}
	if word := "Reserva " + got.Reserva + " confirmada na " + room + "."; e.last.Status.Message.texts()[0] != word {
		wrong("the message " + word)
	}
	if e.held != "" && e.held != got.Reserva {
		wrong("the booking " + e.held + ", which the server had made when the agent was killed")
	}
	if e.reserva == "" {
		b := e.booking
		b.sala = room
		c.mu.Lock()
		c.taken = append(c.taken, b)
		c.mu.Unlock()
	}
	e.reserva = got.Reserva
}

// wantCut checks a Task whose agent was killed while a call of it was at the
// server, or on its way there.
func (e *errand) wantCut(w *crowd, k *caught) {
	texts := e.last.Status.Message.texts()
	switch {
	case e.void:
		w.t.Errorf("expected the Task of %s, whose call the server had seen, to be stored", e.responsavel)
	case !k.retry:
		if e.last.Status.State != failed || !slices.Equal(texts, []string{cutCall}) {
			w.t.Errorf("Task %s: expected an interrupted first call to be FAILED with %q, got %s %q", e.id, cutCall, e.last.Status.State, texts)
		}
	default:
		want := []string{"", cutAnswer}
		if before := e.before.Status.Message.texts(); len(before) > 0 {
			want[0] = before[0]
		}
		if e.last.Status.State != inputRequired || !slices.Equal(texts, want) {
			w.t.Errorf("Task %s: expected an interrupted answer to be back at its pause with %q, got %s %q", e.id, want, e.last.Status.State, texts)
		}
	}
	if k.reserva != "" {
		e.held = k.reserva
	}
}
