package aviso

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Receivers that hang, or are down, with far more to tell them than there are
// places, keep nobody else waiting for long; nor do they keep the store busy.
func TestReceptorRuimNaoAtrasa(t *testing.T) {
	for nome, ruim := range map[string]resposteiro{
		"hangs": nunca,
		"slow": func(context.Context, recebido) (*http.Response, error) {
			time.Sleep(9 * time.Second)
			return status(http.StatusOK), nil
		},
		"refuses": func(context.Context, recebido) (*http.Response, error) { return nil, errors.New("x") },
	} {
		t.Run(nome, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, f := &lojaContada{loja: memoria()}, &fingidos{}
				f.responderCom(func(ctx context.Context, r recebido) (*http.Response, error) {
					if strings.HasPrefix(r.host, "ruim") {
						return ruim(ctx, r)
					}
					return status(http.StatusOK), nil
				})
				e := iniciado(t, s, f, nil)
				const n = 300
				for i := range n {
					mudar(t, s, e, vigiada(t, s, fmt.Sprint("ruim", i%2)))
				}
				tk := vigiada(t, s, "bom")
				pior := time.Duration(0)
				for range 100 {
					f.limpar()
					inicio := time.Now()
					tk = mudar(t, s, e, tk)
					for len(f.de("bom")) == 0 {
						time.Sleep(10 * time.Millisecond)
						if time.Since(inicio) > time.Minute {
							t.Fatal("the good one is not told")
						}
					}
					pior = max(pior, time.Since(inicio))
					time.Sleep(3 * time.Second)
				}
				if pior > 2*time.Second {
					t.Errorf("the good one waited %v", pior)
				}
				if d := s.notas.Load(); d > 20*n {
					t.Errorf("%d notes for %d notifications in five minutes", d, n)
				}
				if nome == "slow" {
					time.Sleep(30 * time.Minute)
					for _, host := range []string{"ruim0", "ruim1"} {
						if f.maisAoMesmoTempo(host) > porReceptor {
							t.Errorf("want at most %d at once, got %d", porReceptor, f.maisAoMesmoTempo(host))
						}
					}
					if ps, err := s.ReivindicarAvisos(t.Context(), nil, time.Now().Add(time.Hour), time.Now().Add(time.Hour), 9999); err != nil || len(ps) != 0 {
						t.Errorf("want all told to the slow ones in the end, %d are left, %v", len(ps), err)
					}
				}
				t.Logf("the good one waited at most %v; %d notes, %d claims", pior, s.notas.Load(), s.pedidos.Load())
			})
		})
	}
}

// A receiver that is down takes one place now and then, not all that it may have:
// many of them together leave room too.
func TestMuitosCaidos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		f.responderCom(func(ctx context.Context, r recebido) (*http.Response, error) {
			if r.host == "bom" {
				return status(http.StatusOK), nil
			}
			return nunca(ctx, r)
		})
		e := iniciado(t, s, f, nil)
		for i := range 400 {
			mudar(t, s, e, vigiada(t, s, fmt.Sprint("ruim", i%20)))
		}
		time.Sleep(2 * time.Minute)
		tk := vigiada(t, s, "bom")
		for range 50 {
			f.limpar()
			tk = mudar(t, s, e, tk)
			time.Sleep(2 * time.Second)
			if len(f.de("bom")) != 1 {
				t.Fatal("the good one is not told in two seconds")
			}
		}
	})
}

// A receiver that was down is told all when it is back.
func TestReceptorVolta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		var caido atomic.Bool
		caido.Store(true)
		f.responderCom(func(context.Context, recebido) (*http.Response, error) {
			if caido.Load() {
				return nil, errors.New("x")
			}
			return status(http.StatusOK), nil
		})
		e := iniciado(t, s, f, nil)
		var tks []*tarefa.Tarefa
		for range 200 {
			tks = append(tks, mudar(t, s, e, vigiada(t, s, "r")))
		}
		time.Sleep(5 * time.Minute)
		caido.Store(false)
		f.limpar()
		time.Sleep(2*padrao.maiorRecuo + time.Minute)
		for _, tk := range tks {
			if a := doAviso(t, s, tk); a.Entregue != tk.Versao {
				t.Fatalf("not told: %+v", a)
			}
		}
		if n := len(f.todos()); n < 150 {
			t.Errorf("want most of them told only now, got %d", n)
		}
	})
}

// lojaContada counts what is asked of a store, and can lose the notes.
type lojaContada struct {
	loja
	notas, pedidos atomic.Int64
	perde          atomic.Bool
}

func (s *lojaContada) AnotarAviso(ctx context.Context, a tarefa.Aviso) error {
	s.notas.Add(1)
	if s.perde.Load() {
		return errors.New("the store is away")
	}
	return s.loja.AnotarAviso(ctx, a)
}

func (s *lojaContada) ReivindicarAvisos(ctx context.Context, so []string, agora, ate time.Time, n int) ([]tarefa.Pendente, error) {
	s.pedidos.Add(1)
	if s.perde.Load() {
		return nil, errors.New("the store is away")
	}
	return s.loja.ReivindicarAvisos(ctx, so, agora, ate, n)
}
