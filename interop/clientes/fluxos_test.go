package clientes

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// conferirSemFluxo expects that a Task cannot be subscribed to.
//
// Over JSON-RPC a2a-go 2.4.0 does not look at the Content-Type of the answer
// (a2aclient/jsonrpc.go, sendStreamingRequest): an error that is not an event of
// a stream is read as a stream without events. Then the error has to be in what
// was received.
func (c *cliente) conferirSemFluxo(ctx context.Context, t *testing.T, id a2a.TaskID, want error, codigo int) {
	t.Helper()
	for e, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}) {
		if err == nil {
			t.Fatalf("%s, want an error", resumo(e))
		}
		conferirErro(t, err, want)
		return
	}
	if c.ligacao != a2a.TransportProtocolJSONRPC {
		t.Fatal("the stream ended without an error")
	}
	if r := c.recebido(); !strings.Contains(r, fmt.Sprintf(`"code":%d`, codigo)) {
		t.Errorf("received %s, want the error %d", r, codigo)
	}
}

func transmitir(ctx context.Context, t *testing.T, c *cliente) {
	q := outroDia()
	es := ler(t, c.SendStreamingMessage(ctx, pedido(reservar(q, "sala-garagem"), nil)))
	task := conferirFluxo(t, es, "artifact reserva", "status TASK_STATE_COMPLETED")
	for _, e := range es {
		if e, ok := e.(*a2a.TaskArtifactUpdateEvent); ok {
			conferirArtefato(t, e.Artifact, "sala-garagem", q)
		}
	}
	got, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	conferirReserva(t, got, "sala-garagem", q)
}

func transmitirPausa(ctx context.Context, t *testing.T, c *cliente) {
	q := outroDia()
	conferirEstado(t, c.enviar(ctx, t, pedido(reservar(q, "sala-garagem"), nil)), a2a.TaskStateCompleted)
	// A pause ends the stream (A2A v1.0, 11.7).
	task := conferirFluxo(t, ler(t, c.SendStreamingMessage(ctx, pedido(reservar(q, "sala-garagem"), nil))), "status TASK_STATE_INPUT_REQUIRED")
	depois := conferirFluxo(t, ler(t, c.SendStreamingMessage(ctx, pedido("escolha=sala-fusca", task))), "artifact reserva", "status TASK_STATE_COMPLETED")
	if depois.ID != task.ID {
		t.Errorf("Task %s, want %s", depois.ID, task.ID)
	}
}

func assinar(ctx context.Context, t *testing.T, c *cliente) {
	p := c.pausa(ctx, t, outroDia())
	proximo, parar := iter.Pull2(c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: p.ID}))
	defer parar()
	var es []a2a.Event
	for {
		e, err, mais := proximo()
		if err != nil {
			t.Fatal(err)
		}
		if !mais {
			break
		}
		if es = append(es, e); len(es) == 1 {
			conferirFluxo(t, es)
			conferirEstado(t, e.(*a2a.Task), a2a.TaskStateInputRequired, alternativas)
			conferirEstado(t, c.enviar(ctx, t, pedido("escolha=sala-mirante", p)), a2a.TaskStateCompleted)
		}
	}
	conferirFluxo(t, es, "artifact reserva", "status TASK_STATE_COMPLETED")
	c.conferirSemFluxo(ctx, t, p.ID, a2a.ErrUnsupportedOperation, -32004)
}
