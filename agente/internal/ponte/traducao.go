package ponte

import (
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
)

// codigoParametros is the JSON-RPC code with which a server refuses a state
// for good: repeating the same call can only give the same answer.
const codigoParametros = envelope.CodeInvalidParams

// passo is what a call's outcome does to its Task.
type passo struct {
	evento   tarefa.Evento
	falas    []string
	artefato *a2a.Artifact
	pausa    *tarefa.Pausa
}

// situacao is what the translation of an outcome has to know.
type situacao struct {
	perfil *perfil.Perfil
	pedido perfil.Pedido
	// recursos are the values read from resources, by the profile's names.
	recursos map[string]string
	// pausa is the pause that was answered; nil at the first call.
	pausa *tarefa.Pausa
	// recusou is set when the answer declined.
	recusou bool
	// estados are what must not be shown; see tarefa.Tarefa.
	estados []string
}

// traduzir turns the outcome of a tool call into the Task's next step: MCP on
// the left, A2A on the right. It is pure. An outcome that it does not know
// fails the Task.
func traduzir(d hospede.Desfecho, s situacao) passo {
	switch d := d.(type) {
	case hospede.Concluido:
		if s.recusou {
			return passo{evento: tarefa.Cancelar, falas: []string{s.pedido.Recusa}}
		}
		return produto(d, s)

	case hospede.PedeEntrada:
		falas, err := mostrar(s.perfil.Pausa, d.Perguntas)
		if err != nil {
			return s.semResposta("Servidor MCP pediu algo que este agente nao sabe perguntar.")
		}
		return passo{
			evento: tarefa.Pausar,
			falas:  falas,
			pausa:  &tarefa.Pausa{RequestState: d.RequestState, Perguntas: d.Perguntas},
		}

	case hospede.Recusado:
		return passo{evento: tarefa.Falhar, falas: []string{d.Mensagem}}

	case hospede.ErroDeProtocolo:
		switch {
		case s.pausa == nil:
			return s.semResposta(fmt.Sprintf("Servidor MCP recusou a chamada (erro %d).", d.Codigo))
		case d.Codigo == codigoParametros:
			return passo{evento: tarefa.Falhar, falas: []string{"A pausa nao vale mais no servidor MCP: venceu, ou uma resposta anterior ja teve efeito. Confira antes de pedir de novo."}}
		}
		return s.semResposta(fmt.Sprintf("Servidor MCP recusou a retomada (erro %d).", d.Codigo))

	case hospede.Inacessivel:
		return s.semResposta(d.Motivo)

	case hospede.Interrompido:
		return s.semResposta("Chamada interrompida.")
	}
	return s.semResposta("Erro interno do agente.")
}

// semResposta is the step after a call without a usable answer: the first call
// fails the Task; a continuation goes back to its pause, which loses nothing,
// and says what happened in a second part.
func (s situacao) semResposta(motivo string) passo {
	if s.pausa == nil {
		return passo{evento: tarefa.Falhar, falas: []string{motivo}}
	}
	falas, err := mostrar(s.perfil.Pausa, s.pausa.Perguntas)
	if err != nil { // it was shown before; only another profile could say otherwise
		return passo{evento: tarefa.Falhar, falas: []string{motivo}}
	}
	return passo{evento: tarefa.Pausar, falas: append(falas, motivo), pausa: s.pausa}
}

// produto is the last step: the agent's word and the artifact, as the profile
// describes them.
func produto(d hospede.Concluido, s situacao) passo {
	dados, err := envelope.Members(hospede.CalarJSON(d.Estruturado, s.estados))
	if err != nil {
		return s.semResposta("Servidor MCP deu uma resposta invalida.")
	}
	members := make([]envelope.Member, len(s.pedido.Artefato.Campos))
	for i, c := range s.pedido.Artefato.Campos {
		valor := envelope.Find(dados, c.Nome)
		if c.Recurso != "" {
			valor = envelope.AppendString(nil, hospede.Calar(s.recursos[c.Recurso], s.estados))
		}
		if valor == nil {
			valor = json.RawMessage("null")
		}
		members[i] = envelope.Member{Name: c.Nome, Value: compacto(valor)}
	}
	return passo{
		evento: tarefa.Concluir,
		falas:  []string{s.pedido.PalavraFinal(func(nome string) string { return legivel(envelope.Find(dados, nome)) })},
		artefato: &a2a.Artifact{
			ID:    a2a.ArtifactID(s.pedido.Artefato.Nome),
			Name:  s.pedido.Artefato.Nome,
			Parts: a2a.ContentParts{a2a.NewTextPart(string(envelope.Encode(members)))},
		},
	}
}

// legivel shows a JSON value inside a sentence; nothing for one that is absent.
func legivel(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	if s, ok := envelope.String(raw); ok {
		return s
	}
	return string(compacto(raw))
}

// compacto drops the white space of a JSON value and spells its strings
// without escapes that JSON does not need.
func compacto(raw json.RawMessage) json.RawMessage {
	if s, ok := envelope.String(raw); ok {
		return envelope.AppendString(nil, s)
	}
	out, err := envelope.Marshal(raw)
	if err != nil {
		return raw
	}
	return out
}
