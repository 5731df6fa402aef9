// Package ponte is the bridge: an A2A message in, a tool call of the MCP
// server's, and the Task that stands for it out. When the server ends its
// answer by asking, the Task pauses with the requestState bound to it; when the
// caller answers, the same call is repeated with the answer and the state.
//
// This file is the sequence, in the order in which it happens. The
// translations are pure functions in traducao.go and pergunta.go, what runs
// behind it is in trabalho.go.
package ponte

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/rastro"
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

// continuar takes the answer to a pause. The Task is claimed by the step to
// WORKING, stored only over the version that was read: of two answers at once
// exactly one gets past this point.
func (p *Ponte) continuar(ctx context.Context, m *a2a.Message) (*tarefa.Tarefa, <-chan *tarefa.Tarefa, error) {
	for {
		t, err := p.Ler(ctx, string(m.TaskID))
		switch {
		case err != nil:
			return nil, nil, err
		case m.ContextID != "" && m.ContextID != t.Contexto:
			return nil, nil, ErrContexto
		case t.JaOuviu(m.ID):
			return t, nil, nil // a message that came twice runs once
		case t.Estado != a2a.TaskStateInputRequired:
			return nil, nil, ErrNaoAceita
		}
		r := doMomento(ctx, t.Rastro)
		a, ok := entender(p.perfil.Pausa, t.Pausa.Perguntas, textoDe(m))
		ouvida := t.Ouvindo(m, r.Traceparent())
		if !ok {
			t, err = p.insistir(ctx, ouvida)
			if errors.Is(err, tarefa.ErrConflito) {
				continue // somebody was faster: look again
			}
			return t, nil, err
		}
		w := p.inscrever(t.ID, r)
		t, err = p.mudar(ctx, ouvida, passo{evento: tarefa.Retomar, pausa: t.Pausa})
		switch {
		case errors.Is(err, tarefa.ErrConflito):
			w.desistir()
			continue
		case err != nil:
			w.desistir()
			return nil, nil, err
		}
		return t, w.trabalhar(t, func(ctx context.Context) *tarefa.Tarefa { return p.retomar(ctx, t, a) }), nil
	}
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

// Cancelar ends a Task that has not ended. A call under way is given up; what
// it may still bring is not stored. Errors: [ErrNaoCancelavel],
// [tarefa.ErrNaoExiste], the Store's.
func (p *Ponte) Cancelar(ctx context.Context, id string) (*tarefa.Tarefa, error) {
	for {
		t, err := p.Ler(ctx, id)
		if err != nil {
			return nil, err
		}
		t, err = p.mudar(ctx, t, passo{evento: tarefa.Cancelar, falas: []string{"Cancelada a pedido de quem chamou."}})
		var impossivel *tarefa.TransicaoError
		switch {
		case errors.Is(err, tarefa.ErrConflito):
			continue
		case errors.As(err, &impossivel):
			return nil, ErrNaoCancelavel
		case err != nil:
			return nil, err
		}
		p.interromper(id)
		return t, nil
	}
}

// Ler returns a Task as it stands. A pause that nobody answered in time ends
// here, if the sweep has not come by yet.
func (p *Ponte) Ler(ctx context.Context, id string) (*tarefa.Tarefa, error) {
	for {
		t, err := p.store.Ler(ctx, id)
		if err != nil || !p.expirou(t) {
			return t, err
		}
		if t, err = p.expirar(ctx, t); !errors.Is(err, tarefa.ErrConflito) {
			return t, err
		}
	}
}

// Listar returns a page of Tasks.
func (p *Ponte) Listar(ctx context.Context, f tarefa.Filtro) (tarefa.Pagina, error) {
	return p.store.Listar(ctx, f)
}

// doMomento is the trace of a message: the one that came with it, else the
// Task's own, else a new one.
func doMomento(ctx context.Context, daTask string) rastro.Rastro {
	if r, ok := rastro.DoContexto(ctx); ok {
		return r
	}
	if r, ok := rastro.Ler(daTask); ok {
		return r
	}
	return rastro.Novo()
}
