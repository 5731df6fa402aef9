package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usage is what a process holds. Numbers that the system does not tell are -1.
type usage struct {
	// heap is what a forced collection has left, rss what the system counts.
	heap, rss  int64
	goroutines int
	files      int
}

func (u usage) String() string {
	return fmt.Sprintf("%s of heap, %s resident, %d goroutines, %d files", mib(u.heap), mib(u.rss), u.goroutines, u.files)
}

// resting is what both processes hold while nobody wants anything of them.
type resting struct {
	agent usage
	// server is that of a life that ends here, with the agent's connections
	// open and its reservations in memory.
	server usage
}

// rest lets the processes come to rest and measures them. The agent keeps its
// idle connections to the server for a while, which are not what is measured:
// the server is killed once more, and the agent left with the connection of one
// Task, as at the start.
func (s *soak) rest() resting {
	s.t.Helper()
	s.http.CloseIdleConnections()
	r := resting{server: s.usage(s.server)}
	s.strike(0)
	var j *job
	for range 5 { // its client judges a call that fails; see afterKill
		j = s.house.wish(quietDays)
		if _, ok := s.house.open(j, j.text(), false); ok && j.state == completed {
			break
		}
	}
	if j.state != completed {
		s.t.Fatalf("expected a free room after a restart, got %s %q", j.state, j.texts)
	}
	s.http.CloseIdleConnections()

	// What a process gives back is seen a moment later: the first time the
	// lowest of some counts is what holds, then it has to be reached again.
	limit := patience
	if s.idle == nil {
		limit = time.Second
	}
	least := s.count(s.agent)
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if s.idle != nil && least.goroutines <= s.idle.agent.goroutines && least.files <= s.idle.agent.files {
			break
		}
		least = least.least(s.count(s.agent))
	}
	r.agent = s.usage(s.agent).least(least)
	s.t.Logf("at rest: agent %s", r.agent)
	s.t.Logf("at rest: server %s", r.server)
	if s.idle == nil {
		s.idle = &r
	}
	return r
}

// count tells the numbers that are cheap to have.
func (s *soak) count(p *process) usage {
	s.t.Helper()
	u := usage{heap: -1, rss: -1, files: -1}
	u.goroutines = int(s.number(p, "goroutine?debug=1", "goroutine profile: total "))
	if files, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.PID()), "fd")); err == nil {
		u.files = len(files)
	}
	return u
}

// usage tells all.
func (s *soak) usage(p *process) usage {
	s.t.Helper()
	s.number(p, "heap?gc=1&debug=1", "# HeapAlloc = ") // the first collection leaves what pools hold
	heap := s.number(p, "heap?gc=1&debug=1", "# HeapAlloc = ")
	u := s.count(p)
	u.heap = heap
	if rss, ok := residentMemory(s.t, p.PID()); ok {
		u.rss = rss
	}
	return u
}

// least is u with the lower counts of both.
func (u usage) least(other usage) usage {
	u.goroutines, u.files = min(u.goroutines, other.goroutines), min(u.files, other.files)
	return u
}

// number reads a figure of a profile: what follows a label, on its line.
func (s *soak) number(p *process, name, label string) int64 {
	s.t.Helper()
	a := mustExchange(s.t, "GET", s.profile[p]+"/debug/pprof/"+name, nil, nil)
	_, rest, _ := bytes.Cut(a.body, []byte(label))
	figure, _, _ := strings.Cut(string(rest), "\n")
	n, err := strconv.ParseInt(figure, 10, 64)
	if err != nil {
		s.t.Fatalf("%s: expected a figure after %q in the profile %s, got HTTP %d: %.200s", p.name, label, name, a.status, a.body)
	}
	return n
}

// compare holds what the processes have at the end against what they had. With
// growing, the agent kept fewer Tasks after the warm-up than it may.
func (s *soak) compare(warm, end resting, growing bool) {
	s.t.Helper()
	t, idle := s.t, s.idle
	const (
		files   = 3        // of slack: a connection that the system has not seen closed
		perConn = 40 << 10 // of heap: buffers, and what a request has left in them
	)
	if end.agent.goroutines > idle.agent.goroutines {
		t.Errorf("agent: expected no goroutine more at the end than the %d at the start, got %d", idle.agent.goroutines, end.agent.goroutines)
	}
	if end.agent.files > idle.agent.files+files {
		t.Errorf("agent: expected about the %d open files of the start, got %d", idle.agent.files, end.agent.files)
	}
	if limit := warm.agent.heap * 12 / 10; end.agent.heap > limit && !growing {
		t.Errorf("agent: expected at most 20 %% more heap than the %s after the warm-up, got %s", mib(warm.agent.heap), mib(end.agent.heap))
	}
	// The server's lives are short and begin empty; what its last one has grown
	// by are the agent's connections, a goroutine and a file each, and the
	// reservations.
	conns := end.server.files - idle.server.files
	if end.server.files < 0 {
		return
	}
	if more := end.server.goroutines - idle.server.goroutines; more > max(conns, 0)+files {
		t.Errorf("server: expected one goroutine for each connection, got %d more goroutines and %d more files than at the start", more, conns)
	}
	if limit := idle.server.heap*12/10 + int64(max(conns, 0)*perConn) + 2<<20; end.server.heap > limit {
		t.Errorf("server: expected at most %s of heap with %d connections more than at the start, when it was %s, got %s", mib(limit), conns, mib(idle.server.heap), mib(end.server.heap))
	}
}
