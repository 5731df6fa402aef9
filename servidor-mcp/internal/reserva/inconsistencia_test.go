package reserva

import (
	"errors"
	"strings"
	"testing"
)

func TestNovaAgendaRecusa(t *testing.T) {
	sala := Sala{ID: "sala-a", Nome: "A", Capacidade: 4}
	outra := Sala{ID: "sala-b", Nome: "B", Capacidade: 4}
	res := Reserva{ID: "res-0001", Sala: "sala-a", Periodo: periodo(t, "14:00", "15:00"), Responsavel: "Marty"}
	comSala := func(f func(s *Sala)) []Sala { s := outra; f(&s); return []Sala{sala, s} }
	comReserva := func(f func(r *Reserva)) []Reserva {
		r := res
		r.ID, r.Periodo = "res-0002", periodo(t, "15:00", "16:00")
		f(&r)
		return []Reserva{res, r}
	}
	salas := []Sala{sala, outra}
	casos := []struct {
		nome     string
		salas    []Sala
		reservas []Reserva
		politica Politica
		erro     string
	}{
		{"no rooms", nil, nil, politicaDeTeste,
			`sala: a lista esta vazia; informe ao menos uma`},
		{"room without id", comSala(func(s *Sala) { s.ID = "" }), nil, politicaDeTeste,
			`sala 2: campo id: "" esta vazio; informe um id unico`},
		{"room id of space", comSala(func(s *Sala) { s.ID = " " }), nil, politicaDeTeste,
			`sala 2 (" "): campo id: " " tem espaco nas pontas ou caractere de controle; remova`},
		{"room id on two lines", comSala(func(s *Sala) { s.ID = "a\nb" }), nil, politicaDeTeste,
			`sala 2 ("a\nb"): campo id: "a\nb" tem espaco nas pontas ou caractere de controle; remova`},
		{"room id twice", comSala(func(s *Sala) { s.ID = "sala-a" }), nil, politicaDeTeste,
			`sala 2 ("sala-a"): campo id: "sala-a" ja e o id da sala 1; informe um id unico`},
		{"room without name", comSala(func(s *Sala) { s.Nome = "\t" }), nil, politicaDeTeste,
			`sala 2 ("sala-b"): campo nome: "\t" esta vazio; informe como a sala se chama`},
		{"room without seats", comSala(func(s *Sala) { s.Capacidade = -1 }), nil, politicaDeTeste,
			`sala 2 ("sala-b"): campo capacidade: -1 e menor que 1; informe quantas pessoas cabem`},
		{"empty resource", comSala(func(s *Sala) { s.Recursos = []string{"tv", ""} }), nil, politicaDeTeste,
			`sala 2 ("sala-b"): campo recursos: "" esta vazio; informe o recurso ou remova o item`},

		{"reserva id without form", salas, comReserva(func(r *Reserva) { r.ID = "reserva-2" }), politicaDeTeste,
			`reserva 2 ("reserva-2"): campo id: "reserva-2" nao tem a forma res- mais 1 a 18 digitos; informe por exemplo res-0001`},
		{"reserva id twice", salas, comReserva(func(r *Reserva) { r.ID = "res-0001" }), politicaDeTeste,
			`reserva 2 ("res-0001"): campo id: "res-0001" ja e o id da reserva 1; informe um id unico`},
		{"reserva of no room", salas, comReserva(func(r *Reserva) { r.Sala = "" }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo sala: "" nao existe; informe o id de uma sala da lista`},
		{"empty interval", salas, comReserva(func(r *Reserva) { r.Periodo.Fim = r.Periodo.Inicio }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo fim: 2026-11-03T15:00:00-03:00 nao e posterior a inicio 2026-11-03T15:00:00-03:00; corrija o intervalo`},
		{"inverted interval", salas, comReserva(func(r *Reserva) { r.Periodo = periodo(t, "15:00", "14:00") }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo fim: 2026-11-03T14:00:00-03:00 nao e posterior a inicio 2026-11-03T15:00:00-03:00; corrija o intervalo`},
		{"nobody responsible", salas, comReserva(func(r *Reserva) { r.Responsavel = " " }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo responsavel: " " recusado; Responsavel vazio: informe quem reserva`},
		{"responsible too long", salas, comReserva(func(r *Reserva) { r.Responsavel = strings.Repeat("a", 201) }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo responsavel: "` + strings.Repeat("a", 40) + `" recusado; Responsavel longo demais: no maximo 200 caracteres`},
		{"overlap", salas, comReserva(func(r *Reserva) { r.Periodo = periodo(t, "14:59", "16:00") }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo inicio: 2026-11-03T14:59:00-03:00 a 2026-11-03T16:00:00-03:00 se sobrepoe a reserva 1 ("res-0001"), 2026-11-03T14:00:00-03:00 a 2026-11-03T15:00:00-03:00, na mesma sala "sala-a"; mude ou remova uma das duas`},
		{"overlap with an earlier one", salas, comReserva(func(r *Reserva) { r.Periodo = periodo(t, "13:00", "14:01") }), politicaDeTeste,
			`reserva 2 ("res-0002"): campo inicio: 2026-11-03T13:00:00-03:00 a 2026-11-03T14:01:00-03:00 se sobrepoe a reserva 1 ("res-0001"), 2026-11-03T14:00:00-03:00 a 2026-11-03T15:00:00-03:00, na mesma sala "sala-a"; mude ou remova uma das duas`},

		{"no version", salas, nil, Politica{Versao: " ", Texto: "x"},
			`politica: campo versao: " " esta vazio; informe a versao, por exemplo 2026-11-01`},
		{"version on two lines", salas, nil, Politica{Versao: "1\n2", Texto: "x"},
			`politica: campo versao: "1\n2" tem caractere de controle; remova`},
	}
	for _, c := range casos {
		t.Run(c.nome, func(t *testing.T) {
			a, err := NovaAgenda(c.salas, c.reservas, c.politica)
			if a != nil || err == nil || err.Error() != c.erro {
				t.Errorf("got  %v, %v\nwant %s", a, err, c.erro)
			}
			if _, ok := errors.AsType[*Inconsistencia](err); !ok {
				t.Errorf("%v: want an *Inconsistencia", err)
			}
		})
	}
}

func TestNovaAgendaSobreposicaoDistante(t *testing.T) {
	// The two that overlap are not neighbours in the data, and one holds
	// the other; another room at the same time is no fault.
	r := func(id, sala, inicio, fim string) Reserva {
		return Reserva{ID: id, Sala: sala, Periodo: periodo(t, inicio, fim), Responsavel: "Marty"}
	}
	_, err := NovaAgenda([]Sala{{ID: "a", Nome: "A", Capacidade: 1}, {ID: "b", Nome: "B", Capacidade: 1}}, []Reserva{
		r("res-1", "a", "09:00", "12:00"),
		r("res-2", "b", "09:00", "12:00"),
		r("res-3", "a", "12:00", "13:00"),
		r("res-4", "a", "10:00", "11:00"),
	}, politicaDeTeste)
	i, ok := errors.AsType[*Inconsistencia](err)
	if !ok || i.ID != "res-4" || i.Posicao != 4 || !strings.Contains(i.Problema, `"res-1"`) {
		t.Errorf("got %v, want res-4 against res-1", err)
	}
}

func TestNumeroDoID(t *testing.T) {
	casos := []struct {
		id string
		n  uint64
		ok bool
	}{
		{"res-0001", 1, true},
		{"res-7", 7, true},
		{"res-0", 0, true},
		{"res-10000", 10000, true},
		{"res-999999999999999999", 999999999999999999, true},
		{"res-1000000000000000000", 0, false}, // one digit too many
		{"res-", 0, false},
		{"", 0, false},
		{"0001", 0, false},
		{"RES-0001", 0, false},
		{" res-0001", 0, false},
		{"res-0001 ", 0, false},
		{"res-+1", 0, false},
		{"res--1", 0, false},
		{"res-0x1", 0, false},
		{"res-１", 0, false}, // a digit, but not ours
	}
	for _, c := range casos {
		if n, ok := numeroDoID(c.id); n != c.n || ok != c.ok {
			t.Errorf("%q: got %d, %t, want %d, %t", c.id, n, ok, c.n, c.ok)
		}
	}
}
