package main

import (
	"testing"
	"time"
)

// TestMomentos: every moment is a second of its own within a block that keeps
// the policy, and they come in order.
func TestMomentos(t *testing.T) {
	a := novaAgendaDeCarga("http://127.0.0.1:9/mcp")
	const dias = 3
	a.prontos.Store(dias * blocosPorDia)
	var v valores
	anterior := ""
	for i := range dias * blocosPorDia * momentosPorBloco {
		if err := a.tomar(t.Context(), &v); err != nil {
			t.Fatal(err)
		}
		inicio, fim := string(v[lacunaInicio]), string(v[lacunaFim])
		if inicio < anterior {
			t.Fatalf("%s comes after a moment that ends at %s", inicio, anterior)
		}
		anterior = fim
		de, err := time.Parse(instanteISO, inicio)
		ate, err2 := time.Parse(instanteISO, fim)
		if err != nil || err2 != nil || ate.Sub(de) != time.Second || len(inicio) != len("2400-01-01T08:00:00-03:00") {
			t.Fatalf("moment %d is from %s to %s", i, inicio, fim)
		}
		bloco := a.inicioDoBloco(int64(i / momentosPorBloco))
		if de.Before(bloco) || ate.After(bloco.Add(2*time.Hour)) {
			t.Fatalf("moment %d, from %s to %s, is not in its block, from %s", i, inicio, fim, bloco)
		}
		if h := bloco.Hour(); h < 8 || h > 18 {
			t.Fatalf("a block begins at %s", bloco)
		}
	}
}

// TestEnchimentoNaoSeRepete: no reservation overlaps another or a moment.
func TestEnchimentoNaoSeRepete(t *testing.T) {
	dia := time.Date(2500, 1, 1, 0, 0, 0, 0, fusoDaPolitica)
	for _, quantas := range []int{1, 2, 59, 60, 61, 1000} {
		salas := []string{"a", "b", "c", "d", "e"}
		e := &enchimento{salas: salas, quantas: int64(quantas)}
		e.situar(dia)
		vistas := map[string]bool{}
		for i := range e.quantas {
			sala, inicio := e.onde(i)
			chave := sala + inicio.Format(instanteISO)
			if vistas[chave] {
				t.Fatalf("%d of %d is %s again", i, quantas, chave)
			}
			vistas[chave] = true
			if h := inicio.Hour(); h < 8 || h > 19 {
				t.Fatalf("%s begins outside the policy", chave)
			}
			if d := inicio.Sub(dia); d >= 0 && d < 10_000*24*time.Hour || inicio.Year() < 2000 || inicio.Year() > 9000 {
				t.Fatalf("%s is where the moments are, or outside the calendar", chave)
			}
		}
	}
}

func TestEnchimentoMaximoCabeNoCalendario(t *testing.T) {
	for _, ano := range []int{2400, 2901} {
		e := &enchimento{salas: []string{"a"}, quantas: maxReservas}
		e.situar(time.Date(ano, 1, 1, 0, 0, 0, 0, fusoDaPolitica))
		_, primeira := e.onde(0)
		_, ultima := e.onde(e.quantas - 1)
		if primeira.Year() < 1 || ultima.Year() > 9999 {
			t.Errorf("from %s to %s", primeira, ultima)
		}
	}
}
