package main

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"time"
)

func TestOpcoesPadrao(t *testing.T) {
	t.Parallel()
	op, err := lerOpcoes(nil)
	esperada := opcoes{"http://localhost:7300", "http://localhost:7301", "/a2a", "/mcp", 15 * time.Second}
	if err != nil || op != esperada {
		t.Errorf("lerOpcoes() = %+v, %v; esperado %+v", op, err, esperada)
	}
	op, err = lerOpcoes([]string{"-agente=https://x.example/salas/", "--mcp", "http://[::1]:9", "--espera=2s"})
	if err != nil || op.agente != "https://x.example/salas" || op.mcp != "http://[::1]:9" || op.espera != 2*time.Second {
		t.Errorf("lerOpcoes = %+v, %v", op, err)
	}
}

// TestOpcoesInvalidas: one line on stderr that names what is wrong, nothing on
// stdout, exit code 1.
func TestOpcoesInvalidas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   string
		motivo string
	}{
		{"--agente localhost:7300", `--agente "localhost:7300": use uma URL http ou https`},
		{"--agente http://", "--agente"},
		{"--agente ftp://localhost", "--agente"},
		{"--mcp http://localhost:99999", "--mcp"},
		{"--mcp http://localhost:abc", "--mcp"},
		{"--mcp http://localhost:7301?a=1", "--mcp"},
		{"--mcp http://u:s@localhost", "--mcp"},
		{"--mcp http://\x01", "--mcp"},
		{"--caminho-mcp mcp", `--caminho-mcp "mcp": use um caminho que comece com /`},
		{"--caminho-a2a //x.example/a2a", "--caminho-a2a"},
		{"--caminho-a2a /a2a?x", "--caminho-a2a"},
		{"--caminho-a2a /%zz", "--caminho-a2a"},
		{"--espera 0", "--espera"},
		{"--espera -1s", "--espera -1s: use uma duracao maior que zero"},
		{"--espera abc", `valor invalido "abc" em --espera`},
		{"--mpc http://localhost", "opcao desconhecida --mpc"},
		{"--mcp", "falta o valor de --mcp"},
		{"sobra", `argumento inesperado "sobra"`},
		{"---x", "opcoes invalidas"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), strings.Split(c.args, " "), &stdout, &stderr)
		saida := stderr.String()
		if code != 1 || stdout.Len() > 0 || strings.Count(saida, "\n") != 1 || !strings.Contains(saida, c.motivo) {
			t.Errorf("%q: codigo %d, stdout %q, stderr %q; esperada uma linha com %q", c.args, code, stdout.String(), saida, c.motivo)
		}
	}
}

func TestAjuda(t *testing.T) {
	t.Parallel()
	for _, f := range []string{"-h", "--help"} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{f}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%s: codigo %d, stderr %q", f, code, stderr.String())
		}
		definir(new(opcoes)).VisitAll(func(f *flag.Flag) {
			if n := strings.Count(stdout.String(), "--"+f.Name+" "); n != 1 {
				t.Errorf("a ajuda explica --%s em %d linhas", f.Name, n)
			}
		})
	}
}
