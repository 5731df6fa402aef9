package clientes

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

func textos(m *a2a.Message) (ts []string) {
	for _, p := range m.Parts {
		ts = append(ts, p.Text())
	}
	return ts
}

func conferirEstado(t *testing.T, task *a2a.Task, estado a2a.TaskState, falas ...string) {
	t.Helper()
	if task.Status.State != estado {
		t.Fatalf("state %s, want %s", task.Status.State, estado)
	}
	if len(falas) > 0 && !slices.Equal(textos(task.Status.Message), falas) {
		t.Errorf("message %q, want %q", textos(task.Status.Message), falas)
	}
}

func conferirReserva(t *testing.T, task *a2a.Task, sala string, q quando) {
	t.Helper()
	conferirEstado(t, task, a2a.TaskStateCompleted)
	if len(task.Artifacts) != 1 {
		t.Fatalf("%d artifacts, want 1", len(task.Artifacts))
	}
	reserva := conferirArtefato(t, task.Artifacts[0], sala, q)
	conferirEstado(t, task, a2a.TaskStateCompleted, fmt.Sprintf("Reserva %s confirmada na %s.", reserva, sala))
}

func conferirArtefato(t *testing.T, a *a2a.Artifact, sala string, q quando) (reserva string) {
	t.Helper()
	if a.Name != "reserva" || len(a.Parts) != 1 {
		t.Fatalf("artifact %q with %d parts, want reserva with 1", a.Name, len(a.Parts))
	}
	texto := a.Parts[0].Text()
	reserva, _, _ = strings.Cut(strings.TrimPrefix(texto, `{"reserva":"`), `"`)
	want := fmt.Sprintf(`{"reserva":%q,"sala":%q,"inicio":%q,"fim":%q,"responsavel":"Emmett Brown","politica":"2026-11-01"}`, reserva, sala, q.inicio, q.fim)
	if texto != want || !strings.HasPrefix(reserva, "res-") {
		t.Errorf("artifact %s, want %s", texto, want)
	}
	return reserva
}

// resumo tells an event in short.
func resumo(e a2a.Event) string {
	switch e := e.(type) {
	case *a2a.Task:
		return "task " + string(e.Status.State)
	case *a2a.TaskStatusUpdateEvent:
		return "status " + string(e.Status.State)
	case *a2a.TaskArtifactUpdateEvent:
		return "artifact " + e.Artifact.Name
	}
	return fmt.Sprintf("%T", e)
}

// ler reads a stream to its end, which the agent decides.
func ler(t *testing.T, fluxo iter.Seq2[a2a.Event, error]) []a2a.Event {
	t.Helper()
	var es []a2a.Event
	for e, err := range fluxo {
		if err != nil {
			t.Fatalf("after %d events: %v", len(es), err)
		}
		es = append(es, e)
	}
	return es
}

// conferirFluxo expects a Task first, and then exactly this, besides WORKING.
func conferirFluxo(t *testing.T, es []a2a.Event, want ...string) *a2a.Task {
	t.Helper()
	if len(es) == 0 {
		t.Fatal("the stream is empty")
	}
	task, ok := es[0].(*a2a.Task)
	if !ok {
		t.Fatalf("the stream begins with %s, want the Task", resumo(es[0]))
	}
	var got []string
	for _, e := range es[1:] {
		if e.TaskInfo().TaskID != task.ID {
			t.Errorf("%s of Task %s, want %s", resumo(e), e.TaskInfo().TaskID, task.ID)
		}
		if r := resumo(e); r != "status TASK_STATE_WORKING" {
			got = append(got, r)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("events %q, want %q", got, want)
	}
	return task
}

func conferirErro(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}
