package banco

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// linhaAviso is a config as a row. The columns beside segredo are what a
// statement chooses by.
type linhaAviso struct {
	tarefa string
	// chave is the SHA-256 of the config's id: the client chooses that id, and
	// an index takes neither any length nor any character.
	chave      []byte
	vez        int64
	entregue   int64
	tentativas int64
	proxima    int64
	segredo    []byte
}

const colunasAviso = "tarefa, chave, vez, entregue, tentativas, proxima, segredo"

func (l *linhaAviso) destino() []any {
	return []any{&l.tarefa, &l.chave, &l.vez, &l.entregue, &l.tentativas, &l.proxima, &l.segredo}
}

func chaveDeAviso(id string) []byte {
	h := sha256.Sum256([]byte(id))
	return h[:]
}

// vezNova is where the claims of a new config begin to be counted: at random, so
// that a claim of one that was dropped is none of one that came after it.
func vezNova() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process first
	return int64(binary.BigEndian.Uint64(b[:]) >> 2)
}

func (b *Banco) lerAviso(l linhaAviso) (tarefa.Aviso, error) {
	a, err := b.cofreAviso.tirar(l.segredo, l.tarefa, l.chave)
	if err != nil {
		return tarefa.Aviso{}, fmt.Errorf("push notification config of task %s: %w", l.tarefa, err)
	}
	a.TaskID, a.Vez = l.tarefa, l.vez
	a.Entregue, a.Tentativas, a.Proxima = l.entregue, int(l.tentativas), doInstante(l.proxima)
	return a, nil
}

// GuardarAviso implements [tarefa.Avisos].
func (b *Banco) GuardarAviso(ctx context.Context, a tarefa.Aviso) error {
	if !podeSerID(a.TaskID) {
		return tarefa.ErrNaoExiste
	}
	chave := chaveDeAviso(a.ID)
	segredo, err := b.cofreAviso.guardar(a, chave)
	if err != nil {
		return fmt.Errorf("push notification config of task %s: %w", a.TaskID, err)
	}
	d := b.motor.dialeto()
	return b.transacao(ctx, func(ctx context.Context, q consultas) error {
		// The Task stands still meanwhile: a change is either what the config
		// begins with, or told.
		var versao, outros, fim int64
		existe, err := uma(ctx, q, []any{&versao, &fim}, `
			SELECT versao, CASE WHEN estado IN `+terminais+` THEN 1 ELSE 0 END
			FROM ponte_tarefas WHERE id = $1 `+d.travarTarefa, a.TaskID)
		if err != nil {
			return err
		}
		if !existe {
			return tarefa.ErrNaoExiste
		}
		if _, err := uma(ctx, q, []any{&outros}, "SELECT count(*) FROM ponte_avisos WHERE tarefa = $1 AND chave <> $2", a.TaskID, chave); err != nil {
			return err
		}
		if outros >= tarefa.MaxAvisos {
			return tarefa.ErrMuitosAvisos
		}
		_, err = q.ExecContext(ctx, `
			INSERT INTO ponte_avisos (tarefa, chave, vez, entregue, tentativas, proxima, fim, segredo)
			VALUES ($1, $2, $3, $4, 0, 0, $5, $6)
			ON CONFLICT (tarefa, chave) DO UPDATE SET
				vez = excluded.vez, entregue = excluded.entregue, tentativas = 0, proxima = 0,
				fim = excluded.fim, segredo = excluded.segredo`,
			a.TaskID, chave, vezNova(), versao, fim, segredo)
		return err
	})
}

// ListarAvisos implements [tarefa.Avisos].
func (b *Banco) ListarAvisos(ctx context.Context, taskID string) ([]tarefa.Aviso, error) {
	if !podeSerID(taskID) {
		return nil, tarefa.ErrNaoExiste
	}
	var linhas []linhaAviso
	existe := false
	err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
		linhas, existe = nil, false
		return cada(ctx, q, func(rows *sql.Rows) error {
			existe = true
			var chave, segredo []byte
			var vez, entregue, tentativas, proxima sql.NullInt64
			err := rows.Scan(&chave, &vez, &entregue, &tentativas, &proxima, &segredo)
			if err == nil && vez.Valid {
				linhas = append(linhas, linhaAviso{taskID, chave, vez.Int64, entregue.Int64, tentativas.Int64, proxima.Int64, segredo})
			}
			return err
		}, `SELECT a.chave, a.vez, a.entregue, a.tentativas, a.proxima, a.segredo
			FROM ponte_tarefas AS t LEFT JOIN ponte_avisos AS a ON a.tarefa = t.id WHERE t.id = $1`, taskID)
	})
	if err != nil {
		return nil, err
	}
	if !existe {
		return nil, tarefa.ErrNaoExiste
	}
	avisos := make([]tarefa.Aviso, 0, len(linhas))
	for _, l := range linhas {
		a, err := b.lerAviso(l)
		if err != nil {
			return nil, err
		}
		avisos = append(avisos, a)
	}
	slices.SortFunc(avisos, func(x, y tarefa.Aviso) int { return strings.Compare(x.ID, y.ID) })
	return avisos, nil
}

// ApagarAviso implements [tarefa.Avisos].
func (b *Banco) ApagarAviso(ctx context.Context, taskID, id string) error {
	if !podeSerID(taskID) {
		return tarefa.ErrNaoExiste
	}
	return b.fazer(ctx, func(ctx context.Context, q consultas) error {
		n, err := afetadas(q.ExecContext(ctx, "DELETE FROM ponte_avisos WHERE tarefa = $1 AND chave = $2", taskID, chaveDeAviso(id)))
		if err != nil || n > 0 {
			return err
		}
		var versao int64
		existe, err := uma(ctx, q, []any{&versao}, "SELECT versao FROM ponte_tarefas WHERE id = $1", taskID)
		if err == nil && !existe {
			return tarefa.ErrNaoExiste
		}
		return err
	})
}

// ReivindicarAvisos implements [tarefa.Avisos]. Whether a config has something
// to tell is seen by comparing its version with its Task's, not noted when the
// Task changes: whoever writes a Task does nothing for it, and an agent that
// knows no configs may do so too.
func (b *Banco) ReivindicarAvisos(ctx context.Context, tarefas []string, agora, ate time.Time, n int) ([]tarefa.Pendente, error) {
	if n <= 0 {
		return nil, nil
	}
	query, args := consultaDeReivindicacao(b.motor.dialeto(), tarefas, agora, ate, n)
	var linhas []linhaAviso
	donas := make(map[string]linha)
	err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
		linhas = nil
		clear(donas)
		err := cada(ctx, q, func(rows *sql.Rows) error {
			var l linhaAviso
			err := rows.Scan(l.destino()...)
			linhas = append(linhas, l)
			return err
		}, query, args...)
		if err != nil || len(linhas) == 0 {
			return err
		}
		return cada(ctx, q, func(rows *sql.Rows) error {
			var l linha
			err := rows.Scan(l.destino()...)
			donas[l.id] = l
			return err
		}, "SELECT "+colunas+" FROM ponte_tarefas WHERE "+fmt.Sprintf(b.motor.dialeto().entre, "id", "$1"),
			listaJSON(todos(linhas, func(l linhaAviso) string { return l.tarefa })))
	})
	if err != nil {
		return nil, err
	}
	var pendentes []tarefa.Pendente
	var erros []error
	lidas := make(map[string]*tarefa.Tarefa)
	for _, l := range linhas {
		dona, existe := donas[l.tarefa]
		if !existe {
			continue // forgotten meanwhile
		}
		a, err := b.lerAviso(l)
		t := lidas[l.tarefa]
		if err == nil && t == nil {
			t, err = b.ler(dona)
		}
		if err != nil {
			erros = append(erros, err)
			continue
		}
		lidas[l.tarefa] = t
		pendentes = append(pendentes, tarefa.Pendente{Aviso: a, Tarefa: t})
	}
	return pendentes, errors.Join(erros...)
}

// consultaDeReivindicacao is one statement, so that of two agents one gets a
// config: PostgreSQL passes over what the other one is about to claim. The CTE is
// run once, however the planner may like to join it.
func consultaDeReivindicacao(d *dialeto, tarefas []string, agora, ate time.Time, n int) (string, []any) {
	args := []any{agora.UnixMilli(), instante(ate), n}
	so := ""
	if tarefas != nil {
		so = " AND " + fmt.Sprintf(d.entre, "a.tarefa", "$4")
		args = append(args, listaJSON(tarefas))
	}
	travar := ""
	if d.travar != "" {
		travar = strings.Replace(d.travar, "FOR UPDATE", "FOR UPDATE OF a", 1)
	}
	return `WITH p AS MATERIALIZED (
			SELECT a.tarefa, a.chave
			FROM ponte_avisos AS a JOIN ponte_tarefas AS t ON t.id = a.tarefa
			WHERE a.fim = 0 AND a.proxima <= $1 AND t.versao > a.entregue` + so + `
			ORDER BY a.proxima LIMIT $3 ` + travar + `)
		UPDATE ponte_avisos SET proxima = $2, vez = vez + 1
		WHERE (tarefa, chave) IN (SELECT tarefa, chave FROM p)
		RETURNING ` + colunasAviso, args
}

// listaJSON writes ids for dialeto.entre; those that no Task can have are left
// out.
func listaJSON(ids []string) string {
	podem := make([]string, 0, len(ids))
	for _, id := range ids {
		if podeSerID(id) {
			podem = append(podem, id)
		}
	}
	raw, err := json.Marshal(podem)
	if err != nil {
		panic(err) // strings always can
	}
	return string(raw)
}

// AnotarAviso implements [tarefa.Avisos]. What the end of its Task has been told
// of is marked: a Task that has ended changes no more, and nobody needs to look
// at the config again.
func (b *Banco) AnotarAviso(ctx context.Context, a tarefa.Aviso) error {
	if !podeSerID(a.TaskID) {
		return nil
	}
	return b.fazer(ctx, func(ctx context.Context, q consultas) error {
		_, err := q.ExecContext(ctx, `
			UPDATE ponte_avisos
			SET entregue = $4, tentativas = $5, proxima = $6, vez = vez + 1,
				fim = CASE WHEN EXISTS (
					SELECT 1 FROM ponte_tarefas AS t
					WHERE t.id = ponte_avisos.tarefa AND t.versao <= $4 AND t.estado IN `+terminais+`) THEN 1 ELSE 0 END
			WHERE tarefa = $1 AND chave = $2 AND vez = $3`,
			a.TaskID, chaveDeAviso(a.ID), a.Vez, a.Entregue, a.Tentativas, instante(a.Proxima))
		return err
	})
}
