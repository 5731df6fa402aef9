package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
)

// medicao is everything that was measured with one number of connections.
type medicao struct {
	conexoes int
	// medido and piso have a run for each round; piso none without the floor.
	medido, piso []*medida
}

func figurasDeTodas(ms []*medida) []figuras {
	fs := make([]figuras, len(ms))
	for i, m := range ms {
		fs[i] = figurasDe(m)
	}
	return fs
}

// relatorio is what the command prints.
type relatorio struct {
	o            opcoesDeCarga
	alvo         alvoDaCarga
	medicoes     []medicao
	interrompida bool
	// semConsumo says why there is nothing of CPU and memory; else empty.
	semConsumo string
}

// erros are those of all runs against the target and against the floor.
func (r *relatorio) erros() (todos errosContados) {
	for _, m := range r.medicoes {
		for _, x := range slices.Concat(m.medido, m.piso) {
			todos.somar(&x.erros)
		}
	}
	return todos
}

// tabela prints for people.
func (r *relatorio) tabela(w io.Writer, t *tela) {
	t.linha(semCor, "modo", string(r.o.modo))
	t.linha(semCor, "um ciclo", umCiclo[r.o.modo])
	if r.alvo.agente != "" {
		t.linha(semCor, "agente", r.alvo.agente)
	}
	if r.alvo.mcp != "" {
		t.linha(semCor, "servidor", r.alvo.mcp)
	}
	t.linha(semCor, "maquina", fmt.Sprintf("%d nucleos, partilhados com este gerador; %s", runtime.NumCPU(), runtime.Version()))
	if r.o.piso {
		t.linha(semCor, "piso", "dois processos net/http que so trocam bytes dos mesmos tamanhos, medidos alternando")
		if r.o.modo == modoListar {
			t.linha(semCor, "", "aqui so o do servidor")
		}
	}
	if r.o.rodadas > 1 {
		t.linha(semCor, "rodadas", fmt.Sprintf("%d de cada; os numeros sao medianas", r.o.rodadas))
	}
	if r.semConsumo != "" {
		t.linha(semCor, "aviso", r.semConsumo)
	}
	if r.interrompida {
		t.linha(semCor, "aviso", "interrompida: os numeros sao do que foi medido ate ali")
	}
	for _, m := range r.medicoes {
		t.titulo(fmt.Sprintf("%d conexoes", m.conexoes))
		m.tabela(w)
	}
	erros := r.erros()
	t.titulo(fmt.Sprintf("%d erros", erros.total()))
	for i, e := range erros {
		if e.quantos > 0 {
			t.frase(vermelho, fmt.Sprintf("%s: %d, por exemplo %s", nomesDeErro[i], e.quantos, e.exemplo))
		}
	}
}

func (m medicao) tabela(w io.Writer) {
	medido, piso := medianas(figurasDeTodas(m.medido)), medianas(figurasDeTodas(m.piso))
	razao := razoes(medido, piso)
	linha := func(texto string, colunas ...string) {
		fmt.Fprintf(w, "  %-38s", texto)
		for _, c := range colunas {
			fmt.Fprintf(w, " %12s", c)
		}
		fmt.Fprintln(w)
	}
	if len(piso) > 0 {
		linha("", "medido", "piso", "medido/piso")
	}
	for _, l := range linhasDaTabela {
		valor, tem := medido[l.chave]
		if !tem {
			continue
		}
		colunas := []string{strconv.FormatFloat(valor, 'f', l.casas, 64)}
		if p, tem := piso[l.chave]; tem {
			colunas = append(colunas, strconv.FormatFloat(p, 'f', l.casas, 64))
			if x, tem := razao[l.chave]; tem {
				colunas = append(colunas, strconv.FormatFloat(x, 'f', 2, 64))
			}
		}
		linha(l.texto, colunas...)
	}
}

// json is the whole report for machines.
func (r *relatorio) json() objeto {
	medicoes := []any{}
	for _, m := range r.medicoes {
		o := objeto{{"conexoes", m.conexoes}, {"medido", ladoJSON(m.medido)}}
		if len(m.piso) > 0 {
			o = o.com("piso", ladoJSON(m.piso)).com("razoes", figurasJSON(razoes(medianas(figurasDeTodas(m.medido)), medianas(figurasDeTodas(m.piso)))))
		}
		medicoes = append(medicoes, o)
	}
	o := objeto{
		{"modo", string(r.o.modo)}, {"um_ciclo", umCiclo[r.o.modo]}, {"trocas_http_por_ciclo", trocasPorCiclo[r.o.modo]},
		{"agente", r.alvo.agente}, {"servidor_mcp", r.alvo.mcp},
		{"nucleos", runtime.NumCPU()}, {"go", runtime.Version()},
		{"aquecimento_s", r.o.aquecimento.Seconds()},
	}
	if r.o.ciclos > 0 {
		o = o.com("ciclos_pedidos", r.o.ciclos)
	} else {
		o = o.com("duracao_s", r.o.duracao.Seconds())
	}
	if r.semConsumo != "" {
		o = o.com("aviso", r.semConsumo)
	}
	erros := r.erros()
	return append(o, objeto{
		{"reservas_antes", r.o.reservas}, {"rodadas", r.o.rodadas}, {"interrompida", r.interrompida},
		{"erros", erros.total()}, {"medicoes", medicoes},
	}...)
}

// ladoJSON is one side: the medians, the errors, and every round.
func ladoJSON(ms []*medida) objeto {
	todas := figurasDeTodas(ms)
	rodadas := []any{}
	var erros errosContados
	for i, f := range todas {
		rodadas = append(rodadas, figurasJSON(f))
		erros.somar(&ms[i].erros)
	}
	contados := objeto{}
	for i, e := range erros {
		if e.quantos > 0 {
			contados = append(contados, membro{nomesDeErro[i], objeto{{"quantos", e.quantos}, {"exemplo", e.exemplo}}})
		}
	}
	return objeto{{"medianas", figurasJSON(medianas(todas))}, {"erros", contados}, {"rodadas", rodadas}}
}

// figurasJSON has the figures of the table first, and then the others.
func figurasJSON(f figuras) objeto {
	o := objeto{}
	por := func(chave string) {
		if v, ok := f[chave]; ok {
			o = o.com(chave, math.Round(v*1000)/1000)
		}
	}
	for _, l := range linhasDaTabela {
		por(l.chave)
	}
	for _, chave := range slices.Sorted(maps.Keys(f)) {
		por(chave)
	}
	return o
}
