package aviso

import (
	"context"
	"net/http"
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
