package processo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// Run is a whole process as a function: everything that it takes from outside
// comes in as an argument, so that a test can run it.
type Run func(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error

// Principal runs a process and returns its exit code: 0 after an orderly end
// (or -h), 1 after an error, which is printed as one line. The first SIGINT or
// SIGTERM cancels the context; a second one ends the process at once.
func Principal(nome string, run Run) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // from here on a signal has its default effect again
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", nome, err)
	return 1
}

// NovoLog returns the process's logger: text lines on w, times in UTC. Values
// are quoted where needed, so that no input can forge a line.
func NovoLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				a.Value = slog.TimeValue(a.Value.Time().UTC())
			}
			return a
		},
	}))
}
