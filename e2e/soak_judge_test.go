package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"time"
)

// What the agent may say when the server gave no answer, and what it says when
// an answer was not seen and another one is refused.
var (
	excuses   = []string{"Servidor MCP inacessivel.", "Servidor MCP nao respondeu a tempo."}
	pauseGone = "A pausa nao vale mais no servidor MCP: venceu, ou uma resposta anterior ja teve efeito. Confira antes de pedir de novo."
)

// afterKill is how long after the server's return a call may still fail. It may
// go out on a connection that was kept from before the kill and has not been
// seen to be closed, or share what another Task was fetching. Such calls are
// counted and told in the report.
const afterKill = 500 * time.Millisecond

var reservaID = regexp.MustCompile(`^res-\d{4,}$`)

// judge holds a new status to what was asked.
func (c *client) judge(j *job, tk task, sp span) {
	wrong := func(want string) {
		c.fault("Task %s, %s: expected %s, got %s %q; history %q", j.id, j.booking.text(), want, j.state, j.texts, tk.said())
	}
	if j.state != completed && len(tk.Artifacts) != 0 {
		wrong("no artifact")
	}
	if parts := len(j.texts); parts > 1 && (parts > 2 || j.state != inputRequired) {
		wrong("one text")
		return
	}
	switch j.state {
	case completed:
		c.booked(j, tk, sp)

	case inputRequired:
		var ok bool
		if j.offers, ok = offersIn(j.texts[0]); !ok || j.refusal != "" || j.notUnderstood {
			wrong("a pause only for a conflict, with its line")
		}
		if len(j.texts) == 2 {
			c.unanswered(j, j.texts[1], sp)
		}

	case failed:
		switch text := j.texts[0]; {
		case text == j.refusal:
		case slices.Contains(excuses, text) && j.offers == nil: // an answer would have kept its pause
			c.unanswered(j, text, sp)
		case j.refusal != "" || j.notUnderstood:
			wrong("the refusal " + j.refusal)
		case text == "Sem alternativas disponiveis no intervalo":
		case text == pauseGone && j.doubt && j.doubtIn == sp.from:
		default:
			wrong("a reason that fits the request")
		}

	case canceled:
		switch text := j.texts[0]; {
		case text == "Reserva recusada." && j.declined:
		case text == "Cancelada a pedido de quem chamou." && j.canceled:
			if n := len(tk.History); n < 2 || tk.History[n-2].Role == "ROLE_USER" {
				// Nothing answered the last message: its call was under way.
				c.cut++
				j.unseen(sp)
			}
		default:
			wrong("an end that the client had asked for")
		}

	case rejected:
		if !j.notUnderstood {
			wrong("the request to be understood")
		}
	}
}

// unanswered notes that a call had no answer. Without a kill there must be one.
func (c *client) unanswered(j *job, text string, sp span) {
	c.lost++
	j.unseen(sp)
	if !slices.Contains(excuses, text) {
		c.fault("Task %s: expected one of %q, got %q", j.id, excuses, text)
	}
	if sp.life() == unsure {
		return
	}
	if sp.age > afterKill {
		c.fault("Task %s: expected an answer of the server that had been running for %s and was not killed, got %s %q", j.id, sp.age, j.state, text)
		return
	}
	c.calm++
}

// booked checks the one artifact of a COMPLETED Task, to the letter.
func (c *client) booked(j *job, tk task, sp span) {
	j.life = sp.life()
	text := tk.artifact()
	if text == "" || tk.Artifacts[0].Name != "reserva" || json.Unmarshal([]byte(text), &j.ticket) != nil {
		c.fault("Task %s: expected exactly one artifact reserva, got %+v", j.id, tk.Artifacts)
		return
	}
	r := j.ticket
	want := ticket{r.Reserva, r.Sala, j.inicio, j.fim, j.responsavel, "2026-11-01"}
	whole, _ := json.Marshal(want) // strings only: cannot fail
	if string(whole) != text || !reservaID.MatchString(r.Reserva) || !slices.Contains(j.rooms, r.Sala) || j.refusal != "" || j.notUnderstood {
		c.fault("Task %s: expected a booking of %q by %s from %s to %s and the artifact %s, got %s", j.id, j.rooms, j.responsavel, j.inicio, j.fim, whole, text)
	}
	if word := "Reserva " + r.Reserva + " confirmada na " + r.Sala + "."; j.texts[0] != word {
		c.fault("Task %s: expected the message %q, got %q", j.id, word, j.texts)
	}
}
