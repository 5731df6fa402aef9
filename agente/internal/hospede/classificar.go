package hospede

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
)

// errSemSentido is an answer that is well formed and cannot be what was asked
// for.
var errSemSentido = errors.New("the answer makes no sense")

// errTipo is a member of a result that is not of the type that it should be.
var errTipo = fmt.Errorf("%w: a member of another type", errSemSentido)

// maxPergunta is the most that an input_required may hold, in bytes: it is kept
// for as long as a pause lasts.
const maxPergunta = 128 << 10

// classificar decides what a result is, a CallToolResult or an
// InputRequiredResult, before anybody translates it. raw is valid JSON; what is
// kept of it is copied, so that a pause does not keep the whole answer. The error
// is one that makes no sense.
func classificar(raw json.RawMessage) (Desfecho, error) {
	var espaco [8]envelope.Member
	res, err := envelope.Split(espaco[:0], raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errSemSentido, err)
	}
	tipo, ok := textoOpcional(envelope.Find(res, "resultType"))
	var lugar [4]json.RawMessage
	textos, lidos := textosDe(lugar[:0], envelope.Find(res, "content"))
	recusou := string(envelope.Find(res, "isError"))
	switch {
	case !ok || !lidos || !slices.Contains([]string{"", "null", "true", "false"}, recusou):
		return nil, errTipo
	case tipo == "input_required":
		return pedeEntrada(res)
	case tipo != "" && tipo != "complete":
		return nil, fmt.Errorf("%w: unknown resultType", errSemSentido)
	case recusou == "true":
		mensagem := juntar(textos)
		if mensagem == "" {
			mensagem = "A ferramenta recusou sem dizer por que."
		}
		return Recusado{mensagem}, nil
	}
	return concluido(envelope.Find(res, "structuredContent"), textos)
}

func concluido(estruturado json.RawMessage, textos []json.RawMessage) (Desfecho, error) {
	var espaco [16]envelope.Member
	var err error
	if len(estruturado) == 0 || string(estruturado) == "null" {
		// Servers that give text only, in the form that the specification
		// recommends: the JSON as text.
		estruturado = json.RawMessage(juntar(textos))
		_, err = envelope.Members(estruturado)
	} else {
		estruturado = slices.Clone(estruturado)
		_, err = envelope.Split(espaco[:0], estruturado)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: no structured content", errSemSentido)
	}
	return Concluido{estruturado}, nil
}

// textoOpcional returns the value of a string that may be absent or null; ok is
// false for anything else.
func textoOpcional(raw json.RawMessage) (s string, ok bool) {
	if raw == nil || string(raw) == "null" {
		return "", true
	}
	return envelope.String(raw)
}

// textosDe appends the texts of the blocks of a content; ok is false when it is
// no list of blocks.
func textosDe(textos []json.RawMessage, content json.RawMessage) (_ []json.RawMessage, ok bool) {
	if content == nil || string(content) == "null" {
		return textos, true
	}
	var lugar [4]json.RawMessage
	blocos, err := envelope.Elements(lugar[:0], content)
	if err != nil {
		return nil, false
	}
	for _, bloco := range blocos {
		var espaco [4]envelope.Member
		membros, err := envelope.Split(espaco[:0], bloco)
		tipo, ok := textoOpcional(envelope.Find(membros, "type"))
		texto := envelope.Find(membros, "text")
		if err != nil || !ok || texto != nil && texto[0] != '"' && texto[0] != 'n' {
			return nil, false
		}
		if tipo == "text" {
			textos = append(textos, texto)
		}
	}
	return textos, true
}

func juntar(textos []json.RawMessage) string {
	var linhas []string
	for _, raw := range textos {
		texto, _ := textoOpcional(raw)
		linhas = append(linhas, texto)
	}
	return strings.Join(linhas, "\n")
}

// pedeEntrada reads the questions. Only what the agent declared may be asked:
// elicitation in form mode.
func pedeEntrada(res []envelope.Member) (Desfecho, error) {
	pedidos := envelope.Find(res, "inputRequests")
	estado, ok := textoOpcional(envelope.Find(res, "requestState"))
	if !ok {
		return nil, errTipo
	}
	p := PedeEntrada{RequestState: estado}
	if len(pedidos)+len(estado) > maxPergunta {
		return nil, fmt.Errorf("%w: input_required over %d bytes", errSemSentido, maxPergunta)
	}
	if pedidos != nil && string(pedidos) != "null" {
		var espaco [4]envelope.Member
		membros, err := envelope.Split(espaco[:0], pedidos)
		if err != nil {
			return nil, fmt.Errorf("%w: inputRequests: %v", errSemSentido, err)
		}
		for _, m := range membros {
			q, err := pergunta(m)
			if err != nil {
				return nil, err
			}
			p.Perguntas = append(p.Perguntas, q)
		}
	}
	if len(p.Perguntas) == 0 && p.RequestState == "" {
		return nil, fmt.Errorf("%w: input_required without question or state", errSemSentido)
	}
	return p, nil
}

func pergunta(m envelope.Member) (tarefa.Pergunta, error) {
	var fora, dentro [8]envelope.Member
	pedido, err := envelope.Split(fora[:0], m.Value)
	if err != nil {
		return tarefa.Pergunta{}, fmt.Errorf("%w: input request %q: %v", errSemSentido, m.Name, err)
	}
	params := dentro[:0]
	if raw := envelope.Find(pedido, "params"); raw != nil {
		if params, err = envelope.Split(params, raw); err != nil {
			return tarefa.Pergunta{}, fmt.Errorf("%w: input request %q: params: %v", errSemSentido, m.Name, err)
		}
	}
	metodo, ok1 := textoOpcional(envelope.Find(pedido, "method"))
	modo, ok2 := textoOpcional(envelope.Find(params, "mode"))
	mensagem, ok3 := textoOpcional(envelope.Find(params, "message"))
	switch {
	case !ok1 || !ok2 || !ok3:
		return tarefa.Pergunta{}, errTipo
	case metodo != "elicitation/create" || modo != "" && modo != "form":
		return tarefa.Pergunta{}, fmt.Errorf("%w: input request %q asks for %s %s, which was not declared", errSemSentido, m.Name, metodo, modo)
	}
	return tarefa.Pergunta{
		Chave:    strings.Clone(m.Name),
		Mensagem: mensagem,
		Esquema:  slices.Clone(envelope.Find(params, "requestedSchema")),
	}, nil
}
