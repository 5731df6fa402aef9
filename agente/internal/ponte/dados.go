package ponte

import (
	"encoding/json"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
)

// The elicitation extension (docs/extensao-elicitation.md): the questions of a
// pause as data, and the answer as data, for callers that do not want to read
// a line of text.

// elicitacao is one question as the server asked it.
type elicitacao struct {
	Mensagem string          `json:"message"`
	Esquema  json.RawMessage `json:"requestedSchema"`
}

// Elicitacao is the pause of a Task as data: the question itself when there is
// one, {"elicitations": …} by their keys when there are several. It is nil for a
// Task that is not paused. The requestState is not in it, also not where the
// server repeats it.
func Elicitacao(t *tarefa.Tarefa) json.RawMessage {
	if t.Estado != a2a.TaskStateInputRequired || t.Pausa == nil {
		return nil
	}
	todas := make([]envelope.Member, len(t.Pausa.Perguntas))
	for i, q := range t.Pausa.Perguntas {
		e := elicitacao{hospede.Calar(q.Mensagem, t.Estados), hospede.CalarJSON(q.Esquema, t.Estados)}
		uma, err := envelope.Marshal(e)
		if err != nil { // a schema that is no JSON was never stored
			return nil
		}
		if len(todas) == 1 {
			return uma
		}
		todas[i] = envelope.Member{Name: q.Chave, Value: uma}
	}
	return envelope.Encode([]envelope.Member{{Name: "elicitations", Value: envelope.Encode(todas)}})
}

// responder reads the answer to a pause out of a message: its data part, where
// the caller speaks the extension and sent one, else its text.
func (p *Ponte) responder(perguntas []tarefa.Pergunta, e Envio) (answer, bool) {
	if e.Dados {
		for _, parte := range e.Mensagem.Parts {
			if d, ok := parte.Content.(a2a.Data); ok {
				a, err := entenderDados(perguntas, d.Value)
				return a, err == nil
			}
		}
	}
	return entender(p.perfil.Pausa, perguntas, textoDe(e.Mensagem))
}

var errDados = errors.New("not an answer to the questions")

// entenderDados is the second translation for an answer that is data: an action
// and, when it accepts, a content that fits the schema of its question. Several
// questions are answered by {"responses": …} under their keys, each once. The
// pause stands when it is anything else.
func entenderDados(perguntas []tarefa.Pergunta, dados any) (answer, error) {
	m, ok := dados.(map[string]any)
	if !ok {
		return answer{}, errDados
	}
	respostas := map[string]any{}
	switch r, varias := m["responses"].(map[string]any); {
	case varias && len(m) == 1:
		respostas = r
	case len(perguntas) == 1:
		respostas[perguntas[0].Chave] = m
	}
	if len(respostas) != len(perguntas) {
		return answer{}, errDados
	}
	a := answer{respostas: make(map[string]hospede.Resposta, len(perguntas)), recusou: true}
	for _, q := range perguntas {
		r, err := lerResposta(q, respostas[q.Chave])
		if err != nil {
			return answer{}, err
		}
		a.respostas[q.Chave] = r
		a.recusou = a.recusou && r.Acao != "accept"
	}
	return a, nil
}

// lerResposta checks the answer to one question.
func lerResposta(q tarefa.Pergunta, dados any) (hospede.Resposta, error) {
	m, ok := dados.(map[string]any)
	if !ok {
		return hospede.Resposta{}, errDados
	}
	acao, _ := m["action"].(string)
	conteudo, temConteudo := m["content"]
	sabidos := 1
	if temConteudo {
		sabidos = 2
	}
	if len(m) != sabidos {
		return hospede.Resposta{}, errDados
	}
	switch acao {
	case "decline", "cancel":
		return hospede.Resposta{Acao: acao}, nil
	case "accept":
	default:
		return hospede.Resposta{}, errDados
	}
	valores, _ := conteudo.(map[string]any)
	if temConteudo && valores == nil {
		return hospede.Resposta{}, errDados
	}
	campos, err := camposDe([]tarefa.Pergunta{q})
	if err != nil {
		return hospede.Resposta{}, err
	}
	r := hospede.Resposta{Acao: acao, Conteudo: make(map[string]any, len(valores))}
	for _, c := range campos {
		v, veio := valores[c.Nome]
		if !veio {
			if c.Obrigatorio {
				return hospede.Resposta{}, errDados
			}
			continue
		}
		if r.Conteudo[c.Nome], err = c.Conferir(v); err != nil {
			return hospede.Resposta{}, err
		}
	}
	if len(r.Conteudo) != len(valores) {
		return hospede.Resposta{}, errDados // a property that was not asked for
	}
	return r, nil
}
