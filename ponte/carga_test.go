package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCargaConta: with a number of cycles and no warm-up, what the agent got
// and what the command says agree, and no time is below what the agent takes.
func TestCargaConta(t *testing.T) {
	const ciclos, conexoes, demora = 60, 5, 10 * time.Millisecond
	lenta := map[int64]bool{}
	for i := range int64(12) { // a fifth of all
		lenta[5+i*10] = true
	}
	a := &agenteDeCarga{demora: demora}
	a.defeito = func(n int64) string {
		if lenta[n] {
			time.Sleep(5 * demora)
		}
		return ""
	}
	r := medicoesDe(t, 0, "-agente", novoAgenteDeCarga(t, a), "-ciclos", "60", "-conexoes", "5", "-aquecimento", "0s")
	m := medicaoEm(t, r, 0)
	f := func(nome string) float64 { return numeroEm(t, m, "medido", "medianas", nome) }
	if n := f("ciclos"); n != ciclos {
		t.Errorf("%v cycles, want %d", n, ciclos)
	}
	if n := a.recebidas.Load(); n != 2*ciclos+2 { // and the two of the first cycle of all
		t.Errorf("the agent got %d messages, want %d", n, 2*ciclos+2)
	}
	const ms = float64(demora) / float64(time.Millisecond)
	for nome, min := range map[string]float64{"troca_p50_ms": ms, "ciclo_p50_ms": 2 * ms, "ciclo_p90_ms": 7 * ms, "ciclo_p999_ms": 7 * ms} {
		if v := f(nome); v < 0.99*min {
			t.Errorf("%s = %v, want at least %v", nome, v, min)
		}
	}
	for _, par := range [][2]string{{"ciclo_p50_ms", "ciclo_p90_ms"}, {"ciclo_p90_ms", "ciclo_p99_ms"}, {"ciclo_p99_ms", "ciclo_p999_ms"}, {"ciclo_p999_ms", "ciclo_max_ms"}} {
		if f(par[0]) > f(par[1])+0.001 {
			t.Errorf("%s = %v is over %s = %v", par[0], f(par[0]), par[1], f(par[1]))
		}
	}
	if max := conexoes / (2 * demora.Seconds()); f("ciclos_por_s") > max {
		t.Errorf("%v cycles a second, more than the %v that the agent can do", f("ciclos_por_s"), max)
	}
	if em(m, "piso") != nil || em(r, "interrompida") != false || numeroEm(t, r, "erros") != 0 {
		t.Errorf("want no floor, no error, no interruption: %v", r)
	}
}

func TestCargaClassificaErros(t *testing.T) {
	// The first two messages are those of the first cycle of all. Then one
	// connection makes the order certain: an error ends its cycle.
	defeitos := []string{"", "", "http", "json_rpc", "", "estado", "resposta", "tempo_esgotado", "", "conexao", "estado", "", "", "", ""}
	a := &agenteDeCarga{defeito: func(n int64) string { return defeitos[n-1] }}
	r := medicoesDe(t, 1, "-agente", novoAgenteDeCarga(t, a), "-ciclos", "9", "-conexoes", "1", "-aquecimento", "0s", "-espera", "5s")
	m := medicaoEm(t, r, 0)
	want := map[string]float64{"http": 1, "json_rpc": 1, "estado": 2, "resposta": 1, "tempo_esgotado": 1, "conexao": 1}
	for nome, n := range want {
		if got := em(m, "medido", "erros", nome); got == nil || numeroEm(t, got, "quantos") != n {
			t.Errorf("%s: %v, want %v", nome, got, n)
		}
	}
	if n := numeroEm(t, r, "erros"); n != 7 {
		t.Errorf("%v errors, want 7", n)
	}
	if n := numeroEm(t, m, "medido", "medianas", "ciclos"); n != 2 {
		t.Errorf("%v cycles, want the 2 good ones", n)
	}
	for nome, parte := range map[string]string{"http": "HTTP 503: busy", "json_rpc": "-32603", "estado": "TASK_STATE_WORKING", "resposta": "nao tem o id"} {
		if exemplo, _ := em(m, "medido", "erros", nome, "exemplo").(string); !strings.Contains(exemplo, parte) {
			t.Errorf("the example of %s is %q, want it to say %q", nome, exemplo, parte)
		}
	}

	b := &agenteDeCarga{defeito: func(n int64) string { return map[bool]string{true: "http"}[n%2 == 0 && n > 20] }}
	codigo, stdout, stderr := comando(t, nil, "carga", "-agente", novoAgenteDeCarga(t, b), "-ciclos", "15", "-conexoes", "1", "-aquecimento", "0s")
	if codigo != 1 || !strings.Contains(stdout, "http: 6, por exemplo HTTP 503: busy") || !strings.Contains(stderr, "ponte: carga: 6 erros") {
		t.Errorf("exit code %d, stdout:\n%s\nstderr:\n%s", codigo, stdout, stderr)
	}
}

func TestCargaPorTempo(t *testing.T) {
	a := &agenteDeCarga{demora: time.Millisecond}
	r := medicoesDe(t, 0, "-agente", novoAgenteDeCarga(t, a), "-duracao", "100ms", "-aquecimento", "50ms", "-conexoes", "1,3", "-rodadas", "2")
	for i, conexoes := range []float64{1, 3} {
		m := medicaoEm(t, r, i)
		rodadas, _ := em(m, "medido", "rodadas").([]any)
		if numeroEm(t, m, "conexoes") != conexoes || len(rodadas) != 2 {
			t.Fatalf("measurement %d: %v, want %v connections and 2 rounds", i, m, conexoes)
		}
		for _, rodada := range rodadas {
			if s := numeroEm(t, rodada, "tempo_s"); s != 0.1 {
				t.Errorf("%v s were measured, want 0.1: the warm-up does not count", s)
			}
		}
	}
	if n := float64(a.recebidas.Load()); n < 2*numeroEm(t, medicaoEm(t, r, 0), "medido", "medianas", "ciclos") {
		t.Errorf("the agent got %v messages, fewer than were counted", n)
	}
}

func TestCargaInterrompida(t *testing.T) {
	a := &agenteDeCarga{}
	base := novoAgenteDeCarga(t, a)
	e := iniciarComando(t, nil, "carga", "-agente", base, "-duracao", "1h", "-aquecimento", "0s", "-conexoes", "2,4", "-progresso")
	e.stderr.esperarTexto(t, "medido, rodada 1 de 1, 2 conexoes: ")
	e.stderr.esperarTexto(t, " de 1h0m0s, ")
	for a.recebidas.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	e.cancelar() // what Ctrl-C does
	if codigo := e.fim(t); codigo != 0 {
		t.Errorf("exit code %d, want 0: what was measured is good\n%s", codigo, e.stderr.String())
	}
	for _, want := range []string{"interrompida: os numeros", "\n2 conexoes\n", "ciclos por segundo ", "\n0 erros\n"} {
		if !strings.Contains(e.stdout.String(), want) {
			t.Errorf("stdout should contain %q:\n%s", want, e.stdout.String())
		}
	}
	if strings.Contains(e.stdout.String(), "4 conexoes") {
		t.Errorf("what was not measured is shown:\n%s", e.stdout.String())
	}

	e = iniciarComando(t, nil, "carga", "-agente", base, "-aquecimento", "1h")
	for antes := a.recebidas.Load(); a.recebidas.Load() < antes+10; {
		time.Sleep(time.Millisecond)
	}
	e.cancelar()
	if codigo := e.fim(t); codigo != 1 || !strings.Contains(e.stderr.String(), "interrompida antes de medir") {
		t.Errorf("exit code %d, want 1: nothing was measured\n%s", codigo, e.stderr.String())
	}
}

// TestCargaFalhaLogo: what cannot work is said before anything is measured.
func TestCargaFalhaLogo(t *testing.T) {
	semCartao := novoAgenteDeCarga(t, &agenteDeCarga{}) + "/nada"
	ruim := novoAgenteDeCarga(t, &agenteDeCarga{defeito: func(int64) string { return "estado" }})
	for _, c := range []struct {
		nome, want string
		args       []string
	}{
		{"nobody there", "--agente http://127.0.0.1:1:", []string{"-agente", "http://127.0.0.1:1"}},
		{"no card", "o cartao deu HTTP 418", []string{"-agente", semCartao}},
		{"another state", "a primeira troca falhou: estado: ", []string{"-agente", ruim}},
		{"no such process", "nao ha processo 2147483647", []string{"-agente", ruim, "-pid-agente", "2147483647"}},
	} {
		t.Run(c.nome, func(t *testing.T) {
			codigo, stdout, stderr := comando(t, nil, append([]string{"carga", "-duracao", "1h"}, c.args...)...)
			if strings.Contains(c.want, "processo") {
				if _, err := consumoDe(raizProc, 1); err != nil {
					t.Skip(err)
				}
			}
			if codigo != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q, want %q there", codigo, stdout, stderr, c.want)
			}
		})
	}
}

func TestCargaOpcoes(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{`--modo "rapido" nao existe`, []string{"-modo", "rapido"}},
		{`--conexoes "0"`, []string{"-conexoes", "0"}},
		{`--conexoes ""`, []string{"-conexoes", "16,"}},
		{`--conexoes "x"`, []string{"-conexoes", "16,x"}},
		{`--duracao "5"`, []string{"-duracao", "5"}},
		{`--duracao "0s"`, []string{"-duracao", "0s"}},
		{`--aquecimento "-1s"`, []string{"-aquecimento", "-1s"}},
		{`--ciclos "0"`, []string{"-ciclos", "0"}},
		{`--reservas "-1"`, []string{"-reservas", "-1"}},
		{`--rodadas "0"`, []string{"-rodadas", "0"}},
		{`--pid-agente "eu"`, []string{"-pid-agente", "eu"}},
		{"que ja estao no ar", []string{"-pid-mcp", "1"}},
		{"precisa de --agente", []string{"-mcp", "http://localhost:1"}},
		{"precisa de --mcp", []string{"-agente", "http://localhost:1", "-modo", "completo"}},
		{"precisa de --mcp", []string{"-agente", "http://localhost:1", "-modo", "listar"}},
		{"precisa de --mcp", []string{"-agente", "http://localhost:1", "-reservas", "5"}},
		{"precisa tambem de --mcp", []string{"-agente", "http://localhost:1", "-piso"}},
		{"opcao desconhecida --velocidade", []string{"-velocidade", "9"}},
	} {
		codigo, stdout, stderr := comando(t, nil, append([]string{"carga"}, c.args...)...)
		if codigo != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q, want %q there", c.args, codigo, stdout, stderr, c.want)
		}
	}
	o, err := lerOpcoesDeCarga([]string{"-conexoes", "16, 64", "-piso"}, nil)
	if err != nil || !slices.Equal(o.conexoes, []int{16, 64}) || o.rodadas != 3 || o.modo != modoCiclo || o.duracao != 5*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = lerOpcoesDeCarga([]string{"-piso", "-rodadas", "1"}, nil); err != nil || o.rodadas != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestMedianas(t *testing.T) {
	tres := []figuras{{"a": 3, "b": 1}, {"a": 1, "b": 9}, {"a": 2}}
	if m := medianas(tres); m["a"] != 2 || len(m) != 1 {
		t.Errorf("%v, want a = 2 and nothing that is not in all", m)
	}
	if m := medianas(tres[:2]); m["a"] != 2 || m["b"] != 5 {
		t.Errorf("%v, want the middle of two", m)
	}
	r := razoes(figuras{"ciclos_por_s": 10, "ciclo_p99_ms": 4, "ciclos": 9, "ciclo_p50_ms": 1}, figuras{"ciclos_por_s": 40, "ciclo_p99_ms": 2, "ciclos": 3, "ciclo_p50_ms": 0})
	if r["ciclos_por_s"] != 0.25 || r["ciclo_p99_ms"] != 2 || len(r) != 2 {
		t.Errorf("%v, want 0.25 and 2 alone", r)
	}
}
