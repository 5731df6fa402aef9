package porta

import (
	"context"
	"errors"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

// atendente is the SDK's request handler over the bridge. Whatever the
// transport, a Task lives in one way only.
type atendente struct{ ponte *ponte.Ponte }

var _ a2asrv.RequestHandler = (*atendente)(nil)

// SendMessage implements [a2asrv.RequestHandler]. It waits until the Task
// stops or the caller leaves, unless the caller does not want to wait (A2A
// v1.0, 3.2.2).
func (a *atendente) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	if err := soTexto(req.Message); err != nil {
		return nil, recusar(ctx, err)
	}
	t, feito, err := a.ponte.Receber(ctx, req.Message)
	if err != nil {
		return nil, recusar(ctx, err)
	}
	if feito != nil && (req.Config == nil || !req.Config.ReturnImmediately) {
		select {
		case fim := <-feito:
			if fim == nil { // somebody else changed it (a cancel), or it was not stored
				fim, err = a.ponte.Ler(ctx, t.ID)
			}
			if err != nil {
				return nil, recusar(ctx, err)
			}
			t = fim
		case <-ctx.Done():
			return nil, ctx.Err() // nobody is there to read it
		}
	}
	return mostrar(ctx, t, historyLength(req.Config)), nil
}

// mostrar renders a Task for its caller and notes it for the log.
func mostrar(ctx context.Context, t *tarefa.Tarefa, historico int) *a2a.Task {
	reg := registroDe(ctx)
	reg.taskID, reg.contextID = t.ID, t.Contexto
	if reg.traceparent == "" {
		reg.traceparent = t.Rastro
	}
	return t.A2A(historico, true)
}

func historyLength(c *a2a.SendMessageConfig) int {
	if c == nil {
		return tudo
	}
	return ou(c.HistoryLength)
}

// tudo is a history without a bound.
const tudo = -1

func ou(n *int) int {
	if n == nil {
		return tudo
	}
	return *n
}

var errPartes = errors.New("parts that are not text")

// soTexto refuses a message whose text comes with parts that the agent would
// have to leave out (A2A v1.0, 3.1.1, ContentTypeNotSupportedError). A message
// without any text is the bridge's to reject.
func soTexto(m *a2a.Message) error {
	textos := 0
	for _, p := range m.Parts {
		if _, ok := p.Content.(a2a.Text); ok {
			textos++
		}
	}
	if textos > 0 && textos < len(m.Parts) {
		return errPartes
	}
	return nil
}

// GetTask implements [a2asrv.RequestHandler].
func (a *atendente) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	t, err := a.ponte.Ler(ctx, string(req.ID))
	if err != nil {
		return nil, recusar(ctx, err)
	}
	return mostrar(ctx, t, ou(req.HistoryLength)), nil
}

// ListTasks implements [a2asrv.RequestHandler].
func (a *atendente) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	f := tarefa.Filtro{
		Contexto: req.ContextID,
		Estado:   req.Status,
		Limite:   req.PageSize,
		Marcador: req.PageToken,
	}
	if f.Limite == 0 {
		f.Limite = paginaPadrao
	}
	if req.StatusTimestampAfter != nil {
		f.Desde = *req.StatusTimestampAfter
	}
	pagina, err := a.ponte.Listar(ctx, f)
	if err != nil {
		return nil, recusar(ctx, err)
	}
	res := &a2a.ListTasksResponse{
		Tasks:         make([]*a2a.Task, len(pagina.Tarefas)),
		TotalSize:     pagina.Total,
		PageSize:      f.Limite,
		NextPageToken: pagina.Marcador,
	}
	for i, t := range pagina.Tarefas {
		res.Tasks[i] = t.A2A(ou(req.HistoryLength), req.IncludeArtifacts)
	}
	return res, nil
}

// CancelTask implements [a2asrv.RequestHandler].
func (a *atendente) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	t, err := a.ponte.Cancelar(ctx, string(req.ID))
	if err != nil {
		return nil, recusar(ctx, err)
	}
	return mostrar(ctx, t, tudo), nil
}

// The operations below are not declared in the card, and the front refuses
// them before they get here (A2A v1.0, 3.3.4).

func semStreaming() iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, a2a.ErrUnsupportedOperation) }
}

// SendStreamingMessage implements [a2asrv.RequestHandler].
func (a *atendente) SendStreamingMessage(context.Context, *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return semStreaming()
}

// SubscribeToTask implements [a2asrv.RequestHandler].
func (a *atendente) SubscribeToTask(context.Context, *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return semStreaming()
}

// GetTaskPushConfig implements [a2asrv.RequestHandler].
func (a *atendente) GetTaskPushConfig(context.Context, *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// ListTaskPushConfigs implements [a2asrv.RequestHandler].
func (a *atendente) ListTaskPushConfigs(context.Context, *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// CreateTaskPushConfig implements [a2asrv.RequestHandler].
func (a *atendente) CreateTaskPushConfig(context.Context, *a2a.PushConfig) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// DeleteTaskPushConfig implements [a2asrv.RequestHandler].
func (a *atendente) DeleteTaskPushConfig(context.Context, *a2a.DeleteTaskPushConfigRequest) error {
	return a2a.ErrPushNotificationNotSupported
}

// GetExtendedAgentCard implements [a2asrv.RequestHandler].
func (a *atendente) GetExtendedAgentCard(context.Context, *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return nil, a2a.ErrExtendedCardNotConfigured
}
