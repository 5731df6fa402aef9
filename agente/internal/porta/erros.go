package porta

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
)

// tipo is a kind of error of the protocol, and how each binding spells it (A2A
// v1.0, 5.4 and 9.5 to 11.6).
type tipo struct {
	err    error
	rpc    int
	http   int
	grpc   codes.Code
	status string // the name of grpc
}

var tipos = []tipo{
	{a2a.ErrParseError, envelope.CodeParse, http.StatusBadRequest, codes.InvalidArgument, "INVALID_ARGUMENT"},
	{a2a.ErrInvalidRequest, envelope.CodeInvalidRequest, http.StatusBadRequest, codes.InvalidArgument, "INVALID_ARGUMENT"},
	{a2a.ErrMethodNotFound, envelope.CodeMethodNotFound, http.StatusNotFound, codes.Unimplemented, "UNIMPLEMENTED"},
	{a2a.ErrInvalidParams, envelope.CodeInvalidParams, http.StatusBadRequest, codes.InvalidArgument, "INVALID_ARGUMENT"},
	{a2a.ErrInternalError, envelope.CodeInternal, http.StatusInternalServerError, codes.Internal, "INTERNAL"},
	{errOcupado, envelope.CodeInternal, http.StatusServiceUnavailable, codes.Unavailable, "UNAVAILABLE"},
	{a2a.ErrTaskNotFound, -32001, http.StatusNotFound, codes.NotFound, "NOT_FOUND"},
	{a2a.ErrTaskNotCancelable, -32002, http.StatusBadRequest, codes.FailedPrecondition, "FAILED_PRECONDITION"},
	{a2a.ErrPushNotificationNotSupported, -32003, http.StatusBadRequest, codes.FailedPrecondition, "FAILED_PRECONDITION"},
	{a2a.ErrUnsupportedOperation, -32004, http.StatusBadRequest, codes.FailedPrecondition, "FAILED_PRECONDITION"},
	{a2a.ErrUnsupportedContentType, -32005, http.StatusBadRequest, codes.InvalidArgument, "INVALID_ARGUMENT"},
	{a2a.ErrExtendedCardNotConfigured, -32007, http.StatusBadRequest, codes.FailedPrecondition, "FAILED_PRECONDITION"},
	{a2a.ErrExtensionSupportRequired, -32008, http.StatusBadRequest, codes.FailedPrecondition, "FAILED_PRECONDITION"},
	{a2a.ErrVersionNotSupported, -32009, http.StatusBadRequest, codes.FailedPrecondition, "FAILED_PRECONDITION"},
}

// errOcupado is an internal error that is over in a moment.
var errOcupado = errors.New("busy")

// violacao is a field of the parameters that is wrong, and why.
type violacao struct {
	Campo     string `json:"field"`
	Descricao string `json:"description"`
}

// erro is an error as the protocol knows it, for any binding.
type erro struct {
	tipo
	texto     string
	violacoes []violacao
	// taskID is the Task that the request named, empty for none.
	taskID string
	quando time.Time
	// causa is what is behind an internal error; only the log says it.
	causa string
}

// Error returns what the caller is told.
func (e *erro) Error() string { return e.texto }

// novoErro makes an error of the kind that err names.
func novoErro(err error, texto string) *erro {
	e := &erro{texto: texto, quando: time.Now()}
	for _, t := range tipos {
		if t.err == err {
			e.tipo = t
			return e
		}
	}
	panic("porta: error without a kind: " + err.Error())
}

// com gives an error an HTTP status of its own, for refusals that come before
// the protocol's.
func (e *erro) com(status int) *erro {
	e.http = status
	switch status {
	case http.StatusForbidden:
		e.status = "PERMISSION_DENIED"
	case http.StatusNotFound:
		e.status = "NOT_FOUND"
	}
	return e
}

// invalido is the error of parameters that are wrong; all of them are named.
func invalido(violacoes []violacao) *erro {
	v := violacoes[0]
	e := novoErro(a2a.ErrInvalidParams, "Invalid parameters: "+v.Campo+" "+v.Descricao)
	e.violacoes = violacoes
	return e
}

func (e *erro) motivo() string {
	if e.err == errOcupado {
		return a2a.ErrorReason(a2a.ErrInternalError)
	}
	return a2a.ErrorReason(e.err)
}

func (e *erro) metadados() map[string]string {
	m := map[string]string{"timestamp": instante(e.quando)}
	if e.taskID != "" {
		m["taskId"] = e.taskID
	}
	return m
}

const tipoBadRequest = "type.googleapis.com/google.rpc.BadRequest"

// detalhes are the details of an error in JSON: what is wrong with which field,
// and google.rpc.ErrorInfo.
func (e *erro) detalhes() json.RawMessage {
	var d []any
	if len(e.violacoes) > 0 {
		d = append(d, map[string]any{"@type": tipoBadRequest, "fieldViolations": e.violacoes})
	}
	d = append(d, errordetails.NewErrorInfo(e.motivo(), a2a.ProtocolDomain, e.metadados()))
	raw, _ := envelope.Marshal(d) // strings only: cannot fail
	return raw
}

// jsonRPC spells an error for JSON-RPC (A2A v1.0, 9.5).
func (e *erro) jsonRPC() *envelope.Error {
	return &envelope.Error{Code: e.rpc, Message: e.texto, Data: e.detalhes()}
}

// GRPCStatus spells an error for gRPC (A2A v1.0, 10.6).
func (e *erro) GRPCStatus() *status.Status {
	var detalhes []protoadapt.MessageV1
	if len(e.violacoes) > 0 {
		b := &errdetails.BadRequest{}
		for _, v := range e.violacoes {
			b.FieldViolations = append(b.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: v.Campo, Description: v.Descricao})
		}
		detalhes = append(detalhes, b)
	}
	detalhes = append(detalhes, &errdetails.ErrorInfo{Reason: e.motivo(), Domain: a2a.ProtocolDomain, Metadata: e.metadados()})
	st := status.New(e.grpc, e.texto)
	if com, err := st.WithDetails(detalhes...); err == nil {
		return com
	}
	return st
}

// doDominio is the table from the bridge's errors to those of the protocol
// (A2A v1.0, 3.3.2). Where campo is set the text says what is wrong with that
// field of the parameters.
var doDominio = []struct {
	err   error
	a2a   error
	text  string
	campo string
}{
	{tarefa.ErrNaoExiste, a2a.ErrTaskNotFound, "Task not found", ""},
	{ponte.ErrContexto, a2a.ErrInvalidParams, "does not belong to the task", "message.contextId"},
	{ponte.ErrNaoAceita, a2a.ErrUnsupportedOperation, "The task accepts no message in its present state", ""},
	{ponte.ErrNaoCancelavel, a2a.ErrTaskNotCancelable, "The task has ended and cannot be canceled", ""},
	{tarefa.ErrMarcador, a2a.ErrInvalidParams, "is not one that this agent gave out", "pageToken"},
	{tarefa.ErrMuitosAvisos, a2a.ErrInvalidParams, "belongs to a task that has as many push notification configs as it may", "taskId"},
	{errPartes, a2a.ErrUnsupportedContentType, "Only text parts are supported, or a data part alone that answers a pause", ""},
	{errTerminada, a2a.ErrUnsupportedOperation, "The task has ended: there is nothing to follow", ""},
	{errSemAviso, a2a.ErrTaskNotFound, "Push notification config not found", ""},
	{errSemFluxo, a2a.ErrUnsupportedOperation, "Streaming is not supported by this agent", ""},
	{errSemAvisos, a2a.ErrPushNotificationNotSupported, "Push notifications are not supported by this agent", ""},
	{errSemCartao, a2a.ErrExtendedCardNotConfigured, "This agent has no extended card", ""},
	{errExigida, a2a.ErrExtensionSupportRequired, "This agent requires the extension " + URIElicitacao, ""},
	{errFluxos, errOcupado, "Too many streams: try again later", ""},
	{tarefa.ErrAtraso, errOcupado, "The stream was not read fast enough: follow the task anew", ""},
	{tarefa.ErrCheia, a2a.ErrInternalError, "Too many open tasks: try again later", ""},
}

// Errors that the front finds by itself, whatever the binding.
var (
	errPartes    = errors.New("parts that are not text")
	errTerminada = errors.New("the task has ended")
	errSemAviso  = errors.New("no such push notification config")
	errSemFluxo  = errors.New("streaming is not declared")
	errSemAvisos = errors.New("push notifications are not declared")
	errSemCartao = errors.New("no extended card")
	errExigida   = errors.New("a required extension was not activated")
	errFluxos    = errors.New("too many streams")
)

// recusar renders an error for the protocol, and notes it for the log. What it
// does not know is an internal error that shows nothing.
func recusar(ctx context.Context, err error) *erro {
	var e *erro
	if !errors.As(err, &e) {
		e = traduzirErro(err)
	}
	reg := registroDe(ctx)
	if e.taskID == "" {
		e.taskID = reg.taskID
	}
	reg.falhou(e)
	return e
}

func traduzirErro(err error) *erro {
	for _, d := range doDominio {
		switch {
		case !errors.Is(err, d.err):
		case d.campo != "":
			return invalido([]violacao{{d.campo, d.text}})
		default:
			return novoErro(d.a2a, d.text)
		}
	}
	e := novoErro(a2a.ErrInternalError, "Internal error")
	e.causa = err.Error()
	return e
}
