package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// TestMain builds the two processes at most once, and lets this test binary
// stand in for another when it is started under its name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case dupla.Agente:
		agenteFalso()
		return
	case "ponte":
		os.Exit(principal(func(context.Context, string) (binarios, error) {
			dir := os.Getenv("PONTE_BINARIOS")
			return binarios{dupla.Servidor: filepath.Join(dir, dupla.Servidor), dupla.Agente: filepath.Join(dir, dupla.Agente)}, nil
		}))
	}
	codigo := m.Run()
	if pasta := pastaDosBinarios; pasta != "" {
		_ = os.RemoveAll(pasta)
	}
	os.Exit(codigo)
}

var (
	pastaDosBinarios string
	construirUmaVez  = sync.OnceValues(func() (binarios, error) {
		dir, err := os.MkdirTemp("", "ponte-teste-")
		if err != nil {
			return nil, err
		}
		pastaDosBinarios = dir
		return construirComGo(context.Background(), dir)
	})
)

// comoProcesso returns a path under which this test binary is another program.
func comoProcesso(t *testing.T, nome string) string {
	t.Helper()
	eu, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outro := filepath.Join(t.TempDir(), nome)
	if err := os.Symlink(eu, outro); err != nil {
		t.Skip(err)
	}
	return outro
}

// construidos returns the two real binaries.
func construidos(t *testing.T) binarios {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and starts the two processes")
	}
	bins, err := construirUmaVez()
	if err != nil {
		t.Fatal(err)
	}
	return bins
}

// parDeTeste starts the two real processes and stops them after the test.
func parDeTeste(t *testing.T) *par {
	t.Helper()
	servidor, agente := &diario{}, &diario{}
	d, err := iniciarPar(t.Context(), construidos(t), plano{
		argsServidor:  portaLivre,
		argsAgente:    portaLivre,
		env:           isolado(novoSegredo()),
		saidaServidor: servidor.saida(),
		saidaAgente:   agente.saida(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.parar(); err != nil {
			t.Errorf("stopping the pair: %v", err)
		}
		if t.Failed() {
			t.Logf("servidor-mcp:\n%s", strings.Join(servidor.ultimas(40), "\n"))
			t.Logf("agente:\n%s", strings.Join(agente.ultimas(40), "\n"))
		}
	})
	return d
}

// execucao is one run of the command inside the test.
type execucao struct {
	stdout, stderr lento
	codigo         chan int
	cancelar       context.CancelFunc
}

// iniciarComando runs the command in the background, with binaries that are
// built already.
func iniciarComando(t *testing.T, bins binarios, args ...string) *execucao {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	e := &execucao{codigo: make(chan int, 1), cancelar: cancel}
	amb := ambiente{
		getenv:    func(string) string { return "" },
		stdout:    &e.stdout,
		stderr:    &e.stderr,
		construir: func(context.Context, string) (binarios, error) { return bins, nil },
	}
	go func() { e.codigo <- executar(ctx, amb, args) }()
	t.Cleanup(cancel)
	return e
}

// fim waits for the exit code.
func (e *execucao) fim(t *testing.T) int {
	t.Helper()
	select {
	case c := <-e.codigo:
		return c
	case <-time.After(60 * time.Second):
		t.Fatalf("the command did not end\nstdout:\n%s\nstderr:\n%s", e.stdout.String(), e.stderr.String())
		return -1
	}
}

// comando runs the command to its end.
func comando(t *testing.T, bins binarios, args ...string) (codigo int, stdout, stderr string) {
	t.Helper()
	e := iniciarComando(t, bins, args...)
	codigo = e.fim(t)
	return codigo, e.stdout.String(), e.stderr.String()
}

// lento is a buffer that may be read while it is written.
type lento struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lento) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lento) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// esperarTexto waits until the buffer contains s.
func (l *lento) esperarTexto(t *testing.T, s string) {
	t.Helper()
	for fim := time.Now().Add(20 * time.Second); time.Now().Before(fim); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(l.String(), s) {
			return
		}
	}
	t.Fatalf("%q did not appear in:\n%s", s, l.String())
}
