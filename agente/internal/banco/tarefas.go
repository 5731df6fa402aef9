package banco

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// porLote is how many Tasks Esquecer drops at a time, so that it never holds
// up the others for long.
const porLote = 500

// linha is a Task as a row. The columns beside registro and pausa are what a
// statement chooses by, and stand nowhere else.
type linha struct {
	id string
	// contexto is the SHA-256 of the context's id: the client chooses that id,
	// and an index takes neither any length nor any character.
	contexto []byte
	estado   string
	versao   int64
	mudada   int64 // instants in milliseconds since 1970, 0 for none
	prazo    int64
	registro []byte
	pausa    []byte // nil for none
}

// colunas are the columns that ler needs.
const colunas = "id, estado, versao, mudada, prazo, registro, pausa"

// podeSerID reports whether a Task may have the id. PostgreSQL takes no other
// text, and no Task has it.
func podeSerID(id string) bool { return !strings.ContainsRune(id, 0) && utf8.ValidString(id) }

func chaveDeContexto(contexto string) []byte {
	h := sha256.Sum256([]byte(contexto))
	return h[:]
}

// instante is the column of an instant.
func instante(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func doInstante(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// escrever makes the row of a Task.
func (b *Banco) escrever(t *tarefa.Tarefa) (linha, error) {
	registro, err := codificar(t)
	if err != nil {
		return linha{}, fmt.Errorf("task %s: %w", t.ID, err)
	}
	pausa, err := b.cofre.guardar(t)
	if err != nil {
		return linha{}, fmt.Errorf("pause of task %s: %w", t.ID, err)
	}
	return linha{
		id:       t.ID,
		contexto: chaveDeContexto(t.Contexto),
		estado:   string(t.Estado),
		versao:   t.Versao,
		mudada:   instante(t.Mudada),
		prazo:    instante(t.Prazo),
		registro: registro,
		pausa:    pausa,
	}, nil
}

// ler makes the Task of a row.
func (b *Banco) ler(l linha) (*tarefa.Tarefa, error) {
	t, err := decodificar(l.registro)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", l.id, err)
	}
	t.ID, t.Estado, t.Versao = l.id, a2a.TaskState(l.estado), l.versao
	if err := b.cofre.tirar(l.pausa, t); err != nil {
		return nil, fmt.Errorf("pause of task %s: %w", l.id, err)
	}
	t.Mudada, t.Prazo = doInstante(l.mudada), doInstante(l.prazo)
	return t, nil
}

func (l *linha) destino() []any {
	return []any{&l.id, &l.estado, &l.versao, &l.mudada, &l.prazo, &l.registro, &l.pausa}
}

// Criar implements [tarefa.Store].
func (b *Banco) Criar(ctx context.Context, t *tarefa.Tarefa) (*tarefa.Tarefa, error) {
	c := *t
	c.Versao = 1
	l, err := b.escrever(&c)
	if err != nil {
		return nil, err
	}
	err = b.fazer(ctx, func(ctx context.Context, q consultas) error {
		n, err := afetadas(q.ExecContext(ctx, `
			INSERT INTO ponte_tarefas (id, contexto, estado, versao, ordem, mudada, prazo, registro, pausa)
			VALUES ($1, $2, $3, $4, `+b.motor.dialeto().ordem+`, $5, $6, $7, $8)
			ON CONFLICT (id) DO NOTHING`,
			l.id, l.contexto, l.estado, l.versao, l.mudada, l.prazo, l.registro, l.pausa))
		if err != nil || n == 1 {
			return err
		}
		switch _, minha, err := quemGravou(ctx, q, l); {
		case err != nil:
			return err
		case !minha:
			return fmt.Errorf("task %s exists already", l.id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// Ler implements [tarefa.Store].
func (b *Banco) Ler(ctx context.Context, id string) (*tarefa.Tarefa, error) {
	if !podeSerID(id) {
		return nil, tarefa.ErrNaoExiste
	}
	var l linha
	err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
		achou, err := uma(ctx, q, l.destino(), "SELECT "+colunas+" FROM ponte_tarefas WHERE id = $1", id)
		if err == nil && !achou {
			return tarefa.ErrNaoExiste
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.ler(l)
}

// Trocar implements [tarefa.Store].
func (b *Banco) Trocar(ctx context.Context, t *tarefa.Tarefa) (*tarefa.Tarefa, error) {
	if !podeSerID(t.ID) {
		return nil, tarefa.ErrNaoExiste
	}
	c := *t
	c.Versao++
	l, err := b.escrever(&c)
	if err != nil {
		return nil, err
	}
	err = b.fazer(ctx, func(ctx context.Context, q consultas) error {
		n, err := afetadas(q.ExecContext(ctx, `
			UPDATE ponte_tarefas
			SET contexto = $3, estado = $4, versao = versao + 1, ordem = `+b.motor.dialeto().ordem+`,
				mudada = $5, prazo = $6, registro = $7, pausa = $8
			WHERE id = $1 AND versao = $2`,
			l.id, t.Versao, l.contexto, l.estado, l.mudada, l.prazo, l.registro, l.pausa))
		if err != nil || n == 1 {
			return err
		}
		switch existe, minha, err := quemGravou(ctx, q, l); {
		case err != nil:
			return err
		case !existe:
			return tarefa.ErrNaoExiste
		case !minha:
			return tarefa.ErrConflito
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// quemGravou looks at the row that a write found in its way. The row is the
// write's own when an earlier attempt at it took effect and the answer got
// lost: each record carries a mark that no other has.
func quemGravou(ctx context.Context, q consultas, l linha) (existe, minha bool, err error) {
	var registro []byte
	existe, err = uma(ctx, q, []any{&registro}, "SELECT registro FROM ponte_tarefas WHERE id = $1", l.id)
	return existe, bytes.Equal(registro, l.registro), err
}

// Esquecer implements [tarefa.Store]. When it fails some Tasks may have been
// dropped already; they are counted.
func (b *Banco) Esquecer(ctx context.Context, antes time.Time) (int, error) {
	for total := 0; ; {
		var n int64
		err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
			var err error
			n, err = afetadas(q.ExecContext(ctx, `
				DELETE FROM ponte_tarefas WHERE id IN (
					SELECT id FROM ponte_tarefas
					WHERE estado IN `+terminais+` AND mudada < $1
					ORDER BY mudada LIMIT $2 `+b.motor.dialeto().travar+`)`,
				limiar(antes), porLote))
			return err
		})
		if err != nil {
			return total, err
		}
		total += int(n)
		if n < porLote {
			return total, nil
		}
	}
}

// limiar is the first whole millisecond that is not before an instant: what is
// stored is before t when it is before limiar(t).
func limiar(t time.Time) int64 {
	ms := t.UnixMilli()
	if time.UnixMilli(ms).Before(t) {
		ms++
	}
	return ms
}

func afetadas(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
