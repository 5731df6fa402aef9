// Package banco keeps Tasks, and beside them their push notification configs, in
// a database: [tarefa.Store] and [tarefa.Avisos] over SQLite, for one agent, and
// over PostgreSQL, for several agents that share it.
//
// Both run the same statements on the same tables; what differs between them
// stands in sqlite.go and postgres.go. A change is acknowledged when it is on
// stable storage, so neither kill -9 nor a power cut loses one. In PostgreSQL
// that is the server's matter (fsync, synchronous_commit; on by default).
//
// What a table shows: ids, states, instants and the conversation, as A2A shows
// them to callers. The pause, with the MCP server's requestState, is in a
// column of its own and nowhere else, and so is what a client said in a push
// notification config, with its credentials; both are encrypted when there is a
// key.
package banco

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// prazoPadrao bounds a call whose context has no deadline.
const prazoPadrao = 5 * time.Second

// Banco is a [tarefa.Store] in a database. Its errors beside the Store's are
// the database's and the context's; none of them shows a Task's content or a
// secret. A write that fails with one of these may have taken effect all the
// same: whoever must know reads the Task again. It never fails with
// [tarefa.ErrCheia].
type Banco struct {
	motor      motor
	cofre      cofrePausa
	cofreAviso cofreAviso
	prazo      time.Duration
}

var (
	_ tarefa.Store  = (*Banco)(nil)
	_ tarefa.Avisos = (*Banco)(nil)
)

// Abrir opens the database that url names, brings its schema up to date and
// checks that chave opens every pause and every config in it.
//
//   - sqlite:CAMINHO is a file. It is created, readable by its owner alone, when
//     it does not exist; its folder has to. One agent at a time: Abrir fails
//     while another one has the file, and ends the claims that the last one left.
//   - postgres:// or postgresql:// is a PostgreSQL database, with the parameters
//     of libpq. Any number of agents may have it open.
//
// chave encrypts the pauses and the configs: secrets of at least
// [cofre.MinSegredo] bytes, separated by commas, of which the first seals and all
// open; empty for none. What was stored without a key is read with one: pauses
// are sealed when they change. Configs, which live longer, are sealed with the
// first one here, so that an old one is no longer needed for them.
//
// An error is one line for the user, in which url stands without its password.
// Close the result.
func Abrir(ctx context.Context, url, chave string, log *slog.Logger) (*Banco, error) {
	return abrir(ctx, url, chave, log, passos)
}

func abrir(ctx context.Context, url, chave string, log *slog.Logger, passos []passo) (*Banco, error) {
	cofre, err := novoCofrePausa(chave)
	if err != nil {
		return nil, err
	}
	cofreAviso, err := novoCofreAviso(chave)
	if err != nil {
		return nil, err
	}
	o := origem{url}
	var m motor
	switch esquema, resto, _ := strings.Cut(url, ":"); esquema {
	case "sqlite":
		m, err = abrirSQLite(ctx, o, resto, log)
	case "postgres", "postgresql":
		m, err = abrirPostgres(ctx, o, log)
	default:
		return nil, o.desconhecida()
	}
	if err != nil {
		return nil, err
	}
	b := &Banco{motor: m, cofre: cofre, cofreAviso: cofreAviso, prazo: prazoPadrao}
	if err := b.preparar(ctx, o, log, passos); err != nil {
		_ = m.fechar()
		return nil, err
	}
	return b, nil
}

// preparar makes an open database ready for use.
func (b *Banco) preparar(ctx context.Context, o origem, log *slog.Logger, passos []passo) error {
	de, err := migrar(ctx, b.motor, passos)
	if err != nil {
		return o.falha(b.motor, err)
	}
	if de < len(passos) {
		log.Info("task database migrated", "from", de, "to", len(passos))
	}
	if err := b.conferirPausas(ctx, o); err != nil {
		return err
	}
	if err := b.conferirAvisos(ctx, o); err != nil {
		return err
	}
	n, err := b.motor.soltarPrazos(ctx)
	if err != nil {
		return o.falha(b.motor, err)
	}
	if n > 0 {
		log.Warn("claims of an earlier process ended", "tasks", n)
	}
	return nil
}

// Close gives up the database. Calls under way end first.
func (b *Banco) Close() error { return b.motor.fechar() }

// fazer runs f within the time that ctx leaves, at most b.prazo when it has no
// deadline.
func (b *Banco) fazer(ctx context.Context, f func(context.Context, consultas) error) error {
	return b.comPrazo(ctx, b.motor.fazer, f)
}

// transacao is fazer, with all of f in one transaction.
func (b *Banco) transacao(ctx context.Context, f func(context.Context, consultas) error) error {
	return b.comPrazo(ctx, b.motor.transacao, f)
}

func (b *Banco) comPrazo(ctx context.Context, fazer func(context.Context, func(context.Context, consultas) error) error, f func(context.Context, consultas) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.prazo)
		defer cancel()
	}
	return fazer(ctx, f)
}

// motor is a database as the Store needs it.
type motor interface {
	// fazer runs f. What f changes is on stable storage when fazer returns nil.
	// f may run more than once, and may still be running when ctx has ended and
	// fazer has returned.
	fazer(ctx context.Context, f func(context.Context, consultas) error) error
	// transacao is fazer, with all of f in one transaction.
	transacao(ctx context.Context, f func(context.Context, consultas) error) error
	// migrar runs f as one transaction, while no other agent can do the same.
	migrar(ctx context.Context, f func(context.Context, consultas) error) error
	// soltarPrazos ends the claims of which it is certain that nobody holds
	// them any more, and returns how many.
	soltarPrazos(ctx context.Context) (int64, error)
	dialeto() *dialeto
	// explicar turns an error of the database's into the rest of a line for the
	// user: what is wrong and what to do.
	explicar(err error) string
	fechar() error
}

// consultas runs statements.
type consultas interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// dialeto is what the databases write differently.
type dialeto struct {
	nome string
	// tipos turns the column types of the schema into the database's.
	tipos *strings.Replacer
	// temEsquema asks whether the schema's version table exists.
	temEsquema string
	// ordem is the expression of a number that grows with each change.
	ordem string
	// travar ends a SELECT of rows that are to be deleted or claimed.
	travar string
	// travarTarefa ends a SELECT of a Task that has to stand still until the end
	// of the transaction.
	travarTarefa string
	// entre is the condition that a column (the first %s) is in a JSON array of
	// strings (the second).
	entre string
}

// uma runs a query for at most one row and reports whether there was one.
func uma(ctx context.Context, q consultas, destino []any, query string, args ...any) (bool, error) {
	achou := false
	err := cada(ctx, q, func(rows *sql.Rows) error {
		achou = true
		return rows.Scan(destino...)
	}, query, args...)
	return achou, err
}

// cada runs a query and f on each of its rows.
func cada(ctx context.Context, q consultas, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
