// Package dupla builds the two processes and runs them as what they are:
// separate processes of the operating system that meet over HTTP. The command
// for people and the end-to-end tests start them through it.
package dupla

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Module is this repository's module path; Servidor and Agente are its two
// processes' package paths below it.
const (
	Module   = "hillvalley.example/ponte"
	Servidor = "servidor-mcp"
	Agente   = "agente"
)

// prazoPartida bounds how long a process may take to say where it listens.
const prazoPartida = 10 * time.Second

// Construir builds the named packages of this module (such as [Servidor]) into
// dir and returns the binaries' paths by name. Extra arguments go to go build,
// -race for example. The go command is taken from the PATH.
func Construir(ctx context.Context, dir string, pacotes []string, args ...string) (map[string]string, error) {
	binarios := make(map[string]string, len(pacotes))
	for _, p := range pacotes {
		out := filepath.Join(dir, p)
		if runtime.GOOS == "windows" {
			out += ".exe"
		}
		build := append(append([]string{"build"}, args...), "-o", out, Module+"/"+p)
		cmd := exec.CommandContext(ctx, "go", build...)
		if msg, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(build, " "), err, msg)
		}
		binarios[p] = out
	}
	return binarios, nil
}

// Processo is one running process.
type Processo struct {
	// URL is the address that it printed, without a slash at the end:
	// "http://127.0.0.1:7301/mcp" for the server, "http://127.0.0.1:7300" for
	// the agent.
	URL string

	cmd    *exec.Cmd
	exited chan struct{}
	err    error
}

// Iniciar starts a binary and waits until it listens. env is added to this
// process's environment, later entries winning; what the process writes to its
// stderr goes to stderr. A process that ends before it listens is an error
// that holds its last line.
func Iniciar(ctx context.Context, binario string, args, env []string, stderr io.Writer) (*Processo, error) {
	cmd := exec.Command(binario, args...)
	cmd.Env = append(os.Environ(), env...)
	separar(cmd) // a Ctrl-C goes to whoever started us, who passes it on once
	last := &ultimaLinha{w: stderr}
	cmd.Stderr = last
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Processo{cmd: cmd, exited: make(chan struct{})}
	listening := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), " ouvindo em "); ok {
				select {
				case listening <- url:
				default:
				}
			}
		}
		_, _ = io.Copy(io.Discard, stdout) // a line too long for the scanner
		p.err = cmd.Wait()
		close(p.exited)
	}()

	bound, cancel := context.WithTimeout(ctx, prazoPartida)
	defer cancel()
	select {
	case p.URL = <-listening:
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("%s terminou antes de atender: %s", filepath.Base(binario), last.texto())
	case <-bound.Done():
		p.Matar()
		return nil, fmt.Errorf("%s nao disse onde atende: %w", filepath.Base(binario), bound.Err())
	}
}

// PID is the operating system's id of the process.
func (p *Processo) PID() int { return p.cmd.Process.Pid }

// Terminou is closed when the process has ended.
func (p *Processo) Terminou() <-chan struct{} { return p.exited }

// Parar asks the process to end (SIGTERM) and waits, killing it after limite.
// The error is that of an unclean end.
func (p *Processo) Parar(limite time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.exited:
		return p.err
	case <-time.After(limite):
		p.Matar()
		return fmt.Errorf("nao terminou em %s e foi morto", limite)
	}
}

// Matar ends the process at once (SIGKILL) and waits until it is gone.
func (p *Processo) Matar() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// ultimaLinha passes everything on and remembers the last whole line.
type ultimaLinha struct {
	mu      sync.Mutex
	w       io.Writer
	partial []byte
	last    []byte
}

func (u *ultimaLinha) Write(b []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.partial = append(u.partial, b...)
	if end := bytes.LastIndexByte(u.partial, '\n'); end >= 0 {
		lines := u.partial[:end]
		u.last = bytes.Clone(lines[bytes.LastIndexByte(lines, '\n')+1:])
		u.partial = append(u.partial[:0], u.partial[end+1:]...)
	}
	return u.w.Write(b)
}

func (u *ultimaLinha) texto() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return string(u.last)
}
