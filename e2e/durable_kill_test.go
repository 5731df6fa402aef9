package e2e

import (
	"flag"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// Flags of the test binary:
//
//	go test ./e2e -run TestMatarOAgente -v -mortes 300 -semente 7
var (
	mortes  = flag.Int("mortes", 12, "how often TestMatarOAgente kills the agent")
	semente = flag.Uint64("semente", 0, "seed of TestMatarOAgente; 0 takes a random one")
)

// afterRestart is how long after its start an agent may need to settle what was
// interrupted.
const afterRestart = 2 * time.Second

// TestMatarOAgente kills the agent again and again, at all points of a Task's
// life, under several callers, and starts it on the same file and port. No Task
// is lost, none is stuck, nothing is booked twice.
func TestMatarOAgente(t *testing.T) {
	t.Parallel()
	seed := *semente
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-semente %d", seed)
	k := startKiller(t, seed)
	for n := range *mortes {
		// Every moment once, in random order, before any comes again.
		if n%len(moments) == 0 {
			k.rnd.Shuffle(len(k.order), func(i, j int) { k.order[i], k.order[j] = k.order[j], k.order[i] })
		}
		k.round(k.order[n%len(moments)])
		if t.Failed() {
			t.Fatalf("after kill %d of %d", n+1, *mortes)
		}
	}
	k.crowd.each((*errand).paused, (*caller).finish)
	k.crowd.balance(&mcpClient{url: k.server.URL})
	k.report()
}

// killer is the state of the test.
type killer struct {
	t             testing.TB
	rnd           *rand.Rand
	server, agent *process
	border        *border
	crowd         *crowd
	order         []moment

	tally map[string]*outcomes
	slow  time.Duration // the longest that a restart took
}

// outcomes counts what a kill met, and what became of it.
type outcomes struct{ kills, missed, doubts, backAtPause, firstFailed, notStored, unharmed int }

func startKiller(t testing.TB, seed uint64) *killer {
	k := &killer{t: t, rnd: rand.New(rand.NewPCG(seed, 1<<32)), server: startServer(t), tally: map[string]*outcomes{}}
	k.border = startBorder(t, k.server.URL)
	k.agent = startAgent(t, k.border.url, "-tarefas", "sqlite:"+filepath.Join(t.TempDir(), "tarefas.db"))
	k.crowd = newCrowd(t, seed, 6, k.agent.URL)
	k.order = append(k.order, moments...)
	return k
}

// round kills the agent at a moment, starts it again and looks at every Task
// that was open.
func (k *killer) round(m moment) {
	k.t.Helper()
	o := k.tally[m.name]
	if o == nil {
		o = &outcomes{}
		k.tally[m.name] = o
	}
	o.kills++
	door := k.crowd.doors[0]
	sleep := func(most time.Duration) { time.Sleep(time.Duration(k.rnd.Int64N(int64(most)))) }
	cold := m.method != "tools/call" // from the first request on
	var p *trap
	if cold {
		p = k.border.lay(m)
	}
	stop := make(chan struct{})
	wait := k.crowd.run(stop)
	if !cold {
		sleep(60 * time.Millisecond)
		p = k.border.lay(m)
	}
	switch {
	case m.method != "":
		if !p.wait(2 * time.Second) {
			o.missed++
		}
		sleep(2 * time.Millisecond)
		if m.told {
			sleep(6 * time.Millisecond)
		}
	case m.name == idle:
		sleep(60 * time.Millisecond)
		close(stop)
		wait()
	default:
		sleep(100 * time.Millisecond)
	}
	calls := p.calls()
	door.doomed.Store(true)
	k.agent.kill()
	k.border.release(p)
	if m.name != idle {
		close(stop)
	}
	wait()

	begin := time.Now()
	k.agent.restart(k.t)
	k.slow = max(k.slow, time.Since(begin))
	door.doomed.Store(false)
	door.shut.Store(false)
	k.crowd.wantNobodyWorking(door.a2aClient, time.Now().Add(afterRestart))

	var doubtful []*errand
	for _, c := range k.crowd.callers {
		for _, e := range c.errands {
			if e.doubt {
				doubtful = append(doubtful, e)
			}
		}
	}
	if m.name == idle && len(doubtful) > 0 {
		k.t.Errorf("expected an answer for everybody before the kill, got none for %d", len(doubtful))
	}
	// Whoever waited for nothing finds everything as it was; the others find out.
	k.crowd.each(func(e *errand) bool { return e.paused() }, func(c *caller, e *errand) {
		if tk, ok := c.get(e); ok && !reflect.DeepEqual(tk, e.last) {
			k.t.Errorf("Task %s: expected the pause as it was, %+v, got %+v", e.id, e.last, tk)
		}
	})
	k.crowd.each(func(e *errand) bool { return e.doubt }, (*caller).clarify)
	for _, call := range calls {
		if e := k.crowd.named(call.responsavel); e == nil {
			k.t.Errorf("expected calls only for the callers' Tasks, got one for %q", call.responsavel)
		} else {
			e.wantCut(k.crowd, call)
		}
	}
	o.doubts += len(doubtful)
	for _, e := range doubtful {
		texts := e.last.Status.Message.texts()
		switch {
		case e.void:
			o.notStored++
		case len(texts) == 2 && texts[1] == cutAnswer:
			o.backAtPause++
		case len(texts) == 1 && (texts[0] == cutCall || texts[0] == cutStart):
			o.firstFailed++
		default:
			o.unharmed++
		}
	}
}

// wantNobodyWorking waits until no Task is SUBMITTED or WORKING.
func (w *crowd) wantNobodyWorking(c *a2aClient, end time.Time) {
	w.t.Helper()
	for _, state := range []string{submitted, working} {
		for {
			var got page
			if err := c.call(w.t, "ListTasks", object{"status": state}).result(&got); err != nil {
				w.t.Fatalf("ListTasks: %v", err)
			}
			if got.Total == 0 {
				break
			}
			if time.Now().After(end) {
				w.t.Errorf("stuck: expected no Task in %s by now, got %d, such as %+v", state, got.Total, got.Tasks[0])
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// report says what the kills met.
func (k *killer) report() {
	for _, m := range moments {
		if o := k.tally[m.name]; o != nil {
			if o.kills >= 10 && 2*o.missed > o.kills { // fewer are chance on a busy machine
				k.t.Errorf("expected most kills to meet their moment, %q was met in %d of %d", m.name, o.kills-o.missed, o.kills)
			}
			k.t.Logf("%s: kills %d (moment not met %d), answers missing %d: back at the pause %d, first call FAILED %d, not stored %d, as if nothing had happened %d",
				m.name, o.kills, o.missed, o.doubts, o.backAtPause, o.firstFailed, o.notStored, o.unharmed)
		}
	}
	ends, acted, same, spentToo := map[string]int{}, 0, 0, 0
	for _, c := range k.crowd.callers {
		for _, e := range c.errands {
			ends[e.last.Status.State]++
			if e.held != "" && e.sent != nil {
				acted++
				if e.reserva == e.held {
					same++
				}
			}
			if texts := e.last.Status.Message.texts(); len(texts) == 1 && texts[0] == spent {
				spentToo++
			}
		}
	}
	k.t.Logf("Tasks by their end (\"\": never stored): %v; answers that the server had acted on when the agent died: %d, of which the same booking came back: %d (the others chose something else); FAILED because another answer had taken effect: %d; slowest restart %s",
		ends, acted, same, spentToo, k.slow.Round(time.Millisecond))
}
