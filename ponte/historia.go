package main

import "fmt"

// passo is one step of the story that demo plays: what goes to the agent, and
// what must come of it. It sends texto, or asks for the card (cartao), or for
// a Task (consulta).
type passo struct {
	titulo string
	// nota is a sentence for whoever watches.
	nota     string
	cartao   bool
	consulta bool
	texto    string
	// tarefa is the story's name of the Task: the first step that sends a text
	// under it opens the Task, later ones continue or read it.
	tarefa string
	espera expectativa
}

// expectativa is what a step must bring, to the letter.
type expectativa struct {
	estado string
	// fala is the one text part of the agent's message.
	fala string
	// artefato is the text of the artifact reserva; empty when there must be no
	// artifact.
	artefato string
	// mcp are the methods of requests that the step must cause, in this order,
	// others may stand between them. The number of tools/call must be the one
	// here; empty means that the step causes no request at all.
	mcp []string
}

const (
	pausada   = "TASK_STATE_INPUT_REQUIRED"
	concluida = "TASK_STATE_COMPLETED"
	cancelada = "TASK_STATE_CANCELED"
	falhou    = "TASK_STATE_FAILED"
)

// historia is the whole story, over processes that have just started.
var historia = []passo{
	{
		titulo: "Cartao: quem e o agente e onde ele atende",
		cartao: true,
	},
	{
		titulo: "Sala livre: a Task conclui na hora, com o artifact",
		nota:   "O agente descobre as ferramentas e le a politica antes da primeira chamada.",
		tarefa: "livre",
		texto:  reservar("sala-porao", "10", "11", "Jennifer"),
		espera: expectativa{
			estado:   concluida,
			fala:     "Reserva res-0003 confirmada na sala-porao.",
			artefato: reservada("res-0003", "sala-porao", "10", "11", "Jennifer"),
			mcp:      []string{"tools/list", "resources/read", "tools/call"},
		},
	},
	{
		titulo: "Sala ocupada: o servidor MCP pergunta, a Task pausa",
		nota:   "input_required por dentro vira TASK_STATE_INPUT_REQUIRED por fora; o requestState fica no agente.",
		tarefa: "escolha",
		texto:  reservar("sala-garagem", "14", "15", "Emmett Brown"),
		espera: expectativa{
			estado: pausada,
			fala:   "alternativas: sala-fusca, sala-mirante",
			mcp:    []string{"tools/call"},
		},
	},
	{
		titulo:   "GetTask: a pausa e um dado, sem requestState",
		tarefa:   "escolha",
		consulta: true,
		espera: expectativa{
			estado: pausada,
			fala:   "alternativas: sala-fusca, sala-mirante",
		},
	},
	{
		titulo: "Escolha: o mesmo tools/call de novo, com outro id",
		nota:   "A retomada leva a resposta e o requestState; para o servidor e um request independente.",
		tarefa: "escolha",
		texto:  "escolha=sala-fusca",
		espera: expectativa{
			estado:   concluida,
			fala:     "Reserva res-0004 confirmada na sala-fusca.",
			artefato: reservada("res-0004", "sala-fusca", "14", "15", "Emmett Brown"),
			mcp:      []string{"tools/call"},
		},
	},
	{
		titulo: "Segundo conflito: a sala ja escolhida nao e mais oferecida",
		tarefa: "recusa",
		texto:  reservar("sala-garagem", "14", "15", "Biff"),
		espera: expectativa{
			estado: pausada,
			fala:   "alternativas: sala-mirante",
			mcp:    []string{"tools/call"},
		},
	},
	{
		titulo: "Recusa: decline por dentro, CANCELED por fora",
		tarefa: "recusa",
		texto:  "escolha=recusar",
		espera: expectativa{
			estado: cancelada,
			fala:   "Reserva recusada.",
			mcp:    []string{"tools/call"},
		},
	},
	{
		titulo: "Sala que nao existe: o erro da ferramenta chega por inteiro",
		tarefa: "inexistente",
		texto:  reservar("sala-inexistente", "14", "15", "Biff"),
		espera: expectativa{
			estado: falhou,
			fala:   "Sala inexistente: sala-inexistente",
			mcp:    []string{"tools/call"},
		},
	},
}

// instante is a full hour of the day on which the data have bookings.
func instante(hora string) string { return "2026-11-03T" + hora + ":00:00-03:00" }

func reservar(sala, inicio, fim, responsavel string) string {
	return fmt.Sprintf("reservar sala=%s inicio=%s fim=%s responsavel=%s", sala, instante(inicio), instante(fim), responsavel)
}

// reservada is the artifact's text: compact JSON with exactly these fields, in
// this order.
func reservada(id, sala, inicio, fim, responsavel string) string {
	return fmt.Sprintf(`{"reserva":%q,"sala":%q,"inicio":%q,"fim":%q,"responsavel":%q,"politica":"2026-11-01"}`,
		id, sala, instante(inicio), instante(fim), responsavel)
}
