package e2e

import (
	"fmt"
	"time"
)

// errand is a Task that a caller wants done.
type errand struct {
	booking
	text    string // the request
	refusal string // what the server owes to it, "" for nothing
	bogus   bool   // the request is none

	context, id string
	// last is the Task as it was last seen, before how it was seen before that.
	last, before task
	// doubt is set while an answer about the Task is missing, shaken for good
	// once that has happened. void Tasks were never stored.
	doubt, shaken, void bool
	// sent is the last answer to the pause, choice the room in it; declined is
	// set once a refusal was sent.
	sent     object
	choice   string
	choices  []string
	declined bool
	// held is the booking that the server made, when its answer was kept from
	// the agent.
	held string
	// reserva and sala are those of the artifact.
	reserva string
}

func (e *errand) paused() bool { return e.last.Status.State == inputRequired && !e.doubt }

func (e *errand) settled() bool {
	switch e.last.Status.State {
	case completed, failed, canceled, rejected:
		return true
	}
	return e.void
}

const (
	firstCell = "2026-12-01T08:00:00-03:00"
	perDay    = 12 // hours in which rooms may be used
)

// invent makes up a request: for a room that is likely to be free, for one that
// is taken, or one that must be refused.
func (c *caller) invent() *errand {
	e := &errand{booking: booking{responsavel: fmt.Sprintf("c%d-%d", c.n, len(c.errands))}}
	c.mu.Lock()
	defer c.mu.Unlock()
	begin, _ := time.Parse(time.RFC3339, firstCell)
	begin = begin.AddDate(0, 0, c.cells/perDay).Add(time.Duration(c.cells%perDay) * time.Hour)
	e.sala = []string{"sala-porao", "sala-garagem", "sala-fusca", "sala-aquario"}[c.cells%4]
	lasts := time.Hour
	switch n := c.rnd.IntN(100); {
	case n < 55 && len(c.taken) > 0:
		b := c.taken[len(c.taken)-1-c.rnd.IntN(min(20, len(c.taken)))]
		e.sala = b.sala
		begin, _ = time.Parse(time.RFC3339, b.inicio)
		if n < 15 && begin.Hour() < 18 { // overlaps, but is not the same
			begin = begin.Add(30 * time.Minute)
		}
	case n < 60:
		e.sala, e.refusal = "sala-nenhuma", "Sala inexistente: sala-nenhuma"
	case n < 64:
		lasts, e.refusal = 0, "Intervalo invalido: fim deve ser posterior a inicio"
	default:
		c.cells++
	}
	e.inicio, e.fim = begin.Format(time.RFC3339), begin.Add(lasts).Format(time.RFC3339)
	e.text = e.booking.text()
	if c.rnd.IntN(25) == 0 {
		e.text, e.bogus, e.refusal = "reserve "+e.text, true, ""
	}
	return e
}

// named finds an errand by whom it books for.
func (w *crowd) named(responsavel string) *errand {
	for _, c := range w.callers {
		for _, e := range c.errands {
			if e.responsavel == responsavel {
				return e
			}
		}
	}
	return nil
}
