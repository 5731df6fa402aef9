package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"

	"hillvalley.example/ponte/internal/dupla"
)

// validar runs the validator, as the third process that it is, against a pair
// that was started for it. It fails when a check fails, and then shows what the
// two processes logged last.
func validar(ctx context.Context, amb ambiente, args []string) error {
	if err := lerOpcoes(flag.NewFlagSet("validar", flag.ContinueOnError), args, amb.stdout); err != nil {
		return err
	}
	servidor, agente := &diario{}, &diario{}
	return comBinarios(ctx, amb, func(bins binarios) error {
		validador, err := dupla.Construir(ctx, filepath.Dir(bins[dupla.Servidor]), []string{"validador"})
		if err != nil {
			return err
		}
		return comPar(ctx, bins, servidor, agente, func(d *par) error {
			mcp, err := url.Parse(d.urlMCP)
			if err != nil {
				return err
			}
			cmd := exec.CommandContext(ctx, validador["validador"], "--agente", d.urlAgente, "--mcp", mcp.Scheme+"://"+mcp.Host)
			cmd.Stdout, cmd.Stderr = amb.stdout, amb.stderr
			err = cmd.Run()
			var falhou *exec.ExitError
			if errors.As(err, &falhou) {
				t := novaTela(amb.stderr, amb.getenv)
				mostrarDiario(t, dupla.Servidor, servidor)
				mostrarDiario(t, dupla.Agente, agente)
				return fmt.Errorf("validar: o validador terminou com codigo %d", falhou.ExitCode())
			}
			return err
		})
	})
}
