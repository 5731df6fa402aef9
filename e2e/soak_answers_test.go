package e2e

import (
	"slices"
	"time"
)

// answering is one way to go on with a pause. It is a share of all of them.
type answering struct {
	weight int
	do     func(*client, *job)
}

var (
	plainAnswers = []answering{{1, (*client).choose}, {1, (*client).refuse}}
	allAnswers   = []answering{
		{34, (*client).choose},
		{14, (*client).refuse},
		{10, (*client).chooseOutside},
		{12, (*client).chooseTwo},
		{10, (*client).chooseTwice},
		{6, func(c *client, j *job) { c.cancel(j, span{}) }},
		{6, (*client).chooseAndCancel},
		{8, nil}, // leave it paused
	}
)

const (
	// leftPaused is how many pauses a client keeps. All clients' together stay
	// well below what the agent keeps.
	leftPaused = 2
	// tries bounds the answers to one pause. While the server is down, each
	// waits a moment before the next.
	tries = 400
)

// resolve answers a pause until the Task ends, or leaves it.
func (c *client) resolve(j *job, ways []answering) {
	total := 0
	for _, w := range ways {
		total += w.weight
	}
	for range tries {
		if j.state != inputRequired {
			if j.state == failed && slices.Contains(excuses, j.texts[0]) {
				c.think(20*time.Millisecond, 100*time.Millisecond) // the server is down
			}
			return
		}
		if c.ctx.Err() != nil {
			break
		}
		n := c.rnd.IntN(total)
		for _, w := range ways {
			if n -= w.weight; n >= 0 {
				continue
			}
			if w.do != nil {
				w.do(c, j)
			} else if len(c.left) < leftPaused {
				c.left = append(c.left, j)
				return
			}
			break
		}
		if j.state == inputRequired && len(j.texts) > 1 {
			c.think(20*time.Millisecond, 100*time.Millisecond)
		}
	}
	c.fault("Task %s: expected an end after %d answers to its pause, it is %s %q", j.id, tries, j.state, j.texts)
}

// answer sends an answer to a pause and notes how the Task stands after it.
func (c *client) answer(j *job, text string) {
	r := c.request("SendMessage", say(j.id, text))
	if tk, ok := c.taskIn(r, text); ok {
		c.see(j, tk, r.span)
	}
}

func (c *client) choose(j *job) {
	room := pick(c.rnd, j.offers)
	j.rooms = []string{room}
	c.answer(j, "escolha="+room)
}

func (c *client) refuse(j *job) {
	j.declined = true
	c.answer(j, "escolha=recusar")
}

// chooseOutside answers what is no answer: the pause stands.
func (c *client) chooseOutside(j *job) {
	offers := j.offers
	text := pick(c.rnd, []string{"escolha=sala-lua", "escolha=" + j.sala, "escolha=", "escolha=SALA-FUSCA", "sala-fusca", "talvez", ""})
	c.answer(j, text)
	if j.state != inputRequired || !slices.Equal(j.offers, offers) || len(j.texts) != 1 {
		c.fault("Task %s: expected %q to keep the pause with %q, got %s %q", j.id, text, offers, j.state, j.texts)
	}
	c.choose(j)
}

// chooseTwo sends two choices at once: those that find the Task claimed, or
// ended by the other, are refused and change nothing.
func (c *client) chooseTwo(j *job) {
	j.rooms = []string{pick(c.rnd, j.offers), pick(c.rnd, j.offers)}
	replies, _ := together(2, func(i int) (reply, error) {
		return c.request("SendMessage", say(j.id, "escolha="+j.rooms[i])), nil
	})
	refused := 0
	for _, r := range replies {
		if r.is(-32004) {
			refused++
		}
	}
	if refused == 2 {
		c.fault("Task %s: expected one of two choices to be taken, both were refused", j.id)
	}
	c.seeOneOf(j, replies)
}

// chooseTwice sends one message twice at once, and again afterwards: it is
// carried out once, and always answered with the Task.
func (c *client) chooseTwice(j *job) {
	room := pick(c.rnd, j.offers)
	j.rooms = []string{room}
	params := say(j.id, "escolha="+room)
	replies, _ := together(2, func(int) (reply, error) { return c.request("SendMessage", params), nil })
	for _, r := range replies {
		if r.ok && r.Error != nil {
			c.fault("Task %s: expected a message that comes twice to be answered with the Task, got %s", j.id, r)
		}
	}
	c.seeOneOf(j, replies)
	before := j.state
	r := c.request("SendMessage", params)
	if tk, ok := c.taskIn(r, "the same message a third time"); ok {
		c.see(j, tk, r.span)
		if j.state != before {
			c.fault("Task %s: expected the message that came again to change nothing, it was %s and is %s", j.id, before, j.state)
		}
	}
}

// seeOneOf notes how a Task stands after exchanges at once. Their answers show
// it at different moments; the end, when one of them has it, is what counts.
func (c *client) seeOneOf(j *job, replies []reply) {
	var sp span
	var last *task
	for i, r := range replies {
		if i == 0 || r.from < sp.from {
			sp.from, sp.age = r.from, r.age
		}
		sp.to = max(sp.to, r.to)
		if !r.ok || r.is(-32004) {
			continue
		}
		if tk, ok := c.taskIn(r, "an answer to a pause"); ok {
			if excused(tk) {
				j.unseen(r.span)
			}
			if terminal(tk.Status.State) {
				last = &tk
			}
		}
	}
	if last != nil {
		c.see(j, *last, sp)
		return
	}
	c.wait(j, sp)
}

// chooseAndCancel cancels the Task while its answer is under way.
func (c *client) chooseAndCancel(j *job) {
	room := pick(c.rnd, j.offers)
	j.rooms = []string{room}
	params := say(j.id, "escolha="+room)
	params["configuration"] = object{"returnImmediately": true}
	r := c.request("SendMessage", params)
	if _, ok := c.taskIn(r, "a choice that does not wait"); ok {
		c.cancel(j, r.span)
	}
}
