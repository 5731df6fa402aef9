package tarefa

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

func novaTarefa() *Tarefa {
	return Nova(&a2a.Message{ID: "m", Parts: a2a.ContentParts{a2a.NewTextPart("x")}}, "", time.Now())
}

func evento(t *testing.T, s Store, tk *Tarefa, e Evento) *Tarefa {
	t.Helper()
	novo, err := tk.Com(e, time.Now())
	if err == nil {
		novo, err = s.Trocar(t.Context(), novo)
	}
	if err != nil {
		t.Fatal(err)
	}
	return novo
}

// A follower sees each version once, in order, from where it began; what another
// agent stored on the same store it sees a moment later.
func TestSeguidor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NovaMemoria(10, 1<<20)
		var mudadas []string
		d := NovaDifusao(m, func(id string) { mudadas = append(mudadas, id) })
		tk, err := d.Criar(t.Context(), novaTarefa())
		if err != nil {
			t.Fatal(err)
		}
		s := d.Seguir(tk.ID, tk.Versao)
		outro := d.Seguir(tk.ID, tk.Versao)
		outro.Parar()
		outro.Parar()
		tk = evento(t, d, tk, Iniciar)
		tk = evento(t, d, tk, Pausar)
		proximo := func(want a2a.TaskState) {
			t.Helper()
			if got, err := s.Proximo(t.Context(), nil); err != nil || got.Estado != want {
				t.Fatalf("want %s, got %v, %v", want, got, err)
			}
		}
		proximo(a2a.TaskStateWorking)
		proximo(a2a.TaskStateInputRequired)
		if len(mudadas) != 3 || mudadas[2] != tk.ID {
			t.Errorf("every change is told: %v", mudadas)
		}
		tk = evento(t, m, tk, Retomar) // another agent's: nobody here is told
		agora := time.Now()
		proximo(a2a.TaskStateWorking)
		if time.Since(agora) > consulta {
			t.Errorf("seen after %s, want at most %s", time.Since(agora), consulta)
		}
		tk = evento(t, m, tk, Pausar)
		tk = evento(t, d, tk, Retomar) // overtakes what was not seen yet
		proximo(a2a.TaskStateWorking)
		evento(t, d, tk, Concluir)
		proximo(a2a.TaskStateCompleted)

		solto := make(chan struct{})
		close(solto)
		if got, err := s.Proximo(t.Context(), solto); got != nil || err != nil {
			t.Errorf("let go: want nothing, got %v, %v", got, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Proximo(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("want the context's error, got %v", err)
		}
		if _, err := m.Esquecer(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Proximo(t.Context(), nil); !errors.Is(err, ErrNaoExiste) {
			t.Errorf("forgotten: want ErrNaoExiste, got %v", err)
		}
		s.Parar()
		if len(d.seguidores) != 0 {
			t.Errorf("nothing is kept of those who stopped: %v", d.seguidores)
		}
	})
}

// A follower that does not keep up is given up; who writes does not wait, and
// holds nothing for it.
func TestSeguidorAtrasado(t *testing.T) {
	d := NovaDifusao(NovaMemoria(10, 1<<20), nil)
	tk, err := d.Criar(t.Context(), novaTarefa())
	if err != nil {
		t.Fatal(err)
	}
	s := d.Seguir(tk.ID, 0)
	defer s.Parar()
	tk = evento(t, d, evento(t, d, tk, Iniciar), Pausar)
	for range maxAtraso {
		tk = evento(t, d, tk, Insistir)
	}
	if _, err := s.Proximo(t.Context(), nil); !errors.Is(err, ErrAtraso) || s.fila != nil {
		t.Errorf("want ErrAtraso and an empty queue, got %v, %d", err, len(s.fila))
	}
}

// Many writers and followers at once: every follower sees versions that only
// grow, and the last one.
func TestSeguidoresConcorrentes(t *testing.T) {
	d := NovaDifusao(NovaMemoria(10, 1<<20), nil)
	tk, err := d.Criar(t.Context(), novaTarefa())
	if err != nil {
		t.Fatal(err)
	}
	tk = evento(t, d, evento(t, d, tk, Iniciar), Pausar)
	var wg sync.WaitGroup
	for range 4 {
		s := d.Seguir(tk.ID, tk.Versao)
		wg.Go(func() {
			defer s.Parar()
			for ultima := tk.Versao; ; {
				novo, err := s.Proximo(t.Context(), nil)
				if err != nil {
					if !errors.Is(err, ErrAtraso) {
						t.Error(err)
					}
					return
				}
				if novo.Versao <= ultima {
					t.Errorf("version %d after %d", novo.Versao, ultima)
				}
				if ultima = novo.Versao; novo.Estado.Terminal() {
					return
				}
			}
		})
	}
	var escritores sync.WaitGroup
	for range 4 {
		escritores.Go(func() {
			for range 8 {
				for {
					agora, err := d.Ler(t.Context(), tk.ID)
					if err != nil {
						t.Error(err)
						return
					}
					novo, _ := agora.Com(Insistir, time.Now())
					if _, err := d.Trocar(t.Context(), novo); err == nil {
						break
					}
				}
			}
		})
	}
	escritores.Wait()
	agora, _ := d.Ler(t.Context(), tk.ID)
	evento(t, d, agora, Cancelar)
	wg.Wait()
}

// lojaCaida is a store that cannot be read while caida.
type lojaCaida struct {
	Store
	caida atomic.Bool
}

func (l *lojaCaida) Ler(ctx context.Context, id string) (*Tarefa, error) {
	if l.caida.Load() {
		return nil, errors.New("restarting")
	}
	return l.Store.Ler(ctx, id)
}

// A store that is away for a while ends no stream; one that stays away does.
func TestSeguidorComLojaCaida(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NovaMemoria(10, 1<<20)
		l := &lojaCaida{Store: m}
		d := NovaDifusao(l, nil)
		tk, err := d.Criar(t.Context(), novaTarefa())
		if err != nil {
			t.Fatal(err)
		}
		s := d.Seguir(tk.ID, tk.Versao)
		defer s.Parar()
		l.caida.Store(true)
		time.AfterFunc(10*consulta, func() {
			evento(t, m, tk, Iniciar) // by another agent
			l.caida.Store(false)
		})
		if got, err := s.Proximo(t.Context(), nil); err != nil || got.Estado != a2a.TaskStateWorking {
			t.Fatalf("want the step that came meanwhile, got %v, %v", got, err)
		}
		l.caida.Store(true)
		agora := time.Now()
		if _, err := s.Proximo(t.Context(), nil); err == nil || time.Since(agora) != maxFalhas*consulta {
			t.Errorf("want the store's error after %d looks, got %v after %s", maxFalhas, err, time.Since(agora))
		}
	})
}
