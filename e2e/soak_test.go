package e2e

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// soakTime is the -soak flag of the test binary:
//
//	go test ./e2e -run TestSoak -soak 60s
var soakTime = flag.Duration("soak", 0, "how long TestSoak loads the two processes; 0 skips it")

const (
	soakClients = 64
	// soakKept is how many Tasks the agent may keep. It is small so that the
	// warm-up reaches it: what the agent keeps is as much before as after.
	soakKept = 600
	// soakWait is the agent's -espera, soakMargin what a busy machine may add
	// to it before a Task counts as stuck.
	soakWait   = 10 * time.Second
	soakMargin = 5 * time.Second
	// soakBooks is how long the test may take beyond its load.
	soakBooks = 40 * time.Second
)

// TestSoak loads both processes with many clients at once and kills the MCP
// server under them, again and again. Then the kills end, what is in flight is
// let finish, and the books are balanced: see soak_books_test.go for the Tasks
// and the agenda, soak_memory_test.go for what the processes hold.
func TestSoak(t *testing.T) {
	if *soakTime <= 0 {
		t.Skip("sem -soak")
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), *soakTime+soakBooks)
	defer cancel()
	s := startSoak(ctx, t)
	s.rest()

	warmUp := *soakTime / 3
	s.load(warmUp)
	s.settle()
	growing := s.created() < soakKept
	if growing {
		t.Logf("the warm-up made %d of the %d Tasks that the agent keeps: its heap is not compared", s.created(), soakKept)
	}
	warm := s.rest()

	s.load(*soakTime - warmUp)
	s.settle()
	s.balance()
	end := s.rest()

	s.logs()
	s.report()
	s.compare(warm, end, growing)
	if took := time.Since(begin); took > *soakTime+soakBooks {
		t.Errorf("expected the test to end within %s of its load, it took %s", soakBooks, took-*soakTime)
	}
	if n := s.faults.Load(); n > soakFaults {
		t.Errorf("%d more broken promises are not shown", n-soakFaults)
	}
}

// soak is the state of the test. What is not guarded belongs to the test's own
// goroutine.
type soak struct {
	*pair
	t       *testing.T
	ctx     context.Context
	http    *http.Client
	profile map[*process]string // base URLs of the profiles
	lives   lives
	clients []*client
	// house is a client for what the test itself asks for.
	house *client

	// idle is what the processes held before any load.
	idle *resting

	kills     int
	exchanges atomic.Int64
	faults    atomic.Int64
	loaded    time.Duration
	// inAgenda counts the reservations of the last life: all, then by their
	// Tasks, and at last the calls that were given up in it.
	inAgenda [5]int
}

func startSoak(ctx context.Context, t *testing.T) *soak {
	t.Helper()
	profiles := []string{freeAddress(t), freeAddress(t)}
	server := start(t, dupla.Servidor, []string{"-addr", "localhost:0", "-pprof", profiles[0]}, "REQUEST_STATE_SECRET="+secret())
	agent := startAgent(t, server.URL, "-pprof", profiles[1], "-espera", soakWait.String(), "-limite", fmt.Sprint(soakKept), "-max-memoria", "4")
	s := &soak{
		pair: &pair{server: server, agent: agent, mcp: &mcpClient{url: server.URL}, a2a: &a2aClient{base: agent.URL}},
		t:    t, ctx: ctx,
		// Unlike the other tests' connections, these are used again.
		http:    &http.Client{Timeout: soakWait + 2*soakMargin, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * soakClients}},
		profile: map[*process]string{server: "http://" + profiles[0], agent: "http://" + profiles[1]},
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s.house = &client{soak: s, n: soakClients, rnd: rand.New(rand.NewPCG(seed, soakClients))}
	for n := range soakClients {
		s.clients = append(s.clients, &client{soak: s, n: n, rnd: rand.New(rand.NewPCG(seed, uint64(n)))})
	}
	t.Cleanup(s.http.CloseIdleConnections)
	return s
}

// freeAddress is a loopback address on which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// soakFaults is how many broken promises are shown; one cause may have many.
const soakFaults = 25

// fault reports a broken promise. The test goes on.
func (s *soak) fault(format string, args ...any) {
	if s.faults.Add(1) <= soakFaults {
		s.t.Errorf(format, args...)
	}
}

// load lets the clients loose for a time and kills the server every few
// seconds. The last life is left alone until the end.
func (s *soak) load(d time.Duration) {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(s.ctx, d)
	var wg sync.WaitGroup
	s.t.Cleanup(wg.Wait) // a test that gave up waits for its clients, too
	defer cancel()
	for _, c := range s.clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				c.step()
				c.think(time.Millisecond, 10*time.Millisecond)
			}
		})
	}
	for {
		next := 2*time.Second + rand.N(3*time.Second)
		if time.Since(begin)+next+2*time.Second > d {
			break
		}
		time.Sleep(next)
		s.strike(rand.N(300 * time.Millisecond))
	}
	wg.Wait()
	s.loaded += time.Since(begin)
}

// strike kills the server, whatever it is doing, and starts it again.
func (s *soak) strike(down time.Duration) {
	s.t.Helper()
	s.lives.turn()
	s.server.kill()
	time.Sleep(down)
	s.server.restart(s.t)
	s.lives.turn()
	s.kills++
}

// created counts the Tasks so far.
func (s *soak) created() int {
	n := len(s.house.jobs)
	for _, c := range s.clients {
		n += len(c.jobs)
	}
	return n
}

// everyClient runs f for all clients at once.
func (s *soak) everyClient(f func(*client)) {
	var wg sync.WaitGroup
	for _, c := range append(s.clients, s.house) {
		wg.Go(func() { f(c) })
	}
	wg.Wait()
}

// settle answers every pause that the clients have left open. It runs without
// kills: whatever happened to a pause before, it takes an answer now.
func (s *soak) settle() {
	s.everyClient(func(c *client) {
		for _, j := range c.left {
			c.resolve(j, plainAnswers)
		}
		c.left = nil
	})
}

// lives counts the lives of the MCP server, and the exchanges in flight
// whenever one begins or ends.
type lives struct {
	mu sync.Mutex
	// epoch is even while the server runs, in life epoch/2, and odd from just
	// before it is killed until it listens again.
	epoch    int
	since    time.Time
	inFlight int
	// exposed sums up the exchanges that were in flight at a turn.
	exposed int
}

func (l *lives) turn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++
	l.since = time.Now()
	l.exposed += l.inFlight
}

// enter begins an exchange.
func (l *lives) enter() span {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight++
	return span{from: l.epoch, to: l.epoch, age: time.Since(l.since)}
}

// leave ends it.
func (l *lives) leave(sp *span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	sp.to = l.epoch
}

// now is the life that the server is in. It runs.
func (l *lives) now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.epoch / 2
}

// span says in which epochs an exchange began and ended.
type span struct {
	from, to int
	// age is how old the epoch was when the exchange began.
	age time.Duration
}

// unsure stands for the life of what met a kill: it may have reached the life
// before it or the one after it.
const unsure = -1

// life is the one life of the server that the exchange can have reached, or
// unsure.
func (sp span) life() int {
	if sp.from != sp.to || sp.from%2 != 0 {
		return unsure
	}
	return sp.from / 2
}

// until joins a span with that of a later exchange about the same work.
func (sp span) until(later span) span {
	sp.to = later.to
	return sp
}
