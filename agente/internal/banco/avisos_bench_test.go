package banco

import (
	"fmt"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// povoar fills a database with Tasks that have ended, and with configs: whose
// Task has ended and that are told, and whose Task is open and that have nothing
// to tell.
func povoar(t testing.TB, b *Banco, terminadas, comFim, abertas int) {
	t.Helper()
	fim := nova()
	fim.Estado = a2a.TaskStateCompleted
	l, err := b.escrever(fim)
	if err != nil {
		t.Fatal(err)
	}
	inserir := func(ctx ctxT, q consultas, i int, estado string) (string, error) {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", (i*7919)%1_000_003)
		_, err := q.ExecContext(ctx, `INSERT INTO ponte_tarefas (id, contexto, estado, versao, ordem, mudada, prazo, registro)
			VALUES ($1, $2, $3, 3, $4, $5, 0, $6)`, id, l.contexto, estado, int64(i+1), l.mudada, l.registro)
		return id, err
	}
	segredo, err := b.cofreAviso.guardar(avisoDe(fim, "a"), chaveDeAviso("a"))
	if err != nil {
		t.Fatal(err)
	}
	const porVez = 5000
	for de := 0; de < terminadas+abertas; de += porVez {
		ctx := t.Context()
		f := func(ctx ctxT, q consultas) error {
			for i := de; i < min(de+porVez, terminadas+abertas); i++ {
				estado, ended := "TASK_STATE_COMPLETED", 1
				if i >= terminadas {
					estado, ended = "TASK_STATE_WORKING", 0
				}
				id, err := inserir(ctx, q, i, estado)
				if err == nil && (i < comFim || i >= terminadas) {
					_, err = q.ExecContext(ctx, `INSERT INTO ponte_avisos (tarefa, chave, vez, entregue, tentativas, proxima, fim, segredo)
						VALUES ($1, $2, 1, 3, 0, 1, $3, $4)`, id, chaveDeAviso("a"), ended, segredo)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		b.prazo = 10 * minuto
		if err := b.transacao(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	b.prazo = prazoPadrao
}

// The cost of a claim that finds nothing, and of a change of a Task with and
// without a config.
func BenchmarkAvisos(b *testing.B) {
	for _, banco := range []struct {
		nome string
		url  func(testing.TB) string
	}{{"SQLite", arquivo}, {"PostgreSQL", servidor}} {
		for _, c := range []struct{ terminadas, comFim, abertas int }{
			{100_000, 1000, 0}, {100_000, 1000, 1000}, {100_000, 1000, 10_000},
		} {
			b.Run(fmt.Sprintf("%s/terminadas=%d/com=%d/abertas=%d", banco.nome, c.terminadas, c.comFim, c.abertas), func(b *testing.B) {
				s := aberto(b, banco.url(b), "")
				povoar(b, s, c.terminadas, c.comFim, c.abertas)
				nada := func(b *testing.B, so []string) {
					for b.Loop() {
						if ps := reivindicados(b, s, so, agora, 64); len(ps) != 0 {
							b.Fatalf("got %d", len(ps))
						}
					}
				}
				b.Run("todas", func(b *testing.B) { nada(b, nil) })
				b.Run("uma", func(b *testing.B) { nada(b, []string{"00000000-0000-4000-8000-000000007919"}) })
				b.Run("trocar", func(b *testing.B) {
					tk := criada(b, s, nova())
					for b.Loop() {
						tk = tk.AtePrazo(agora)
						var err error
						if tk, err = s.Trocar(b.Context(), tk); err != nil {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}
