package tarefa

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// Errors of a Store.
var (
	// ErrNaoExiste: no Task has the id.
	ErrNaoExiste = errors.New("task does not exist")
	// ErrConflito: the Task changed since it was read. Read it again.
	ErrConflito = errors.New("task changed meanwhile")
	// ErrCheia: the store holds as many Tasks, or as many bytes of them, as it
	// may, and none of them has ended. Nothing was stored.
	ErrCheia = errors.New("too many open tasks")
	// ErrMarcador: a page token that the store did not give out.
	ErrMarcador = errors.New("invalid page token")
)

// Store keeps Tasks. Implementations are safe for concurrent use, hand out
// snapshots, and may fail with errors of their own beside those named here; a
// write that fails with one of these may have taken effect all the same.
type Store interface {
	// Criar stores a new Task as version 1 and returns it. Fails with ErrCheia.
	Criar(ctx context.Context, t *Tarefa) (*Tarefa, error)
	// Ler returns the Task. Fails with ErrNaoExiste.
	Ler(ctx context.Context, id string) (*Tarefa, error)
	// Trocar stores t in place of the version that it was made from (t.Versao),
	// as one step, and returns it with the next version. Fails with ErrConflito
	// when the stored version is another one, with ErrNaoExiste, and with
	// ErrCheia when a pause would only grow (a Task that stays INPUT_REQUIRED) and
	// there is no room: work that goes on or ends is always stored.
	Trocar(ctx context.Context, t *Tarefa) (*Tarefa, error)
	// Listar returns a page of Tasks, the last changed first. Fails with
	// ErrMarcador.
	Listar(ctx context.Context, f Filtro) (Pagina, error)
	// Esquecer drops Tasks that ended before a moment, and returns how many.
	Esquecer(ctx context.Context, antes time.Time) (int, error)
}

// Filtro chooses Tasks. Empty fields choose all.
type Filtro struct {
	Contexto string
	Estado   a2a.TaskState
	// Desde leaves out Tasks that changed before it.
	Desde time.Time
	// Ate leaves out Tasks that changed at or after it.
	Ate time.Time
	// Abandonadas, when set, chooses Tasks whose claim (Prazo) ended before it:
	// nobody works on them any more.
	Abandonadas time.Time
	// Limite is the size of a page, at least 1.
	Limite int
	// Marcador continues after an earlier page; see Pagina.Marcador.
	Marcador string
}

// Pagina is a part of a list.
type Pagina struct {
	Tarefas []*Tarefa
	// Total counts all Tasks that the filter chooses, on every page.
	Total int
	// Marcador continues the list; empty after the last page.
	Marcador string
}
