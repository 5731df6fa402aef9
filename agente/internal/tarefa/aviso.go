package tarefa

import (
	"context"
	"errors"
	"time"
)

// Aviso is the push notification config of a Task (A2A v1.0, 4.3.1): whom to
// tell when the Task changes, and how far the telling has come. It lives beside
// the Task, not in it: telling never gets in the way of work.
type Aviso struct {
	TaskID string
	// ID names the config among those of its Task.
	ID string
	// URL is where the change is posted to.
	URL string
	// Token is sent back in a header of its own, for the receiver to compare;
	// empty for none.
	Token string
	// Esquema and Credenciais are the Authorization header's two halves; both
	// empty for none. Credentials are secrets: they are not logged, and a
	// database that has a key stores them sealed.
	Esquema, Credenciais string
	// Entregue is the version of the Task that the receiver knows of, or that
	// was given up. What is newer is still to be told.
	Entregue int64
	// Tentativas counts the failures since Entregue.
	Tentativas int
	// Proxima is when the next attempt may begin: the end of a claim, or of the
	// wait after a failure. Zero for at once. Kept to the millisecond.
	Proxima time.Time
	// Vez names a claim: no two claims, of this config or of one that replaced
	// it, have the same. The store sets it.
	Vez int64
}

// Pendente is a config whose Task has changed since its receiver last heard.
type Pendente struct {
	Aviso
	// Tarefa is the Task as it stands: steps that followed each other faster
	// than they could be told are told as one.
	Tarefa *Tarefa
}

// MaxAvisos is the most configs that a Task may have.
const MaxAvisos = 10

// ErrMuitosAvisos: the Task has MaxAvisos configs already.
var ErrMuitosAvisos = errors.New("too many push notification configs")

// Avisos keeps push notification configs. They go when their Task goes.
// Implementations are those of [Store], and as safe for concurrent use; a write
// that fails with an error of their own may have taken effect all the same.
type Avisos interface {
	// GuardarAviso stores a new config, or replaces the one of the same Task
	// and id; its Entregue becomes the version at which the Task stands now, and
	// it waits for nothing. Fails with ErrNaoExiste, ErrMuitosAvisos and
	// ErrCheia.
	GuardarAviso(ctx context.Context, a Aviso) error
	// ListarAvisos returns the configs of a Task, by id. Fails with ErrNaoExiste.
	ListarAvisos(ctx context.Context, taskID string) ([]Aviso, error)
	// ApagarAviso drops a config; one that is not there counts as dropped. Fails
	// with ErrNaoExiste when there is no such Task.
	ApagarAviso(ctx context.Context, taskID, id string) error
	// ReivindicarAvisos claims at most n configs that have something to tell
	// and whose Proxima is not after agora, those of the earliest Proxima before
	// others: their Proxima becomes ate, so that nobody else takes them before.
	// It returns them, in any order, with the Task as it stands.
	//
	// tarefas, when not nil, are the ids of the only Tasks to look at. That costs
	// little however many configs there are; to look at all of them costs the more
	// the more Tasks with configs are open.
	//
	// What cannot be read is left out and stays claimed; there is an error then,
	// beside what could be read.
	ReivindicarAvisos(ctx context.Context, tarefas []string, agora, ate time.Time, n int) ([]Pendente, error)
	// AnotarAviso stores what became of the attempt that a was claimed for (its
	// Vez): Entregue, Tentativas and Proxima, and nothing else. That ends the
	// claim. A config that is gone, that was replaced, or that somebody else has
	// claimed since is left as it is: that is no error.
	AnotarAviso(ctx context.Context, a Aviso) error
}
