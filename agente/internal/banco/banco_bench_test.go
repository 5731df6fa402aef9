package banco

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// ciclo is the life of a Task without a pause: created, at work, completed.
func ciclo(b *testing.B, s tarefa.Store) {
	m := dizer("consultar sala-turing de 2026-11-03T14:00:00Z a 2026-11-03T15:00:00Z")
	t, err := s.Criar(b.Context(), tarefa.Nova(m, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", agora))
	if err != nil {
		b.Fatal(err)
	}
	t, _ = t.Com(tarefa.Iniciar, agora)
	if t, err = s.Trocar(b.Context(), t); err != nil {
		b.Fatal(err)
	}
	t, _ = t.Com(tarefa.Concluir, agora)
	t = t.Chamando(tarefa.Chamada{Verbo: "v", Ferramenta: "f", Argumentos: json.RawMessage(`{"a":"b"}`)}).
		Produzindo(&a2a.Artifact{ID: "a", Parts: a2a.ContentParts{a2a.NewTextPart("feito")}}).Dizendo("feito")
	if _, err = s.Trocar(b.Context(), t); err != nil {
		b.Fatal(err)
	}
}

// Benchmarks of a cycle of three changes, one caller after the other and 64 at
// once.
func BenchmarkCiclo(b *testing.B) {
	lojas := []struct {
		nome  string
		abrir func(b *testing.B) tarefa.Store
	}{
		{"Memoria", func(*testing.B) tarefa.Store { return tarefa.NovaMemoria(10_000, 1<<30) }},
		{"SQLite", func(b *testing.B) tarefa.Store { return aberto(b, arquivo(b), "") }},
		{"PostgreSQL-sem-fsync", func(b *testing.B) tarefa.Store { return aberto(b, servidor(b), "") }},
		{"PostgreSQL-com-fsync", func(b *testing.B) tarefa.Store {
			url := servidor(b)
			db := cru(b, url)
			fsync := func(v string) {
				for _, q := range []string{"ALTER SYSTEM SET fsync = " + v, "SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)"} {
					if _, err := db.Exec(q); err != nil {
						b.Fatal(err)
					}
				}
			}
			fsync("on")
			b.Cleanup(func() { fsync("off") })
			return aberto(b, url, "")
		}},
	}
	for _, l := range lojas {
		b.Run(l.nome+"/um", func(b *testing.B) {
			s := l.abrir(b)
			b.ReportAllocs()
			for b.Loop() {
				ciclo(b, s)
			}
		})
		b.Run(l.nome+"/64", func(b *testing.B) {
			s := l.abrir(b)
			b.SetParallelism((64 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ciclo(b, s)
				}
			})
		})
	}
}
