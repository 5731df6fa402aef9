package ponte

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

func webhook(id string) *tarefa.Aviso { return &tarefa.Aviso{ID: id, URL: "https://x.example"} }

func configs(t *testing.T, p *Ponte, id string) (ids []string) {
	t.Helper()
	todos, err := p.Avisos(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range todos {
		ids = append(ids, a.ID)
	}
	return ids
}

// Of answers at once one is taken, and only its webhook is kept: the others change
// nothing.
func TestRespostaRecusadaNaoDeixaAviso(t *testing.T) {
	for range 50 {
		p := nova(t, &oficina{responde: roteiro})
		tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		var wg sync.WaitGroup
		var mu sync.Mutex
		aceita := ""
		for i := range 6 {
			m := mensagem("escolha=azul", tk)
			wg.Go(func() {
				r, err := p.Receber(t.Context(), Envio{Mensagem: m, Aviso: webhook(fmt.Sprint("w", i))})
				if err == nil && r.Feito != nil {
					<-r.Feito
					mu.Lock()
					aceita += fmt.Sprint("w", i)
					mu.Unlock()
				} else if !errors.Is(err, ErrNaoAceita) {
					t.Errorf("want ErrNaoAceita, got %v", err)
				}
			})
		}
		wg.Wait()
		if got := fmt.Sprint(configs(t, p, tk.ID)); got != fmt.Sprint([]string{aceita}) {
			t.Fatalf("want the webhook of %q alone, got %s", aceita, got)
		}
	}
}

// A caller that sends the same config without an id with each message has one.
func TestAvisoSemIDEhDaTask(t *testing.T) {
	p := nova(t, &oficina{responde: roteiro})
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	for range tarefa.MaxAvisos + 2 {
		if _, err := p.Receber(t.Context(), Envio{Mensagem: mensagem("escolha=nada disso", tk), Aviso: webhook("")}); err != nil {
			t.Fatal(err)
		}
	}
	if got := configs(t, p, tk.ID); len(got) != 1 || got[0] != tk.ID {
		t.Errorf("want one config, named like the task, got %v", got)
	}
	r, err := p.Receber(t.Context(), Envio{Mensagem: mensagem("escolha=azul", tk), Aviso: webhook("")})
	if err != nil || r.Feito == nil {
		t.Fatalf("the right answer is taken: %v", err)
	}
	<-r.Feito
}

// avisosFora is a store that takes no configs.
type avisosFora struct{ tarefa.Avisos }

var errFora = errors.New("away")

func (avisosFora) GuardarAviso(context.Context, tarefa.Aviso) error { return errFora }

// When the webhook cannot be stored nothing begins, and whoever asked is told: a
// new Task has failed, an answer goes back to its pause.
func TestAvisoQueALojaNaoGuarda(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o, func(c *Config) { c.Avisos = avisosFora{c.Avisos} })
	r, err := p.Receber(t.Context(), Envio{Mensagem: mensagem("pintar peca=p cor=rosa", nil), Aviso: webhook("w"), Seguir: true})
	if err != nil || r.Feito != nil || r.Passos == nil {
		t.Fatalf("want the task that failed, got %+v, %v", r, err)
	}
	r.Passos.Parar()
	quer(t, r.Tarefa, a2a.TaskStateFailed, semAviso)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	if _, err := p.Receber(t.Context(), Envio{Mensagem: mensagem("escolha=azul", tk), Aviso: webhook("w")}); !errors.Is(err, errFora) {
		t.Errorf("want the store's error, got %v", err)
	}
	agora, _ := p.Ler(t.Context(), tk.ID)
	quer(t, agora, a2a.TaskStateInputRequired, "alternativas: azul, verde claro", semAviso)
	if fim := dizer(t, p, mensagem("escolha=azul", tk)); fim.Estado != a2a.TaskStateCompleted {
		t.Errorf("the pause is answered later: %s", fim.Estado)
	}
}
