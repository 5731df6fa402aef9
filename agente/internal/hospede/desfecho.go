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

// ErroDeProtocolo: the server answered with a JSON-RPC error.
type ErroDeProtocolo struct {
	Codigo   int
	Mensagem string
}

// Inacessivel: no usable answer: the server is down, did not answer in time,
// or what it answered makes no sense. Whether the call took effect is unknown.
type Inacessivel struct {
	// Motivo is a sentence for the caller. It names no host and quotes nothing.
	Motivo string
	// Causa is for the log.
	Causa error
}

// Interrompido: the call was cancelled on this side.
type Interrompido struct{}

func (Concluido) desfecho()       {}
func (Recusado) desfecho()        {}
func (PedeEntrada) desfecho()     {}
func (ErroDeProtocolo) desfecho() {}
func (Inacessivel) desfecho()     {}
func (Interrompido) desfecho()    {}

// Error makes a failed discovery or read usable as an error.
func (i Inacessivel) Error() string {
	if i.Causa != nil {
		return i.Motivo + " (" + i.Causa.Error() + ")"
	}
	return i.Motivo
}

// Unwrap returns the cause.
func (i Inacessivel) Unwrap() error { return i.Causa }
