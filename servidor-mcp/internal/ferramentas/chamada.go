package ferramentas

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/servidor-mcp/internal/porta"
)

// chamada is a tool call as the tools see it, whichever way it came.
type chamada struct {
	argumentos json.RawMessage // as they were sent; nil or null when there are none
	estado     string          // the requestState; empty when there is none
	resposta   *elicitado      // to our one question; nil when there is none
	// formulario is whether form elicitation is declared, on this very request.
	formulario bool
}

// elicitado is an elicitation result.
type elicitado struct{ acao, escolha string }

// executor runs a tool. Its errors are for [responder] to answer.
type executor func(chamada) (saida, error)

// handler is the way of the SDK to a tool.
func (e executor) handler(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var elicitation *mcp.ElicitationCapabilities
	if c := req.ClientCapabilities(); c != nil {
		elicitation = c.Elicitation
	}
	s, err := responder(e(chamada{
		argumentos: req.Params.Arguments,
		estado:     req.Params.RequestState,
		resposta:   respostaDoSDK(req.Params.InputResponses),
		formulario: aceitaFormulario(elicitation),
	}))
	if err != nil {
		return nil, err
	}
	return s.resultado(), nil
}

// Chamar implements [porta.Chamador]: it is the direct way to a tool. Errors are
// [porta.ErrOutraForma] and *jsonrpc.Error. No receiving middleware of
// [Ferramentas.Servidor] sees these calls.
func (f *Ferramentas) Chamar(c porta.Chamada) (result json.RawMessage, err error) {
	defer f.recuperarEm("tools/call", &err)
	executar, ok := f.executores[c.Ferramenta]
	if !ok {
		return nil, porta.ErrOutraForma
	}
	r, ok := respostaDireta(c.Respostas)
	if !ok {
		return nil, porta.ErrOutraForma
	}
	s, err := responder(executar(chamada{
		argumentos: c.Argumentos,
		estado:     c.Estado,
		resposta:   r,
		formulario: aceitaFormulario(c.Elicitation),
	}))
	if err != nil {
		return nil, err
	}
	return s.json(f.meta), nil
}

// respostaDoSDK finds the answer to our question. Answers under other keys, and
// those that are no elicitation results, are ignored.
func respostaDoSDK(respostas mcp.InputResponseMap) *elicitado {
	r, ok := respostas[chavePergunta].(*mcp.ElicitResult)
	if !ok || r == nil {
		return nil
	}
	escolha, _ := r.Content[campoPergunta].(string)
	return &elicitado{r.Action, escolha}
}

// respostaDireta reads inputResponses that are absent, or just our question's
// answer: an action and, at most, content that holds nothing but the choice. ok
// is false for any other, on which the SDK has a say.
func respostaDireta(raw json.RawMessage) (r *elicitado, ok bool) {
	if raw == nil {
		return nil, true
	}
	var uma [1]envelope.Member
	todas, err := envelope.Split(uma[:0], raw)
	if err != nil || len(todas) != 1 || todas[0].Name != chavePergunta {
		return nil, false
	}
	var duas [2]envelope.Member
	membros, err := envelope.Split(duas[:0], todas[0].Value)
	if err != nil || envelope.Find(membros, "action") == nil {
		return nil, false
	}
	r = &elicitado{}
	for _, m := range membros {
		switch m.Name {
		case "action":
			r.acao, ok = envelope.String(m.Value)
		case "content":
			r.escolha, ok = escolhaDireta(m.Value)
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return r, true
}

func escolhaDireta(content json.RawMessage) (escolha string, ok bool) {
	var uma [1]envelope.Member
	membros, err := envelope.Split(uma[:0], content)
	switch {
	case err != nil, len(membros) > 1:
		return "", false
	case len(membros) == 0:
		return "", true
	}
	escolha, ok = envelope.String(membros[0].Value)
	return escolha, ok && membros[0].Name == campoPergunta
}
