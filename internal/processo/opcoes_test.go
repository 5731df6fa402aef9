package processo

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"
)

func TestOpcoesPrecedencia(t *testing.T) {
	env := map[string]string{"A": "do-ambiente", "N": "5", "D": "6m", "L": "x, y,,"}
	ler := func(args ...string) (a string, n int, d time.Duration, l []string, err error) {
		o := NovasOpcoes("p", func(k string) string { return env[k] }, io.Discard)
		pa := o.Texto("a", "A", "padrao", "texto")
		pb := o.Texto("b", "B", "padrao", "texto")
		pn := o.Inteiro("n", "N", 1, 1, "numero")
		pd := o.Duracao("d", "D", time.Minute, time.Minute, time.Hour, "tempo")
		pl := o.Lista("l", "L", "lista")
		err = o.Ler(args)
		return *pa + "/" + *pb, *pn, *pd, *pl, err
	}
	a, n, d, l, err := ler()
	if err != nil || a != "do-ambiente/padrao" || n != 5 || d != 6*time.Minute || strings.Join(l, "|") != "x|y" {
		t.Errorf("environment over default: got %v %v %v %v %v", a, n, d, l, err)
	}
	a, n, d, l, err = ler("-a", "f", "--b=g", "-n", "9", "-d", "2m", "-l", "z")
	if err != nil || a != "f/g" || n != 9 || d != 2*time.Minute || strings.Join(l, "|") != "z" {
		t.Errorf("flag over environment: got %v %v %v %v %v", a, n, d, l, err)
	}
}

func TestOpcoesRuins(t *testing.T) {
	for _, c := range []struct {
		env  string
		args []string
		want []string
	}{
		{"", []string{"-n", "0"}, []string{"-n", `"0"`, "a partir de 1"}},
		{"", []string{"-n", "1x"}, []string{`"1x"`}},
		{"", []string{"-d", "2h"}, []string{"-d", `"2h"`, "1m0s a 1h0m0s"}},
		{"3h", nil, []string{"D", `"3h"`, "1m0s a 1h0m0s"}},
		{"", []string{"-zzz"}, []string{"zzz", "-h"}},
		{"", []string{"sobra"}, []string{`"sobra"`}},
	} {
		o := NovasOpcoes("p", func(k string) string { return map[string]string{"D": c.env}[k] }, io.Discard)
		o.Inteiro("n", "N", 1, 1, "numero")
		o.Duracao("d", "D", time.Minute, time.Minute, time.Hour, "tempo")
		err := o.Ler(c.args)
		if err == nil {
			t.Errorf("%v: want an error", c.args)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: want one line with %q, got %q", c.args, w, err)
			}
		}
	}
}

// A good flag beats a bad variable.
func TestOpcaoVenceAmbienteRuim(t *testing.T) {
	o := NovasOpcoes("p", func(string) string { return "ruim" }, io.Discard)
	n := o.Inteiro("n", "N", 1, 1, "numero")
	if err := o.Ler([]string{"-n", "7"}); err != nil || *n != 7 {
		t.Errorf("want 7, got %d, %v", *n, err)
	}
}

func TestOpcoesAjuda(t *testing.T) {
	var out strings.Builder
	o := NovasOpcoes("p", func(string) string { return "" }, &out)
	o.Texto("addr", "ADDR", "x", "onde escuta")
	if err := o.Ler([]string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("want ErrHelp, got %v", err)
	}
	if !strings.Contains(out.String(), "onde escuta (ou ADDR)") {
		t.Errorf("the help does not explain -addr: %q", out.String())
	}
}

func TestOpcoesDeLimites(t *testing.T) {
	o := NovasOpcoes("p", func(k string) string { return map[string]string{"X_MAX_CORPO": "10", "X_LEITURA": "5s"}[k] }, io.Discard)
	l := o.Limites("X_")
	if err := o.Ler([]string{"-max-em-curso", "3"}); err != nil {
		t.Fatal(err)
	}
	want := LimitesPadrao
	want.Corpo, want.Leitura, want.EmCurso = 10, 5*time.Second, 3
	if *l != want {
		t.Errorf("want %+v, got %+v", want, *l)
	}
}
