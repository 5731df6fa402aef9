// Command validador is the conformance client of the project: it talks to the
// two processes over HTTP, as any stranger would, and prints one PASS or FAIL
// line for each of the 36 checks of the contract.
//
// It shares no code with either process and uses no SDK on purpose. A check
// written with the code it checks would repeat its mistakes.
//
// The checks are one table (verificacoes.go); around it stand a small MCP
// client (mcp.go), a small A2A client (a2a.go) and the report (relato.go).
// Whatever the servers answer is hostile input: sizes and times are bounded,
// and nothing of it is printed without being escaped.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: 0 when every check passed (or help was asked for),
// 1 otherwise. Only main exits, so that tests can call run.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	op, err := lerOpcoes(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, ajuda())
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "validador: %s\n", umaLinha(err.Error()))
		return 1
	}
	e := novaExecucao(op)
	rel := &relato{w: stdout}
	rel.abrir(e.rastro)
	executar(ctx, e, verificacoes, rel)
	if !rel.fechar() {
		return 1
	}
	return 0
}
