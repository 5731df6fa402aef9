package processo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// Run is a whole process as a function: everything that it takes from outside
// comes in as an argument, so that a test can run it.
type Run func(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error

// Principal runs a process and returns its exit code: 0 after an orderly end
// (or -h), 1 after an error, which is printed as one line. The first SIGINT or
// SIGTERM cancels the context; a second one ends the process within [despedida],
// and [paradaMaxima] is the end in any case.
// What run writes to stderr goes through a [Saida], and is written at the end as far
// as that can be done within [despedida]; a crash or SIGKILL loses what waits.
func Principal(nome string, run Run) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	AjustarColetor(os.Getenv)
	stderr := NovaSaida(os.Stderr)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		select {
		case <-signals:
			despedir(stderr)
			os.Exit(1)
		case <-time.After(paradaMaxima):
			// Something is stuck for good: who reads stderr, as a rule.
			os.Exit(0)
		}
	}()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, stderr)
	defer despedir(stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(stderr, "%s: %s\n", nome, umaLinha(err.Error()))
	return 1
}

// paradaMaxima is how long an orderly end may take, with what comes after
// [Drenagem]: closing a database, the last lines.
const paradaMaxima = Drenagem + 3*time.Second

// despedida is how long the last lines of a process may take to be written.
const despedida = 500 * time.Millisecond

// despedir writes what waits. A process whose stderr nobody reads ends all the
// same.
func despedir(s *Saida) {
	escrito := make(chan struct{})
	go func() { _ = s.Descarregar(); close(escrito) }()
	select {
	case <-escrito:
	case <-time.After(despedida):
	}
}

// umaLinha spells out control characters, so that a value inside a message
// cannot break the line.
func umaLinha(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
