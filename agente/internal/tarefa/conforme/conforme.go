// Package conforme holds the implementations of [tarefa.Store] to its contract:
// one suite of tests, which each of them runs.
package conforme

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Testar runs the suite. abrir makes an empty store, with room for some
// thousand Tasks, that is given up when its test ends.
func Testar(t *testing.T, abrir func(t *testing.T) tarefa.Store) {
	for _, c := range []struct {
		nome string
		f    func(*testing.T, tarefa.Store)
	}{
		{"criar e ler", criarELer},
		{"trocar", trocar},
		{"ids que nao existem", idsQueNaoExistem},
		{"um so ganha", umSoGanha},
		{"nenhuma troca se perde", nenhumaTrocaSePerde},
		{"instantaneos", instantaneos},
		{"ida e volta", idaEVolta},
		{"partes", partes},
		{"textos", textos},
		{"pausa", pausa},
		{"ordem e filtros", ordemEFiltros},
		{"filtros e milissegundos", filtrosEMilissegundos},
		{"paginas", paginas},
		{"paginas enquanto muda", paginasEnquantoMuda},
		{"paginas e esquecidas", paginasEEsquecidas},
		{"marcadores invalidos", marcadoresInvalidos},
		{"abandonadas", abandonadas},
		{"esquecer", esquecer},
		{"esquecer muitas", esquecerMuitas},
		{"contexto cancelado", contextoCancelado},
		{"tudo ao mesmo tempo", tudoAoMesmoTempo},
	} {
		t.Run(c.nome, func(t *testing.T) { c.f(t, abrir(t)) })
	}
}

// agora is the clock of the suite: an instant to the millisecond.
var agora = time.Date(2026, 11, 3, 12, 0, 0, 123_000_000, time.UTC)

// mensagem is what a caller says.
func mensagem(contexto, texto string) *a2a.Message {
	return &a2a.Message{ID: "m", Role: a2a.MessageRoleUser, ContextID: contexto, Parts: a2a.ContentParts{a2a.NewTextPart(texto)}}
}

// nova stores a new Task.
func nova(t *testing.T, s tarefa.Store, contexto string) *tarefa.Tarefa {
	t.Helper()
	tk, err := s.Criar(t.Context(), tarefa.Nova(mensagem(contexto, "x"), "", agora))
	if err != nil {
		t.Fatalf("Criar: %v", err)
	}
	return tk
}

// passar stores a Task after the events.
func passar(t *testing.T, s tarefa.Store, tk *tarefa.Tarefa, quando time.Time, eventos ...tarefa.Evento) *tarefa.Tarefa {
	t.Helper()
	for _, e := range eventos {
		novo, err := tk.Com(e, quando)
		if err != nil {
			t.Fatal(err)
		}
		tk = guardar(t, s, novo)
	}
	return tk
}

func guardar(t *testing.T, s tarefa.Store, tk *tarefa.Tarefa) *tarefa.Tarefa {
	t.Helper()
	guardada, err := s.Trocar(t.Context(), tk)
	if err != nil {
		t.Fatalf("Trocar: %v", err)
	}
	if guardada.Versao != tk.Versao+1 {
		t.Fatalf("Trocar of version %d: want %d, got %d", tk.Versao, tk.Versao+1, guardada.Versao)
	}
	return guardada
}

func lida(t *testing.T, s tarefa.Store, id string) *tarefa.Tarefa {
	t.Helper()
	tk, err := s.Ler(t.Context(), id)
	if err != nil {
		t.Fatalf("Ler: %v", err)
	}
	return tk
}

func listada(t *testing.T, s tarefa.Store, f tarefa.Filtro) tarefa.Pagina {
	t.Helper()
	p, err := s.Listar(t.Context(), f)
	if err != nil {
		t.Fatalf("Listar: %v", err)
	}
	if p.Tarefas == nil || len(p.Tarefas) > f.Limite || len(p.Tarefas) > p.Total {
		t.Fatalf("page of at most %d: %d of %d Tasks, nil: %v", f.Limite, len(p.Tarefas), p.Total, p.Tarefas == nil)
	}
	return p
}

func ids(ts []*tarefa.Tarefa) []string {
	ids := make([]string, len(ts))
	for i, tk := range ts {
		ids[i] = tk.ID
	}
	return ids
}

// iguais compares what was stored with what came back.
func iguais(t *testing.T, got, want *tarefa.Tarefa) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s:\n got %s\nwant %s", g.Type().Field(i).Name, mostrar(g.Field(i)), mostrar(w.Field(i)))
		}
	}
}

// mostrar follows pointers, which %v does not below the first level.
func mostrar(v reflect.Value) string {
	const limite = 2000
	var b strings.Builder
	var escrever func(reflect.Value)
	escrever = func(v reflect.Value) {
		if b.Len() > limite {
			return
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if v.IsNil() {
				fmt.Fprintf(&b, "nil(%s)", v.Type())
				return
			}
			b.WriteString("&")
			escrever(v.Elem())
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Pointer {
				b.WriteString("[")
				for i := range v.Len() {
					escrever(v.Index(i))
					b.WriteString(" ")
				}
				b.WriteString("]")
				return
			}
			fmt.Fprintf(&b, "%#v", v.Interface())
		case reflect.Struct:
			b.WriteString("{")
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					b.WriteString(f.Name + ":")
					escrever(v.Field(i))
					b.WriteString(" ")
				}
			}
			b.WriteString("}")
		default:
			fmt.Fprintf(&b, "%#v", v.Interface())
		}
	}
	escrever(v)
	if b.Len() > limite {
		return b.String()[:limite] + "..."
	}
	return b.String()
}

func criarELer(t *testing.T, s tarefa.Store) {
	tk := tarefa.Nova(mensagem("", "x"), "00-trace", agora).AtePrazo(agora.Add(time.Minute))
	criada, err := s.Criar(t.Context(), tk)
	if err != nil {
		t.Fatal(err)
	}
	if criada.Versao != 1 || tk.Versao != 0 {
		t.Errorf("want version 1, and what was given left alone: got %d and %d", criada.Versao, tk.Versao)
	}
	want := *tk
	want.Versao = 1
	iguais(t, criada, &want)
	iguais(t, lida(t, s, tk.ID), &want)
	outra := nova(t, s, "")
	iguais(t, lida(t, s, tk.ID), &want)
	iguais(t, lida(t, s, outra.ID), outra)

	// The version that comes in means nothing.
	tk = tarefa.Nova(mensagem("", "x"), "", agora)
	tk.Versao = 7
	if criada, err = s.Criar(t.Context(), tk); err != nil || criada.Versao != 1 {
		t.Errorf("want version 1, got %+v, %v", criada, err)
	}
}

func trocar(t *testing.T, s tarefa.Store) {
	tk := nova(t, s, "")
	a, _ := tk.Com(tarefa.Iniciar, agora)
	b, _ := tk.Com(tarefa.Cancelar, agora)
	guardada := guardar(t, s, a)
	want := *a
	want.Versao = 2
	iguais(t, guardada, &want)
	iguais(t, lida(t, s, tk.ID), &want)
	if _, err := s.Trocar(t.Context(), b); !errors.Is(err, tarefa.ErrConflito) {
		t.Errorf("a change of an old version: want ErrConflito, got %v", err)
	}
	iguais(t, lida(t, s, tk.ID), &want)
	futura := *guardada
	futura.Versao = 9
	if _, err := s.Trocar(t.Context(), &futura); !errors.Is(err, tarefa.ErrConflito) {
		t.Errorf("a change of a version to come: want ErrConflito, got %v", err)
	}
	passar(t, s, guardada, agora, tarefa.Concluir)
	if got := lida(t, s, tk.ID); got.Versao != 3 || got.Estado != a2a.TaskStateCompleted {
		t.Errorf("want version 3, completed, got %d, %s", got.Versao, got.Estado)
	}
}

func idsQueNaoExistem(t *testing.T, s tarefa.Store) {
	nova(t, s, "")
	for _, id := range []string{"", "x", "m", "%", "'; DROP TABLE tarefas; --", "a\x00b", "\x00", "\xff\xfe", "ção", strings.Repeat("x", 1<<20)} {
		if _, err := s.Ler(t.Context(), id); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("Ler %.20q: want ErrNaoExiste, got %v", id, err)
		}
		if _, err := s.Trocar(t.Context(), &tarefa.Tarefa{ID: id, Versao: 1}); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("Trocar %.20q: want ErrNaoExiste, got %v", id, err)
		}
	}
	if p := listada(t, s, tarefa.Filtro{Limite: 10}); p.Total != 1 {
		t.Errorf("want one task, got %d", p.Total)
	}
}

// What is passed in may be changed afterwards, as a value: the store has its
// own. What is shared below it nobody changes, by the contract of a snapshot.
func instantaneos(t *testing.T, s tarefa.Store) {
	tk := tarefa.Nova(mensagem("c", "x"), "r", agora)
	antes := *tk
	antes.Versao = 1
	if _, err := s.Criar(t.Context(), tk); err != nil {
		t.Fatal(err)
	}
	estragar(tk)
	iguais(t, lida(t, s, antes.ID), &antes)

	novo, _ := antes.Com(tarefa.Iniciar, agora)
	novo = novo.Pausando(&tarefa.Pausa{RequestState: "e"})
	guardado := *novo
	guardado.Versao = 2
	if _, err := s.Trocar(t.Context(), novo); err != nil {
		t.Fatal(err)
	}
	estragar(novo)
	iguais(t, lida(t, s, antes.ID), &guardado)

	// A snapshot stays as it was read.
	velha := lida(t, s, antes.ID)
	copia := *velha
	passar(t, s, velha, agora.Add(time.Second), tarefa.Falhar)
	iguais(t, velha, &copia)
	if p := listada(t, s, tarefa.Filtro{Contexto: "c", Limite: 1}); p.Total != 1 || p.Tarefas[0].Estado != a2a.TaskStateFailed {
		t.Errorf("want the task failed and in its context, got %+v", p)
	}
}

func estragar(t *tarefa.Tarefa) {
	*t = tarefa.Tarefa{ID: "outro", Contexto: "outro", Versao: 99, Historico: nil, Pausa: &tarefa.Pausa{RequestState: "outro"}}
}

// marcadoresInvalidos: a page token that no store gives out.
func marcadoresInvalidos(t *testing.T, s tarefa.Store) {
	nova(t, s, "")
	for _, mau := range []string{"!", "0", "-1", "+1", " 1", "1 ", "1.5", "1_0", "ção", "\x00", "zzzzzzzzzzzzzzzzzzzz", strings.Repeat("1", 1000)} {
		if _, err := s.Listar(t.Context(), tarefa.Filtro{Limite: 1, Marcador: mau}); !errors.Is(err, tarefa.ErrMarcador) {
			t.Errorf("token %.20q: want ErrMarcador, got %v", mau, err)
		}
	}
}
