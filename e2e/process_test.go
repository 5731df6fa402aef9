package e2e

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// patience bounds every wait for something that is expected to happen.
const patience = 10 * time.Second

// eventually polls until cond holds. what says what is expected.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("expected within %s: %s", patience, what)
		}
	}
}

// process is one of the two processes, started for a test and stopped with it.
type process struct {
	*dupla.Processo
	name      string
	args, env []string
	// log is what it wrote to its stderr, over all restarts.
	log *logbook
	// gone is set when the test itself has ended the process.
	gone bool
}

// start runs a process until the test ends. It must then stop in an orderly
// way, and its log must be free of panics and data races.
func start(t testing.TB, name string, args []string, env ...string) *process {
	t.Helper()
	p := &process{name: name, args: args, env: env, log: &logbook{}}
	var err error
	if p.Processo, err = dupla.Iniciar(t.Context(), binaries[name], args, env, p.log); err != nil {
		t.Fatalf("expected %s %s to start: %v", name, strings.Join(args, " "), err)
	}
	t.Cleanup(func() {
		if !p.gone {
			if err := p.Parar(patience); err != nil {
				t.Errorf("%s: expected an orderly end after SIGTERM, got: %v", name, err)
			}
		}
		p.log.inspect(t, name)
	})
	return p
}

// secret makes a value for REQUEST_STATE_SECRET.
func secret() string { return rand.Text() + rand.Text() }

// startServer runs an MCP server on a free port.
func startServer(t testing.TB, env ...string) *process {
	t.Helper()
	return start(t, dupla.Servidor, []string{"-addr", "localhost:0"}, append([]string{"REQUEST_STATE_SECRET=" + secret()}, env...)...)
}

// startAgent runs an agent on a free port in front of the MCP server at url.
func startAgent(t testing.TB, url string, args ...string) *process {
	t.Helper()
	return start(t, dupla.Agente, append([]string{"-addr", "localhost:0", "-mcp", url}, args...))
}

// pair is both processes, with a client for each border.
type pair struct {
	server, agent *process
	mcp           *mcpClient
	a2a           *a2aClient
}

// startPair runs both processes.
func startPair(t testing.TB) *pair {
	t.Helper()
	s := startServer(t)
	a := startAgent(t, s.URL)
	return &pair{server: s, agent: a, mcp: &mcpClient{url: s.URL}, a2a: &a2aClient{base: a.URL}}
}

// written returns when the log has what the process said of the requests before:
// it writes its lines together, in their order. The request that this takes is not
// among those of [logbook.requests].
func (p *process) written(t testing.TB) {
	t.Helper()
	id, url := barrier+rand.Text(), p.URL
	if p.name == dupla.Agente {
		url += "/a2a"
	}
	res, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":"`+id+`","method":"barrier"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	eventually(t, "a request in the log of "+p.name, func() bool { return len(p.log.matching(id)) > 0 })
}

// barrier begins the ids of the requests of [process.written].
const barrier = "barrier-"

// kill ends the process with SIGKILL.
func (p *process) kill() {
	p.Matar()
	p.gone = true
}

// restart runs a killed process again: same port, same configuration, which
// includes the secret.
func (p *process) restart(t testing.TB) {
	t.Helper()
	args := append(slices.Clone(p.args), "-addr", "localhost:"+port(t, p.URL))
	var err error
	eventually(t, p.name+" to start again on the port that it had", func() bool {
		var again *dupla.Processo
		if again, err = dupla.Iniciar(t.Context(), binaries[p.name], args, p.env, p.log); err != nil {
			// Somebody else's connection may hold the port for a moment.
			if !strings.Contains(err.Error(), "em uso") {
				t.Fatalf("expected %s to start again: %v", p.name, err)
			}
			return false
		}
		p.Processo, p.gone = again, false
		return true
	})
}

// signal sends a signal and does not wait.
func (p *process) signal(t testing.TB, sig os.Signal) {
	t.Helper()
	osp, err := os.FindProcess(p.PID())
	if err == nil {
		err = osp.Signal(sig)
	}
	if err != nil {
		t.Fatalf("signal %v to %s: %v", sig, p.name, err)
	}
}

// running reports whether the process has not ended.
func (p *process) running() bool {
	select {
	case <-p.Terminou():
		return false
	default:
		return true
	}
}

// refusing reports whether nobody accepts connections at the process's port.
func (p *process) refusing(t testing.TB) bool {
	c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", port(t, p.URL)), time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err != nil
}

// port is the port number in a URL.
func port(t testing.TB, s string) string {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}
