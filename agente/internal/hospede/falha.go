package hospede

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
)

var errRevisao = errors.New("unsupported MCP revision")

// falha classifies an error of the SDK's, or of this package.
func falha(ctx context.Context, err error) Desfecho {
	codigo, mensagem := codigoDe(err)
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return Inacessivel{"Servidor MCP nao respondeu a tempo.", explicar(ctx, err)}
	case ctx.Err() != nil:
		return Interrompido{}
	case errors.Is(err, errRevisao):
		return Inacessivel{"Servidor MCP fala outra revisao do protocolo.", errRevisao.Error()}
	case codigo == codigoInacessivel:
		return Inacessivel{"Servidor MCP inacessivel.", mensagem}
	case codigo == codigoSemSentido:
		return Inacessivel{"Servidor MCP deu uma resposta invalida.", mensagem}
	case codigo != 0 && !semSignificado(codigo):
		return ErroDeProtocolo{codigo}
	case semConexao(err):
		return Inacessivel{"Servidor MCP inacessivel.", explicar(ctx, err)}
	}
	return Inacessivel{"Servidor MCP deu uma resposta invalida.", explicar(ctx, err)}
}

// codigoDe returns the code of a JSON-RPC error, and what it says, which repeats
// nothing of the server's when the code is one of ours. 0 is no such error.
func codigoDe(err error) (int, string) {
	var e *envelope.Error
	if errors.As(err, &e) {
		return e.Code, e.Message
	}
	// The SDK reports what happened on this side (no connection, a status without
	// a body) as errors of the same type.
	var je *jsonrpc.Error
	if errors.As(err, &je) {
		return int(je.Code), je.Message
	}
	return 0, ""
}

// errSemConexao: no request got through, or no answer began.
var errSemConexao = errors.New("no connection")

// semConexao reports whether the request did not get through at all.
func semConexao(err error) bool {
	var u *url.Error
	return errors.Is(err, errSemConexao) || errors.As(err, &u) || errors.Is(err, mcp.ErrConnectionClosed)
}

// explicar says for the log why there was no answer. What the server sent may
// hold a requestState, and is never part of it.
func explicar(ctx context.Context, err error) string {
	var op *net.OpError
	var errno syscall.Errno
	switch {
	case ctx.Err() != nil:
		return ctx.Err().Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &op):
		return op.Op + " failed"
	}
	return "no usable answer"
}

// codigoCabecalho is HeaderMismatch: the server expected other headers, perhaps
// because the tool's schema has changed since it was listed.
const codigoCabecalho = mcp.CodeHeaderMismatch
