package ponte

import (
	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Envio is a message, and how its caller wants it taken.
type Envio struct {
	Mensagem *a2a.Message
	// Dados: the caller speaks the elicitation extension, so an answer may come
	// as a data part.
	Dados bool
	// Esperar: the caller waits for the end of the work, which is then done in its
	// goroutine, before Receber returns: handing it to another one costs more than
	// most of it. Should the caller leave, it is still done to its end.
	Esperar bool
	// Seguir asks for the steps of the Task as they are stored.
	Seguir bool
	// Aviso is where the caller wants to be told of changes; nil for nowhere. Its
	// TaskID is filled in, and its ID when it has none.
	Aviso *tarefa.Aviso
}

// Recebida is what became of a message.
type Recebida struct {
	// Tarefa is the Task as it was stored before the work began.
	Tarefa *tarefa.Tarefa
	// Feito gives the Task as it stood at the end of the work, once; nil in it
	// when somebody else changed the Task or it could not be stored. Feito is nil
	// when there is nothing to wait for.
	Feito <-chan *tarefa.Tarefa
	// Passos are the steps after Tarefa, when they were asked for; the caller
	// stops them.
	Passos *tarefa.Seguidor
}
