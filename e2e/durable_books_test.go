package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// slot is one booking in the server's agenda.
type slot struct {
	ID          string `json:"id"`
	Inicio      string `json:"inicio"`
	Fim         string `json:"fim"`
	Responsavel string `json:"responsavel"`
	sala        string
}

// agenda reads from the server what is booked on the days that the crowd uses.
func (w *crowd) agenda(mcp *mcpClient) []slot {
	w.t.Helper()
	begin, _ := time.Parse(time.RFC3339, firstCell)
	var asked []object
	for day := range w.cells/perDay + 1 {
		for hour := 0; hour < perDay; hour += 2 { // as much as one question may cover
			for _, room := range []string{"sala-aquario", "sala-porao", "sala-garagem", "sala-fusca", "sala-mirante"} {
				from := begin.AddDate(0, 0, day).Add(time.Duration(hour) * time.Hour)
				asked = append(asked, object{"sala": room, "inicio": from.Format(time.RFC3339), "fim": from.Add(2 * time.Hour).Format(time.RFC3339)})
			}
		}
	}
	var slots []slot
	known := map[string]slot{}
	for _, args := range asked {
		r := toolResultOf(w.t, mcp.tool(w.t, "consultar_disponibilidade", args, nil))
		var found struct {
			Conflitos []slot `json:"conflitos"`
		}
		if err := json.Unmarshal(r.Structured, &found); err != nil || r.IsError {
			w.t.Fatalf("consultar_disponibilidade %v: expected structuredContent, got %s: %v", args, r.Structured, err)
		}
		for _, s := range found.Conflitos {
			s.sala = args["sala"].(string)
			if old, again := known[s.ID]; !again {
				known[s.ID] = s
				slots = append(slots, s)
			} else if old != s { // one may reach into the next two hours
				w.t.Errorf("expected booking ids to be unique, got %+v and %+v", old, s)
			}
		}
	}
	return slots
}

// balance holds the Tasks against the server's agenda, when all are done.
func (w *crowd) balance(mcp *mcpClient) {
	w.t.Helper()
	bySala, byName := map[string][]slot{}, map[string][]slot{}
	for _, s := range w.agenda(mcp) {
		bySala[s.sala] = append(bySala[s.sala], s)
		byName[s.Responsavel] = append(byName[s.Responsavel], s)
	}
	for sala, slots := range bySala {
		slices.SortFunc(slots, func(a, b slot) int { return instant(a.Inicio).Compare(instant(b.Inicio)) })
		for i := range slots[1:] {
			if a, b := slots[i], slots[i+1]; instant(b.Inicio).Before(instant(a.Fim)) {
				w.t.Errorf("expected no two bookings of %s at once, got %+v and %+v", sala, a, b)
			}
		}
	}
	var ids []string
	owners := map[string]string{} // of bookings, by their id
	for _, c := range w.callers {
		for _, e := range c.errands {
			slots := byName[e.responsavel]
			delete(byName, e.responsavel)
			if e.id != "" {
				ids = append(ids, e.id)
			}
			if err := e.audit(slots); err != nil {
				w.t.Errorf("Task %s, %s: %v; booked: %+v; it is %s %q after %q", e.id, e.text, err, slots, e.last.Status.State, e.last.Status.Message.texts(), e.last.said())
			}
			if other := owners[e.reserva]; e.reserva != "" && other != "" {
				w.t.Errorf("expected no booking twice, got %s from %s and %s", e.reserva, other, e.id)
			}
			owners[e.reserva] = e.id
		}
	}
	for name, slots := range byName {
		w.t.Errorf("expected every booking to be asked for by a Task, got %+v for %s", slots, name)
	}
	w.counted(ids)
}

// audit compares how a Task ended with what the server has booked for it.
func (e *errand) audit(slots []slot) error {
	mayBook := e.last.Status.State == failed && e.shaken && slices.Contains([]string{cutCall, spent, tooSlow}, e.last.Status.Message.texts()[0])
	switch {
	case len(slots) > 1:
		return fmt.Errorf("expected at most one booking")
	case !e.settled():
		return fmt.Errorf("expected a Task that has ended")
	case e.last.Status.State == completed:
		if len(slots) != 1 || slots[0].ID != e.reserva || slots[0].Inicio != e.inicio || slots[0].Fim != e.fim {
			return fmt.Errorf("expected the booking %s", e.reserva)
		}
	case len(slots) > 0 && !mayBook:
		return fmt.Errorf("expected no booking")
	case e.held != "" && (len(slots) != 1 || slots[0].ID != e.held):
		return fmt.Errorf("expected the booking %s, which the server had made", e.held)
	}
	return nil
}

// counted checks at every agent that each of the Tasks is found as it was last
// seen, and that all of them are listed, each once, and no others.
func (w *crowd) counted(ids []string) {
	w.t.Helper()
	w.each(func(e *errand) bool { return e.id != "" }, func(c *caller, e *errand) {
		if tk, ok := c.get(e); ok && !reflect.DeepEqual(tk, e.last) {
			w.t.Errorf("Task %s: expected it as it was last seen, %+v, got %+v", e.id, e.last, tk)
		}
	})
	slices.Sort(ids)
	for _, d := range w.doors {
		var found []string
		for token, more := "", true; more; more = token != "" {
			params := object{"pageSize": 100}
			if token != "" {
				params["pageToken"] = token
			}
			var got page
			if err := d.call(w.t, "ListTasks", params).result(&got); err != nil {
				w.t.Fatalf("ListTasks: %v", err)
			}
			for _, tk := range got.Tasks {
				found = append(found, tk.ID)
			}
			token = *got.Next
		}
		slices.Sort(found)
		if !slices.Equal(found, ids) {
			w.t.Errorf("expected the list to hold the %d Tasks that callers know, each once, got %d", len(ids), len(found))
		}
	}
}

func instant(s string) time.Time {
	at, _ := time.Parse(time.RFC3339, s) // of an interval that both sides know
	return at
}
