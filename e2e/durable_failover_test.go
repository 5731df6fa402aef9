package e2e

import (
	"math/rand/v2"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/bancodeteste"
)

const (
	// shortWait is the agents' -espera where a claim is to end soon.
	shortWait = 2 * time.Second
	// takeover is how long after an agent's death its Tasks may be at work: the
	// claim lasts -espera and 10 s, and a sweep comes every 10 s.
	takeover = shortWait + 10*time.Second + 10*time.Second + 4*time.Second
)

// newClusterCrowd makes callers that go to any agent of a cluster.
func newClusterCrowd(t testing.TB, c *cluster) *crowd {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := newCrowd(t, seed, 6)
	for _, client := range c.clients {
		w.doors = append(w.doors, &door{a2aClient: client})
	}
	w.hasty = true
	return w
}

// underWay waits until the callers have come some way. How far depends on the
// machine.
func (w *crowd) underWay() {
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		w.mu.Lock()
		n := len(w.taken)
		w.mu.Unlock()
		if n >= 5 {
			return
		}
	}
}

// settle waits until nobody works, ends all doubts and all pauses, and balances
// the books.
func (w *crowd) settle(c *cluster, asked *a2aClient, calls []*caught, end time.Time) {
	w.t.Helper()
	begin := time.Now()
	w.wantNobodyWorking(asked, end)
	w.t.Logf("nobody at work after %s", time.Since(begin).Round(10*time.Millisecond))
	doubts := 0
	for _, caller := range w.callers {
		for _, e := range caller.errands {
			if e.doubt {
				doubts++
			}
		}
	}
	w.each(func(e *errand) bool { return e.doubt }, (*caller).clarify)
	for _, call := range calls {
		if e := w.named(call.responsavel); e != nil {
			e.wantCut(w, call)
		}
	}
	w.each((*errand).paused, (*caller).finish)
	w.balance(&mcpClient{url: c.server.URL})

	ends := map[string]int{}
	for _, caller := range w.callers {
		for _, e := range caller.errands {
			ends[e.last.Status.State]++
		}
	}
	w.t.Logf("answers missing: %d, calls at the server when their agent died: %d, Tasks by their end: %v", doubts, len(calls), ends)
}

// twoOfThreeKilled kills two agents, each in the middle of calls, under
// callers who then go to the third. It takes over when the claims end.
func twoOfThreeKilled(t *testing.T, pg *bancodeteste.Servidor) {
	c := startCluster(t, pg, "-espera", shortWait.String())
	w := newClusterCrowd(t, c)
	stop := make(chan struct{})
	wait := w.run(stop)
	w.underWay()
	var calls []*caught
	for i, m := range []moment{onItsWay, onItsWayBack} {
		p := c.borders[i].lay(m)
		if !p.wait(2 * time.Second) {
			t.Logf("agent %d: no call at its border when it was killed", i)
		}
		calls = append(calls, p.calls()...)
		w.doors[i].doomed.Store(true)
		c.agents[i].kill()
		c.borders[i].release(p)
	}
	killed := time.Now()
	time.Sleep(1500 * time.Millisecond)
	close(stop)
	wait()
	w.doors[0].shut.Store(true)
	w.doors[1].shut.Store(true)

	survivor := w.doors[2].a2aClient
	w.doors = w.doors[2:]
	w.settle(c, survivor, calls, killed.Add(takeover))
	if t.Failed() {
		return
	}
	// The dead come back and tell the same.
	for i := range 2 {
		c.agents[i].restart(t)
	}
	c.same(t, "ListTasks", object{"includeArtifacts": true, "historyLength": 50})
}

// TestPostgresRestarts kills the database under three agents and their callers:
// once for a moment, which nobody notices, and once for longer than an agent
// tries again. The agents get over it.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	pg := postgres(t)
	c := startCluster(t, pg, "-espera", shortWait.String())
	w := newClusterCrowd(t, c)
	stop := make(chan struct{})
	wait := w.run(stop)
	w.underWay()
	for _, down := range []time.Duration{300 * time.Millisecond, 6 * time.Second} {
		w.outage.Store(down > time.Second)
		pg.Derrubar()
		time.Sleep(down)
		if err := pg.Levantar(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
	}
	back := time.Now()
	close(stop)
	wait()
	w.outage.Store(false)
	w.settle(c, c.clients[0], nil, back.Add(takeover))
	for _, client := range c.clients { // each by itself
		wantTask(t, client.send(t, "oi"), rejected)
	}
}
