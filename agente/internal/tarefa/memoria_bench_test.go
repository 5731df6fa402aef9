package tarefa

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// viver takes a Task through the most common of the long lives: asked, at work,
// paused, answered, completed. Its texts are its own, as those are that come in
// a request.
func viver(tb testing.TB, s Store, i int) *Tarefa {
	tb.Helper()
	rastro := fmt.Sprintf("00-4bf92f3577b34da6a3ce929d%08x-00f067aa%08x-01", i, i)
	t := Nova(mensagem(fmt.Sprintf("msg-%d", i), fmt.Sprintf("pedir objeto=objeto-%d inicio=2026-11-03T14:00:00-03:00 fim=2026-11-03T15:00:00-03:00 responsavel=Marty", i)), rastro, agora)
	t, err := s.Criar(tb.Context(), t)
	guardar := func(e Evento, muda func(*Tarefa) *Tarefa) {
		if err != nil {
			tb.Fatal(err)
		}
		var novo *Tarefa
		if novo, err = t.Com(e, agora); err == nil {
			t, err = s.Trocar(tb.Context(), muda(novo))
		}
	}
	guardar(Iniciar, func(t *Tarefa) *Tarefa {
		return t.AtePrazo(agora.Add(time.Minute)).Chamando(Chamada{
			Verbo: "pedir", Ferramenta: "pedir_objeto",
			Argumentos: json.RawMessage(fmt.Sprintf(`{"objeto":"objeto-%d","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"}`, i)),
		})
	})
	guardar(Pausar, func(t *Tarefa) *Tarefa {
		return t.Pausando(&Pausa{RequestState: fmt.Sprintf("%0200d", i), Perguntas: []Pergunta{{
			Chave: "escolha", Mensagem: "Qual?", Esquema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"x":{"enum":["objeto-%d","a"]}}}`, i)),
		}}}).Dizendo(fmt.Sprintf("alternativas: objeto-%d, objeto-%d", i+1, i+2))
	})
	guardar(Retomar, func(t *Tarefa) *Tarefa {
		return t.Ouvindo(mensagem(fmt.Sprintf("msg-%d-b", i), fmt.Sprintf("objeto-%d", i+1)), rastro).AtePrazo(agora.Add(time.Minute))
	})
	guardar(Concluir, func(t *Tarefa) *Tarefa {
		return t.Dizendo(fmt.Sprintf("Objeto objeto-%d pedido para Marty, codigo r-%d.", i+1, i)).Produzindo(&a2a.Artifact{
			ID: "confirmacao", Name: "confirmacao",
			Parts: a2a.ContentParts{a2a.NewTextPart(fmt.Sprintf(`{"codigo":"r-%d","objeto":"objeto-%d","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"}`, i, i+1))},
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// muitas is how many Tasks the agent keeps when nothing else is said.
const muitas = 100_000

func encher(tb testing.TB, n int) *Memoria {
	s := NovaMemoria(n, 1<<40)
	for i := range n {
		viver(tb, s, i)
	}
	return s
}

// The whole life of a Task: five changes, a pause among them.
func BenchmarkMemoriaVida(b *testing.B) {
	s := NovaMemoria(1000, 1<<30)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		viver(b, s, i)
	}
}

func BenchmarkMemoriaLer(b *testing.B) {
	s := NovaMemoria(1000, 1<<30)
	aberta, err := s.Criar(b.Context(), Nova(mensagem("m", "pedido"), "", agora))
	if err != nil {
		b.Fatal(err)
	}
	for nome, id := range map[string]string{"aberta": aberta.ID, "terminada": viver(b, s, 1).ID} {
		b.Run(nome, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Ler(b.Context(), id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Every list walks all Tasks, since it says how many there are.
func BenchmarkMemoriaListar(b *testing.B) {
	s := encher(b, muitas)
	uma, err := s.Listar(b.Context(), Filtro{Limite: 1})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		nome string
		f    Filtro
	}{
		{"todas", Filtro{Limite: 50}},
		{"contexto", Filtro{Limite: 50, Contexto: uma.Tarefas[0].Contexto}},
		{"pausadas", Filtro{Limite: 50, Estado: a2a.TaskStateInputRequired, Ate: agora.Add(-time.Hour)}},
		{"desde", Filtro{Limite: 50, Desde: agora.Add(time.Hour)}},
		{"abandonadas", Filtro{Limite: 50, Abandonadas: agora}},
	} {
		b.Run(c.nome, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Listar(b.Context(), c.f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What 100 000 Tasks that have ended cost: each of them in memory, and all of
// them each time that the collector runs.
func BenchmarkMemoria100k(b *testing.B) {
	antes := vivos()
	s := encher(b, muitas)
	depois := vivos()
	for b.Loop() {
		runtime.GC()
	}
	b.ReportMetric(float64(depois-antes)/muitas, "B/Task")
	b.ReportMetric(float64(s.bytes)/muitas, "contados/Task")
	runtime.KeepAlive(s)
}

// vivos is how many bytes of the heap are in use.
func vivos() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkCompactar(b *testing.B) {
	t := viver(b, NovaMemoria(1, 1<<30), 1)
	raw, ok := compactar(t)
	if !ok {
		b.Fatal("want it compact")
	}
	b.Run("escrever", func(b *testing.B) {
		b.ReportMetric(float64(len(raw)), "B/Task")
		b.ReportAllocs()
		for b.Loop() {
			compactar(t)
		}
	})
	b.Run("ler", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			descompactar(string(raw))
		}
	})
}
