package reserva

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestSalasSaoCopias(t *testing.T) {
	salas := []Sala{{ID: "b", Nome: "B", Capacidade: 2, Recursos: []string{"tv"}}, {ID: "a", Nome: "A", Capacidade: 1}}
	a, err := NovaAgenda(salas, nil, politicaDeTeste)
	if err != nil {
		t.Fatal(err)
	}
	salas[0].ID, salas[0].Recursos[0] = "x", "x"
	for range 2 {
		lidas := a.Salas()
		if len(lidas) != 2 || lidas[0].ID != "b" || lidas[0].Recursos[0] != "tv" || lidas[1].ID != "a" {
			t.Fatalf("got %v, want b and a as given", lidas)
		}
		if lidas[1].Recursos == nil {
			t.Error("Recursos is nil, want an empty list")
		}
		lidas[0].ID, lidas[0].Recursos[0] = "y", "y" // must not reach the agenda
	}
	if a.Politica() != politicaDeTeste {
		t.Errorf("politica %v, want it as given", a.Politica())
	}
}

func TestConflitos(t *testing.T) {
	r := func(id, sala, inicio, fim string) Reserva {
		return Reserva{ID: id, Sala: sala, Periodo: periodo(t, inicio, fim), Responsavel: "Marty"}
	}
	a, err := NovaAgenda([]Sala{{ID: "a", Nome: "A", Capacidade: 1}, {ID: "b", Nome: "B", Capacidade: 1}}, []Reserva{
		r("res-3", "a", "13:00", "14:00"), // out of order on purpose
		r("res-1", "a", "09:00", "10:00"),
		r("res-2", "a", "10:00", "11:00"),
		r("res-4", "b", "12:00", "13:00"),
	}, politicaDeTeste)
	if err != nil {
		t.Fatal(err)
	}
	casos := []struct{ sala, inicio, fim, ids string }{
		{"a", "08:00", "09:00", "[]"},
		{"a", "08:00", "09:01", "[res-1]"},
		{"a", "09:00", "10:00", "[res-1]"},
		{"a", "09:15", "09:45", "[res-1]"},
		{"a", "09:59", "10:01", "[res-1 res-2]"},
		{"a", "08:00", "20:00", "[res-1 res-2 res-3]"},
		{"a", "11:00", "13:00", "[]"},
		{"a", "10:59", "13:01", "[res-2 res-3]"},
		{"a", "14:00", "15:00", "[]"},
		{"b", "09:00", "10:00", "[]"},
		{"b", "11:00", "13:00", "[res-4]"},
		{"c", "09:00", "10:00", "[]"}, // no such room
		{"a", "09:30", "09:30", "[]"}, // nothing lies in an empty interval
		{"a", "14:00", "09:00", "[]"}, // nor in an inverted one
	}
	for _, c := range casos {
		p := periodo(t, c.inicio, c.fim)
		for _, zona := range []*time.Location{fuso, time.UTC} {
			conflitos := a.Conflitos(c.sala, Periodo{p.Inicio.In(zona), p.Fim.In(zona)})
			if conflitos == nil || idsDe(conflitos) != c.ids {
				t.Errorf("%s %s-%s: got %v, want %s and never nil", c.sala, c.inicio, c.fim, conflitos, c.ids)
			}
		}
	}
	a.Conflitos("a", periodo(t, "09:00", "10:00"))[0].ID = "x"
	if ids := idsDe(a.Conflitos("a", periodo(t, "09:00", "10:00"))); ids != "[res-1]" {
		t.Errorf("the caller's change reached the agenda: %s", ids)
	}
}

// TestAgendaContraModelo books at random and compares every answer with a
// list that is searched from end to end.
func TestAgendaContraModelo(t *testing.T) {
	a := agendaDeTeste(t)
	salas := a.Salas()
	var modelo []Reserva
	for _, l := range a.reservas {
		modelo = append(modelo, slices.Concat(l.blocos...)...)
	}
	emConflito := func(sala string, p Periodo) []Reserva {
		achadas := []Reserva{}
		for _, r := range modelo {
			if r.Sala == sala && r.Periodo.Inicio.Before(p.Fim) && p.Inicio.Before(r.Periodo.Fim) {
				achadas = append(achadas, r)
			}
		}
		slices.SortFunc(achadas, func(x, y Reserva) int { return x.Periodo.Inicio.Compare(y.Periodo.Inicio) })
		return achadas
	}
	sorte := rand.New(rand.NewPCG(1, 2))
	abertura := instante(t, "08:00")
	for range 3000 {
		minuto := sorte.IntN(11 * 60)
		inicio := abertura.AddDate(0, 0, sorte.IntN(3)).Add(time.Duration(minuto) * time.Minute)
		p := Periodo{inicio, inicio.Add(time.Duration(1+sorte.IntN(min(120, 12*60-minuto))) * time.Minute)}
		sala := salas[sorte.IntN(len(salas))]

		esperados := emConflito(sala.ID, p)
		if conflitos := a.Conflitos(sala.ID, p); !slices.Equal(conflitos, esperados) {
			t.Fatalf("%s %v: conflitos %v, want %v", sala.ID, p, conflitos, esperados)
		}
		livres := []Sala{}
		for _, s := range salas {
			if s.ID != sala.ID && s.Capacidade >= sala.Capacidade && len(emConflito(s.ID, p)) == 0 {
				livres = append(livres, s)
			}
		}
		alternativas := []string{}
		for _, s := range ordemDeOferta(livres) {
			alternativas = append(alternativas, s.ID)
		}
		alternativas = alternativas[:min(len(alternativas), 3)]
		if got := a.Alternativas(sala.ID, p); !slices.Equal(got, alternativas) {
			t.Fatalf("%s %v: alternativas %v, want %v", sala.ID, p, got, alternativas)
		}
		r, err := a.Reservar(Pedido{sala.ID, p, "Marty"})
		switch {
		case len(esperados) > 0 && err != ErrOcupada:
			t.Fatalf("%s %v: got %v, %v, want ErrOcupada", sala.ID, p, r, err)
		case len(esperados) == 0 && err != nil:
			t.Fatalf("%s %v: got %v, want it booked", sala.ID, p, err)
		case err == nil:
			modelo = append(modelo, r)
		}
	}
	semSobreposicao(t, a)
}

func TestAlternativas(t *testing.T) {
	sala := func(id string, capacidade int) Sala { return Sala{ID: id, Nome: id, Capacidade: capacidade} }
	casos := []struct {
		nome     string
		salas    []Sala
		ocupadas []string
		pedida   string
		esperado []string
	}{
		{"smallest first, whatever the order in the data",
			[]Sala{sala("p", 2), sala("g", 9), sala("m", 5), sala("k", 3)}, nil, "p", []string{"k", "m", "g"}},
		{"same capacity by id",
			[]Sala{sala("p", 2), sala("c", 2), sala("a", 2), sala("b", 2)}, nil, "p", []string{"a", "b", "c"}},
		{"at most three",
			[]Sala{sala("p", 1), sala("d", 1), sala("c", 1), sala("b", 1), sala("a", 1)}, nil, "p", []string{"a", "b", "c"}},
		{"the next when one is taken",
			[]Sala{sala("p", 1), sala("d", 1), sala("c", 1), sala("b", 1), sala("a", 1)}, []string{"b"}, "p", []string{"a", "c", "d"}},
		{"never a smaller one",
			[]Sala{sala("p", 4), sala("a", 3), sala("b", 4)}, nil, "p", []string{"b"}},
		{"never the room itself, taken or free",
			[]Sala{sala("p", 4), sala("a", 4)}, nil, "p", []string{"a"}},
		{"the largest has none", []Sala{sala("p", 4), sala("a", 3)}, []string{"p"}, "p", []string{}},
		{"all taken", []Sala{sala("p", 4), sala("a", 4), sala("b", 4)}, []string{"a", "b", "p"}, "p", []string{}},
		{"unknown room", []Sala{sala("a", 4)}, nil, "p", []string{}},
		{"ids by byte, not by locale",
			[]Sala{sala("p", 1), sala("á", 1), sala("b", 1), sala("B", 1)}, nil, "p", []string{"B", "b", "á"}},
	}
	p := periodo(t, "14:00", "15:00")
	for _, c := range casos {
		t.Run(c.nome, func(t *testing.T) {
			var reservas []Reserva
			for i, id := range c.ocupadas {
				reservas = append(reservas, Reserva{fmt.Sprintf("res-%d", i), id, periodo(t, "14:30", "16:00"), "Doc"})
			}
			a, err := NovaAgenda(c.salas, reservas, politicaDeTeste)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Alternativas(c.pedida, p); got == nil || !slices.Equal(got, c.esperado) {
				t.Errorf("got %#v, want %#v", got, c.esperado)
			}
			if got := a.Alternativas(c.pedida, Periodo{p.Fim, p.Inicio}); got == nil || len(got) > 0 {
				t.Errorf("inverted interval: got %#v, want none", got)
			}
		})
	}
}

// BenchmarkConflitos shows that looking up does not grow with the agenda: all
// reservas are of one room, and each look-up finds one.
func BenchmarkConflitos(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("reservas=%d", n), func(b *testing.B) {
			a := agendaCom(b, n)
			meio := doMeio(b, a, n).Periodo
			b.ReportAllocs()
			for b.Loop() {
				if c := a.Conflitos("a", meio); len(c) != 1 {
					b.Fatalf("got %d conflicts, want 1", len(c))
				}
			}
		})
	}
}

// BenchmarkReservar shows that booking does not grow with the agenda: a second at a
// time in the free hour after the reserva in the middle of n.
func BenchmarkReservar(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("reservas=%d", n), func(b *testing.B) {
			var a *Agenda
			var livre time.Time
			i := 3600
			b.ReportAllocs()
			for b.Loop() {
				if i == 3600 {
					b.StopTimer()
					a = agendaCom(b, n)
					livre, i = doMeio(b, a, n).Periodo.Fim, 0
					b.StartTimer()
				}
				inicio := livre.Add(time.Duration(i) * time.Second)
				i++
				if _, err := a.Reservar(Pedido{"a", Periodo{inicio, inicio.Add(time.Second)}, "Marty"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// doMeio is a reserva near the middle of the n of agendaCom, one at 10:00.
func doMeio(b *testing.B, a *Agenda, n int) Reserva {
	b.Helper()
	for _, bloco := range a.reservas["a"].blocos {
		for _, r := range bloco {
			if r.ID == fmt.Sprintf("res-%d", n/2/12*12) {
				return r
			}
		}
	}
	b.Fatal("no reserva in the middle")
	return Reserva{}
}

// BenchmarkAlternativas finds the rooms to offer among five, each with n reservas.
func BenchmarkAlternativas(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("reservas=%d", n), func(b *testing.B) {
			a := agendaCom(b, n)
			meio := doMeio(b, a, n).Periodo
			livres := Sala{Nome: "Livre", Capacidade: 9}
			for _, id := range []string{"b", "c", "d", "e"} {
				livres.ID = id
				a.porID[id], a.oferta = livres, append(a.oferta, livres)
				a.reservas[id] = a.reservas["a"]
			}
			a.reservas["d"], a.reservas["e"] = lista{}, lista{}
			b.ReportAllocs()
			for b.Loop() {
				if ids := a.Alternativas("a", meio); len(ids) != 2 {
					b.Fatalf("got %v, want two rooms", ids)
				}
			}
		})
	}
}

// agendaCom has one room with n reservas of an hour, two hours apart.
func agendaCom(b *testing.B, n int) *Agenda {
	b.Helper()
	primeira := instante(b, "10:00")
	reservas := make([]Reserva, n)
	for i := range reservas {
		inicio := primeira.Add(time.Duration(2*i) * time.Hour)
		reservas[i] = Reserva{fmt.Sprintf("res-%d", i), "a", Periodo{inicio, inicio.Add(time.Hour)}, "Marty"}
	}
	a, err := NovaAgenda([]Sala{{ID: "a", Nome: "A", Capacidade: 1}}, reservas, politicaDeTeste)
	if err != nil {
		b.Fatal(err)
	}
	return a
}
