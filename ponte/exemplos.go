package main

import "fmt"

// parteGravada tells which processes an example is recorded from. Each part
// has a pair of its own: what one books must not be in the other's way.
type parteGravada int

const (
	peloMCP parteGravada = iota
	peloA2A
)

// exemplo is one recorded exchange.
type exemplo struct {
	arquivo   string
	parte     parteGravada
	descricao string
	// antes, when not nil, is an exchange that goes first and is not recorded.
	antes       func(*memoria) pedido
	esperaAntes resultado
	pedido      func(*memoria) pedido
	espera      resultado
}

// The two conflicts that the data have from the start.
var (
	garagem = objeto{
		{"sala", "sala-garagem"}, {"inicio", "2026-11-03T14:00:00-03:00"}, {"fim", "2026-11-03T15:00:00-03:00"}, {"responsavel", "Marty"},
	}
	fusca = objeto{
		{"sala", "sala-fusca"}, {"inicio", "2026-11-03T16:00:00-03:00"}, {"fim", "2026-11-03T17:00:00-03:00"}, {"responsavel", "Doc"},
	}
	livre = objeto{
		{"sala", "sala-porao"}, {"inicio", "2026-11-03T10:00:00-03:00"}, {"fim", "2026-11-03T11:00:00-03:00"}, {"responsavel", "Doc"},
	}
)

// exemplos are in the order in which they are recorded. The ids grow within a
// part: every request has one of its own, a retry as well.
var exemplos = []exemplo{
	{
		arquivo:   "01-tools-list.json",
		descricao: "O cliente descobre as ferramentas. Nada vem de um request anterior: versao, cliente e capacidades viajam no _meta de cada um, e os headers repetem o que o corpo diz.",
		pedido:    func(*memoria) pedido { return aoMCP(1, "tools/list", "", objeto{}, comFormulario) },
		espera:    conclui,
	},
	{
		arquivo:   "02-tools-call-livre.json",
		descricao: "Reserva de uma sala livre. O resultado e complete, com structuredContent e o mesmo JSON em texto.",
		pedido:    func(*memoria) pedido { return reservarNoMCP(2, livre, comFormulario) },
		espera:    conclui.com("result.structuredContent.sala", "sala-porao"),
	},
	{
		arquivo:   "03-tools-call-conflito-input-required.json",
		descricao: "A sala pedida esta ocupada. O servidor termina a resposta perguntando: uma elicitation em modo form, com as alternativas em ordem, e o requestState que o cliente guarda sem abrir.",
		pedido:    func(*memoria) pedido { return reservarNoMCP(3, garagem, comFormulario) },
		espera:    pergunta,
	},
	{
		arquivo:   "04-tools-call-retry.json",
		descricao: "O mesmo tools/call de 03 com id novo, a resposta sob a chave que o servidor deu e o requestState devolvido como veio. A reserva sai na sala escolhida.",
		pedido: func(m *memoria) pedido {
			return retomarNoMCP(4, garagem, m, objeto{{"action", "accept"}, {"content", objeto{{"sala", "sala-fusca"}}}})
		},
		espera: conclui.com("result.structuredContent.sala", "sala-fusca"),
	},
	{
		arquivo:   "05-resources-read-politica.json",
		descricao: "Leitura da politica de uso. A primeira linha do texto declara a versao, que o agente poe no artifact.",
		pedido: func(*memoria) pedido {
			return aoMCP(5, "resources/read", "politica://uso", objeto{{"uri", "politica://uso"}}, comFormulario)
		},
		espera: conclui,
	},
	{
		arquivo:   "06-erro-32021-sem-elicitation.json",
		descricao: "O pedido de 03 de um cliente que nao declara elicitation em modo form: o servidor nao pode perguntar, e diz qual capacidade falta.",
		pedido:    func(*memoria) pedido { return reservarNoMCP(6, garagem, semElicitacao) },
		espera:    resultado{status: 400, fatos: []esperado{{"error.code", -32021}}},
	},
	{
		arquivo:     "11-tools-call-retry-recusa.json",
		descricao:   "Recusa. Antes deste, o mesmo request com o id 7, sem inputResponses nem requestState, recebeu input_required; este responde decline. O resultado e complete, nao e erro, e nada foi reservado.",
		antes:       func(*memoria) pedido { return reservarNoMCP(7, fusca, comFormulario) },
		esperaAntes: pergunta,
		pedido: func(m *memoria) pedido {
			return retomarNoMCP(8, fusca, m, objeto{{"action", "decline"}})
		},
		espera: conclui.com("result.structuredContent.motivo", "recusado"),
	},
	{
		arquivo:   "07-a2a-agent-card.json",
		parte:     peloA2A,
		descricao: "O cartao do agente: quem ele e, onde atende e a skill que oferece.",
		pedido:    func(*memoria) pedido { return pedidoCartao(baseAgente) },
		espera:    resultado{status: 200},
	},
	{
		arquivo:   "08-a2a-send-message.json",
		parte:     peloA2A,
		descricao: "Pedido de uma sala ocupada, com os dois processos recem-iniciados. A Task pausa em TASK_STATE_INPUT_REQUIRED com a linha de alternativas; o requestState fica no agente.",
		pedido: func(*memoria) pedido {
			return aoAgente(1, "SendMessage", mensagemA2A("msg-0001", "", textoDoPedido(garagem)))
		},
		espera: tarefaEm("result.task.", "TASK_STATE_INPUT_REQUIRED"),
	},
	{
		arquivo:   "09-a2a-get-task-input-required.json",
		parte:     peloA2A,
		descricao: "A Task de 08 lida enquanto espera a escolha.",
		pedido: func(m *memoria) pedido {
			return aoAgente(2, "GetTask", objeto{{"id", m.tarefa}})
		},
		espera: tarefaEm("result.", "TASK_STATE_INPUT_REQUIRED"),
	},
	{
		arquivo:   "10-a2a-send-message-continuacao.json",
		parte:     peloA2A,
		descricao: "A escolha, na mesma Task. O agente repete o tools/call com id novo, e a Task conclui com o artifact reserva, que traz a politica lida do resource.",
		pedido: func(m *memoria) pedido {
			return aoAgente(3, "SendMessage", mensagemA2A("msg-0002", m.tarefa, "escolha=sala-mirante"))
		},
		espera: tarefaEm("result.task.", "TASK_STATE_COMPLETED"),
	},
}

var (
	conclui  = resultado{status: 200, fatos: []esperado{{"result.resultType", "complete"}}}
	pergunta = resultado{status: 200, fatos: []esperado{{"result.resultType", "input_required"}}}
)

// com returns the result with one more fact.
func (r resultado) com(caminho string, valor any) resultado {
	return resultado{r.status, append(r.fatos[:len(r.fatos):len(r.fatos)], esperado{caminho, valor})}
}

func tarefaEm(caminho, estado string) resultado {
	return resultado{status: 200, fatos: []esperado{{caminho + "status.state", estado}}}
}

// traceparent is that of the recorded requests: one trace, a span for each.
func traceparent(span int) string {
	return fmt.Sprintf("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902%02x-01", span)
}

func aoMCP(id int, metodo, nome string, params objeto, caps capacidades) pedido {
	return pedidoMCP(baseMCP+"/mcp", id, metodo, nome, params, caps, traceparent(id))
}

func aoAgente(id int, metodo string, params objeto) pedido {
	return pedidoA2A(baseAgente+caminhoA2A, id, metodo, params, traceparent(0x10+id))
}

// chamada is the params of a call of the reservation tool.
func chamada(argumentos objeto) objeto {
	return objeto{{"name", "reservar_sala"}, {"arguments", argumentos}}
}

func reservarNoMCP(id int, argumentos objeto, caps capacidades) pedido {
	return aoMCP(id, "tools/call", "reservar_sala", chamada(argumentos), caps)
}

// retomarNoMCP repeats a call with the answer to the last question.
func retomarNoMCP(id int, argumentos objeto, m *memoria, resposta objeto) pedido {
	params := chamada(argumentos).com("inputResponses", objeto{{m.chave, resposta}}).com("requestState", m.requestState)
	return aoMCP(id, "tools/call", "reservar_sala", params, comFormulario)
}

// textoDoPedido writes the arguments in the form that the agent understands.
func textoDoPedido(argumentos objeto) string {
	texto := "reservar"
	for _, a := range argumentos {
		texto += fmt.Sprintf(" %s=%v", a.nome, a.valor)
	}
	return texto
}
