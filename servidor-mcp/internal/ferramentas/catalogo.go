package ferramentas

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

// ferramenta is a tool and what runs it.
type ferramenta struct {
	tool     *mcp.Tool
	executar executor
}

// Property schemas that several tools share. They are kept as text so that the
// order of the properties reaches the client as written here.
const (
	esquemaSala   = `"sala":{"type":"string","description":"id da sala, por exemplo sala-garagem"}`
	esquemaInicio = `"inicio":{"type":"string","format":"date-time","description":"inicio em ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"}`
	esquemaFim    = `"fim":{"type":"string","format":"date-time","description":"fim em ISO 8601 com fuso; o intervalo nao inclui este instante"}`

	textoOuNulo = `{"type":["string","null"]}`
)

// semEstado is for a tool that asks nobody, and so never gave out a state: one
// that is presented to it belongs to another tool.
func semEstado(e executor) executor {
	return func(c chamada) (saida, error) {
		if c.estado != "" {
			return saida{}, selo.ErrInvalido
		}
		return e(c)
	}
}

func (f *Ferramentas) catalogo() []ferramenta {
	falso, verdadeiro := false, true
	return []ferramenta{
		{
			tool: &mcp.Tool{
				Name:         "listar_salas",
				Title:        "Listar salas",
				Description:  "Lista as salas de reuniao com capacidade e recursos.",
				InputSchema:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"salas":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"nome":{"type":"string"},"capacidade":{"type":"integer"},"recursos":{"type":"array","items":{"type":"string"}}},"required":["id","nome","capacidade","recursos"]}}},"required":["salas"]}`),
				Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &falso},
			},
			executar: semEstado(f.listarSalas),
		},
		{
			tool: &mcp.Tool{
				Name:         "consultar_disponibilidade",
				Title:        "Consultar disponibilidade",
				Description:  "Diz se uma sala esta livre num intervalo e, se nao estiver, quais reservas estao em conflito.",
				InputSchema:  json.RawMessage(`{"type":"object","properties":{` + esquemaSala + `,` + esquemaInicio + `,` + esquemaFim + `},"required":["sala","inicio","fim"],"additionalProperties":false}`),
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"sala":{"type":"string"},"livre":{"type":"boolean"},"conflitos":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"inicio":{"type":"string"},"fim":{"type":"string"},"responsavel":{"type":"string"}},"required":["id","inicio","fim","responsavel"]}}},"required":["sala","livre","conflitos"]}`),
				Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &falso},
			},
			executar: semEstado(f.consultarDisponibilidade),
		},
		{
			tool: &mcp.Tool{
				Name:         ferramentaReservar,
				Title:        "Reservar sala",
				Description:  "Reserva uma sala. Se ela estiver ocupada no intervalo, pede a escolha de uma alternativa livre.",
				InputSchema:  json.RawMessage(`{"type":"object","properties":{` + esquemaSala + `,` + esquemaInicio + `,` + esquemaFim + `,"responsavel":{"type":"string","description":"quem reserva, com no maximo 200 caracteres"}},"required":["sala","inicio","fim","responsavel"],"additionalProperties":false}`),
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"reserva":` + textoOuNulo + `,"reservado":{"type":"boolean"},"sala":` + textoOuNulo + `,"inicio":` + textoOuNulo + `,"fim":` + textoOuNulo + `,"responsavel":` + textoOuNulo + `,"politica":` + textoOuNulo + `,"motivo":` + textoOuNulo + `},"required":["reserva","reservado","sala","inicio","fim","responsavel","politica","motivo"]}`),
				Annotations:  &mcp.ToolAnnotations{DestructiveHint: &verdadeiro, OpenWorldHint: &falso},
			},
			executar: f.reservarSala,
		},
	}
}
