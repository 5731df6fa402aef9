// Package ponte is the bridge: an A2A message in, a tool call of the MCP
// server's, and the Task that stands for it out. When the server ends its
// answer by asking, the Task pauses with the requestState bound to it; when the
// caller answers, the same call is repeated with the answer and the state.
//
// This file is the sequence, in the order in which it happens. The
// translations are pure functions in traducao.go and pergunta.go, the claim of
// an answer is in reivindicar.go, what runs behind it in trabalho.go.
package ponte

import (
	"context"
	"errors"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Errors of a message that no Task takes. Nothing is stored then.
var (
	// ErrContexto: the message's contextId is not that of its Task.
	ErrContexto = errors.New("contextId does not belong to the task")
	// ErrNaoAceita: the Task has ended, or is working on an answer already.
	ErrNaoAceita = errors.New("the task accepts no message now")
	// ErrNaoCancelavel: the Task has ended.
	ErrNaoCancelavel = errors.New("the task has ended")
)

// Receber takes a message: a new Task when it names none, the next step of its
// Task when it does. It returns as soon as the Task is stored, or, for a caller who
// waits, when the work is done; the work goes on whether or not the caller stays.
//
// Errors: those above, [tarefa.ErrNaoExiste], [tarefa.ErrCheia],
// [tarefa.ErrMuitosAvisos] (nothing was stored), and whatever the Store fails with.
func (p *Ponte) Receber(ctx context.Context, e Envio) (Recebida, error) {
	if e.Mensagem.TaskID == "" {
		return p.abrir(ctx, e)
	}
	return p.continuar(ctx, e)
}

// abrir opens a Task: SUBMITTED is stored before anything else happens.
func (p *Ponte) abrir(ctx context.Context, e Envio) (Recebida, error) {
	r := doMomento(ctx, "")
	t := tarefa.Nova(e.Mensagem, r.Traceparent(), p.agora()).AtePrazo(p.prazo())
	w := p.inscrever(t.ID, r)
	t, err := p.store.Criar(ctx, t)
	if err != nil {
		w.desistir()
		return Recebida{}, err
	}
	if err := p.avisar(ctx, t.ID, e.Aviso); err != nil {
		w.desistir()
		p.log.Error("push notification config not stored", "task_id", t.ID, "err", err)
		t = p.assentar(ctx, t, passo{evento: tarefa.Falhar, falas: []string{semAviso}})
		if t == nil {
			return Recebida{}, err
		}
		return Recebida{Tarefa: t, Passos: p.seguir(e, t)}, nil
	}
	passos := p.seguir(e, t)
	return Recebida{t, w.trabalhar(t, e.Esperar, func(ctx context.Context) *tarefa.Tarefa { return p.primeiraChamada(ctx, t, textoDe(e.Mensagem)) }), passos}, nil
}

// primeiraChamada is the first half of the sequence: message → request → tool
// call → outcome → Task.
func (p *Ponte) primeiraChamada(ctx context.Context, t *tarefa.Tarefa, texto string) *tarefa.Tarefa {
	pedido, resto, err := p.reconhecer(texto)
	if err != nil {
		return p.assentar(ctx, t, passo{evento: tarefa.Rejeitar, falas: []string{p.naoEntendi(err)}})
	}
	t = p.assentar(ctx, t, passo{evento: tarefa.Iniciar})
	if t == nil {
		return nil // cancelled before it began
	}
	s := situacao{perfil: p.perfil, pedido: pedido}

	ferramenta, falhou := p.descobrir(ctx, pedido.Ferramenta)
	if falhou != nil {
		return p.desfechar(ctx, t, falhou, s)
	}
	argumentos, err := montar(ferramenta, resto)
	if err != nil {
		return p.assentar(ctx, t, passo{evento: tarefa.Rejeitar, falas: []string{p.naoEntendi(err)}})
	}
	if s.recursos, falhou = p.lerRecursos(ctx, pedido); falhou != nil {
		return p.desfechar(ctx, t, falhou, s)
	}

	t = t.Chamando(tarefa.Chamada{Verbo: pedido.Verbo, Ferramenta: pedido.Ferramenta, Argumentos: argumentos})
	desfecho := p.servidor.Chamar(ctx, pedido.Ferramenta, argumentos, nil)
	// Here input_required becomes TASK_STATE_INPUT_REQUIRED: the questions turn
	// into the agent's line, and the requestState stays behind with the Task.
	return p.desfechar(ctx, t, desfecho, s)
}

// continuar takes the answer to a pause, once it is claimed.
func (p *Ponte) continuar(ctx context.Context, e Envio) (Recebida, error) {
	t, a, w, err := p.reivindicar(ctx, e)
	if err != nil {
		return Recebida{}, err
	}
	passos := p.seguir(e, t)
	if w == nil {
		return Recebida{Tarefa: t, Passos: passos}, nil
	}
	return Recebida{t, w.trabalhar(t, e.Esperar, func(ctx context.Context) *tarefa.Tarefa { return p.retomar(ctx, t, a) }), passos}, nil
}

// retomar is the second half: the original call again, with a new id, the
// answers under the keys that the server gave, and its requestState untouched.
func (p *Ponte) retomar(ctx context.Context, t *tarefa.Tarefa, a answer) *tarefa.Tarefa {
	pedido, _ := p.perfil.PedidoDe(t.Chamada.Verbo)
	s := situacao{perfil: p.perfil, pedido: pedido, pausa: t.Pausa, recusou: a.recusou, estados: t.Estados}

	var falhou hospede.Desfecho
	if s.recursos, falhou = p.lerRecursos(ctx, pedido); falhou != nil {
		return p.desfechar(ctx, t, falhou, s)
	}
	// Here the requestState goes back to the server.
	desfecho := p.servidor.Chamar(ctx, t.Chamada.Ferramenta, t.Chamada.Argumentos, &hospede.Retomada{
		Respostas:    a.respostas,
		RequestState: t.Pausa.RequestState,
	})
	return p.desfechar(ctx, t, desfecho, s)
}
