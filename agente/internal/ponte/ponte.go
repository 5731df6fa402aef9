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

	"github.com/a2aproject/a2a-go/v2/a2a"

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
// Task when it does. It returns as soon as the Task is stored; the work goes on
// whether or not the caller stays. feito then gives the Task as it stood at the
// end of the work, once; it is nil when there is nothing to wait for.
//
// Errors: those above, [tarefa.ErrNaoExiste], [tarefa.ErrCheia], and whatever
// the Store fails with.
func (p *Ponte) Receber(ctx context.Context, m *a2a.Message) (t *tarefa.Tarefa, feito <-chan *tarefa.Tarefa, err error) {
	if m.TaskID == "" {
		return p.abrir(ctx, m)
	}
	return p.continuar(ctx, m)
}

// abrir opens a Task: SUBMITTED is stored before anything else happens.
func (p *Ponte) abrir(ctx context.Context, m *a2a.Message) (*tarefa.Tarefa, <-chan *tarefa.Tarefa, error) {
	r := doMomento(ctx, "")
	t := tarefa.Nova(m, r.Traceparent(), p.agora()).AtePrazo(p.prazo())
	w := p.inscrever(t.ID, r)
	t, err := p.store.Criar(ctx, t)
	if err != nil {
		w.desistir()
		return nil, nil, err
	}
	return t, w.trabalhar(t, func(ctx context.Context) *tarefa.Tarefa { return p.primeiraChamada(ctx, t, textoDe(m)) }), nil
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
func (p *Ponte) continuar(ctx context.Context, m *a2a.Message) (*tarefa.Tarefa, <-chan *tarefa.Tarefa, error) {
	t, a, w, err := p.reivindicar(ctx, m)
	if err != nil || w == nil {
		return t, nil, err
	}
	return t, w.trabalhar(t, func(ctx context.Context) *tarefa.Tarefa { return p.retomar(ctx, t, a) }), nil
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
