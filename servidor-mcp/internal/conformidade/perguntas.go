package main

// Sampling and roots are deprecated in the revision, and still part of it.
//
//lint:file-ignore SA1019 the suite asks for both

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pergunta is one input request, with the client's capability that it needs.
type pergunta struct {
	chave      string
	pedido     mcp.InputRequest
	capacidade string
}

func formulario(chave, mensagem, campo, tipo string) pergunta {
	esquema := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, campo, tipo, campo)
	return pergunta{chave, &mcp.ElicitParams{Mode: "form", Message: mensagem, RequestedSchema: json.RawMessage(esquema)}, "elicitation"}
}

func amostra(chave, mensagem string, maximo int64) pergunta {
	return pergunta{chave, &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: texto(mensagem)}},
		MaxTokens: maximo,
	}, "sampling"}
}

func raizes(chave string) pergunta { return pergunta{chave, &mcp.ListRootsParams{}, "roots"} }

// declarada reports whether the client has declared that it can be asked this.
func (q pergunta) declarada(c *mcp.ClientCapabilities) bool {
	if c == nil {
		return false
	}
	switch q.capacidade {
	case "elicitation":
		return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
	case "sampling":
		return c.Sampling != nil
	case "roots":
		return c.RootsV2 != nil
	}
	return false
}

// pedir makes the input requests of some questions, or says which capability
// the client would have to declare (MCP 2026-07-28,
// MissingRequiredClientCapabilityError).
func pedir(c *mcp.ClientCapabilities, qs ...pergunta) (mcp.InputRequestMap, error) {
	pedidos := mcp.InputRequestMap{}
	for _, q := range qs {
		if !q.declarada(c) {
			return nil, &jsonrpc.Error{
				Code:    mcp.CodeMissingRequiredClientCapabilities,
				Message: "missing required client capability: " + q.capacidade,
				Data:    json.RawMessage(fmt.Sprintf(`{"requiredCapabilities":{%q:{}}}`, q.capacidade)),
			}
		}
		pedidos[q.chave] = q.pedido
	}
	return pedidos, nil
}

// respondidas reports whether every question has an answer of its kind.
func respondidas(respostas mcp.InputResponseMap, qs []pergunta) bool {
	for _, q := range qs {
		switch r := respostas[q.chave].(type) {
		case *mcp.ElicitResult:
			if q.capacidade != "elicitation" || r.Action != "accept" {
				return false
			}
		case *mcp.CreateMessageResult, *mcp.CreateMessageWithToolsResult:
			if q.capacidade != "sampling" {
				return false
			}
		case *mcp.ListRootsResult:
			if q.capacidade != "roots" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// campo is a text field of an accepted form.
func campo(respostas mcp.InputResponseMap, chave, nome string) (string, bool) {
	r, ok := respostas[chave].(*mcp.ElicitResult)
	if !ok || r.Action != "accept" {
		return "", false
	}
	s, ok := r.Content[nome].(string)
	return s, ok
}
