package ponte

import (
	"context"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// seguir follows a Task from the version that its caller is given. It is called
// before the work begins, so that no step is missed.
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

// avisar stores where the caller of a message wants to be told of changes,
// before there are any.
func (p *Ponte) avisar(ctx context.Context, taskID string, a *tarefa.Aviso) error {
	if a == nil {
		return nil
	}
	c := *a
	c.TaskID = taskID
	return p.avisos.GuardarAviso(ctx, c)
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
