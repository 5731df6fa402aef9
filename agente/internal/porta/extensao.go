package porta

import (
	"encoding/json"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

// URIElicitacao names the extension that gives the questions of a pause as data
// (docs/extensao-elicitation.md; A2A v1.0, 4.6).
const URIElicitacao = perfil.URIElicitacao

// comElicitacao adds the questions of a paused Task to the message that shows
// them, in the status and, being the same message, at the end of the history.
// binario takes the JSON apart, for an answer that is none.
func comElicitacao(task *a2a.Task, t *tarefa.Tarefa, binario bool) {
	dados := ponte.Elicitacao(t)
	if dados == nil || t.Palavra == nil {
		return
	}
	var valor any = dados
	if binario {
		if json.Unmarshal(dados, &valor) != nil {
			return
		}
	}
	m := *t.Palavra
	m.Extensions = append(slices.Clip(m.Extensions), URIElicitacao)
	m.Metadata = map[string]any{URIElicitacao: valor}
	task.Status.Message = &m
	if n := len(task.History); n > 0 && task.History[n-1] == t.Palavra {
		task.History = slices.Clone(task.History)
		task.History[n-1] = &m
	}
}
