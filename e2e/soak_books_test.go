package e2e

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// balance checks that what the clients were told, what the agent keeps and
// what is in the server's agenda are one and the same.
func (s *soak) balance() {
	s.t.Helper()
	last := s.lives.now()
	jobs := slices.Clone(s.house.jobs)
	for _, c := range s.clients {
		jobs = append(jobs, c.jobs...)
	}
	for _, j := range jobs {
		if !terminal(j.state) {
			s.fault("Task %s: expected it to have ended by now, it is %s %q", j.id, j.state, j.texts)
		}
	}
	s.kept(jobs)
	perLife := map[int][]entryOfAgenda{}
	for _, j := range jobs {
		if j.state == completed && j.life != unsure {
			perLife[j.life] = append(perLife[j.life], j.entry())
		}
	}
	for life, entries := range perLife {
		s.noneTwice(entries, "the artifacts of life", life)
	}
	s.agenda(jobs, last)
}

// kept compares the Tasks that the agent has with those that its clients saw.
// It forgets those that ended first, and no others.
func (s *soak) kept(jobs []*job) {
	s.t.Helper()
	listed := map[string]bool{}
	filter := object{"pageSize": 100, "historyLength": 0}
	total := 0
	for token := "x"; token != ""; {
		var got page
		if err := s.a2a.call(s.t, "ListTasks", filter).result(&got); err != nil || got.Next == nil {
			s.t.Fatalf("ListTasks: expected a page, got %v", err)
		}
		for _, tk := range got.Tasks {
			listed[tk.ID] = true
		}
		token, total = *got.Next, got.Total
		filter["pageToken"] = token
	}
	if want := min(len(jobs), soakKept); len(listed) != want || total != want {
		s.fault("expected the agent to list %d of the %d Tasks that were made, got %d and totalSize %d", want, len(jobs), len(listed), total)
	}

	// Each Task that is there, as its client last saw it.
	var oldest time.Time
	for _, j := range jobs {
		if listed[j.id] && (oldest.IsZero() || j.changed.Before(oldest)) {
			oldest = j.changed
		}
	}
	s.everyClient(func(c *client) {
		forgotten := 0
		for _, j := range c.jobs {
			if listed[j.id] {
				tk, sp, ok := c.read(j)
				if !ok {
					continue
				}
				artifact := ""
				if j.state == completed {
					whole, _ := json.Marshal(j.ticket) // strings only: cannot fail
					artifact = string(whole)
				}
				c.see(j, tk, sp)
				if tk.artifact() != artifact {
					c.fault("Task %s: expected the artifact %q that its client got, got %+v", j.id, artifact, tk.Artifacts)
				}
				continue
			}
			// Two Tasks that end at once may be kept in the other order.
			if j.changed.After(oldest.Add(2 * time.Second)) {
				c.fault("Task %s, which ended as %s at %s: expected it to be kept longer than one that ended at %s", j.id, j.state, j.changed, oldest)
			}
			if forgotten++; forgotten <= 3 {
				if r := c.request("GetTask", object{"id": j.id}); r.ok && !r.is(-32001) {
					c.fault("GetTask %s: expected error -32001 for a Task that is not listed, got %s", j.id, r)
				}
			}
		}
	})
}

// entryOfAgenda is a reservation, by whichever side it is told.
type entryOfAgenda struct {
	ID          string `json:"id"`
	Inicio      string `json:"inicio"`
	Fim         string `json:"fim"`
	Responsavel string `json:"responsavel"`
	sala        string
}

func (j *job) entry() entryOfAgenda {
	r := j.ticket
	return entryOfAgenda{ID: r.Reserva, Inicio: r.Inicio, Fim: r.Fim, Responsavel: r.Responsavel, sala: r.Sala}
}

// noneTwice checks that no id, and no room in an interval, was given twice.
// Instants are all written alike, so that they compare as text.
func (s *soak) noneTwice(entries []entryOfAgenda, where string, life int) {
	byID := map[string]entryOfAgenda{}
	byRoom := map[string][]entryOfAgenda{}
	for _, e := range entries {
		if other, twice := byID[e.ID]; twice {
			s.fault("%s %d: expected each id once, got %+v and %+v", where, life, other, e)
		}
		byID[e.ID] = e
		byRoom[e.sala] = append(byRoom[e.sala], e)
	}
	for _, es := range byRoom {
		slices.SortFunc(es, func(a, b entryOfAgenda) int { return strings.Compare(a.Inicio, b.Inicio) })
		for i := 1; i < len(es); i++ {
			if es[i].Inicio < es[i-1].Fim {
				s.fault("%s %d: expected no room to be booked twice at a time, got %+v and %+v", where, life, es[i-1], es[i])
			}
		}
	}
}

// agenda compares the reservations of the server's last life with the Tasks.
//
// A reservation without a COMPLETED Task is no mistake when nobody could tell
// the agent whether it was made: when its caller canceled the Task while the
// call was under way, or when the call had no answer in time. It then belongs
// to a Task that its client knows to be in doubt. A kill leaves none behind:
// what was booked unseen died with the agenda that it was in. There cannot be
// more of them than calls that were given up in this life.
func (s *soak) agenda(jobs []*job, last int) {
	byName := map[string]*job{}
	for _, j := range jobs {
		byName[j.responsavel] = j
	}
	entries := s.askAgenda()
	s.noneTwice(slices.Collect(maps.Values(entries)), "the agenda of life", last)

	embedded, sure, straddling, inDoubt := 0, 0, 0, 0
	owner := map[string]bool{}
	for _, e := range entries {
		if e.ID == "res-0001" || e.ID == "res-0002" {
			embedded++
			continue
		}
		j := byName[e.Responsavel]
		switch {
		case j == nil || owner[e.Responsavel]:
			s.fault("expected the reservation %+v to belong to one Task, which has no other", e)
		case j.state == completed && j.entry() == e && j.life == last:
			sure++
		case j.state == completed && j.entry() == e && j.life == unsure:
			straddling++ // its call met a restart, and reached the new life
		case j.doubt && j.doubtIn == 2*last && j.state != completed:
			inDoubt++
		default:
			s.fault("expected the reservation %+v to be that of a COMPLETED Task, got Task %s: %s %q, life %d of %d, %+v", e, j.id, j.state, j.texts, j.life, last, j.ticket)
		}
		owner[e.Responsavel] = true
	}
	if embedded != 2 {
		s.fault("expected the two embedded reservations in the agenda, got %d", embedded)
	}
	for _, j := range jobs {
		if j.state == completed && j.life == last && entries[j.ticket.Reserva] != j.entry() {
			s.fault("Task %s, COMPLETED in the last life: expected its reservation %+v in the agenda, got %+v", j.id, j.entry(), entries[j.ticket.Reserva])
		}
	}
	givenUp := 0
	for _, j := range jobs {
		if j.doubt && j.doubtIn == 2*last {
			givenUp++
		}
	}
	if inDoubt > givenUp {
		s.fault("expected at most %d reservations of Tasks in doubt, got %d", givenUp, inDoubt)
	}
	s.inAgenda = [5]int{len(entries) - embedded, sure, straddling, inDoubt, givenUp}
}

// askAgenda reads the whole agenda by the tool that tells conflicts: each room,
// each day, the hours of use in pieces of the longest duration.
func (s *soak) askAgenda() map[string]entryOfAgenda {
	var mu sync.Mutex
	found := map[string]entryOfAgenda{}
	note := func(e entryOfAgenda) {
		mu.Lock()
		defer mu.Unlock()
		if other, seen := found[e.ID]; seen && other != e { // it may reach into two pieces
			s.fault("expected each id once in the agenda, got %+v and %+v", other, e)
		}
		found[e.ID] = e
	}
	days := append(slices.Clone(busyDays), quietDays...)
	s.everyClient(func(c *client) {
		for i := c.n; i < len(days)*len(soakRooms); i += soakClients + 1 {
			room := soakRooms[i%len(soakRooms)]
			for _, piece := range [][2]string{{"08:00", "10:00"}, {"10:00", "12:00"}, {"12:00", "14:00"}, {"14:00", "16:00"}, {"16:00", "18:00"}, {"18:00", "20:00"}} {
				es, err := s.conflicts(booking{sala: room}.at(days[i/len(soakRooms)], piece[0], piece[1]))
				if err != nil {
					s.fault("consultar_disponibilidade: %v", err)
				}
				for _, e := range es {
					note(e)
				}
			}
		}
	})
	return found
}

// conflicts are the reservations of a room in an interval.
func (s *soak) conflicts(b booking) ([]entryOfAgenda, error) {
	args := b.args()
	delete(args, "responsavel")
	const tool = "consultar_disponibilidade"
	a, err := s.mcp.call(s.ctx, "tools/call", tool, object{"name": tool, "arguments": args}, withForm)
	if err != nil {
		return nil, err
	}
	var r toolResult
	if err := a.result(&r); err != nil {
		return nil, err
	}
	var told struct {
		Livre     bool            `json:"livre"`
		Conflitos []entryOfAgenda `json:"conflitos"`
	}
	if err := json.Unmarshal(r.Structured, &told); err != nil {
		return nil, err
	}
	for i := range told.Conflitos {
		told.Conflitos[i].sala = b.sala
	}
	return told.Conflitos, nil
}
