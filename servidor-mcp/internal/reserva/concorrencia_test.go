package reserva

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestReservarAoMesmoTempo: many goroutines want overlapping intervals; of
// those that overlap one wins, and readers never see two.
func TestReservarAoMesmoTempo(t *testing.T) {
	a := agendaDeTeste(t)
	const porHora, horas = 16, 12
	var venceram [horas]atomic.Int32
	var grupo, leitores sync.WaitGroup
	fim := make(chan struct{})
	for range 4 {
		leitores.Go(func() {
			for {
				select {
				case <-fim:
					return
				default:
				}
				c := a.Conflitos("sala-mirante", periodo(t, "08:00", "20:00"))
				for i := 1; i < len(c); i++ {
					if c[i].Periodo.Inicio.Before(c[i-1].Periodo.Fim) {
						t.Errorf("a reader saw %v over %v", c[i], c[i-1])
					}
				}
				a.Alternativas("sala-garagem", periodo(t, "14:00", "15:00"))
				a.Salas()
			}
		})
	}
	for h := range horas {
		for i := range porHora {
			inicio := instante(t, "08:00").Add(time.Duration(h) * time.Hour)
			// All of one hour overlap around its middle, and none leaves it.
			p := Pedido{"sala-mirante", Periodo{
				inicio.Add(time.Duration(i) * time.Minute),
				inicio.Add(time.Hour - time.Duration(i)*time.Minute),
			}, "Marty"}
			grupo.Go(func() {
				switch _, err := a.Reservar(p); {
				case err == nil:
					venceram[h].Add(1)
				case !errors.Is(err, ErrOcupada):
					t.Errorf("%v: got %v, want ErrOcupada", p, err)
				}
			})
		}
	}
	grupo.Wait()
	close(fim)
	leitores.Wait()
	for h := range venceram {
		if n := venceram[h].Load(); n != 1 {
			t.Errorf("hour %d: %d booked, want exactly 1", h, n)
		}
	}
	semSobreposicao(t, a)
}

// TestReservarUmaVezAoMesmoTempo: one chave from 64 goroutines, first all
// with one choice, then each with one of two.
func TestReservarUmaVezAoMesmoTempo(t *testing.T) {
	validade := time.Now().Add(time.Hour)
	t.Run("same choice", func(t *testing.T) {
		a := agendaDeTeste(t)
		var ids sync.Map
		var grupo sync.WaitGroup
		for range 64 {
			grupo.Go(func() {
				r, err := a.ReservarUmaVez("k", validade, pedido(t, "sala-fusca", "14:00", "15:00"))
				if err != nil {
					t.Errorf("want the one reserva, got %v", err)
				}
				ids.Store(r.ID, true)
			})
		}
		grupo.Wait()
		ids.Range(func(id, _ any) bool {
			if id != "res-0003" {
				t.Errorf("got %v, want res-0003 alone", id)
			}
			return true
		})
		semSobreposicao(t, a)
	})
	t.Run("two choices", func(t *testing.T) {
		a := agendaDeTeste(t)
		var venceu [2]atomic.Int32
		var grupo sync.WaitGroup
		for i := range 64 {
			grupo.Go(func() {
				sala := [2]string{"sala-fusca", "sala-mirante"}[i%2]
				switch _, err := a.ReservarUmaVez("k", validade, pedido(t, sala, "14:00", "15:00")); {
				case err == nil:
					venceu[i%2].Add(1)
				case !errors.Is(err, ErrEstadoUsado):
					t.Errorf("%s: got %v, want ErrEstadoUsado", sala, err)
				}
			})
		}
		grupo.Wait()
		if x, y := venceu[0].Load(), venceu[1].Load(); x+y != 32 || x*y != 0 {
			t.Errorf("%d and %d succeeded, want all 32 of one choice and none of the other", x, y)
		}
		reservas := append(a.Conflitos("sala-fusca", periodo(t, "14:00", "15:00")), a.Conflitos("sala-mirante", periodo(t, "14:00", "15:00"))...)
		if len(reservas) != 1 {
			t.Errorf("got %v, want one reserva", reservas)
		}
	})
	t.Run("many keys, one room", func(t *testing.T) {
		a := agendaDeTeste(t)
		var venceram atomic.Int32
		var grupo sync.WaitGroup
		for i := range 64 {
			grupo.Go(func() {
				switch _, err := a.ReservarUmaVez(fmt.Sprint(i), validade, pedido(t, "sala-fusca", "14:00", "15:00")); {
				case err == nil:
					venceram.Add(1)
				case !errors.Is(err, ErrOcupada):
					t.Errorf("chave %d: got %v, want ErrOcupada", i, err)
				}
			})
		}
		grupo.Wait()
		if n := venceram.Load(); n != 1 {
			t.Errorf("%d keys booked the room, want 1", n)
		}
	})
}
