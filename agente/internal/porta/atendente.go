package porta

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/rastro"
)

// atendente is the SDK's request handler over the bridge, and the only one:
// whatever the binding, a Task lives in one way, parameters are checked in one
// place, and an error is an [*erro].
type atendente struct {
	ponte *ponte.Ponte
	// capacidades are what the card declares.
	capacidades Capacidades
	// conferirDestino says what is wrong with where a push notification is to go.
	conferirDestino func(tarefa.Aviso) error
	// fluxos has a place for each stream that may be open.
	fluxos chan struct{}
	// encerrando is closed when the process is about to end.
	encerrando <-chan struct{}
}

var _ a2asrv.RequestHandler = (*atendente)(nil)

// Capacidades are what a card declares of what is optional in the protocol
// (A2A v1.0, 3.3.4): what is not declared is refused.
type Capacidades struct {
	Fluxo, Avisos bool
	// Elicitacao is the extension of that name; Exigida refuses messages of
	// callers that do not activate it.
	Elicitacao, Exigida bool
}

// SendMessage implements [a2asrv.RequestHandler]. It waits until the Task stops,
// unless the caller does not want to wait (A2A v1.0, 3.2.2): also for one who has
// left meanwhile, and whose place is taken for as long as the work that it caused.
func (a *atendente) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	e, err := a.receber(ctx, req)
	if err != nil {
		return nil, recusar(ctx, err)
	}
	e.Esperar = req.Config == nil || !req.Config.ReturnImmediately
	r, err := a.ponte.Receber(ctx, e)
	if err != nil {
		return nil, recusar(ctx, err)
	}
	t := r.Tarefa
	if r.Feito != nil && e.Esperar {
		if t = <-r.Feito; t == nil { // somebody else changed it (a cancel), or it was not stored
			t, err = a.ponte.Ler(ctx, r.Tarefa.ID)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err() // nobody is there to read it
		case err != nil:
			return nil, recusar(ctx, err)
		}
	}
	return mostrar(ctx, t, historyLength(req.Config)), nil
}

// receber checks a message and makes of it what the bridge takes.
func (a *atendente) receber(ctx context.Context, req *a2a.SendMessageRequest) (ponte.Envio, error) {
	var c conferencia
	c.envio(req)
	reg := registroDe(ctx)
	if m := req.Message; m != nil {
		reg.taskID, reg.contextID = limitar(string(m.TaskID)), limitar(m.ContextID)
	}
	if err := c.erro(); err != nil {
		return ponte.Envio{}, err
	}
	e := ponte.Envio{Mensagem: req.Message, Dados: reg.elicitacao}
	if a.capacidades.Exigida && !reg.elicitacao {
		return e, errExigida
	}
	if err := conferirPartes(req.Message, reg.elicitacao); err != nil {
		return e, err
	}
	if req.Config != nil && req.Config.PushConfig != nil {
		if !a.capacidades.Avisos {
			return e, errSemAvisos
		}
		aviso, err := a.conferirAviso("configuration.taskPushNotificationConfig.", req.Config.PushConfig)
		if err != nil {
			return e, err
		}
		e.Aviso = &aviso
	}
	return e, nil
}

// conferirPartes refuses a message whose text comes with parts that the agent
// would have to leave out (A2A v1.0, 3.1.1, ContentTypeNotSupportedError). A
// message without any text is the bridge's to reject, unless it answers a pause
// with data, alone.
func conferirPartes(m *a2a.Message, dados bool) error {
	textos := 0
	for _, p := range m.Parts {
		if _, ok := p.Content.(a2a.Text); ok {
			textos++
		}
	}
	if textos > 0 && textos < len(m.Parts) {
		return errPartes
	}
	if _, ok := m.Parts[0].Content.(a2a.Data); ok && dados && m.TaskID != "" && len(m.Parts) > 1 {
		return errPartes // which of them is the answer?
	}
	return nil
}

// mostrar renders a Task for its caller and notes it for the log.
func mostrar(ctx context.Context, t *tarefa.Tarefa, historico int) *a2a.Task {
	registroDe(ctx).tarefa(t)
	return renderizar(ctx, t, historico, true)
}

// renderizar is how a Task looks to the caller of ctx.
func renderizar(ctx context.Context, t *tarefa.Tarefa, historico int, artefatos bool) *a2a.Task {
	task := t.A2A(historico, artefatos)
	if registroDe(ctx).binario {
		task.History = todasBinarias(task.History)
	}
	if reg := registroDe(ctx); reg.elicitacao {
		comElicitacao(task, t, reg.binario)
		ativar(ctx)
	}
	return task
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

// conferirID notes and checks the Task that a request names.
func conferirID(ctx context.Context, c *conferencia, campo string, id a2a.TaskID) {
	registroDe(ctx).taskID = limitar(string(id))
	c.preenchido(campo, string(id))
}

// GetTask implements [a2asrv.RequestHandler].
func (a *atendente) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	var c conferencia
	conferirID(ctx, &c, "id", req.ID)
	c.historico("historyLength", req.HistoryLength)
	if err := c.erro(); err != nil {
		return nil, recusar(ctx, err)
	}
	t, err := a.ponte.Ler(ctx, string(req.ID))
	if err != nil {
		return nil, recusar(ctx, err)
	}
	return mostrar(ctx, t, ou(req.HistoryLength)), nil
}

// ListTasks implements [a2asrv.RequestHandler].
func (a *atendente) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	var c conferencia
	c.lista(req)
	registroDe(ctx).contextID = limitar(req.ContextID)
	if err := c.erro(); err != nil {
		return nil, recusar(ctx, err)
	}
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
		res.Tasks[i] = renderizar(ctx, t, ou(req.HistoryLength), req.IncludeArtifacts)
	}
	return res, nil
}

// CancelTask implements [a2asrv.RequestHandler].
func (a *atendente) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	var c conferencia
	conferirID(ctx, &c, "id", req.ID)
	if err := c.erro(); err != nil {
		return nil, recusar(ctx, err)
	}
	t, err := a.ponte.Cancelar(ctx, string(req.ID))
	if err != nil {
		return nil, recusar(ctx, err)
	}
	return mostrar(ctx, t, tudo), nil
}

// GetExtendedAgentCard implements [a2asrv.RequestHandler]. There is none (A2A
// v1.0, 3.1.11).
func (a *atendente) GetExtendedAgentCard(ctx context.Context, _ *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return nil, recusar(ctx, errSemCartao)
}

// registro is what the log line of a request says of it, and what the request
// says of its caller. It travels in the request's context to whoever knows more.
type registro struct {
	method, id, traceparent, taskID, contextID, outcome string
	// cause is what is behind an internal error; only the log says it.
	cause  string
	status int
	// rastro is the trace that the request came with, the zero one for none.
	rastro rastro.Rastro
	// elicitacao: the caller activated the extension.
	elicitacao bool
	// binario: the answer is no JSON, so JSON inside it has to be taken apart.
	binario bool
}

type chaveRegistro struct{}

func comRegistro(ctx context.Context, reg *registro) context.Context {
	return context.WithValue(ctx, chaveRegistro{}, reg)
}

// registroDe returns the record of the request that ctx belongs to.
func registroDe(ctx context.Context) *registro {
	if reg, ok := ctx.Value(chaveRegistro{}).(*registro); ok {
		return reg
	}
	return &registro{}
}

func (reg *registro) tarefa(t *tarefa.Tarefa) {
	reg.taskID, reg.contextID = t.ID, t.Contexto
	if reg.traceparent == "" {
		reg.traceparent = t.Rastro
	}
}

func (reg *registro) falhou(e *erro) {
	reg.outcome = fmt.Sprintf("error %d", e.rpc)
	reg.cause = e.causa
}
