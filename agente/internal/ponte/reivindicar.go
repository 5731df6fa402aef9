package ponte

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// reivindicar claims a paused Task for the answer in m, before the server hears
// of it: the Task goes to WORKING, stored only over the version that was read.
// Of two answers at once exactly one gets past this point.
//
// Without work to do the *trabalho is nil: the message came before, or is no
// answer to the pause, which then stands with its line repeated.
func (p *Ponte) reivindicar(ctx context.Context, e Envio) (*tarefa.Tarefa, answer, *trabalho, error) {
	m := e.Mensagem
	for {
		t, err := p.Ler(ctx, string(m.TaskID))
		switch {
		case err != nil:
			return nil, answer{}, nil, err
		case m.ContextID != "" && m.ContextID != t.Contexto:
			return nil, answer{}, nil, ErrContexto
		case t.JaOuviu(m.ID):
			return t, answer{}, nil, nil // a message that came twice runs once
		case t.Estado != a2a.TaskStateInputRequired:
			return nil, answer{}, nil, ErrNaoAceita
		}
		if err := p.cabe(ctx, t.ID, e.Aviso); err != nil {
			return nil, answer{}, nil, err
		}
		r := doMomento(ctx, t.Rastro)
		ouvida := t.Ouvindo(m, r.Traceparent())
		a, ok := p.responder(t.Pausa.Perguntas, e)
		if !ok {
			t, err = p.insistir(ctx, ouvida)
			if errors.Is(err, tarefa.ErrConflito) {
				continue // somebody was faster: look again
			}
			if err == nil {
				err = p.avisar(ctx, t.ID, e.Aviso)
			}
			return t, answer{}, nil, err
		}
		w := p.inscrever(t.ID, r)
		t, err = p.mudar(ctx, ouvida, passo{evento: tarefa.Retomar, pausa: t.Pausa})
		if err == nil {
			if err = p.avisar(ctx, t.ID, e.Aviso); err == nil {
				return t, a, w, nil
			}
			s := situacao{perfil: p.perfil, pausa: t.Pausa}
			p.assentar(ctx, t, s.semResposta(semAviso))
		}
		w.desistir()
		if !errors.Is(err, tarefa.ErrConflito) {
			return nil, answer{}, nil, err
		}
	}
}
