package main

import (
	"bytes"
	"strings"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/rastro"
)

// modoDeCarga is what a cycle is.
type modoDeCarga string

const (
	modoCiclo    modoDeCarga = "ciclo"
	modoCompleto modoDeCarga = "completo"
	modoListar   modoDeCarga = "listar"
)

// umCiclo says of each mode what one cycle of it consists of, for people.
var umCiclo = map[modoDeCarga]string{
	modoCiclo: "dois SendMessage: o pedido em conflito do enunciado, que tem de pausar em TASK_STATE_INPUT_REQUIRED, " +
		"e escolha=recusar, que tem de terminar em TASK_STATE_CANCELED. Cada um faz o agente chamar o servidor MCP uma vez: " +
		"quatro trocas HTTP. Nada e reservado.",
	modoCompleto: "dois SendMessage: um pedido de sala-garagem num segundo so seu, onde ela ja esta ocupada, que tem de pausar em " +
		"TASK_STATE_INPUT_REQUIRED, e escolha=<a primeira alternativa>, que tem de terminar em TASK_STATE_COMPLETED. Cada um faz o " +
		"agente chamar o servidor MCP uma vez: quatro trocas HTTP, e uma reserva gravada. Fora do ciclo, uma reserva de duas horas " +
		"em sala-garagem a cada 7200 ciclos faz os conflitos.",
	modoListar: "um tools/call de listar_salas, direto ao servidor MCP: uma troca HTTP.",
}

// trocasPorCiclo counts the HTTP exchanges that a cycle causes, those between
// the agent and the server included.
var trocasPorCiclo = map[modoDeCarga]int{modoCiclo: 4, modoCompleto: 4, modoListar: 1}

// etapa is one exchange of a cycle.
type etapa struct {
	modelo *modelo
	// estado is the state that the Task must be in; empty for an exchange with
	// the MCP server, whose call must be complete.
	estado string
	// escolhe is set where the answer offers the alternatives of which the next
	// request takes the first.
	escolhe bool
}

// roteiro is the exchanges of one cycle, in order.
type roteiro struct {
	modo   modoDeCarga
	etapas []etapa
	// confereID is set where every answer must have the id of its request. The
	// floor repeats recorded bytes, and has it not.
	confereID bool
}

// novoRoteiro prepares the requests of a mode. endereco says where the one of
// each step goes.
func novoRoteiro(modo modoDeCarga, endereco func(etapa int) string) (*roteiro, error) {
	rastroDaCarga := rastro.Novo().Traceparent()
	envio := func(i int, tarefa, texto string) pedido {
		return pedidoA2A(endereco(i), marcaID, "SendMessage", mensagemA2A(marcas[lacunaMensagem], tarefa, texto), rastroDaCarga)
	}
	var pedidos []pedido
	r := &roteiro{modo: modo, confereID: true}
	switch modo {
	case modoListar:
		pedidos = []pedido{pedidoMCP(endereco(0), marcaID, "tools/call", "listar_salas",
			objeto{{"name", "listar_salas"}, {"arguments", objeto{}}}, comFormulario, rastroDaCarga)}
		r.etapas = []etapa{{}}
	case modoCompleto:
		pedidos = []pedido{
			envio(0, "", textoDoPedido(garagem.com("inicio", marcas[lacunaInicio]).com("fim", marcas[lacunaFim]))),
			envio(1, marcas[lacunaTarefa], "escolha="+marcas[lacunaEscolha]),
		}
		r.etapas = []etapa{{estado: pausada, escolhe: true}, {estado: concluida}}
	default:
		pedidos = []pedido{
			envio(0, "", textoDoPedido(garagem)),
			envio(1, marcas[lacunaTarefa], "escolha=recusar"),
		}
		r.etapas = []etapa{{estado: pausada}, {estado: cancelada}}
	}
	for i, p := range pedidos {
		var err error
		if r.etapas[i].modelo, err = novoModelo(p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// conferir judges the answer to a step, and takes from it what the next one
// needs.
func (r *roteiro) conferir(e etapa, v *valores, status int, corpo []byte) *falhaDeCarga {
	if status != 200 {
		return novaFalha(erroHTTP, corpo, "HTTP %d", status)
	}
	resposta := membrosDe(corpo)
	id, result, erro := envelope.Find(resposta, "id"), envelope.Find(resposta, "result"), envelope.Find(resposta, "error")
	switch {
	case erro != nil:
		return novaFalha(erroJSONRPC, erro, "erro JSON-RPC")
	case result == nil:
		return novaFalha(erroResposta, corpo, "a resposta nao tem result")
	case r.confereID && !bytes.Equal(id, v[lacunaID]):
		return novaFalha(erroResposta, corpo, "a resposta nao tem o id %s", v[lacunaID])
	case e.estado == "":
		return conferirChamada(result)
	}
	return conferirTarefa(e, v, membroDe(result, "task"))
}

// conferirChamada wants a tools/call that is complete and no error.
func conferirChamada(result []byte) *falhaDeCarga {
	chamada := membrosDe(result)
	if string(envelope.Find(chamada, "resultType")) != `"complete"` || string(envelope.Find(chamada, "isError")) == "true" {
		return novaFalha(erroEstado, result, "a chamada nao concluiu")
	}
	return nil
}

func conferirTarefa(e etapa, v *valores, tarefa []byte) *falhaDeCarga {
	membros := membrosDe(tarefa)
	id, status := envelope.Find(membros, "id"), envelope.Find(membros, "status")
	if estado := semAspas(membroDe(status, "state")); string(estado) != e.estado {
		return novaFalha(erroEstado, status, "a Task esta em %q, esperado %s", estado, e.estado)
	}
	v.definir(lacunaTarefa, semAspas(id))
	if len(v[lacunaTarefa]) == 0 {
		return novaFalha(erroResposta, tarefa, "a Task nao tem id")
	}
	if e.escolhe {
		escolha, ok := primeiraAlternativa(textoJSON(membroDe(primeiroDe(membroDe(status, "message", "parts")), "text")))
		if !ok {
			return novaFalha(erroEstado, status, "a pausa nao oferece alternativas")
		}
		raw, err := codificar(escolha)
		if err != nil {
			return novaFalha(erroResposta, status, "alternativa %q", escolha)
		}
		v.definir(lacunaEscolha, semAspas(raw))
	}
	return nil
}

// primeiraAlternativa reads the agent's line of a pause.
func primeiraAlternativa(linha string) (string, bool) {
	lista, ok := strings.CutPrefix(linha, "alternativas: ")
	primeira, _, _ := strings.Cut(lista, ", ")
	return primeira, ok && primeira != ""
}
