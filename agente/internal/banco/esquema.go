package banco

import (
	"context"
	"fmt"
	"strings"
)

// passo is a step of the schema: statements with the column types of SQLite,
// first those of both databases, then those of one of them.
type passo struct{ ambos, sqlite, postgres []string }

// passos lead from an empty database to the schema of this package; the version
// of a database is how many of them it has taken. A step that was once released
// does not change: a new one is added.
//
// Add only what an older agent can live with while several share a database:
// it refuses to start on a newer schema, but one that runs already goes on.
var passos = []passo{
	{
		ambos: []string{
			`CREATE TABLE ponte_tarefas (
				id       TEXT NOT NULL PRIMARY KEY,
				contexto BLOB NOT NULL,
				estado   TEXT NOT NULL,
				versao   INTEGER NOT NULL,
				ordem    INTEGER NOT NULL,
				mudada   INTEGER NOT NULL,
				prazo    INTEGER NOT NULL,
				registro BLOB NOT NULL,
				pausa    BLOB
			)`,
			// The lists, and what counts them without reading a row.
			`CREATE INDEX ponte_tarefas_ordem ON ponte_tarefas (ordem, estado, mudada)`,
			`CREATE INDEX ponte_tarefas_contexto ON ponte_tarefas (contexto, ordem, estado, mudada)`,
			// What the sweep looks for.
			`CREATE INDEX ponte_tarefas_prazo ON ponte_tarefas (prazo) WHERE prazo > 0`,
			`CREATE INDEX ponte_tarefas_pausadas ON ponte_tarefas (mudada) WHERE estado = 'TASK_STATE_INPUT_REQUIRED'`,
			`CREATE INDEX ponte_tarefas_terminadas ON ponte_tarefas (mudada) WHERE estado IN ('TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_REJECTED')`,
			// What has to open with the key.
			`CREATE INDEX ponte_tarefas_pausa ON ponte_tarefas (id) WHERE pausa IS NOT NULL`,
		},
		sqlite: []string{
			// An order never comes back, although the Task that had it last may
			// be dropped.
			`CREATE TABLE ponte_ordem (piso INTEGER NOT NULL)`,
			`INSERT INTO ponte_ordem (piso) VALUES (0)`,
			`CREATE TRIGGER ponte_tarefas_piso AFTER DELETE ON ponte_tarefas
				WHEN old.ordem > (SELECT piso FROM ponte_ordem)
				BEGIN UPDATE ponte_ordem SET piso = old.ordem; END`,
		},
		postgres: []string{
			`CREATE SEQUENCE ponte_ordem`,
		},
	},
	{
		// The push notification configs. They go with their Task, whichever agent
		// drops it.
		ambos: []string{
			`CREATE TABLE ponte_avisos (
				tarefa     TEXT NOT NULL REFERENCES ponte_tarefas (id) ON DELETE CASCADE,
				chave      BLOB NOT NULL,
				vez        INTEGER NOT NULL,
				entregue   INTEGER NOT NULL,
				tentativas INTEGER NOT NULL,
				proxima    INTEGER NOT NULL,
				fim        INTEGER NOT NULL,
				segredo    BLOB NOT NULL,
				PRIMARY KEY (tarefa, chave)
			)`,
			// What a claim looks through: not those whose Task has ended and whose
			// receiver knows it, which are nearly all.
			`CREATE INDEX ponte_avisos_proxima ON ponte_avisos (proxima) WHERE fim = 0`,
		},
	},
}

// The states by which the partial indexes choose, as the indexes write them.
const (
	pausado   = `'TASK_STATE_INPUT_REQUIRED'`
	terminais = `('TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_REJECTED')`
)

// esquemaNovoError: the database is of a newer agent.
type esquemaNovoError struct{ versao, conhecida int }

func (e *esquemaNovoError) Error() string {
	return fmt.Sprintf("database schema of version %d, this agent knows up to %d", e.versao, e.conhecida)
}

// migrar takes a database through the steps that it has not taken, and returns
// how many it had. Agents that start at once wait for the first one. A database
// of a newer schema is left as it is.
func migrar(ctx context.Context, m motor, passos []passo) (int, error) {
	d, tem := m.dialeto(), 0
	err := m.fazer(ctx, func(ctx context.Context, q consultas) error {
		v, err := versaoDoEsquema(ctx, q, d)
		tem = v
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case tem > len(passos):
		return 0, &esquemaNovoError{tem, len(passos)}
	case tem == len(passos):
		return tem, nil
	}
	err = m.migrar(ctx, func(ctx context.Context, q consultas) error {
		v, err := versaoDoEsquema(ctx, q, d) // it may have changed while waiting
		tem = v
		if err != nil {
			return err
		}
		if v > len(passos) {
			return &esquemaNovoError{v, len(passos)}
		}
		if v == 0 {
			for _, s := range []string{
				"CREATE TABLE ponte_esquema (versao INTEGER NOT NULL)",
				"INSERT INTO ponte_esquema (versao) VALUES (0)",
			} {
				if _, err := q.ExecContext(ctx, d.tipos.Replace(s)); err != nil {
					return err
				}
			}
		}
		for i, p := range passos[v:] {
			for _, s := range p.de(d) {
				if _, err := q.ExecContext(ctx, s); err != nil {
					return fmt.Errorf("schema step %d: %w", v+i+1, err)
				}
			}
		}
		_, err = q.ExecContext(ctx, "UPDATE ponte_esquema SET versao = $1", len(passos))
		return err
	})
	if err != nil {
		return 0, err
	}
	return tem, nil
}

// de returns the statements of a step for one database.
func (p passo) de(d *dialeto) []string {
	proprios := p.sqlite
	if d.nome == nomePostgres {
		proprios = p.postgres
	}
	var todos []string
	for _, s := range append(p.ambos[:len(p.ambos):len(p.ambos)], proprios...) {
		todos = append(todos, d.tipos.Replace(strings.TrimSpace(s)))
	}
	return todos
}

// versaoDoEsquema is 0 for a database without a schema.
func versaoDoEsquema(ctx context.Context, q consultas, d *dialeto) (int, error) {
	tem, versao := false, 0
	if _, err := uma(ctx, q, []any{&tem}, d.temEsquema); err != nil || !tem {
		return 0, err
	}
	_, err := uma(ctx, q, []any{&versao}, "SELECT versao FROM ponte_esquema")
	return versao, err
}
