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

// A change is told at once, to each receiver, and only once; steps that come
// faster than they are told are told as one, in their order.
func TestEntrega(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		e := iniciado(t, s, f, nil)
		tk := vigiada(t, s, "r")
		outro := tarefa.Aviso{TaskID: tk.ID, ID: "d", URL: "https://outro/"}
		if err := s.GuardarAviso(t.Context(), outro); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(f.todos()); n != 0 {
			t.Fatalf("nothing has changed, %d told", n)
		}
		inicio := time.Now()
		tk = mudar(t, s, e, tk)
		synctest.Wait()
		rs := f.todos()
		if len(rs) != 2 || !rs[0].quando.Equal(inicio) || rs[0].versao != 2 || rs[0].tarefa != tk.ID {
			t.Fatalf("want version 2 told to both at once, got %+v", rs)
		}
		h := f.de("r")[0].headers
		for nome, want := range map[string]string{
			"Content-Type": "application/a2a+json", "Authorization": "bEaReR as-credenciais", "User-Agent": "ponte-agente",
			"X-A2A-Notification-Token": "o-token", "A2A-Notification-Token": "o-token",
		} {
			if got := h.Get(nome); got != want {
				t.Errorf("%s: want %q, got %q", nome, want, got)
			}
		}
		h = f.de("outro")[0].headers
		for _, nome := range []string{"Authorization", "X-A2A-Notification-Token", "A2A-Notification-Token"} {
			if _, ha := h[http.CanonicalHeaderKey(nome)]; ha {
				t.Errorf("%s was not asked for", nome)
			}
		}
		time.Sleep(time.Hour)
		if n := len(f.todos()); n != 2 {
			t.Errorf("told %d times, want each once", n)
		}

		// Slow receivers: what happens meanwhile is told as one.
		f.limpar()
		f.responderCom(func(context.Context, recebido) (*http.Response, error) {
			time.Sleep(4300 * time.Millisecond)
			return status(http.StatusOK), nil
		})
		for range 10 {
			tk = mudar(t, s, e, tk)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		rs = f.de("r")
		for i, want := range []int64{3, 7, 11, 12} {
			if len(rs) != 4 || rs[i].versao != want || rs[i].quando.Sub(rs[0].quando) != time.Duration(i)*4300*time.Millisecond {
				t.Fatalf("want versions 3, 7, 11 and 12 told, each when the one before was acknowledged, got %+v", rs)
			}
		}
		if a, err := s.ListarAvisos(t.Context(), tk.ID); err != nil || a[0].Entregue != 12 || a[1].Entregue != 12 || a[0].Tentativas != 0 {
			t.Errorf("want both noted, got %+v, %v", a, err)
		}
	})
}

// Without being woken it looks for itself: another agent's changes are told too.
func TestSemAcordar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		tk := vigiada(t, s, "r")
		e := iniciado(t, s, f, nil)
		time.Sleep(time.Second)
		tk = mudar(t, s, nil, tk)
		time.Sleep(padrao.ronda)
		if n := len(f.todos()); n != 1 {
			t.Errorf("want it told by the round, got %d", n)
		}
		// Any Task.
		mudar(t, s, nil, tk)
		e.Acordar("")
		synctest.Wait()
		if n := len(f.todos()); n != 2 {
			t.Errorf("want it told at once, got %d", n)
		}
	})
}

// A great many that change at once are all told, whether they are named or not.
func TestMuitas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		f.responderCom(func(context.Context, recebido) (*http.Response, error) {
			time.Sleep(20 * time.Millisecond)
			return status(http.StatusOK), nil
		})
		e := iniciado(t, s, f, nil)
		const n = lembradas + 500
		for range n {
			mudar(t, s, e, vigiada(t, s, "r"))
		}
		inicio := time.Now()
		for len(f.todos()) < n && time.Since(inicio) < time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		if d := time.Since(inicio); d > 10*time.Second {
			t.Errorf("%d at 20 ms each, %d at once, took %v", n, porReceptor, d)
		}
		time.Sleep(time.Minute)
		if got := len(f.todos()); got != n {
			t.Errorf("want %d told, each once, got %d", n, got)
		}
		if got := f.maisAoMesmoTempo("r"); got > porReceptor {
			t.Errorf("want at most %d at once, got %d", porReceptor, got)
		}
	})
}

// Failures are tried again, later and later; then it is given up, with a warning,
// until the Task changes again.
func TestRecuo(t *testing.T) {
	for nome, responder := range map[string]resposteiro{
		"status 500": func(context.Context, recebido) (*http.Response, error) { return status(500), nil },
		"status 302": func(context.Context, recebido) (*http.Response, error) {
			return status(302, "Location", "https://r/outro"), nil
		},
		"status 101": func(context.Context, recebido) (*http.Response, error) { return status(101), nil },
		"status 408": func(context.Context, recebido) (*http.Response, error) { return status(408), nil },
		"status 425": func(context.Context, recebido) (*http.Response, error) { return status(425), nil },
		"status 429": func(context.Context, recebido) (*http.Response, error) { return status(429), nil },
		"refused":    func(context.Context, recebido) (*http.Response, error) { return nil, errors.New("x") },
		"hangs":      nunca,
	} {
		t.Run(nome, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, f := memoria(), &fingidos{responder: responder}
				log, linhas := comRegistro()
				e := iniciado(t, s, f, log)
				tk := mudar(t, s, e, vigiada(t, s, "r"))
				time.Sleep(time.Hour)
				rs := f.todos()
				if len(rs) != padrao.tentativas {
					t.Fatalf("want %d attempts, got %d", padrao.tentativas, len(rs))
				}
				for i := 1; i < len(rs); i++ {
					d, quer := rs[i].quando.Sub(rs[i-1].quando), padrao.espera(i)
					if nome == "hangs" {
						d -= padrao.prazo
					}
					if d < quer/2-time.Millisecond || d > quer+2*time.Second {
						t.Errorf("attempt %d: want it %v to %v after the one before, got %v", i+1, quer/2, quer, d)
					}
				}
				if a := doAviso(t, s, tk); a.Entregue != tk.Versao || a.Tentativas != 0 {
					t.Errorf("want the version noted as told, got %+v", a)
				}
				if got := linhas.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "given up") || !strings.Contains(got, "attempt=10") {
					t.Errorf("want one warning, got\n%s", got)
				}
				// A new chance, and a receiver that is well again.
				f.limpar()
				f.responderCom(nil)
				mudar(t, s, e, tk)
				time.Sleep(10 * time.Minute)
				if rs := f.todos(); len(rs) != 1 || rs[0].versao != 3 {
					t.Errorf("want the next change told, got %+v", rs)
				}
			})
		})
	}
}

// What the receiver does not take is not sent again.
func TestDesiste(t *testing.T) {
	for _, n := range []int{400, 401, 403, 404, 410, 422} {
		synctest.Test(t, func(t *testing.T) {
			s, f := memoria(), &fingidos{}
			f.responderCom(func(context.Context, recebido) (*http.Response, error) { return status(n, "Retry-After", "1"), nil })
			log, linhas := comRegistro()
			e := iniciado(t, s, f, log)
			tk := mudar(t, s, e, vigiada(t, s, "r"))
			time.Sleep(time.Hour)
			if got := len(f.todos()); got != 1 {
				t.Errorf("status %d: want one attempt, got %d", n, got)
			}
			if !strings.Contains(linhas.String(), fmt.Sprintf("level=WARN msg=\"push notification given up\" task_id=%s context_id=%s config_id=c host=r attempt=1", tk.ID, tk.Contexto)) ||
				!strings.Contains(linhas.String(), fmt.Sprint("HTTP status ", n)) {
				t.Errorf("want a warning, got\n%s", linhas)
			}
			mudar(t, s, e, tk)
			time.Sleep(time.Minute)
			if got := len(f.todos()); got != 2 {
				t.Errorf("status %d: want the next change tried, got %d", n, got)
			}
		})
	}
}

// A receiver that asks for time gets it, up to a bound.
func TestRetryAfter(t *testing.T) {
	for pedido, want := range map[string]time.Duration{"90": 90 * time.Second, "86400": padrao.maiorRecuo, "data": 2 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s, f := memoria(), &fingidos{}
			var vezes atomic.Int32
			f.responderCom(func(context.Context, recebido) (*http.Response, error) {
				if vezes.Add(1) > 1 {
					return status(http.StatusOK), nil
				}
				quando := pedido
				if pedido == "data" {
					quando = time.Now().Add(want).UTC().Format(http.TimeFormat)
				}
				return status(http.StatusServiceUnavailable, "Retry-After", quando), nil
			})
			e := iniciado(t, s, f, nil)
			mudar(t, s, e, vigiada(t, s, "r"))
			time.Sleep(time.Hour)
			rs := f.todos()
			if len(rs) != 2 {
				t.Fatalf("%s: want two attempts, got %d", pedido, len(rs))
			}
			if d := rs[1].quando.Sub(rs[0].quando); d < want || d > want+time.Second {
				t.Errorf("%s: want it after %v, got %v", pedido, want, d)
			}
		})
	}
}

// A receiver never hears an older version after it took a newer one, whatever
// fails in between.
func TestOrdem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		var n atomic.Int32
		f.responderCom(func(context.Context, recebido) (*http.Response, error) {
			switch n.Add(1) % 4 {
			case 0:
				time.Sleep(3 * time.Second)
			case 1:
				return status(500), nil
			case 2:
				return nil, errors.New("x")
			}
			return status(http.StatusOK), nil
		})
		agentes := []*Entregador{iniciado(t, s, f, nil), iniciado(t, s, f, nil)}
		tk := vigiada(t, s, "r")
		for i := range 60 {
			tk = mudar(t, s, agentes[i%2], tk)
			time.Sleep(time.Duration(i%7) * 300 * time.Millisecond)
		}
		time.Sleep(time.Hour)
		rs := f.todos()
		for i := 1; i < len(rs); i++ {
			if rs[i].versao < rs[i-1].versao {
				t.Errorf("version %d after %d", rs[i].versao, rs[i-1].versao)
			}
		}
		if rs[len(rs)-1].versao != tk.Versao {
			t.Errorf("want version %d told at the end, got %d", tk.Versao, rs[len(rs)-1].versao)
		}
	})
}

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

// An agent that dies with a notification in hand, sent or not, leaves it to the
// next one: at least once.
func TestMorte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := &lojaContada{loja: memoria()}, &fingidos{responder: nunca}
		morto := iniciado(t, s, f, nil)
		tk := mudar(t, s, morto, vigiada(t, s, "r"))
		synctest.Wait()
		if len(f.todos()) != 1 {
			t.Fatal("not sent")
		}
		s.perde.Store(true) // it dies: nothing of it reaches the store
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = morto.Fechar(ctx)
		s.perde.Store(false)
		f.limpar()
		f.responderCom(nil)
		inicio := time.Now()
		iniciado(t, s, f, nil)
		time.Sleep(2 * time.Minute)
		rs := f.todos()
		if len(rs) != 1 || rs[0].versao != tk.Versao {
			t.Fatalf("want it told once more, got %+v", rs)
		}
		if d, claim := rs[0].quando.Sub(inicio), padrao.prazo+padrao.fila+padrao.folga; d < claim-time.Second || d > claim+padrao.ronda {
			t.Errorf("want it told when the claim of the dead has ended, got %v", d)
		}
		if a := doAviso(t, s, tk); a.Entregue != tk.Versao {
			t.Errorf("not noted: %+v", a)
		}
	})
}

// While the store is away nothing is lost, and when a note could not be made the
// notification is sent again.
func TestLojaFora(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := &lojaContada{loja: memoria()}, &fingidos{}
		f.responderCom(func(context.Context, recebido) (*http.Response, error) {
			s.perde.Store(true)
			return status(http.StatusOK), nil
		})
		log, linhas := comRegistro()
		e := iniciado(t, s, f, log)
		tk := mudar(t, s, e, vigiada(t, s, "r"))
		outra := vigiada(t, s, "r")
		time.Sleep(time.Second)
		outra = mudar(t, s, e, outra)
		time.Sleep(time.Minute)
		if n := strings.Count(linhas.String(), "level=ERROR"); n < 2 || n > 30 {
			t.Errorf("want it said now and then, got %d lines", n)
		}
		f.responderCom(nil)
		s.perde.Store(false)
		time.Sleep(time.Minute)
		for _, tk := range []*tarefa.Tarefa{tk, outra} {
			if a := doAviso(t, s, tk); a.Entregue != tk.Versao {
				t.Errorf("not told: %+v", a)
			}
		}
		if n := len(f.todos()); n != 3 {
			t.Errorf("want the first told twice and the other once, got %d", n)
		}
	})
}

// Fechar waits for what is under way, and breaks it off in time; what was broken
// off, or did not begin, is there for the next agent at once. No goroutine is
// left: the bubble would not end with one.
func TestFechar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		f.responderCom(func(ctx context.Context, r recebido) (*http.Response, error) {
			if r.host == "nunca" {
				return nunca(ctx, r)
			}
			time.Sleep(2 * time.Second)
			return status(http.StatusOK), nil
		})
		e := iniciado(t, s, f, nil)
		quase := mudar(t, s, e, vigiada(t, s, "r"))
		var presas []*tarefa.Tarefa
		for range 20 { // more than begin
			presas = append(presas, mudar(t, s, e, vigiada(t, s, "nunca")))
		}
		synctest.Wait()
		inicio := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if err := e.Fechar(ctx); err != nil {
			t.Errorf("Fechar: %v", err)
		}
		if d := time.Since(inicio); d != 3*time.Second {
			t.Errorf("want it over a second before its time, got %v", d)
		}
		if a := doAviso(t, s, quase); a.Entregue != quase.Versao {
			t.Errorf("what could end did not: %+v", a)
		}
		for _, tk := range presas {
			if a := doAviso(t, s, tk); a.Entregue != 1 || a.Tentativas != 0 || a.Proxima.After(time.Now()) {
				t.Errorf("want it given back, got %+v", a)
			}
		}
		n := len(f.todos())
		e.Acordar(quase.ID)
		mudar(t, s, e, quase)
		time.Sleep(time.Hour)
		if len(f.todos()) != n {
			t.Error("it goes on after Fechar")
		}
		if err := e.Fechar(ctx); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// Fechar returns with its context, also when the store does not answer.
func TestFecharComLojaPresa(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lojaPresa{memoria()}
		e := novo(Config{Avisos: s, Corpo: corpo, Log: slogMudo}, padrao, &fingidos{})
		mudar(t, s, e, vigiada(t, s, "r"))
		synctest.Wait()
		inicio := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := e.Fechar(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(inicio) != 2*time.Second {
			t.Errorf("want the deadline after 2 s, got %v after %v", err, time.Since(inicio))
		}
	})
}

// lojaPresa answers no claim.
type lojaPresa struct{ loja }

func (lojaPresa) ReivindicarAvisos(ctx context.Context, _ []string, _, _ time.Time, _ int) ([]tarefa.Pendente, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
