package main

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestUso(t *testing.T) {
	tests := []struct {
		nome       string
		args       []string
		codigo     int
		stdout     string
		stderr     string
		semStderr  bool
		semStdout  bool
		listaTodos bool
	}{
		{nome: "nothing", codigo: 1, stderr: "uso: ponte <subcomando>", semStdout: true, listaTodos: true},
		{nome: "unknown", args: []string{"descer"}, codigo: 1, stderr: `subcomando desconhecido "descer"`, semStdout: true, listaTodos: true},
		{nome: "-h", args: []string{"-h"}, stdout: "uso: ponte <subcomando>", semStderr: true, listaTodos: true},
		{nome: "--help", args: []string{"--help"}, stdout: "uso: ponte <subcomando>", semStderr: true},
		{nome: "ajuda", args: []string{"ajuda"}, stdout: "uso: ponte <subcomando>", semStderr: true, listaTodos: true},
		{nome: "help of a subcommand", args: []string{"subir", "-h"}, stdout: "--addr-mcp", semStderr: true},
		{nome: "help of gravar", args: []string{"gravar", "--help"}, stdout: "--pasta", semStderr: true},
		{nome: "unknown option", args: []string{"subir", "--porta", "1"}, codigo: 1, stderr: "opcao desconhecida --porta", semStdout: true},
		{nome: "option without value", args: []string{"gravar", "--pasta"}, codigo: 1, stderr: "falta o valor de --pasta", semStdout: true},
		{nome: "argument too many", args: []string{"demo", "agora"}, codigo: 1, stderr: `argumento inesperado "agora"`, semStdout: true},
		{nome: "segredo takes none", args: []string{"segredo", "32"}, codigo: 1, stderr: `argumento inesperado "32"`, semStdout: true},
	}
	for _, tt := range tests {
		t.Run(tt.nome, func(t *testing.T) {
			codigo, stdout, stderr := comando(t, nil, tt.args...)
			if codigo != tt.codigo {
				t.Errorf("exit code %d, want %d", codigo, tt.codigo)
			}
			if !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("stdout %q should contain %q, stderr %q should contain %q", stdout, tt.stdout, stderr, tt.stderr)
			}
			if tt.semStdout && stdout != "" || tt.semStderr && stderr != "" {
				t.Errorf("stdout %q (want none: %v), stderr %q (want none: %v)", stdout, tt.semStdout, stderr, tt.semStderr)
			}
			for _, s := range subcomandos {
				linha := "\n  " + s.nome + " "
				if tt.listaTodos && strings.Count(stdout+stderr, linha) != 1 {
					t.Errorf("%q should stand on one line of:\n%s", s.nome, stdout+stderr)
				}
			}
		})
	}
}

func TestSegredo(t *testing.T) {
	vistos := map[string]bool{}
	for range 3 {
		codigo, stdout, stderr := comando(t, nil, "segredo")
		segredo, inteira := strings.CutSuffix(stdout, "\n")
		raw, err := hex.DecodeString(segredo)
		if codigo != 0 || stderr != "" || !inteira || err != nil || len(raw) != 32 {
			t.Fatalf("exit code %d, stdout %q, stderr %q: want 32 bytes in hexadecimal and nothing else", codigo, stdout, stderr)
		}
		if vistos[segredo] {
			t.Fatalf("the same secret twice")
		}
		vistos[segredo] = true
	}
}

// TestVariaveis keeps the isolated environment complete: every variable that
// the help of a process names must be neutralised.
func TestVariaveis(t *testing.T) {
	for nome, bin := range construidos(t) {
		ajuda := ajudaDe(t, bin)
		nomes := regexp.MustCompile(`\(ou ([A-Z_]+)\)`).FindAllStringSubmatch(ajuda, -1)
		if len(nomes) == 0 {
			t.Errorf("the help of %s names no variable:\n%s", nome, ajuda)
		}
		for _, n := range nomes {
			if !slices.Contains(variaveis, n[1]) {
				t.Errorf("%s reads %s, which variaveis does not list", nome, n[1])
			}
		}
	}
}
