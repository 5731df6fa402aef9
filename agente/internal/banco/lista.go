package banco

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Listar implements [tarefa.Store]. The page token is the place in the order of
// changes of the last Task given out: Tasks that change meanwhile move to the
// front and are not seen twice. The page and its total are of one moment.
func (b *Banco) Listar(ctx context.Context, f tarefa.Filtro) (tarefa.Pagina, error) {
	antes := int64(math.MaxInt64)
	if f.Marcador != "" {
		ordem, err := strconv.ParseInt(f.Marcador, 36, 64)
		if err != nil || ordem < 1 || f.Marcador[0] == '+' {
			return tarefa.Pagina{}, tarefa.ErrMarcador
		}
		antes = ordem
	}
	query, args := consultaDeLista(f, antes)

	var linhas []linha
	var ordens []int64
	total := 0
	err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
		linhas, ordens = nil, nil
		return cada(ctx, q, func(rows *sql.Rows) error {
			var l linha
			var ordem, versao, mudada, prazo sql.NullInt64
			var id, estado sql.NullString
			if err := rows.Scan(&total, &ordem, &id, &estado, &versao, &mudada, &prazo, &l.registro, &l.pausa); err != nil || !ordem.Valid {
				return err // or there is only the total
			}
			l.id, l.estado, l.versao, l.mudada, l.prazo = id.String, estado.String, versao.Int64, mudada.Int64, prazo.Int64
			linhas, ordens = append(linhas, l), append(ordens, ordem.Int64)
			return nil
		}, query, args...)
	})
	if err != nil {
		return tarefa.Pagina{}, err
	}
	p := tarefa.Pagina{Tarefas: make([]*tarefa.Tarefa, 0, len(linhas)), Total: total}
	if len(linhas) > f.Limite {
		linhas = linhas[:f.Limite]
		p.Marcador = strconv.FormatInt(ordens[f.Limite-1], 36)
	}
	for _, l := range linhas {
		t, err := b.ler(l)
		if err != nil {
			return tarefa.Pagina{}, err
		}
		p.Tarefas = append(p.Tarefas, t)
	}
	return p, nil
}

// consultaDeLista is the query for the total and for the Tasks of a page whose
// order is below antes, and one more when there is one.
func consultaDeLista(f tarefa.Filtro, antes int64) (string, []any) {
	todas := condicoesDe(f)
	pagina := todas.e("ordem < %s", antes).com(f.Limite + 1)
	ordem := "ordem"
	if !f.Ate.IsZero() {
		// The few that are old, not the many in order until some are old enough:
		// an expression makes no database walk the index of the order.
		ordem = "+ordem"
	}
	// The count needs no column that is not in an index.
	return `SELECT total, ordem, ` + colunas + `
		FROM (SELECT count(*) AS total FROM ponte_tarefas` + todas.onde() + `) AS c
		LEFT JOIN (SELECT ordem, ` + colunas + ` FROM ponte_tarefas` + pagina.onde() + `
			ORDER BY ` + ordem + ` DESC LIMIT $` + strconv.Itoa(len(pagina.args)) + `) AS p ON 1 = 1
		ORDER BY ordem DESC`, pagina.args
}

// condicoes are the terms of a WHERE and the arguments that they name.
type condicoes struct {
	termos []string
	args   []any
}

// e adds a term, whose %s stands for the argument.
func (c condicoes) e(termo string, arg any) condicoes {
	c = c.com(arg)
	return c.literal(fmt.Sprintf(termo, "$"+strconv.Itoa(len(c.args))))
}

func (c condicoes) com(arg any) condicoes {
	c.args = append(c.args[:len(c.args):len(c.args)], arg)
	return c
}

func (c condicoes) literal(termo string) condicoes {
	c.termos = append(c.termos[:len(c.termos):len(c.termos)], termo)
	return c
}

func (c condicoes) onde() string {
	if len(c.termos) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.termos, " AND ")
}

func condicoesDe(f tarefa.Filtro) condicoes {
	var c condicoes
	if f.Contexto != "" {
		c = c.e("contexto = %s", chaveDeContexto(f.Contexto))
	}
	switch f.Estado {
	case "":
	case a2a.TaskStateInputRequired:
		// Written out, so that the partial index of paused Tasks serves it.
		c = c.literal("estado = " + pausado)
	default:
		c = c.e("estado = %s", string(f.Estado))
	}
	if !f.Desde.IsZero() {
		c = c.e("mudada >= %s", limiar(f.Desde))
	}
	if !f.Ate.IsZero() {
		c = c.e("mudada < %s", limiar(f.Ate))
	}
	if !f.Abandonadas.IsZero() {
		c = c.literal("prazo > 0").e("prazo < %s", limiar(f.Abandonadas))
	}
	return c
}
