package ponte

import (
	"context"
	"slices"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// seguir follows a Task from the version that its caller is given. It is called
// before the work begins, so that no step of the work is missed; what somebody
// else stores in between (a cancel) is seen a moment later.
func (p *Ponte) seguir(e Envio, t *tarefa.Tarefa) *tarefa.Seguidor {
	if !e.Seguir {
		return nil
	}
	return p.store.Seguir(t.ID, t.Versao)
}

// Seguir follows a Task that exists: t as it stands, and the steps after it. The
// caller stops them. Errors: [tarefa.ErrNaoExiste], the Store's.
func (p *Ponte) Seguir(ctx context.Context, id string) (t *tarefa.Tarefa, passos *tarefa.Seguidor, err error) {
	passos = p.store.Seguir(id, 0) // before the Task is read: nothing between the two is missed
	if t, err = p.Ler(ctx, id); err != nil {
		passos.Parar()
		return nil, nil, err
	}
	passos.Visto(t.Versao)
	return t, passos, nil
}

// semAviso is said when nothing was begun because its caller could not be told of
// it.
const semAviso = "O pedido nao comecou: o aviso de mudancas nao pode ser guardado."

// avisar stores where the caller of a message that was taken wants to be told of
// changes, before there are any. A config without an id is the Task's own: a
// caller that sends it with each message has one.
func (p *Ponte) avisar(ctx context.Context, taskID string, a *tarefa.Aviso) error {
	if a == nil {
		return nil
	}
	return p.avisos.GuardarAviso(ctx, daTask(taskID, *a))
}

func daTask(taskID string, a tarefa.Aviso) tarefa.Aviso {
	a.TaskID = taskID
	if a.ID == "" {
		a.ID = taskID
	}
	return a
}

// cabe refuses a message whose config has no room beside those of its Task, before
// the message has done anything.
func (p *Ponte) cabe(ctx context.Context, taskID string, a *tarefa.Aviso) error {
	if a == nil {
		return nil
	}
	todos, err := p.avisos.ListarAvisos(ctx, taskID)
	if err != nil {
		return err
	}
	id := daTask(taskID, *a).ID
	if len(todos) >= tarefa.MaxAvisos && !slices.ContainsFunc(todos, func(b tarefa.Aviso) bool { return b.ID == id }) {
		return tarefa.ErrMuitosAvisos
	}
	return nil
}

// GuardarAviso stores where to tell of the changes of a Task. Errors:
// [tarefa.ErrNaoExiste], [tarefa.ErrMuitosAvisos], the Store's.
func (p *Ponte) GuardarAviso(ctx context.Context, a tarefa.Aviso) error {
	return p.avisos.GuardarAviso(ctx, a)
}

// Avisos lists where the changes of a Task are told. Errors:
// [tarefa.ErrNaoExiste], the Store's.
func (p *Ponte) Avisos(ctx context.Context, taskID string) ([]tarefa.Aviso, error) {
	return p.avisos.ListarAvisos(ctx, taskID)
}

// ApagarAviso ends the telling; what is not there counts as ended. Errors:
// [tarefa.ErrNaoExiste], the Store's.
func (p *Ponte) ApagarAviso(ctx context.Context, taskID, id string) error {
	return p.avisos.ApagarAviso(ctx, taskID, id)
}
