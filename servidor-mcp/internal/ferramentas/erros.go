package ferramentas

import (
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

// errSemElicitation is the answer when a choice must be asked for and the
// client did not declare form elicitation on this request (MCP 2026-07-28,
// MissingRequiredClientCapabilityError). The data list what is missing and
// nothing more.
var errSemElicitation = &jsonrpc.Error{
	Code:    mcp.CodeMissingRequiredClientCapabilities,
	Message: "missing required client capability: elicitation in form mode",
	Data:    json.RawMessage(`{"requiredCapabilities":{"elicitation":{"form":{}}}}`),
}

func parametroInvalido(mensagem string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: mensagem}
}

// errInterno shows nothing of what went wrong.
var errInterno = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// protocolo are the errors that are answered as JSON-RPC errors. They must
// reach the SDK bare: it looks no deeper than the outermost error.
var protocolo = []struct {
	err  error
	wire *jsonrpc.Error
}{
	{selo.ErrInvalido, parametroInvalido("requestState invalid or expired")},
	{reserva.ErrEstadoUsado, parametroInvalido("requestState already used for another choice")},
	{errAcao, parametroInvalido("inputResponses: action must be accept, decline or cancel")},
}

// responder is the one place where an error becomes an answer, whichever way the
// call came: a refusal of the domain or a bad argument is a tool result with
// isError, so that whoever reads the tool's answer can mend the request; what is
// wrong with the exchange itself is a protocol error; anything else is an
// internal error.
func responder(s saida, err error) (saida, error) {
	if err == nil {
		return s, nil
	}
	var je *jsonrpc.Error
	if errors.As(err, &je) {
		return saida{}, je
	}
	for _, p := range protocolo {
		if errors.Is(err, p.err) {
			return saida{}, p.wire
		}
	}
	var recusa *reserva.Recusa
	var arg *erroDeArgumento
	if errors.As(err, &recusa) || errors.As(err, &arg) {
		return saida{recusa: err.Error()}, nil
	}
	return saida{}, err
}
