package porta

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"

	"hillvalley.example/ponte/agente/internal/aviso"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

// maxID bounds the id of a push notification config, in bytes.
const maxID = 256

// conferirAviso checks a push notification config (A2A v1.0, 4.3.1). campo begins
// the names of its fields in errors.
func (a *atendente) conferirAviso(campo string, p *a2a.PushConfig) (tarefa.Aviso, error) {
	v := tarefa.Aviso{TaskID: string(p.TaskID), ID: p.ID, URL: p.URL, Token: p.Token}
	if p.Auth != nil {
		v.Esquema, v.Credenciais = p.Auth.Scheme, p.Auth.Credentials
	}
	var c conferencia
	if len(v.ID) > maxID {
		c.falta(campo+"id", "is too long: at most %d bytes", maxID)
	}
	if err := a.conferirDestino(v); err != nil {
		errado := "url"
		var ruim *aviso.CampoError
		if errors.As(err, &ruim) {
			errado = ruim.Campo
		}
		c.falta(campo+errado, "%s", limitar(err.Error()))
	}
	return v, c.erro()
}

// mostrarAviso renders a config for its caller. Whoever may name the Task may
// read it back, so the credentials, which open something of the receiver's, are
// not shown again. The token is: it only lets the receiver know its own request.
func mostrarAviso(v tarefa.Aviso) *a2a.PushConfig {
	p := &a2a.PushConfig{TaskID: a2a.TaskID(v.TaskID), ID: v.ID, URL: v.URL, Token: v.Token}
	if v.Esquema != "" {
		p.Auth = &a2a.PushAuthInfo{Scheme: v.Esquema}
	}
	return p
}

// CreateTaskPushConfig implements [a2asrv.RequestHandler] (A2A v1.0, 3.1.7).
func (a *atendente) CreateTaskPushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	var c conferencia
	conferirID(ctx, &c, "taskId", req.TaskID)
	if err := c.erro(); err != nil {
		return nil, recusar(ctx, err)
	}
	if req.ID == "" {
		c := *req
		c.ID = uuid.NewString()
		req = &c
	}
	v, err := a.conferirAviso("", req)
	if err == nil {
		err = a.ponte.GuardarAviso(ctx, v)
	}
	if err != nil {
		return nil, recusar(ctx, err)
	}
	return mostrarAviso(v), nil
}

// avisosDe checks a request for the configs of a Task and reads them.
func (a *atendente) avisosDe(ctx context.Context, c *conferencia, taskID a2a.TaskID) ([]tarefa.Aviso, error) {
	conferirID(ctx, c, "taskId", taskID)
	if err := c.erro(); err != nil {
		return nil, err
	}
	return a.ponte.Avisos(ctx, string(taskID))
}

// GetTaskPushConfig implements [a2asrv.RequestHandler] (A2A v1.0, 3.1.8).
func (a *atendente) GetTaskPushConfig(ctx context.Context, req *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	var c conferencia
	c.preenchido("id", req.ID)
	avisos, err := a.avisosDe(ctx, &c, req.TaskID)
	if err != nil {
		return nil, recusar(ctx, err)
	}
	for _, v := range avisos {
		if v.ID == req.ID {
			return mostrarAviso(v), nil
		}
	}
	return nil, recusar(ctx, errSemAviso)
}

// ListTaskPushConfigs implements [a2asrv.RequestHandler] (A2A v1.0, 3.1.9). A
// Task has few of them: there is one page.
func (a *atendente) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	avisos, err := a.avisosDe(ctx, &conferencia{}, req.TaskID)
	switch {
	case err != nil:
		return nil, recusar(ctx, err)
	case req.PageToken != "":
		return nil, recusar(ctx, tarefa.ErrMarcador)
	}
	res := &a2a.ListTaskPushConfigResponse{Configs: make([]*a2a.PushConfig, len(avisos))}
	for i, v := range avisos {
		res.Configs[i] = mostrarAviso(v)
	}
	return res, nil
}

// DeleteTaskPushConfig implements [a2asrv.RequestHandler] (A2A v1.0, 3.1.10).
func (a *atendente) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	var c conferencia
	conferirID(ctx, &c, "taskId", req.TaskID)
	c.preenchido("id", req.ID)
	err := c.erro()
	if err == nil {
		err = a.ponte.ApagarAviso(ctx, string(req.TaskID), req.ID)
	}
	if err != nil {
		return recusar(ctx, err)
	}
	return nil
}
