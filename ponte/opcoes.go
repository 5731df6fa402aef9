package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// lerOpcoes parses the options of one subcommand, which takes no other
// arguments. Errors are one line that names the option; after printing the
// help that was asked for it is [flag.ErrHelp].
func lerOpcoes(fs *flag.FlagSet, args []string, stdout io.Writer) error {
	fs.SetOutput(io.Discard) // package flag speaks English, and twice
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "uso: ponte %s [opcoes]\n\n", fs.Name())
		fs.VisitAll(func(f *flag.Flag) {
			fmt.Fprintf(stdout, "  --%-12s %s", f.Name, f.Usage)
			if f.DefValue != "" {
				fmt.Fprintf(stdout, " (padrao %s)", f.DefValue)
			}
			fmt.Fprintln(stdout)
		})
		return err
	case err != nil:
		return fmt.Errorf("%s: %s (veja ponte %s -h)", fs.Name(), emPortugues(err), fs.Name())
	case fs.NArg() > 0:
		return fmt.Errorf("%s: argumento inesperado %q (veja ponte %s -h)", fs.Name(), fs.Arg(0), fs.Name())
	}
	return nil
}

// emPortugues turns the errors of package flag that a user can cause here;
// others come out as they are.
func emPortugues(err error) string {
	texto := err.Error()
	if nome, ok := strings.CutPrefix(texto, "flag provided but not defined: -"); ok {
		return "opcao desconhecida --" + nome
	}
	if nome, ok := strings.CutPrefix(texto, "flag needs an argument: -"); ok {
		return "falta o valor de --" + nome
	}
	return texto
}
