// The command ponte is for people: it builds the two processes, runs them
// side by side, shows or records what crosses each of their borders, and measures
// them under load.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() { os.Exit(principal(construirComGo)) }

// sinais end the command in order: Ctrl-C, a supervisor's request, a terminal
// that was closed, and a reader of our output that left (ponte demo | head).
var sinais = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}

// principal runs the command and returns its exit code. Signals after the
// first change nothing: stopping is bounded.
func principal(construir construtor) int {
	ctx, stop := signal.NotifyContext(context.Background(), sinais...)
	defer stop()
	return executar(ctx, ambiente{os.Getenv, os.Stdout, os.Stderr, construir}, os.Args[1:])
}

// ambiente is everything that a subcommand takes from outside.
type ambiente struct {
	getenv         func(string) string
	stdout, stderr io.Writer
	construir      construtor
}

// construtor builds the two processes into dir.
type construtor func(ctx context.Context, dir string) (binarios, error)

// subcomando is one word of the command line after ponte.
type subcomando struct {
	nome, resumo string
	run          func(ctx context.Context, amb ambiente, args []string) error
}

// subcomandos is the whole command. A new one is a line here and a function.
var subcomandos = []subcomando{
	{"subir", "sobe os dois processos e os encerra com Ctrl-C", subir},
	{"demo", "conta a historia inteira sobre os dois processos, conferindo cada passo", demo},
	{"validar", "roda o validador contra dois processos recem-iniciados", validar},
	{"carga", "mede o agente e o servidor MCP sob carga: ritmo, tempos, CPU e memoria", carga},
	{"gravar", "grava os exemplos de request e response dos dois protocolos", gravar},
	{"segredo", "imprime um segredo novo para REQUEST_STATE_SECRET", segredo},
}

// internos are not for people: the command starts them itself.
var internos = []subcomando{
	{nomePisoAgente, "", pisoAgente},
	{nomePisoServidor, "", pisoServidor},
}

// executar finds the subcommand and runs it. 0: it did what was asked, or help
// was; 1: anything else, with one line on stderr that says what.
func executar(ctx context.Context, amb ambiente, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(amb.stderr, uso())
		return 1
	}
	switch args[0] {
	case "ajuda", "help", "-h", "-help", "--help":
		fmt.Fprint(amb.stdout, uso())
		return 0
	}
	for _, s := range slices.Concat(subcomandos, internos) {
		if s.nome != args[0] {
			continue
		}
		err := s.run(ctx, amb, args[1:])
		if err == nil || errors.Is(err, flag.ErrHelp) {
			return 0
		}
		fmt.Fprintf(amb.stderr, "ponte: %v\n", err)
		return 1
	}
	fmt.Fprintf(amb.stderr, "ponte: subcomando desconhecido %q\n\n%s", args[0], uso())
	return 1
}

// uso is the help text: one line for each subcommand.
func uso() string {
	var b strings.Builder
	b.WriteString("uso: ponte <subcomando> [opcoes]\n\n")
	for _, s := range subcomandos {
		fmt.Fprintf(&b, "  %-8s %s\n", s.nome, s.resumo)
	}
	b.WriteString("  ajuda    mostra este texto; -h depois de um subcomando mostra as opcoes dele\n")
	return b.String()
}
