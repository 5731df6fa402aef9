package aviso

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

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

// After a config was deleted, or replaced, nothing more is sent to it, also not
// what was claimed and waited for its turn.
func TestApagadoNaoRecebeMais(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := memoria(), &fingidos{}
		f.responderCom(func(context.Context, recebido) (*http.Response, error) {
			time.Sleep(900 * time.Millisecond)
			return status(http.StatusOK), nil
		})
		e := iniciado(t, s, f, nil)
		var ts []*tarefa.Tarefa
		for range 40 {
			ts = append(ts, mudar(t, s, e, vigiada(t, s, "um")))
		}
		time.Sleep(100 * time.Millisecond)
		emCurso := len(f.todos())
		if emCurso == 0 || emCurso == len(ts) {
			t.Fatalf("want some under way and some waiting, got %d", emCurso)
		}
		for i, tk := range ts {
			todos, err := s.ListarAvisos(t.Context(), tk.ID)
			if err != nil || len(todos) != 1 {
				t.Fatal(todos, err)
			}
			a := todos[0]
			if i%2 == 0 {
				err = s.ApagarAviso(t.Context(), tk.ID, a.ID)
			} else {
				a.URL = "https://outro.example/"
				err = s.GuardarAviso(t.Context(), a)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if n := len(f.todos()); n != emCurso {
			t.Errorf("%d notifications were sent after the configs had changed", n-emCurso)
		}
	})
}
