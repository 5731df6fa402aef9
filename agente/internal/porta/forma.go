package porta

import (
	"encoding/json"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
)

// The JSON of what the agent answers. It is that of the SDK's types but for
// instants, which always have three digits of milliseconds (A2A v1.0, 5.6.1).

// instante is a moment as the protocol writes it, in UTC.
func instante(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

type taskJSON struct {
	ID        a2a.TaskID      `json:"id"`
	Artifacts []*a2a.Artifact `json:"artifacts,omitempty"`
	ContextID string          `json:"contextId"`
	History   []*a2a.Message  `json:"history,omitempty"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
	Status    statusJSON      `json:"status"`
}

type statusJSON struct {
	Message   *a2a.Message  `json:"message,omitempty"`
	State     a2a.TaskState `json:"state"`
	Timestamp string        `json:"timestamp,omitempty"`
}

func formaTask(t *a2a.Task) taskJSON {
	return taskJSON{t.ID, t.Artifacts, t.ContextID, t.History, t.Metadata, formaStatus(t.Status)}
}

func formaStatus(s a2a.TaskStatus) statusJSON {
	f := statusJSON{Message: s.Message, State: s.State}
	if s.Timestamp != nil {
		f.Timestamp = instante(*s.Timestamp)
	}
	return f
}

type statusUpdateJSON struct {
	ContextID string         `json:"contextId"`
	Status    statusJSON     `json:"status"`
	TaskID    a2a.TaskID     `json:"taskId"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// eventoJSON is StreamResponse, of which one member stands (A2A v1.0, 3.2.3).
type eventoJSON struct {
	Task           *taskJSON                    `json:"task,omitempty"`
	Message        *a2a.Message                 `json:"message,omitempty"`
	StatusUpdate   *statusUpdateJSON            `json:"statusUpdate,omitempty"`
	ArtifactUpdate *a2a.TaskArtifactUpdateEvent `json:"artifactUpdate,omitempty"`
}

func formaEvento(e a2a.Event) eventoJSON {
	switch e := e.(type) {
	case *a2a.Task:
		f := formaTask(e)
		return eventoJSON{Task: &f}
	case *a2a.TaskStatusUpdateEvent:
		return eventoJSON{StatusUpdate: &statusUpdateJSON{e.ContextID, formaStatus(e.Status), e.TaskID, e.Metadata}}
	case *a2a.TaskArtifactUpdateEvent:
		return eventoJSON{ArtifactUpdate: e}
	case *a2a.Message:
		return eventoJSON{Message: e}
	}
	return eventoJSON{}
}

type listaJSON struct {
	Tasks         []taskJSON `json:"tasks"`
	TotalSize     int        `json:"totalSize"`
	PageSize      int        `json:"pageSize"`
	NextPageToken string     `json:"nextPageToken"`
}

// tamanhoDeTask is room for the JSON of an ordinary Task, in bytes.
const tamanhoDeTask = 2 << 10

// formaDe is the JSON of the result of an operation.
func formaDe(v any) (json.RawMessage, error) {
	switch r := v.(type) {
	case nil:
		v = struct{}{}
	case *a2a.Task:
		return formaTask(r).append(make([]byte, 0, tamanhoDeTask))
	case *a2a.ListTasksResponse:
		l := listaJSON{make([]taskJSON, len(r.Tasks)), r.TotalSize, r.PageSize, r.NextPageToken}
		for i, t := range r.Tasks {
			l.Tasks[i] = formaTask(t)
		}
		v = l
	case envio:
		if t, ok := r.SendMessageResult.(*a2a.Task); ok {
			b := append(make([]byte, 0, tamanhoDeTask), `{"task":`...)
			b, err := formaTask(t).append(b)
			return append(b, '}'), err
		}
		v = formaEvento(r.SendMessageResult)
	}
	return envelope.Marshal(v)
}

// envio marks the result of SendMessage, which is one of several kinds and says
// which, unlike that of the other operations.
type envio struct{ a2a.SendMessageResult }

// CorpoDeAviso is the body of a push notification: the Task as it stands (A2A
// v1.0, 4.3.3).
func CorpoDeAviso(t *tarefa.Tarefa) ([]byte, error) {
	return envelope.Marshal(formaEvento(t.A2A(tudo, true)))
}
