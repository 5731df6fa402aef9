package porta

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
)

// Chamador answers tool calls without the SDK. It is safe for concurrent use.
type Chamador interface {
	// Chamar runs a tool and returns the result as the SDK would write it. A
	// *jsonrpc.Error is the answer to the caller, [ErrOutraForma] says that the
	// call is for the SDK and that nothing has been done; any other error is an
	// internal one. It does not panic.
	Chamar(Chamada) (result json.RawMessage, err error)
}

// ErrOutraForma is returned for a call that the SDK is to answer, also when that
// is only to refuse it.
var ErrOutraForma = errors.New("call of another form")

// Chamada is a tool call that was checked and of which all was understood. The
// raw parts hold only until the answer.
type Chamada struct {
	Ferramenta string          // came without escapes, as Estado did
	Argumentos json.RawMessage // nil when absent
	Respostas  json.RawMessage // the inputResponses, as they were sent; nil when absent
	Estado     string          // the requestState; "" when absent
	// Elicitation is what the client declared of it on this request; nil for
	// nothing.
	Elicitation *mcp.ElicitationCapabilities
}

// chamarDireto answers a tool call without the SDK. ok is false when the call is
// not of a form that this way knows.
func (p *Porta) chamarDireto(r *http.Request, req envelope.Request, params, meta []envelope.Member) (a resposta, ok bool) {
	c, ok := lerChamada(req.Params, params, meta)
	if !ok {
		return resposta{}, false
	}
	result, err := p.chamador.Chamar(c)
	switch {
	case errors.Is(err, ErrOutraForma):
		return resposta{}, false
	case r.Context().Err() != nil:
		// The caller left: its answer has nowhere to go.
		return resposta{desfecho: desfechoCancelado}, true
	case err != nil:
		bad := p.erroDeHandler(req.Method, err)
		return falha(statusDe(bad.Code), req.ID, bad), true
	}
	return resposta{status: http.StatusOK, body: envelope.Result(req.ID, result), desfecho: desfechoDe(result)}, true
}

// maxAninhado is how deep params may nest for the SDK (its
// internal/json/json.go:21). Bodies too short to open so many arrays and objects are not counted.
const maxAninhado = 1000

// lerChamada reads the params of a tools/call that [Porta.conferir] has let pass.
// ok is true only for what the SDK reads in the same way and does not refuse.
// That way has types of its own for what is in _meta, takes names in another case
// for the same here and there, and bounds numbers; what could meet any of this
// is left to it. Clients do not send such things, as a rule.
func lerChamada(raw json.RawMessage, params, meta []envelope.Member) (c Chamada, ok bool) {
	if len(raw) > maxAninhado && bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > maxAninhado {
		return Chamada{}, false
	}
	for _, m := range params {
		ok = true
		switch m.Name {
		case "name":
			c.Ferramenta, ok = literal(m.Value)
		case "arguments":
			c.Argumentos = m.Value
		case "inputResponses":
			c.Respostas = m.Value
		case "requestState":
			c.Estado, ok = literal(m.Value)
		case "_meta":
			ok = !bytes.Contains(m.Value, []byte(`\`))
		default:
			ok = false
		}
		if !ok {
			return Chamada{}, false
		}
	}
	for _, m := range meta {
		switch m.Name {
		case mcp.MetaKeyProtocolVersion: // was checked
		case mcp.MetaKeyClientInfo:
			ok = clienteComum(m.Value)
		case mcp.MetaKeyClientCapabilities:
			c.Elicitation, ok = capacidadesComuns(m.Value)
		default:
			ok = comum(m.Value)
		}
		if !ok {
			return Chamada{}, false
		}
	}
	return c, true
}

// literal reads a string without escapes.
func literal(raw json.RawMessage) (string, bool) {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return "", false
	}
	return envelope.String(raw)
}

// comum reports whether a value has nothing in it that a reader with types could
// refuse: no number out of range and no name twice.
func comum(raw json.RawMessage) bool {
	switch raw[0] {
	case '{':
		return cadaUm(raw, func(_ string, valor json.RawMessage) bool { return comum(valor) })
	case '[':
		elements, err := envelope.Elements(nil, raw)
		for _, e := range elements {
			if !comum(e) {
				return false
			}
		}
		return err == nil
	case '"', 't', 'f', 'n':
		return true
	}
	return len(raw) < 16 && !bytes.ContainsAny(raw, "eE")
}

// cadaUm reports whether raw is an object of whose members f says so.
func cadaUm(raw json.RawMessage, f func(nome string, valor json.RawMessage) bool) bool {
	if string(raw) == "{}" {
		return true
	}
	var room [8]envelope.Member
	members, err := envelope.Split(room[:0], raw)
	for _, m := range members {
		if !f(m.Name, m.Value) {
			return false
		}
	}
	return err == nil
}

// objetoComum reports whether a value is an object, and [comum].
func objetoComum(raw json.RawMessage) bool { return raw[0] == '{' && comum(raw) }

// clienteComum reports whether a clientInfo is an object of the strings that one
// may have.
func clienteComum(raw json.RawMessage) bool {
	return cadaUm(raw, func(nome string, valor json.RawMessage) bool {
		switch nome {
		case "name", "title", "description", "version", "websiteUrl":
			return valor[0] == '"'
		}
		return false
	})
}

// capacidadesComuns reads clientCapabilities in which nothing is unknown.
func capacidadesComuns(raw json.RawMessage) (e *mcp.ElicitationCapabilities, ok bool) {
	ok = cadaUm(raw, func(nome string, valor json.RawMessage) bool {
		switch nome {
		case "elicitation":
			e = &mcp.ElicitationCapabilities{}
			return cadaUm(valor, func(modo string, valor json.RawMessage) bool {
				switch modo {
				case "form":
					e.Form = &mcp.FormElicitationCapabilities{}
				case "url":
					e.URL = &mcp.URLElicitationCapabilities{}
				default:
					return false
				}
				return objetoComum(valor)
			})
		case "sampling":
			return cadaUm(valor, func(nome string, valor json.RawMessage) bool {
				return (nome == "context" || nome == "tools") && objetoComum(valor)
			})
		case "roots":
			return cadaUm(valor, func(nome string, valor json.RawMessage) bool {
				return nome == "listChanged" && (valor[0] == 't' || valor[0] == 'f')
			})
		case "experimental", "extensions":
			return objetoComum(valor)
		}
		return false
	})
	return e, ok
}
