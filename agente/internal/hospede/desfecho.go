package hospede

import (
	"encoding/json"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Desfecho is how a tool call ended. The set is sealed: whoever translates
// one handles these kinds, and treats anything else as a failure.
type Desfecho interface{ desfecho() }

// Concluido: the tool finished.
type Concluido struct {
	// Estruturado is the structuredContent, a JSON object.
	Estruturado json.RawMessage
}

// Recusado: the tool said no (isError). Mensagem is its text to the letter.
type Recusado struct{ Mensagem string }

// PedeEntrada: the server needs something from the caller before it goes on
// (MCP 2026-07-28, InputRequiredResult).
type PedeEntrada struct {
	Perguntas    []tarefa.Pergunta
	RequestState string
}

// ErroDeProtocolo: the server answered with a JSON-RPC error. Its wording is
// not kept: it could hold a requestState.
type ErroDeProtocolo struct{ Codigo int }

// Inacessivel: no usable answer: the server is down, did not answer in time,
// or what it answered makes no sense. Whether the call took effect is unknown.
type Inacessivel struct {
	// Motivo is a sentence for the caller, Causa one for the log. Neither names
	// a host or repeats anything of the server's.
	Motivo, Causa string
}

// Interrompido: the call was cancelled on this side.
type Interrompido struct{}

func (Concluido) desfecho()       {}
func (Recusado) desfecho()        {}
func (PedeEntrada) desfecho()     {}
func (ErroDeProtocolo) desfecho() {}
func (Inacessivel) desfecho()     {}
func (Interrompido) desfecho()    {}
