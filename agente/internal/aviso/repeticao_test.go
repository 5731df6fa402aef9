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
)

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
