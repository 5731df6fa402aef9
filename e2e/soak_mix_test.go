package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// The days that are booked. The few busy ones fill up within a life of the
// server, so that alternatives run out there; 3 November has the two
// reservations of the embedded data. The many quiet ones stay mostly free.
var busyDays, quietDays = soakDays(0, 2), soakDays(2, 42)

// soakDays are the days from 3 November on, as MM-DD.
func soakDays(from, to int) []string {
	var days []string
	for n := from; n < to; n++ {
		days = append(days, time.Date(2026, 11, 3+n, 0, 0, 0, 0, time.UTC).Format("01-02"))
	}
	return days
}

var soakRooms = []string{"sala-aquario", "sala-porao", "sala-garagem", "sala-fusca", "sala-mirante"}

// weighed is a choice with its share.
type weighed struct {
	weight int
	do     func(*client)
}

// mix is what the clients do, one after the other.
var mix = []weighed{
	{18, func(c *client) { c.book(c.wish(quietDays)) }},
	{14, func(c *client) { c.book(c.wish(busyDays)) }},
	{20, (*client).rival},
	{10, (*client).later},
	{8, (*client).changeMind},
	{10, (*client).nonsense},
	{8, (*client).invalid},
	{6, (*client).garbage},
	{2, (*client).garbageInside},
	{8, (*client).list},
	{6, (*client).disturb},
}

func (c *client) step() {
	total := 0
	for _, w := range mix {
		total += w.weight
	}
	n := c.rnd.IntN(total)
	for _, w := range mix {
		if n -= w.weight; n < 0 {
			w.do(c)
			return
		}
	}
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// wish is a valid booking on one of the days, under a name of its own: by it
// each reservation of the server's is found again.
func (c *client) wish(days []string) *job {
	length := 30 * (1 + c.rnd.IntN(4))
	begin := 8*60 + 30*c.rnd.IntN((12*60-length)/30+1)
	clock := func(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }
	b := booking{sala: pick(c.rnd, soakRooms), responsavel: c.name()}
	return &job{booking: b.at(pick(c.rnd, days), clock(begin), clock(begin+length))}
}

func (c *client) name() string { return fmt.Sprintf("Biff %d %d", c.n, len(c.jobs)) }

// book asks for a room and answers what comes back.
func (c *client) book(j *job) {
	if _, ok := c.open(j, j.text(), false); ok {
		c.resolve(j, allAnswers)
	}
}

// rival asks for a room that somebody has just got.
func (c *client) rival() {
	first := c.wish(quietDays)
	first.sala = pick(c.rnd, soakRooms[:3]) // those with alternatives
	c.book(first)
	if first.state != completed {
		return
	}
	second := &job{booking: first.booking}
	second.sala, second.responsavel = first.ticket.Sala, c.name()
	c.book(second)
}

// later does not wait for the Task to stop.
func (c *client) later() {
	j := c.wish(pick(c.rnd, [][]string{busyDays, quietDays}))
	if sp, ok := c.open(j, j.text(), true); ok {
		c.wait(j, sp)
		c.resolve(j, allAnswers)
	}
}

// changeMind cancels a Task that may be at any point of its first call.
func (c *client) changeMind() {
	j := c.wish(quietDays)
	if sp, ok := c.open(j, j.text(), true); ok {
		if c.rnd.IntN(3) == 0 {
			c.think(0, 3*time.Millisecond)
		}
		c.cancel(j, sp)
		c.resolve(j, allAnswers)
	}
}

// nonsense is no request in the agent's grammar.
func (c *client) nonsense() {
	j := c.wish(quietDays)
	j.notUnderstood = true
	text := pick(c.rnd, []string{
		"oi", "   ", "Reservar sala=x", "cancelar sala=x", "reservar", "reservar sala-garagem", "escolha=sala-fusca",
		strings.Replace(j.text(), "sala=", "quarto=", 1),
		strings.Replace(j.text(), " responsavel=", " por=", 1),
		j.text() + " sala=sala-fusca",
	})
	c.open(j, text, false)
}

// invalid is a request that the server refuses.
func (c *client) invalid() {
	j := c.wish(quietDays)
	day := pick(c.rnd, quietDays)
	const window = "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"
	switch c.rnd.IntN(7) {
	case 0:
		j.sala, j.refusal = "sala-nove", "Sala inexistente: sala-nove"
	case 1:
		j.booking, j.refusal = j.at(day, "15:00", "14:00"), "Intervalo invalido: fim deve ser posterior a inicio"
	case 2:
		j.booking, j.refusal = j.at(day, "10:00", "10:00"), "Intervalo invalido: fim deve ser posterior a inicio"
	case 3:
		j.booking, j.refusal = j.at(day, "19:30", "21:00"), window
	case 4:
		j.booking, j.refusal = j.at(day, "06:00", "09:00"), window
	case 5:
		j.booking, j.refusal = j.at(day, "10:00", "12:30"), "Duracao acima do limite: a politica permite no maximo 2 horas"
	case 6:
		j.inicio = "amanha"
		j.refusal = "Data invalida em inicio: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"
	}
	c.open(j, j.text(), false)
}

// list looks for Tasks: the client's last one by its context, or those in one
// state.
func (c *client) list() {
	filter := object{"pageSize": 5}
	var last *job
	if len(c.jobs) > 0 && c.rnd.IntN(2) == 0 {
		last = c.jobs[len(c.jobs)-1]
		filter["contextId"] = last.context
	}
	state := pick(c.rnd, []string{"", submitted, working, completed, failed, canceled, rejected, inputRequired})
	if last == nil && state != "" {
		filter["status"] = state
	}
	var got page
	r := c.request("ListTasks", filter)
	if !r.ok {
		return
	}
	if r.Error != nil || json.Unmarshal(r.Result, &got) != nil || len(got.Tasks) > 5 || got.Total < len(got.Tasks) {
		c.fault("ListTasks %v: expected a page of at most 5 Tasks, got %s", filter, r)
		return
	}
	for _, tk := range got.Tasks {
		if filter["status"] != nil && tk.Status.State != state || len(tk.Artifacts) != 0 {
			c.fault("ListTasks %v: expected only such Tasks, and no artifacts, got %+v", filter, tk)
		}
	}
	// An ended Task may be forgotten by now, an open one may not.
	if last != nil && (len(got.Tasks) > 1 || len(got.Tasks) == 1 && got.Tasks[0].ID != last.id || len(got.Tasks) == 0 && !terminal(last.state)) {
		c.fault("ListTasks %v: expected Task %s (%s), got %+v", filter, last.id, last.state, got.Tasks)
	}
}

// disturb sends to one of the client's Tasks what changes nothing in it.
func (c *client) disturb() {
	if len(c.left) > 0 { // a pause, and a context that is not its own
		j := pick(c.rnd, c.left)
		params := say(j.id, "escolha=recusar")
		params["message"].(object)["contextId"] = "outro"
		if r := c.request("SendMessage", params); r.ok && !r.is(-32602) {
			c.fault("a message with a foreign context: expected error -32602, got %s", r)
		}
		if tk, sp, ok := c.read(j); ok {
			c.see(j, tk, sp)
			if j.state != inputRequired {
				c.fault("Task %s: expected it to stay paused, it is %s", j.id, j.state)
			}
		}
		return
	}
	j := c.wish(busyDays)
	j.sala, j.refusal = "sala-nove", "Sala inexistente: sala-nove"
	if _, ok := c.open(j, j.text(), false); !ok {
		return
	}
	if r := c.request("SendMessage", say(j.id, "escolha=sala-fusca")); r.ok && !r.is(-32004) {
		c.fault("a message for a Task that has ended: expected error -32004, got %s", r)
	}
	if r := c.request("CancelTask", object{"id": j.id}); r.ok && !r.is(-32002) {
		c.fault("CancelTask of a Task that has ended: expected error -32002, got %s", r)
	}
	if tk, sp, ok := c.read(j); ok {
		c.see(j, tk, sp)
	}
}

// cancel ends a Task that may have ended by itself. sp is the exchange that set
// it to work.
func (c *client) cancel(j *job, sp span) {
	j.canceled = true
	r := c.request("CancelTask", object{"id": j.id})
	switch {
	case !r.ok:
	case r.is(-32002):
		j.canceled = false
		c.wait(j, sp)
	default:
		var tk task
		if r.Error != nil || json.Unmarshal(r.Result, &tk) != nil || tk.Status.State != canceled {
			c.fault("CancelTask %s: expected the Task in %s, or error -32002, got %s", j.id, canceled, r)
			return
		}
		c.see(j, tk, sp.until(r.span))
	}
}

// excused reports whether a status says that the server gave no answer.
func excused(tk task) bool {
	texts := tk.Status.Message.texts()
	return len(texts) > 0 && slices.Contains(excuses, texts[len(texts)-1])
}
