package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// validator is the conformance client's package, run once by the evaluator.
const validator = "validador"

// binaries are the paths of what TestMain has built, by package name.
var binaries map[string]string

// configures reports whether an environment variable configures a process.
// Those of whoever runs the tests must not reach the processes under test.
func configures(name string) bool {
	switch name {
	case "DADOS", "PERFIL", "TAREFAS", "TAREFAS_CHAVE":
		return true
	}
	return strings.HasPrefix(name, "AGENTE_") || strings.HasPrefix(name, "MCP_") || strings.HasPrefix(name, "REQUEST_STATE_")
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); configures(name) {
			_ = os.Unsetenv(name) // fails only for names that cannot be
		}
	}
	// The tests wait for other processes more than they compute. A -parallel on
	// the command line is read later and wins.
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "ponte-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var args []string
	if raceEnabled {
		args = append(args, "-race")
		// A process under the detector sleeps a second before it exits.
		_ = os.Setenv("GORACE", "atexit_sleep_ms=20")
	}
	if binaries, err = dupla.Construir(ctx, dir, []string{dupla.Servidor, dupla.Agente, validator}, args...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
