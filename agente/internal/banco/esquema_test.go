package banco

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

type ctxT = context.Context

// comMais are the steps of a later agent.
func comMais(mais ...passo) []passo { return append(slices.Clip(slices.Clone(passos)), mais...) }

var maisUma = passo{
	ambos: []string{
		"ALTER TABLE ponte_tarefas ADD COLUMN nova TEXT NOT NULL DEFAULT ''",
		"CREATE TABLE ponte_mais (n INTEGER NOT NULL, b BLOB)",
	},
	sqlite:   []string{"INSERT INTO ponte_mais (n) VALUES (1)"},
	postgres: []string{"INSERT INTO ponte_mais (n) VALUES (2)"},
}

// The indexes choose by the states that end a Task, and by the one that is
// paused: as the Task's own table says.
func TestEstadosDosIndices(t *testing.T) {
	var fim []string
	for _, e := range []a2a.TaskState{
		a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
		a2a.TaskStateInputRequired, a2a.TaskStateRejected, a2a.TaskStateAuthRequired, a2a.TaskStateUnspecified,
	} {
		if e.Terminal() {
			fim = append(fim, "'"+string(e)+"'")
		}
	}
	slices.Sort(fim)
	if want := "(" + strings.Join(fim, ", ") + ")"; terminais != want {
		t.Errorf("want %s, got %s", want, terminais)
	}
	if want := "'" + string(a2a.TaskStateInputRequired) + "'"; pausado != want {
		t.Errorf("want %s, got %s", want, pausado)
	}
	for _, literal := range []string{terminais, pausado} {
		if !slices.ContainsFunc(passos[0].ambos, func(s string) bool { return strings.HasPrefix(s, "CREATE INDEX") && strings.HasSuffix(s, literal) }) {
			t.Errorf("no index chooses by %s, as the statements do", literal)
		}
	}
}

// A later agent takes the database along, with what is in it, and an earlier
// one refuses it then.
func TestMigrar(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		if strings.HasPrefix(url, "sqlite:") { // an empty file is a new database
			if err := os.WriteFile(caminhoDe(url), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b := aberto(t, url, "")
		tk := criada(t, b, pausada("x"))
		fechar(t, b)
		for range 2 { // the second time there is nothing to do
			novo, err := abrir(t.Context(), url, "", mudo, comMais(maisUma))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := novo.Ler(t.Context(), tk.ID); err != nil {
				t.Errorf("after the migration: %v", err)
			}
			criada(t, novo, nova())
			fechar(t, novo)
		}
		recusa(t, url, "", "TAREFAS", fmt.Sprintf("o esquema do banco e da versao %d e este agente conhece ate a %d; atualize o agente", len(passos)+1, len(passos)))
		db := cru(t, url)
		if n := valor[int](t, db, "SELECT count(*) FROM ponte_mais"); n != 1 {
			t.Errorf("want the step taken once, got %d", n)
		}
	})
}

// A step that fails leaves nothing of itself.
func TestMigracaoQueFalha(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		tk := criada(t, b, nova())
		fechar(t, b)
		_, err := abrir(t.Context(), url, "", mudo, comMais(maisUma, passo{ambos: []string{"CREATE TABLE ponte_outra (n INTEGER)", "CREATE TABEL x"}}))
		if err == nil {
			t.Fatal("want an error")
		}
		conferirLinha(t, err, "TAREFAS", fmt.Sprint("schema step ", len(passos)+2))
		b = aberto(t, url, "") // still of this version
		if _, err := b.Ler(t.Context(), tk.ID); err != nil {
			t.Error(err)
		}
		fechar(t, b)
		if _, err := cru(t, url).ExecContext(t.Context(), "SELECT * FROM ponte_outra"); err == nil {
			t.Error("a table of the step that failed is left")
		}
	})
}

// A database of a newer schema stays as it is.
func TestEsquemaNovoIntocado(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		criada(t, b, nova().AtePrazo(agora))
		fechar(t, b)
		db := cru(t, url)
		executar(t, db, "UPDATE ponte_esquema SET versao = 99")
		_ = db.Close()
		foto := func() any {
			if strings.HasPrefix(url, "sqlite:") {
				raw, err := os.ReadFile(caminhoDe(url))
				if err != nil {
					t.Fatal(err)
				}
				return sha256.Sum256(raw)
			}
			return valor[string](t, cru(t, url), "SELECT string_agg(t::text, ';') FROM ponte_tarefas t") +
				valor[string](t, cru(t, url), "SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
		}
		antes := foto()
		recusa(t, url, "", "TAREFAS", "versao 99", fmt.Sprint("conhece ate a ", len(passos)), "atualize o agente")
		if foto() != antes {
			t.Error("the database was changed")
		}
	})
}

// Agents that start at once on an empty database, and on one that has to be
// migrated, do each step once.
func TestVariosAbremJuntos(t *testing.T) {
	url := servidor(t)
	juntos := func(passos []passo) {
		t.Helper()
		const n = 8
		var wg sync.WaitGroup
		largada := make(chan struct{})
		for range n {
			wg.Go(func() {
				<-largada
				b, err := abrir(t.Context(), url, "", mudo, passos)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := b.Criar(t.Context(), nova()); err != nil {
					t.Error(err)
				}
				fechar(t, b)
			})
		}
		close(largada)
		wg.Wait()
	}
	juntos(passos)
	juntos(comMais(maisUma))
	db := cru(t, url)
	if n, m := valor[int](t, db, "SELECT count(*) FROM ponte_mais"), valor[int](t, db, "SELECT count(*) FROM ponte_esquema"); n != 1 || m != 1 {
		t.Errorf("want each step once, got %d, with %d versions", n, m)
	}
	if n := valor[int](t, db, "SELECT count(*) FROM ponte_tarefas"); n != 16 {
		t.Errorf("want 16 tasks, got %d", n)
	}
}

// Neither a list, nor its count, nor the sweep reads all rows: each has its
// index. SQLite says which it takes.
func TestIndices(t *testing.T) {
	b := aberto(t, arquivo(t), "")
	for nome, c := range map[string]struct {
		f                tarefa.Filtro
		contagem, pagina string
	}{
		"all":       {tarefa.Filtro{}, "COVERING INDEX", "ponte_tarefas_ordem"},
		"context":   {tarefa.Filtro{Contexto: "c"}, "COVERING INDEX ponte_tarefas_contexto", "ponte_tarefas_contexto"},
		"both":      {tarefa.Filtro{Contexto: "c", Estado: "x", Desde: agora}, "COVERING INDEX ponte_tarefas_contexto", "ponte_tarefas_contexto"},
		"state":     {tarefa.Filtro{Estado: a2a.TaskStateCompleted}, "COVERING INDEX ponte_tarefas_ordem", "ponte_tarefas_ordem"},
		"since":     {tarefa.Filtro{Desde: agora}, "COVERING INDEX ponte_tarefas_ordem", "ponte_tarefas_ordem"},
		"abandoned": {tarefa.Filtro{Abandonadas: agora}, "COVERING INDEX ponte_tarefas_prazo", "ponte_tarefas_prazo"},
		"expired":   {tarefa.Filtro{Estado: a2a.TaskStateInputRequired, Ate: agora}, "COVERING INDEX ponte_tarefas_pausadas", "ponte_tarefas_pausadas"},
	} {
		c.f.Limite = 10
		query, args := consultaDeLista(c.f, 1000)
		if p := plano(t, b, query, args...); !strings.Contains(p, c.contagem) || !strings.Contains(p, "USING INDEX "+c.pagina) {
			t.Errorf("%s: want the count by %s, the page by %s, got\n%s", nome, c.contagem, c.pagina, p)
		}
	}
	if p := plano(t, b, "SELECT id FROM ponte_tarefas WHERE estado IN "+terminais+" AND mudada < 1 ORDER BY mudada LIMIT 5"); !strings.Contains(p, "ponte_tarefas_terminadas") {
		t.Errorf("Esquecer takes\n%s", p)
	}
}

// plano is what SQLite says of how it runs a statement.
func plano(t *testing.T, b *Banco, query string, args ...any) string {
	t.Helper()
	var linhas []string
	err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
		linhas = nil
		return cada(ctx, q, func(rows *sql.Rows) error {
			var a, b, c int
			var s string
			err := rows.Scan(&a, &b, &c, &s)
			linhas = append(linhas, s)
			return err
		}, "EXPLAIN QUERY PLAN "+query, args...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(linhas, "\n")
}
