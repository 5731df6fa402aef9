package ponte

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

func TestMensagensQueNenhumaTaskAceita(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	m := mensagem("escolha=azul", tk)
	m.ContextID = "outro"
	if _, _, err := receber(t.Context(), p, m); !errors.Is(err, ErrContexto) {
		t.Errorf("another context: want ErrContexto, got %v", err)
	}
	if depois, _ := p.Ler(t.Context(), tk.ID); depois.Versao != tk.Versao {
		t.Error("a refused message was stored")
	}
	m = mensagem("x", nil)
	m.TaskID = "nao-existe"
	if _, _, err := receber(t.Context(), p, m); !errors.Is(err, tarefa.ErrNaoExiste) {
		t.Errorf("unknown task: %v", err)
	}
	m = mensagem("escolha=azul", tk)
	m.ContextID = tk.Contexto
	tk = dizer(t, p, m)
	quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
	if _, _, err := receber(t.Context(), p, mensagem("escolha=azul", tk)); !errors.Is(err, ErrNaoAceita) {
		t.Errorf("a terminal task: want ErrNaoAceita, got %v", err)
	}
	if igual := dizer(t, p, m); igual.Versao != tk.Versao || o.vezes() != 2 {
		t.Error("the same message again: want the task as it stands, and nothing run")
	}
	m = mensagem("pintar peca=p cor=rosa", nil)
	m.ContextID = "do-cliente"
	if tk := dizer(t, p, m); tk.Contexto != "do-cliente" {
		t.Errorf("a client's context is kept, got %q", tk.Contexto)
	}
}

// Of many answers at once exactly one goes to the server.
func TestUmaSoRespostaPassa(t *testing.T) {
	solta := make(chan struct{})
	o := &oficina{}
	o.responde = func(ctx context.Context, c chamada) hospede.Desfecho {
		if c.retomada != nil {
			<-solta
		}
		return roteiro(ctx, c)
	}
	p := nova(t, o)
	for _, mesma := range []bool{false, true} {
		tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		antes := o.vezes()
		m := mensagem("escolha=azul", tk)
		var wg sync.WaitGroup
		aceitas := make(chan bool, 32)
		for range 32 {
			wg.Go(func() {
				n := m
				if !mesma {
					n = mensagem("escolha=azul", tk)
				}
				_, feito, err := receber(context.Background(), p, n)
				if err != nil && !errors.Is(err, ErrNaoAceita) || mesma && err != nil {
					t.Errorf("same message %v: %v", mesma, err)
				}
				aceitas <- feito != nil
			})
		}
		wg.Wait()
		close(aceitas)
		n := 0
		for a := range aceitas {
			if a {
				n++
			}
		}
		solta <- struct{}{}
		if n != 1 || o.vezes() != antes+1 {
			t.Errorf("same message %v: want one to pass, got %d and %d calls", mesma, n, o.vezes()-antes)
		}
	}
	close(solta)
}

func TestCancelar(t *testing.T) {
	chegou := make(chan struct{}, 1)
	o := &oficina{}
	o.responde = func(ctx context.Context, c chamada) hospede.Desfecho {
		if strings.Contains(c.argumentos, "lenta") {
			chegou <- struct{}{}
			<-ctx.Done() // cancelled with the task; the answer comes all the same
			return feita
		}
		return pede
	}
	p := nova(t, o)
	tk, feito, err := receber(t.Context(), p, mensagem("pintar peca=lenta cor=azul", nil))
	if err != nil {
		t.Fatal(err)
	}
	<-chegou
	tk, err = p.Cancelar(t.Context(), tk.ID)
	if err != nil {
		t.Fatal(err)
	}
	quer(t, tk, a2a.TaskStateCanceled, "Cancelada a pedido de quem chamou.")
	<-feito
	if depois, _ := p.Ler(t.Context(), tk.ID); depois.Estado != a2a.TaskStateCanceled || len(depois.Artefatos) != 0 {
		t.Errorf("an answer that came late changed a cancelled task: %s", depois.Estado)
	}
	if _, err := p.Cancelar(t.Context(), tk.ID); !errors.Is(err, ErrNaoCancelavel) {
		t.Errorf("terminal: want ErrNaoCancelavel, got %v", err)
	}
	if _, err := p.Cancelar(t.Context(), "x"); !errors.Is(err, tarefa.ErrNaoExiste) {
		t.Errorf("unknown: %v", err)
	}
	pausada := dizer(t, p, mensagem("pintar peca=p cor=azul", nil))
	if tk, err := p.Cancelar(t.Context(), pausada.ID); err != nil || tk.Estado != a2a.TaskStateCanceled || tk.Pausa != nil {
		t.Errorf("paused: %+v, %v", tk, err)
	}
}
