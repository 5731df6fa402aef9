package tarefa

import (
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// Evento is what happens to a Task.
type Evento int

// The events of a Task's life.
const (
	// Iniciar: work on the request begins.
	Iniciar Evento = iota
	// Rejeitar: the request is not understood, no tool is called.
	Rejeitar
	// Pausar: the server asked for something; the caller has to answer.
	Pausar
	// Insistir: what came was no answer; the pause stands.
	Insistir
	// Retomar: an answer came and is claimed; nobody else may answer.
	Retomar
	// Concluir: the tool finished.
	Concluir
	// Falhar: the tool refused, or could not be reached.
	Falhar
	// Cancelar: the caller does not want it any more, or declined to answer.
	Cancelar
)

var nomesDeEvento = [...]string{"Iniciar", "Rejeitar", "Pausar", "Insistir", "Retomar", "Concluir", "Falhar", "Cancelar"}

// String returns the event's name.
func (e Evento) String() string {
	if e < 0 || int(e) >= len(nomesDeEvento) {
		return fmt.Sprintf("Evento(%d)", int(e))
	}
	return nomesDeEvento[e]
}

// transicoes is the whole life of a Task (A2A v1.0, 4.1.3). What does not
// stand here does not happen; terminal states have no row.
var transicoes = map[a2a.TaskState]map[Evento]a2a.TaskState{
	a2a.TaskStateSubmitted: {
		Iniciar:  a2a.TaskStateWorking,
		Rejeitar: a2a.TaskStateRejected,
		Falhar:   a2a.TaskStateFailed,
		Cancelar: a2a.TaskStateCanceled,
	},
	a2a.TaskStateWorking: {
		Rejeitar: a2a.TaskStateRejected,
		Pausar:   a2a.TaskStateInputRequired,
		Concluir: a2a.TaskStateCompleted,
		Falhar:   a2a.TaskStateFailed,
		Cancelar: a2a.TaskStateCanceled,
	},
	a2a.TaskStateInputRequired: {
		Insistir: a2a.TaskStateInputRequired,
		Retomar:  a2a.TaskStateWorking,
		Falhar:   a2a.TaskStateFailed,
		Cancelar: a2a.TaskStateCanceled,
	},
}

// TransicaoError says that an event cannot happen in a state.
type TransicaoError struct {
	Estado a2a.TaskState
	Evento Evento
}

// Error names both.
func (e *TransicaoError) Error() string {
	return fmt.Sprintf("%s is not possible in %s", e.Evento, e.Estado)
}

// Proximo returns the state after an event, or a [*TransicaoError]. It is the
// only place that decides it.
func Proximo(estado a2a.TaskState, e Evento) (a2a.TaskState, error) {
	if novo, ok := transicoes[estado][e]; ok {
		return novo, nil
	}
	return estado, &TransicaoError{estado, e}
}

// Parada reports whether a state ends a blocking SendMessage: terminal, or
// interrupted until the caller does something (A2A v1.0, 3.2.2).
func Parada(estado a2a.TaskState) bool {
	return estado.Terminal() || estado == a2a.TaskStateInputRequired || estado == a2a.TaskStateAuthRequired
}
