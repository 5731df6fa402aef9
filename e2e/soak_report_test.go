package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// logs looks for what must not be in them, beside the panics and races that
// every test looks for: answers 5xx, errors of the processes' own, and a
// requestState in the agent's.
func (s *soak) logs() {
	s.t.Helper()
	for _, p := range []*process{s.server, s.agent} {
		for _, line := range p.log.lines() {
			e := parseEntry(line)
			if strings.HasPrefix(e["status"], "5") || strings.HasPrefix(e["outcome"], "error -32603") || e["level"] == "ERROR" {
				s.fault("%s: expected no internal error and no HTTP status 5xx in the log, got: %s", p.name, line)
			}
			if p == s.agent && sealed([]byte(line)) != nil {
				s.fault("agent: expected no requestState in the log, got: %s", line)
			}
		}
	}
}

// report says what the test has done.
func (s *soak) report() {
	s.t.Helper()
	tally := map[string]int{}
	completedUnsure, cut, lost, calm := 0, 0, 0, 0
	for _, c := range append(slices.Clone(s.clients), s.house) {
		cut, lost, calm = cut+c.cut, lost+c.lost, calm+c.calm
		for _, j := range c.jobs {
			outcome := strings.TrimPrefix(j.state, "TASK_STATE_")
			switch {
			case j.state == completed && j.life == unsure:
				completedUnsure++
			case j.state == failed && j.refusal != "" && j.texts[0] == j.refusal:
				outcome += " (rule broken)"
			case j.state == failed || j.state == canceled:
				outcome += " (" + j.texts[0] + ")"
			}
			tally[outcome]++
		}
	}
	var b strings.Builder
	for _, outcome := range slices.Sorted(maps.Keys(tally)) {
		fmt.Fprintf(&b, "\n  %6d %s", tally[outcome], outcome)
	}
	seconds := s.loaded.Seconds()
	s.t.Logf("%d Tasks and %d exchanges in %.0f s of load (%.0f and %.0f a second), %d kills:%s",
		s.created(), s.exchanges.Load(), seconds, float64(s.created())/seconds, float64(s.exchanges.Load())/seconds, s.kills, b.String())
	s.t.Logf("exchanges in flight at a kill or a return of the server: %d; COMPLETED ones among them, left out of the books: %d; answers that the server did not give: %d (%d of them right after its return); Tasks canceled during a call: %d",
		s.lives.exposed, completedUnsure, lost, calm, cut)
	s.t.Logf("last agenda: %d reservations beside the embedded ones, %d of COMPLETED Tasks, %d of such that met the restart, %d of Tasks that ended without knowing, at most the %d whose call was given up in that life",
		s.inAgenda[0], s.inAgenda[1], s.inAgenda[2], s.inAgenda[3], s.inAgenda[4])
}
