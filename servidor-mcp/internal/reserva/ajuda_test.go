package reserva

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// instante reads hh:mm of 3 November 2026 at -03:00, or a whole instant.
func instante(t testing.TB, texto string) time.Time {
	t.Helper()
	if len(texto) == len("15:04") {
		texto = "2026-11-03T" + texto + ":00-03:00"
	}
	i, err := LerInstante("teste", texto)
	if err != nil {
		t.Fatalf("%s: %v", texto, err)
	}
	return i
}

func periodo(t testing.TB, inicio, fim string) Periodo {
	t.Helper()
	return Periodo{Inicio: instante(t, inicio), Fim: instante(t, fim)}
}

func pedido(t testing.TB, sala, inicio, fim string) Pedido {
	t.Helper()
	return Pedido{Sala: sala, Periodo: periodo(t, inicio, fim), Responsavel: "Marty"}
}

var politicaDeTeste = Politica{Versao: "1", Texto: "versao: 1\n"}

// agendaDeTeste is the statement's rooms and reservas.
func agendaDeTeste(t testing.TB) *Agenda {
	t.Helper()
	a, err := NovaAgenda([]Sala{
		{ID: "sala-aquario", Nome: "Aquario", Capacidade: 4, Recursos: []string{"tv"}},
		{ID: "sala-porao", Nome: "Porao", Capacidade: 6, Recursos: []string{"quadro"}},
		{ID: "sala-garagem", Nome: "Garagem", Capacidade: 12, Recursos: []string{"tv", "quadro"}},
		{ID: "sala-fusca", Nome: "Fusca", Capacidade: 12, Recursos: []string{"tv"}},
		{ID: "sala-mirante", Nome: "Mirante", Capacidade: 20, Recursos: []string{"tv", "quadro", "camera"}},
	}, []Reserva{
		{ID: "res-0001", Sala: "sala-garagem", Periodo: periodo(t, "14:00", "15:00"), Responsavel: "Marty"},
		{ID: "res-0002", Sala: "sala-fusca", Periodo: periodo(t, "16:00", "17:00"), Responsavel: "Jennifer"},
	}, politicaDeTeste)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// semSobreposicao fails if the agenda breaks what it is there to keep: each
// room's reservas sorted, apart from each other, and every id its own.
func semSobreposicao(t testing.TB, a *Agenda) {
	t.Helper()
	ids := map[string]bool{}
	for sala, l := range a.reservas {
		todas := slices.Concat(l.blocos...)
		for i, r := range todas {
			if ids[r.ID] {
				t.Errorf("id %s given twice", r.ID)
			}
			ids[r.ID] = true
			if r.Sala != sala {
				t.Errorf("%v stands in %s", r, sala)
			}
			if i > 0 && r.Periodo.Inicio.Before(todas[i-1].Periodo.Fim) {
				t.Errorf("%s: %v overlaps %v", sala, r, todas[i-1])
			}
		}
	}
}

func idsDe(reservas []Reserva) string { // "[res-0001 res-0002]"
	ids := []string{}
	for _, r := range reservas {
		ids = append(ids, r.ID)
	}
	return fmt.Sprint(ids)
}
