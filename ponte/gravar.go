package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// gravar records the exchanges of the table exemplos from processes that it
// starts itself, and writes one file for each. Nothing is written unless every
// exchange went as the table says.
func gravar(ctx context.Context, amb ambiente, args []string) error {
	fs := flag.NewFlagSet("gravar", flag.ContinueOnError)
	pasta := fs.String("pasta", filepath.Join("exemplos", "wire"), "onde os arquivos ficam; os que ja existem sao substituidos")
	if err := lerOpcoes(fs, args, amb.stdout); err != nil {
		return err
	}
	var arquivos map[string][]byte
	err := comBinarios(ctx, amb, func(bins binarios) (err error) {
		arquivos, err = gravarTodos(ctx, bins)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*pasta, 0o755); err != nil {
		return err
	}
	for _, e := range exemplos {
		nome := filepath.Join(*pasta, e.arquivo)
		if err := os.WriteFile(nome, arquivos[e.arquivo], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(amb.stdout, nome)
	}
	return nil
}

// gravarTodos plays the table, each part of it against processes that have
// just started, and returns the files' contents by name.
func gravarTodos(ctx context.Context, bins binarios) (map[string][]byte, error) {
	arquivos := make(map[string][]byte, len(exemplos))
	m := &memoria{}
	for _, p := range []parteGravada{peloMCP, peloA2A} {
		servidor, agente := &diario{}, &diario{}
		err := comPar(ctx, bins, servidor, agente, func(d *par) error {
			for _, e := range daParte(p) {
				raw, err := gravarUm(ctx, d, e, m)
				if err != nil {
					return fmt.Errorf("%s: %w", e.arquivo, err)
				}
				arquivos[e.arquivo] = raw
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return arquivos, nil
}

// daParte are the examples that are recorded from one pair, in order.
func daParte(p parteGravada) []exemplo {
	return slices.DeleteFunc(slices.Clone(exemplos), func(e exemplo) bool { return e.parte != p })
}

// gravarUm plays one exchange and renders its file.
func gravarUm(ctx context.Context, d *par, e exemplo, m *memoria) ([]byte, error) {
	if e.antes != nil {
		if _, _, err := trocar(ctx, d, e.antes(m), e.esperaAntes, m); err != nil {
			return nil, fmt.Errorf("antes: %w", err)
		}
	}
	p := e.pedido(m)
	status, resposta, err := trocar(ctx, d, p, e.espera, m)
	if err != nil {
		return nil, err
	}
	return legivel(objeto{
		{"descricao", e.descricao},
		{"request", objeto{{"url", p.url}, {"metodo", p.metodo}, {"headers", p.headers}, {"body", p.body}}},
		{"response", objeto{{"httpStatus", status}, {"body", emOrdem(resposta)}}},
	})
}
