package ponte

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

func TestLimiteDeEspera(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &oficina{}
		o.responde = func(ctx context.Context, c chamada) hospede.Desfecho {
			<-ctx.Done()
			return hospede.Inacessivel{Motivo: "Servidor MCP nao respondeu a tempo.", Causa: "deadline"}
		}
		p := nova(t, o)
		inicio := time.Now()
		tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		quer(t, tk, a2a.TaskStateFailed, "Servidor MCP nao respondeu a tempo.")
		if d := time.Since(inicio); d != 10*time.Second {
			t.Errorf("want the limit of 10s, took %s", d)
		}
		_ = p.Fechar(t.Context())
	})
}

func TestPausaExpira(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &oficina{responde: roteiro}
		p := nova(t, o)
		varrida := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		time.Sleep(23*time.Hour + 59*time.Minute + 30*time.Second)
		viva := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		if tk, _ := p.Ler(t.Context(), varrida.ID); tk.Estado != a2a.TaskStateInputRequired {
			t.Errorf("before 24h: %s", tk.Estado)
		}
		time.Sleep(30 * time.Second)
		tk, err := p.Ler(t.Context(), varrida.ID) // before the sweep comes by
		if err != nil {
			t.Fatal(err)
		}
		quer(t, tk, a2a.TaskStateFailed, "Pausa expirada.")
		if _, _, err := receber(t.Context(), p, mensagem("escolha=azul", tk)); !errors.Is(err, ErrNaoAceita) {
			t.Errorf("an expired pause takes no answer, got %v", err)
		}
		time.Sleep(24*time.Hour + time.Minute)
		pagina, _ := p.Listar(t.Context(), tarefa.Filtro{Estado: a2a.TaskStateFailed, Limite: 10})
		if pagina.Total != 2 || pagina.Tarefas[0].ID != viva.ID {
			t.Errorf("the sweep must end what nobody looks at: %+v", pagina)
		}
		_ = p.Fechar(t.Context())
	})
}

// What a dead agent left at work is settled once its claim is over, by whoever
// shares the store: nothing stays WORKING for ever, no pause is lost.
func TestRecuperacao(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, fim := tarefa.NovaMemoria(10, 1<<30), make(chan struct{})
		presa := &oficina{responde: func(_ context.Context, c chamada) hospede.Desfecho {
			if c.retomada == nil && strings.Contains(c.argumentos, "rosa") {
				return pede
			}
			<-fim // the agent dies here, and comes back from the dead too late
			return feita
		}}
		morta := nova(t, presa, func(c *Config) { c.Store = tarefa.NovaDifusao(store, nil) })
		pausada := dizer(t, morta, mensagem("pintar peca=p cor=rosa", nil))
		primeira, _, err := receber(t.Context(), morta, mensagem("pintar peca=p cor=azul", nil))
		if err != nil {
			t.Fatal(err)
		}
		continuada, _, err := receber(t.Context(), morta, mensagem("escolha=azul", pausada))
		if err != nil {
			t.Fatal(err)
		}
		so, err := store.Criar(t.Context(), tarefa.Nova(mensagem("x", nil), "", time.Now()).AtePrazo(time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		morta.cancel()
		morta.fecharUmaVez.Do(func() { close(morta.closing) }) // its sweep is gone with it

		viva := nova(t, &oficina{responde: roteiro}, func(c *Config) { c.Store = tarefa.NovaDifusao(store, nil) })
		if tk, _ := viva.Ler(t.Context(), continuada.ID); tk.Estado != a2a.TaskStateWorking {
			t.Errorf("a claim that still holds was taken over: %s", tk.Estado)
		}
		time.Sleep(20*time.Second + varredura)
		synctest.Wait()
		tk, _ := viva.Ler(t.Context(), primeira.ID)
		quer(t, tk, a2a.TaskStateFailed, "O agente foi interrompido durante o pedido, que pode ter tido efeito no servidor MCP.")
		tk, _ = viva.Ler(t.Context(), so.ID)
		quer(t, tk, a2a.TaskStateFailed, "O agente foi interrompido antes de comecar o pedido.")
		tk, _ = viva.Ler(t.Context(), continuada.ID)
		quer(t, tk, a2a.TaskStateInputRequired, "alternativas: azul, verde claro", "O agente foi interrompido antes de concluir a resposta. Responda de novo.")
		tk = dizer(t, viva, mensagem("escolha=azul", tk))
		quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
		close(fim)
		synctest.Wait()
		if depois, _ := viva.Ler(t.Context(), primeira.ID); depois.Estado != a2a.TaskStateFailed {
			t.Errorf("the dead agent's result was stored over the settlement: %s", depois.Estado)
		}
		time.Sleep(720*time.Hour + varredura)
		synctest.Wait()
		if _, err := viva.Ler(t.Context(), primeira.ID); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("what ended long ago is forgotten, got %v", err)
		}
		_ = viva.Fechar(t.Context())
	})
}

func TestFecharEspera(t *testing.T) {
	solta := make(chan struct{})
	o := &oficina{responde: func(context.Context, chamada) hospede.Desfecho { <-solta; return feita }}
	p := nova(t, o)
	tk, feito, _ := receber(t.Context(), p, mensagem("pintar peca=p cor=rosa", nil))
	curto, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.Fechar(curto); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("work under way: want the bound to be reached, got %v", err)
	}
	close(solta)
	<-feito
	if err := p.Fechar(t.Context()); err != nil {
		t.Error(err)
	}
	if tk, _ = p.Ler(t.Context(), tk.ID); tk.Estado != a2a.TaskStateCompleted {
		t.Errorf("work that ended is stored: %s", tk.Estado)
	}
}
