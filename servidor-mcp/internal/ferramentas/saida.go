package ferramentas

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
)

// saida is the answer of a tool before it takes the form of either way: one of
// its members is set.
type saida struct {
	// estruturado is the structuredContent, in compact JSON whose strings
	// [envelope.AppendString] has written; see [concluir]. Nobody changes it: that of
	// listar_salas is the same for everybody.
	estruturado []byte
	// pergunta ends the answer with a question.
	pergunta *pergunta
	// recusa is the text of a result that is an error.
	recusa string
}

// pergunta is an input_required.
type pergunta struct {
	esquema json.RawMessage // the requestedSchema
	selado  string          // the requestState
}

const mensagemPergunta = "A sala pedida esta ocupada nesse intervalo. Escolha uma alternativa."

// resultado is s as the SDK takes it.
func (s saida) resultado() *mcp.CallToolResult {
	texto := func(t string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: t}} }
	switch {
	case s.estruturado != nil:
		return &mcp.CallToolResult{Content: texto(string(s.estruturado)), StructuredContent: json.RawMessage(s.estruturado)}
	case s.pergunta != nil:
		return &mcp.CallToolResult{
			Content: []mcp.Content{}, // the SDK writes the member, and null is no list
			InputRequests: mcp.InputRequestMap{chavePergunta: &mcp.ElicitParams{
				Mode:            "form",
				Message:         mensagemPergunta,
				RequestedSchema: s.pergunta.esquema,
			}},
			RequestState: s.pergunta.selado,
		}
	}
	return &mcp.CallToolResult{IsError: true, Content: texto(s.recusa)}
}

// json is s as the SDK writes it, with meta as its _meta. A test holds it to
// that, byte for byte.
func (s saida) json(meta json.RawMessage) json.RawMessage {
	b := make([]byte, 0, 1024+len(meta)+3*len(s.estruturado))
	b = append(b, `{"_meta":`...)
	b = append(b, meta...)
	switch {
	case s.estruturado != nil:
		b = append(b, `,"content":[{"type":"text","text":`...)
		b = anexarCitado(b, s.estruturado)
		b = append(b, `}],"structuredContent":`...)
		b = append(b, s.estruturado...)
		b = append(b, `,"resultType":"complete"}`...)
	case s.pergunta != nil:
		b = append(b, `,"content":[],"requestState":`...)
		b = envelope.AppendString(b, s.pergunta.selado)
		b = append(b, `,"resultType":"input_required","inputRequests":{"`+chavePergunta+`":{"method":"elicitation/create","params":{"mode":"form","message":"`+mensagemPergunta+`","requestedSchema":`...)
		b = append(b, s.pergunta.esquema...)
		b = append(b, `}}}}`...)
	default:
		b = append(b, `,"content":[{"type":"text","text":`...)
		b = envelope.AppendString(b, s.recusa)
		b = append(b, `}],"isError":true,"resultType":"complete"}`...)
	}
	if !bytes.ContainsAny(b, "<>&") {
		return b
	}
	// The SDK's results escape what is special in HTML.
	var escapado bytes.Buffer
	json.HTMLEscape(&escapado, b)
	return escapado.Bytes()
}

// anexarCitado appends the JSON of an estruturado as a JSON string. Only quotes and
// backslashes need an escape: what else does has it already.
func anexarCitado(b, json []byte) []byte {
	b = append(b, '"')
	for _, c := range json {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
