package porta

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"

	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
)

// doDominio is the table from the bridge's errors to those of the protocol
// (A2A v1.0, 3.3.2). The SDK's transport gives them their codes.
var doDominio = []struct {
	err  error
	a2a  error
	text string
}{
	{tarefa.ErrNaoExiste, a2a.ErrTaskNotFound, "Task not found"},
	{ponte.ErrContexto, a2a.ErrInvalidParams, "Invalid parameters: message.contextId does not belong to the task"},
	{ponte.ErrNaoAceita, a2a.ErrUnsupportedOperation, "The task accepts no message in its present state"},
	{ponte.ErrNaoCancelavel, a2a.ErrTaskNotCancelable, "The task has ended and cannot be canceled"},
	{tarefa.ErrMarcador, a2a.ErrInvalidParams, "Invalid parameters: pageToken is not one that this agent gave out"},
	{errPartes, a2a.ErrUnsupportedContentType, "Only text parts are supported"},
	{tarefa.ErrCheia, a2a.ErrInternalError, "Too many open tasks: try again later"},
}

// recusar renders an error of the bridge's for the protocol, and notes it for
// the log. What it does not know is an internal error that shows nothing.
func recusar(ctx context.Context, err error) error {
	out := a2a.NewError(a2a.ErrInternalError, "Internal error")
	for _, d := range doDominio {
		if errors.Is(err, d.err) {
			out = a2a.NewError(d.a2a, d.text)
			break
		}
	}
	reg := registroDe(ctx)
	reg.outcome = fmt.Sprintf("error %d", codigos[out.Err])
	if out.Err == a2a.ErrInternalError {
		reg.cause = err.Error()
	}
	return out
}

// codigos are the JSON-RPC codes of the errors (A2A v1.0, 5.4 and 9.5).
var codigos = map[error]int{
	a2a.ErrParseError:                   envelope.CodeParse,
	a2a.ErrInvalidRequest:               envelope.CodeInvalidRequest,
	a2a.ErrMethodNotFound:               envelope.CodeMethodNotFound,
	a2a.ErrInvalidParams:                envelope.CodeInvalidParams,
	a2a.ErrInternalError:                envelope.CodeInternal,
	a2a.ErrTaskNotFound:                 -32001,
	a2a.ErrTaskNotCancelable:            -32002,
	a2a.ErrPushNotificationNotSupported: -32003,
	a2a.ErrUnsupportedOperation:         -32004,
	a2a.ErrUnsupportedContentType:       -32005,
	a2a.ErrExtendedCardNotConfigured:    -32007,
	a2a.ErrVersionNotSupported:          -32009,
}

// violacao is a field of the parameters that is wrong, and why.
type violacao struct {
	Campo     string `json:"field"`
	Descricao string `json:"description"`
}

// erroA2A builds an error object with the details that the specification
// wants: google.rpc.ErrorInfo, and the violations when there are any.
func erroA2A(sentinel error, message string, agora time.Time, violacoes ...violacao) *envelope.Error {
	info := errordetails.NewErrorInfo(a2a.ErrorReason(sentinel), a2a.ProtocolDomain, map[string]string{
		"timestamp": agora.UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	details := []any{info}
	if len(violacoes) > 0 {
		details = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violacoes}, info}
	}
	data, _ := envelope.Marshal(details) // strings only: cannot fail
	return &envelope.Error{Code: codigos[sentinel], Message: message, Data: data}
}
