package main

import (
	"slices"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// gerador is what this process is called beside the two that it measures.
const gerador = "gerador"

// figuras are the numbers of a run, each under a name that says its unit. What
// could not be measured is not there.
type figuras map[string]float64

// linhasDaTabela are the figures in the order in which they are shown, the
// texts that people see, and whether the ratio to the floor means anything.
var linhasDaTabela = []struct {
	chave, texto string
	casas        int
	razao        bool
}{
	{"ciclos_por_s", "ciclos por segundo", 0, true},
	{"ciclo_p50_ms", "ciclo, p50 (ms)", 2, true},
	{"ciclo_p90_ms", "ciclo, p90 (ms)", 2, true},
	{"ciclo_p99_ms", "ciclo, p99 (ms)", 2, true},
	{"ciclo_p999_ms", "ciclo, p99.9 (ms)", 2, true},
	{"ciclo_max_ms", "ciclo, maximo (ms)", 2, false},
	{"troca_p50_ms", "uma troca, p50 (ms)", 2, true},
	{"troca_p99_ms", "uma troca, p99 (ms)", 2, true},
	{"cpu_agente_us_por_ciclo", "CPU por ciclo, agente (us)", 0, true},
	{"cpu_servidor_mcp_us_por_ciclo", "CPU por ciclo, servidor-mcp (us)", 0, true},
	{"cpu_soma_us_por_ciclo", "CPU por ciclo, os dois (us)", 0, true},
	{"cpu_gerador_us_por_ciclo", "CPU por ciclo, este gerador (us)", 0, false},
	{"rss_agente_antes_mib", "memoria do agente, antes (MiB)", 1, false},
	{"rss_agente_depois_mib", "memoria do agente, depois (MiB)", 1, false},
	{"rss_servidor_mcp_antes_mib", "memoria do servidor-mcp, antes (MiB)", 1, false},
	{"rss_servidor_mcp_depois_mib", "memoria do servidor-mcp, depois (MiB)", 1, false},
	{"tempo_s", "tempo medido (s)", 1, false},
	{"ciclos", "ciclos medidos", 0, false},
}

// nomesDeFigura are the names of the processes in those of the figures.
var nomesDeFigura = map[string]string{dupla.Agente: "agente", dupla.Servidor: "servidor_mcp", gerador: gerador}

// figurasDe takes the numbers out of a run.
func figurasDe(m *medida) figuras {
	f := figuras{"tempo_s": m.tempo.Seconds(), "ciclos": float64(m.ciclos)}
	if m.tempo > 0 {
		f["ciclos_por_s"] = float64(m.ciclos) / m.tempo.Seconds()
	}
	if m.ciclo.n > 0 {
		f["ciclo_max_ms"] = emMs(m.ciclo.maior)
		for _, h := range []struct {
			nome string
			h    *histograma
		}{{"ciclo", &m.ciclo}, {"troca", &m.troca}} {
			f[h.nome+"_p50_ms"] = emMs(h.h.quantil(0.50))
			f[h.nome+"_p90_ms"] = emMs(h.h.quantil(0.90))
			f[h.nome+"_p99_ms"] = emMs(h.h.quantil(0.99))
			f[h.nome+"_p999_ms"] = emMs(h.h.quantil(0.999))
		}
	}
	soma, ambos := 0.0, 0
	for processo, nome := range nomesDeFigura {
		antes, a := m.antes[processo]
		depois, d := m.depois[processo]
		if !a || !d {
			continue
		}
		f["rss_"+nome+"_antes_mib"], f["rss_"+nome+"_depois_mib"] = emMiB(antes.rss), emMiB(depois.rss)
		f["cpu_"+nome+"_s"] = (depois.cpu - antes.cpu).Seconds()
		if m.ciclos == 0 {
			continue
		}
		us := f["cpu_"+nome+"_s"] * 1e6 / float64(m.ciclos)
		f["cpu_"+nome+"_us_por_ciclo"] = us
		if processo != gerador {
			soma += us
			ambos++
		}
	}
	if ambos == 2 {
		f["cpu_soma_us_por_ciclo"] = soma
	}
	return f
}

func emMs(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func emMiB(n int64) float64        { return float64(n) / (1 << 20) }

// medianas are those of each figure that all runs have.
func medianas(todas []figuras) figuras {
	r := figuras{}
	if len(todas) == 0 {
		return r
	}
	for chave := range todas[0] {
		var v []float64
		for _, f := range todas {
			if x, ok := f[chave]; ok {
				v = append(v, x)
			}
		}
		if len(v) == len(todas) {
			slices.Sort(v)
			r[chave] = (v[(len(v)-1)/2] + v[len(v)/2]) / 2
		}
	}
	return r
}

// razoes are those of the figures that mean anything beside the floor's.
func razoes(medido, piso figuras) figuras {
	r := figuras{}
	for _, l := range linhasDaTabela {
		a, tem := medido[l.chave]
		if b := piso[l.chave]; l.razao && tem && b > 0 {
			r[l.chave] = a / b
		}
	}
	return r
}
