package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

func TestRelato(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	r := &relato{w: &b}
	r.abrir("0af7651916cd43dd8448eb211c80319c")
	r.linha(verificacao{numero: 1, texto: "primeira"}, nil)
	r.linha(verificacao{numero: 20, texto: "segunda"}, errors.New("porque\nnao"))
	if r.fechar() {
		t.Error("fechar aprovou uma execucao com FAIL")
	}
	esperado := `trace-id desta execucao: 0af7651916cd43dd8448eb211c80319c
PASS 01 primeira
FAIL 20 segunda: porque\nnao
resumo: 1 passaram, 1 falharam, de 2 verificacoes
`
	if b.String() != esperado {
		t.Errorf("veio:\n%s\nesperado:\n%s", b.String(), esperado)
	}
	if (&relato{w: &b}).fechar() {
		t.Error("fechar aprovou uma execucao sem verificacoes")
	}
}

func TestUmaLinha(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ s, esperado string }{
		{"simples", "simples"},
		{"a\nb\r\tc", `a\nb\r\tc`},
		{"\x1b[31m\x00\x7f", `\u001b[31m\u0000\u007f`},
		{"Sala n\u00e3o \u2028\u202e", `Sala n\u00e3o \u2028\u202e`},
		{"\xff\xfe", `\xff\xfe`},
		{strings.Repeat("a", 1000), strings.Repeat("a", limiteMotivo-3) + "..."},
		{strings.Repeat("\n", 1000), strings.Repeat(`\n`, (limiteMotivo-3)/2) + "..."},
	} {
		if got := umaLinha(c.s); got != c.esperado {
			t.Errorf("umaLinha(%.40q) = %q, esperado %q", c.s, got, c.esperado)
		}
	}
}

// TestOrdemDoRelato: a check that runs last is still reported in its place.
func TestOrdemDoRelato(t *testing.T) {
	t.Parallel()
	var ordem []int
	passo := func(n int) func() { return func() { ordem = append(ordem, n) } }
	var b bytes.Buffer
	rel := &relato{w: &b}
	tabela := []verificacao{linhaDeTeste(1, passo(1)), linhaDeTeste(2, passo(2)), linhaDeTeste(3, passo(3))}
	tabela[1].porUltimo = true
	executar(t.Context(), novaExecucao(opcoes{espera: 1}), tabela, rel)
	if b.String() != "PASS 01 x\nPASS 02 x\nPASS 03 x\n" || ordem[2] != 2 {
		t.Errorf("executadas %v, relato:\n%s", ordem, b.String())
	}
}

// TestPanicoViraFalha: a mistake of ours costs one check.
func TestPanicoViraFalha(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	rel := &relato{w: &b}
	executar(t.Context(), novaExecucao(opcoes{espera: 1}), []verificacao{
		linhaDeTeste(1, func() { panic("ai") }), linhaDeTeste(2, func() {}),
	}, rel)
	if b.String() != "FAIL 01 x: defeito do validador: ai\nPASS 02 x\n" {
		t.Errorf("relato:\n%s", b.String())
	}
}

func linhaDeTeste(n int, f func()) verificacao {
	return verificacao{numero: n, texto: "x", conferir: func(context.Context, *execucao) error {
		f()
		return nil
	}}
}
