package porta

import (
	"context"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/processo"
)

// SendStreamingMessage implements [a2asrv.RequestHandler]: the Task, then its
// steps as they are stored, until it ends or needs its caller (A2A v1.0, 3.1.2
// and 11.7).
func (a *atendente) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return a.fluxo(ctx, ate{tarefa.Parada, tarefa.Parada}, historyLength(req.Config), func() (*tarefa.Tarefa, *tarefa.Seguidor, error) {
		e, err := a.receber(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		e.Seguir = true
		r, err := a.ponte.Receber(ctx, e)
		return r.Tarefa, r.Passos, err
	})
}

// SubscribeToTask implements [a2asrv.RequestHandler]: the Task as it stands, then
// its steps as they are stored, through pauses, until it ends (A2A v1.0, 3.1.6).
func (a *atendente) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return a.inscrever(ctx, req, ate{a2a.TaskState.Terminal, a2a.TaskState.Terminal})
}

// ate says in which states a stream ends: seen in the Task that begins it, and
// come to later.
type ate struct{ visto, alcancado func(a2a.TaskState) bool }

func (a *atendente) inscrever(ctx context.Context, req *a2a.SubscribeToTaskRequest, fim ate) iter.Seq2[a2a.Event, error] {
	return a.fluxo(ctx, fim, tudo, func() (*tarefa.Tarefa, *tarefa.Seguidor, error) {
		var c conferencia
		conferirID(ctx, &c, "id", req.ID)
		if err := c.erro(); err != nil {
			return nil, nil, err
		}
		t, passos, err := a.ponte.Seguir(ctx, string(req.ID))
		if err == nil && t.Estado.Terminal() {
			passos.Parar()
			err = errTerminada
		}
		return t, passos, err
	})
}

// fluxo is the stream of a Task that abrir begins, until a state that fim names.
// It ends early, without an error, when the process ends and the Task waits for
// its caller: there is nothing to come.
func (a *atendente) fluxo(ctx context.Context, fim ate, historico int, abrir func() (*tarefa.Tarefa, *tarefa.Seguidor, error)) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		falhar := func(err error) { yield(nil, recusar(ctx, err)) }
		select {
		case a.fluxos <- struct{}{}:
			defer func() { <-a.fluxos }()
		default:
			falhar(errFluxos)
			return
		}
		t, passos, err := abrir()
		if err != nil {
			falhar(err)
			return
		}
		defer passos.Parar()
		processo.Desocupar(ctx) // a stream has a place of its own, and may take its time
		if !yield(mostrar(ctx, t, historico), nil) {
			return
		}
		for acabou := fim.visto(t.Estado); !acabou; acabou = fim.alcancado(t.Estado) {
			var soltar <-chan struct{}
			if tarefa.Parada(t.Estado) {
				soltar = a.encerrando
			}
			novo, err := passos.Proximo(ctx, soltar)
			switch {
			case ctx.Err() != nil:
				return // nobody is there to read it
			case err != nil:
				falhar(err)
				return
			case novo == nil:
				return
			}
			for _, e := range eventos(ctx, t, novo) {
				if !yield(e, nil) {
					return
				}
			}
			t = novo
		}
	}
}

// eventos is what happened to a Task between two versions of it: the artifacts
// that came, then its state. The state stands last because a stream may end with
// it.
func eventos(ctx context.Context, antes, depois *tarefa.Tarefa) []a2a.Event {
	var es []a2a.Event
	for _, art := range depois.Artefatos[min(len(antes.Artefatos), len(depois.Artefatos)):] {
		es = append(es, &a2a.TaskArtifactUpdateEvent{TaskID: a2a.TaskID(depois.ID), ContextID: depois.Contexto, Artifact: art, LastChunk: true})
	}
	task := renderizar(ctx, depois, 0, false)
	return append(es, &a2a.TaskStatusUpdateEvent{TaskID: task.ID, ContextID: task.ContextID, Status: task.Status})
}
