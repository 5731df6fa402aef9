package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// wantExit waits for the end of a signalled process and checks how it ended.
func wantExit(t *testing.T, p *process, within time.Duration) {
	t.Helper()
	select {
	case <-p.Terminou():
	case <-time.After(within):
		t.Fatalf("expected %s to end within %s of its signal", p.name, within)
	}
	p.gone = true
	if err := p.Parar(time.Second); err != nil {
		t.Errorf("expected %s to end with exit code 0, got: %v", p.name, err)
	}
}

// TestShutdownFinishesCalls: a signal stops the accepting; what is under way is
// answered, and then the process ends well.
func TestShutdownFinishesCalls(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run("agent, "+sig.String(), func(t *testing.T) {
			t.Parallel()
			h := startHeld(t)
			done := h.sending(t, say("", conflict.text()))
			h.agent.signal(t, sig)
			eventually(t, "the agent to accept no more connections", func() bool { return h.agent.refusing(t) })
			if !h.agent.running() {
				t.Fatal("expected the agent to wait for the call in flight, it has ended")
			}
			h.gate.open()
			end := <-done
			if end.err != nil {
				t.Fatalf("expected the call in flight to be answered, got: %v", end.err)
			}
			wantTask(t, end.task, inputRequired, line)
			wantExit(t, h.agent, 5*time.Second)
		})
		t.Run("agent with nobody waiting, "+sig.String(), func(t *testing.T) {
			t.Parallel()
			h := startHeld(t)
			params := say("", conflict.text())
			params["configuration"] = object{"returnImmediately": true}
			<-h.sending(t, params)
			h.agent.signal(t, sig)
			eventually(t, "the agent to accept no more connections", func() bool { return h.agent.refusing(t) })
			if !h.agent.running() {
				t.Fatal("expected the agent to finish the work in flight, it has ended")
			}
			h.gate.open()
			wantExit(t, h.agent, 5*time.Second)
			if n := len(h.agent.log.matching("state=" + inputRequired)); n != 1 {
				t.Errorf("expected the Task to have been brought to its pause before the end, the log tells of %d", n)
			}
		})
		t.Run("server, "+sig.String(), func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			call := halfACall(t, s)
			s.signal(t, sig)
			eventually(t, "the server to accept no more connections", func() bool { return s.refusing(t) })
			if !s.running() {
				t.Fatal("expected the server to wait for the call in flight, it has ended")
			}
			if status := call.finish(t); status != 200 {
				t.Errorf("expected the call in flight to be answered with HTTP 200, got HTTP %d", status)
			}
			wantExit(t, s, 5*time.Second)
		})
		t.Run("idle, "+sig.String(), func(t *testing.T) {
			t.Parallel()
			p := startPair(t)
			p.a2a.pause(t, conflict, line)
			// Connections that are kept open between calls keep nobody.
			keeping := &http.Client{Transport: &http.Transport{}}
			for _, url := range []string{p.agent.URL, p.server.URL} {
				res, err := keeping.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
			p.agent.signal(t, sig)
			wantExit(t, p.agent, 3*time.Second)
			p.server.signal(t, sig)
			wantExit(t, p.server, 3*time.Second)
		})
	}
}

// matching returns the lines that contain s.
func (l *logbook) matching(s string) []string {
	var found []string
	for _, line := range l.lines() {
		if strings.Contains(line, s) {
			found = append(found, line)
		}
	}
	return found
}

// call is a request of which half has been sent.
type call struct {
	conn net.Conn
	rest string
}

// halfACall begins a request at the server and returns once it has been taken.
func halfACall(t *testing.T, s *process) call {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{%q:%q,%q:{}}}}`, metaVersion, mcpRevision, metaCapabilities)
	var head strings.Builder
	fmt.Fprintf(&head, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nExpect: 100-continue\r\n", len(body))
	for name, value := range mcpHeader("tools/list", "") {
		fmt.Fprintf(&head, "%s: %s\r\n", name, value)
	}
	if _, err := conn.Write([]byte(head.String() + "\r\n")); err != nil {
		t.Fatal(err)
	}
	// The interim response says that the handler reads the body by now.
	buf := make([]byte, 64)
	n, err := conn.Read(buf)
	if err != nil || !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 100") {
		t.Fatalf("expected the server to ask for the body, got %q, %v", buf[:n], err)
	}
	return call{conn, body}
}

// finish sends the rest and returns the status of the answer.
func (c call) finish(t *testing.T) int {
	t.Helper()
	if _, err := c.conn.Write([]byte(c.rest)); err != nil {
		t.Fatalf("expected the server to read on, got: %v", err)
	}
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	res, err := http.ReadResponse(bufio.NewReader(c.conn), nil)
	if err != nil {
		t.Fatalf("expected an answer, got: %v", err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// TestSecondSignal ends the process at once, whatever is under way.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			h := startHeld(t)
			done := h.sending(t, say("", conflict.text()))
			h.agent.signal(t, sig)
			eventually(t, "the agent to accept no more connections", func() bool { return h.agent.refusing(t) })
			// The gate stays closed: only a signal can end the agent now, well
			// before the 5 s that it gives to calls in flight. Signals are sent
			// until then, because one that follows the first too closely may
			// still be taken for the same.
			begin := time.Now()
			eventually(t, "another signal to end the agent", func() bool {
				if osp, err := os.FindProcess(h.agent.PID()); err == nil {
					_ = osp.Signal(sig) // it may be gone
				}
				return !h.agent.running()
			})
			h.agent.gone = true
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("expected another signal to end the agent at once, it took %s", took)
			}
			if end := <-done; end.err == nil {
				t.Errorf("expected no answer from a process that was ended, got %s", end.task.Status.State)
			}
		})
	}
}

// TestShutdownWithoutAReader: a process whose stderr is a pipe that nobody reads is
// stuck in its log after a while, and one signal ends it all the same.
func TestShutdownWithoutAReader(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd := exec.Command(binaries[dupla.Servidor], "-addr", "localhost:0")
	cmd.Env, cmd.Stderr = append(os.Environ(), "REQUEST_STATE_SECRET="+secret()), w
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(stdout).ReadString('\n')
	url := strings.TrimSpace(first[strings.Index(first, "http"):])
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Timeout: time.Second}
	stuck := false
	for range 5000 { // a pipe holds some hundred lines
		res, err := client.Post(url, "application/json", strings.NewReader("{}"))
		if stuck = err != nil; stuck {
			break
		}
		_ = res.Body.Close()
	}
	if !stuck {
		t.Fatal("expected the server to wait for who reads its log")
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("expected exit code 0, got %v", err)
		}
	case <-time.After(3 * patience):
		_ = cmd.Process.Kill()
		t.Error("expected one signal to end the server")
	}
}

// TestShutdownIsBounded: a call that never ends keeps the process for 5 s and
// not longer, and its end is still an orderly one.
func TestShutdownIsBounded(t *testing.T) {
	t.Parallel()
	t.Run("agent", func(t *testing.T) {
		t.Parallel()
		h := startHeld(t, "-espera", "1m")
		h.sending(t, say("", conflict.text()))
		h.agent.signal(t, syscall.SIGTERM)
		wantExit(t, h.agent, 8*time.Second)
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		halfACall(t, s)
		s.signal(t, syscall.SIGTERM)
		wantExit(t, s, 8*time.Second)
	})
}
