package reserva

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestReservar(t *testing.T) {
	a := agendaDeTeste(t)
	r, err := a.Reservar(pedido(t, "sala-garagem", "15:00", "16:00"))
	if err != nil {
		t.Fatalf("back to back with res-0001: want it booked, got %v", err)
	}
	esperada := Reserva{"res-0003", "sala-garagem", periodo(t, "15:00", "16:00"), "Marty"}
	if r != esperada {
		t.Errorf("got %v, want %v", r, esperada)
	}
	if _, err := a.Reservar(pedido(t, "sala-garagem", "15:30", "16:30")); !errors.Is(err, ErrOcupada) {
		t.Errorf("over the new one: got %v, want ErrOcupada", err)
	}
	if r, err = a.Reservar(pedido(t, "sala-garagem", "13:00", "14:00")); err != nil || r.ID != "res-0004" {
		t.Errorf("before res-0001, after a failure: got %v, %v, want res-0004", r, err)
	}
	if ids := idsDe(a.Conflitos("sala-garagem", periodo(t, "08:00", "20:00"))); ids != "[res-0004 res-0001 res-0003]" {
		t.Errorf("the room's day: got %s, want the three by start", ids)
	}
	semSobreposicao(t, a)
}

func TestReservarGuardaEmMenosTres(t *testing.T) {
	p := pedido(t, "sala-mirante", "14:00", "15:00")
	p.Periodo = Periodo{p.Periodo.Inicio.In(time.UTC), p.Periodo.Fim.In(time.Local)}
	r, err := agendaDeTeste(t).Reservar(p)
	if err != nil || r.Periodo != periodo(t, "14:00", "15:00") {
		t.Errorf("got %v, %v, want the interval at -03:00", r, err)
	}
}

// TestReservarConfere: what did not come through Verificar is judged as well.
func TestReservarConfere(t *testing.T) {
	casos := []struct {
		p        Pedido
		esperado error
	}{
		{pedido(t, "sala-x", "14:00", "15:00"), ErrSalaInexistente},
		{pedido(t, "sala-mirante", "15:00", "14:00"), ErrIntervalo},
		{Pedido{Sala: "sala-mirante", Responsavel: "Marty"}, ErrIntervalo},
		{pedido(t, "sala-mirante", "19:00", "20:01"), ErrJanela},
		{pedido(t, "sala-mirante", "10:00", "12:01"), ErrDuracao},
		{Pedido{"sala-mirante", periodo(t, "14:00", "15:00"), " "}, ErrResponsavel},
		{Pedido{"sala-mirante", periodo(t, "14:00", "15:00"), strings.Repeat("x", 201)}, ErrResponsavel},
	}
	a := agendaDeTeste(t)
	for _, c := range casos {
		if _, err := a.Reservar(c.p); !errors.Is(err, c.esperado) {
			t.Errorf("Reservar(%v) = %v, want %v", c.p, err, c.esperado)
		}
		if _, err := a.ReservarUmaVez("k", time.Now().Add(time.Hour), c.p); !errors.Is(err, c.esperado) {
			t.Errorf("ReservarUmaVez(%v) = %v, want %v", c.p, err, c.esperado)
		}
	}
	if c := a.Conflitos("sala-mirante", periodo(t, "08:00", "20:00")); len(c) > 0 {
		t.Errorf("got %v, want nothing booked", c)
	}
}

func TestNumeracaoContinua(t *testing.T) {
	casos := []struct{ maior, proximo string }{
		{"", "res-0001"},
		{"res-0", "res-0001"},
		{"res-0041", "res-0042"},
		{"res-7", "res-0008"},
		{"res-9998", "res-9999"},
		{"res-9999", "res-10000"},
		{"res-999999999999999999", "res-1000000000000000000"},
	}
	for _, c := range casos {
		reservas := []Reserva{{"res-00", "a", periodo(t, "08:00", "09:00"), "Doc"}}
		if c.maior != "" { // the highest need not be the last in any order
			reservas = append([]Reserva{{c.maior, "a", periodo(t, "12:00", "13:00"), "Doc"}}, reservas...)
		}
		a, err := NovaAgenda([]Sala{{ID: "a", Nome: "A", Capacidade: 1}}, reservas, politicaDeTeste)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := a.Reservar(pedido(t, "a", "10:00", "11:00")); err != nil || r.ID != c.proximo {
			t.Errorf("after %q: got %v, %v, want %s", c.maior, r, err, c.proximo)
		}
	}
}

func TestReservarUmaVez(t *testing.T) {
	a := agendaDeTeste(t)
	validade := time.Now().Add(time.Hour)
	if _, ok := a.JaReservada("k"); ok {
		t.Error("an unused chave is known")
	}
	// A failed attempt does not use the chave up.
	if _, err := a.ReservarUmaVez("k", validade, pedido(t, "sala-garagem", "14:00", "15:00")); !errors.Is(err, ErrOcupada) {
		t.Fatalf("taken room: got %v, want ErrOcupada", err)
	}
	if _, ok := a.JaReservada("k"); ok {
		t.Error("a chave that failed is known")
	}
	primeira, err := a.ReservarUmaVez("k", validade, pedido(t, "sala-fusca", "14:00", "15:00"))
	if err != nil || primeira.ID != "res-0003" {
		t.Fatalf("got %v, %v, want res-0003", primeira, err)
	}
	// The same again, also with its ends in another zone.
	mesmo := pedido(t, "sala-fusca", "14:00", "15:00")
	mesmo.Periodo = Periodo{mesmo.Periodo.Inicio.UTC(), mesmo.Periodo.Fim.UTC()}
	if r, err := a.ReservarUmaVez("k", validade, mesmo); err != nil || r != primeira {
		t.Errorf("the same choice again: got %v, %v, want %v", r, err, primeira)
	}
	if r, ok := a.JaReservada("k"); !ok || r != primeira {
		t.Errorf("JaReservada: got %v, %t, want %v", r, ok, primeira)
	}
	// Anything else is another booking.
	outroNome := pedido(t, "sala-fusca", "14:00", "15:00")
	outroNome.Responsavel = "Doc"
	for _, p := range []Pedido{
		pedido(t, "sala-mirante", "14:00", "15:00"),
		pedido(t, "sala-fusca", "14:00", "14:30"),
		pedido(t, "sala-fusca", "13:00", "15:00"),
		outroNome,
	} {
		if r, err := a.ReservarUmaVez("k", validade, p); !errors.Is(err, ErrEstadoUsado) {
			t.Errorf("%v: got %v, %v, want ErrEstadoUsado", p, r, err)
		}
	}
	// Another chave is another choice: the room is taken for it.
	if _, err := a.ReservarUmaVez("k2", validade, pedido(t, "sala-fusca", "14:00", "15:00")); !errors.Is(err, ErrOcupada) {
		t.Errorf("another chave: got %v, want ErrOcupada", err)
	}
	if r, err := a.ReservarUmaVez("k2", validade, pedido(t, "sala-mirante", "14:00", "15:00")); err != nil || r.ID != "res-0004" {
		t.Errorf("another chave, another room: got %v, %v, want res-0004", r, err)
	}
	semSobreposicao(t, a)
}

// TestChavesEsquecidas books many keys while a clock goes on, and sees that
// what is kept is bounded, that no live key is forgotten, and that no
// forgotten one books again, not even when the clock goes back.
func TestChavesEsquecidas(t *testing.T) {
	a := agendaDeTeste(t)
	const ttl = 100 * time.Second
	agora := instante(t, "00:00")
	a.agora = func() time.Time { return agora }
	comeco := agora

	dia := func(i int) Pedido { // a free hour of its own for each i
		p := pedido(t, "sala-porao", "10:00", "11:00")
		p.Periodo = Periodo{p.Periodo.Inicio.AddDate(0, 0, i), p.Periodo.Fim.AddDate(0, 0, i)}
		return p
	}
	chave := func(i int) string { return fmt.Sprintf("k%d", i) }
	validade := func(i int) time.Time { return comeco.Add(time.Duration(i)*time.Second + ttl) }

	const n = 2000
	for i := range n {
		agora = comeco.Add(time.Duration(i) * time.Second)
		if _, err := a.ReservarUmaVez(chave(i), validade(i), dia(i)); err != nil {
			t.Fatalf("chave %d: %v", i, err)
		}
		// Alive are those of the last 100 seconds and the one at its very end.
		for j := max(0, i-100); j <= i; j++ {
			if _, ok := a.JaReservada(chave(j)); !ok {
				t.Fatalf("at %d s, chave %d is forgotten %v before its time", i, j, validade(j).Sub(agora))
			}
		}
		if guardadas := len(a.usadas.porChave); guardadas > 2*101+1 {
			t.Fatalf("at %d s, %d keys kept, want at most twice the 101 alive", i, guardadas)
		}
	}
	if _, ok := a.JaReservada(chave(0)); ok {
		t.Error("the oldest chave is still kept")
	}
	for _, relogio := range []time.Time{agora, comeco} {
		agora = relogio
		for i := range n {
			outro := dia(i)
			outro.Sala = "sala-mirante"
			if r, err := a.ReservarUmaVez(chave(i), validade(i), outro); !errors.Is(err, ErrEstadoUsado) {
				t.Fatalf("chave %d books again: %v, %v", i, r, err)
			}
		}
	}
}
