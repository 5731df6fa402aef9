package tarefa

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"
)

// A pause counts with all that it holds, and does not grow past the bound.
func TestPausaTemLimite(t *testing.T) {
	s := NovaMemoria(1000, 100<<10)
	tk := criar(t, s, "")
	tk, _ = tk.Com(Iniciar, agora)
	tk, _ = s.Trocar(t.Context(), tk)
	tk, _ = tk.Com(Pausar, agora)
	tk, err := s.Trocar(t.Context(), tk.Pausando(&Pausa{Perguntas: []Pergunta{{Esquema: json.RawMessage(strings.Repeat(" ", 90<<10))}}}))
	if err != nil || s.bytes < 90<<10 {
		t.Fatalf("want the pause stored and counted, got %d bytes, %v", s.bytes, err)
	}
	antes := s.bytes
	maior, _ := tk.Ouvindo(mensagem("r", strings.Repeat("x", 20<<10)), "").Com(Insistir, agora)
	if _, err := s.Trocar(t.Context(), maior); !errors.Is(err, ErrCheia) || s.bytes != antes {
		t.Errorf("want ErrCheia and nothing stored, got %v and %d bytes", err, s.bytes-antes)
	}
	fim, _ := tk.Ouvindo(mensagem("r", strings.Repeat("x", 20<<10)), "").Com(Retomar, agora)
	if _, err := s.Trocar(t.Context(), fim); err != nil {
		t.Errorf("an answer is always taken, got %v", err)
	}
}

func terminar(t *testing.T, s Store, tk *Tarefa) *Tarefa {
	t.Helper()
	novo, err := tk.Com(Cancelar, agora)
	if err != nil {
		t.Fatal(err)
	}
	if novo, err = s.Trocar(t.Context(), novo); err != nil {
		t.Fatal(err)
	}
	return novo
}

func criar(t *testing.T, s Store, contexto string) *Tarefa {
	t.Helper()
	m := mensagem("m", "x")
	m.ContextID = contexto
	tk, err := s.Criar(t.Context(), Nova(m, "", agora))
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func TestMemoriaTroca(t *testing.T) {
	s := NovaMemoria(10, 1<<30)
	tk := criar(t, s, "")
	if tk.Versao != 1 {
		t.Errorf("want version 1, got %d", tk.Versao)
	}
	a, _ := tk.Com(Iniciar, agora)
	b, _ := tk.Com(Cancelar, agora)
	a, err := s.Trocar(t.Context(), a)
	if err != nil || a.Versao != 2 {
		t.Fatalf("want version 2, got %+v, %v", a, err)
	}
	if _, err := s.Trocar(t.Context(), b); !errors.Is(err, ErrConflito) {
		t.Errorf("a change of an old version: want ErrConflito, got %v", err)
	}
	if got, _ := s.Ler(t.Context(), tk.ID); got.Estado != a2a.TaskStateWorking {
		t.Errorf("the losing change was stored: %s", got.Estado)
	}
	if _, err := s.Ler(t.Context(), "x"); !errors.Is(err, ErrNaoExiste) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := s.Trocar(t.Context(), &Tarefa{ID: "x"}); !errors.Is(err, ErrNaoExiste) {
		t.Errorf("unknown: %v", err)
	}
}

func TestMemoriaUmSoGanha(t *testing.T) {
	s := NovaMemoria(10, 1<<30)
	tk := criar(t, s, "")
	var wg sync.WaitGroup
	wins := make(chan bool, 64)
	for range 64 {
		wg.Go(func() {
			n, _ := tk.Com(Iniciar, agora)
			_, err := s.Trocar(context.Background(), n)
			wins <- err == nil
		})
	}
	wg.Wait()
	close(wins)
	n := 0
	for w := range wins {
		if w {
			n++
		}
	}
	if n != 1 {
		t.Errorf("want one winner, got %d", n)
	}
}

// Past the limit what ended first goes first; open Tasks stay, and when there
// are only such, a new one is refused and nothing is lost.
func TestMemoriaTemLimite(t *testing.T) {
	s := NovaMemoria(3, 1<<30)
	a, b, c := criar(t, s, ""), criar(t, s, ""), criar(t, s, "")
	if _, err := s.Criar(t.Context(), Nova(mensagem("m", "x"), "", agora)); !errors.Is(err, ErrCheia) {
		t.Fatalf("want ErrCheia, got %v", err)
	}
	terminar(t, s, c)
	terminar(t, s, a)
	d := criar(t, s, "")
	existe := func(tk *Tarefa) bool { _, err := s.Ler(t.Context(), tk.ID); return err == nil }
	if existe(c) || !existe(a) || !existe(b) || !existe(d) {
		t.Error("c ended first and should have been forgotten, alone")
	}
	criar(t, s, "")
	if existe(a) || !existe(b) {
		t.Error("then a")
	}
	if conferir(t, s); len(s.byID) != 3 || s.ended.primeira() != 0 {
		t.Errorf("something is left over: %d Tasks", len(s.byID))
	}
}

// A context is found by its text alone, also when somebody spells what stands for
// another one as a UUID.
func TestMemoriaNaoConfundeContextos(t *testing.T) {
	s := NovaMemoria(10, 1<<30)
	criar(t, s, "conversa-1")
	h := sha256.Sum256([]byte("conversa-1"))
	id, err := uuid.FromBytes(h[:16])
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.Listar(t.Context(), Filtro{Contexto: id.String(), Limite: 10}); err != nil || p.Total != 0 {
		t.Errorf("the context %s has no Task, got %d (%v)", id, p.Total, err)
	}
	if p, err := s.Listar(t.Context(), Filtro{Contexto: "conversa-1", Limite: 10}); err != nil || p.Total != 1 {
		t.Errorf("want the one Task of the context, got %d (%v)", p.Total, err)
	}
}

func TestMemoriaLista(t *testing.T) {
	s := NovaMemoria(100, 1<<30)
	if p, err := s.Listar(t.Context(), Filtro{Limite: 10}); err != nil || p.Tarefas == nil || len(p.Tarefas) != 0 || p.Marcador != "" {
		t.Errorf("empty: want an empty list, got %+v, %v", p, err)
	}
	var ids []string
	for i := range 7 {
		ids = append(ids, criar(t, s, fmt.Sprint("ctx", i%2)).ID)
	}
	primeiro, _ := s.Ler(t.Context(), ids[0])
	terminar(t, s, primeiro) // now the last changed
	want := []string{ids[0], ids[6], ids[5], ids[4], ids[3], ids[2], ids[1]}
	var got []string
	f := Filtro{Limite: 3}
	for {
		p, err := s.Listar(t.Context(), f)
		if err != nil || p.Total != 7 {
			t.Fatalf("page: %+v, %v", p, err)
		}
		for _, tk := range p.Tarefas {
			got = append(got, tk.ID)
		}
		if f.Marcador = p.Marcador; f.Marcador == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("want the last changed first:\n%v\ngot\n%v", want, got)
	}
	for nome, c := range map[string]struct {
		f    Filtro
		want int
	}{
		"context": {Filtro{Contexto: "ctx0"}, 4},
		"state":   {Filtro{Estado: a2a.TaskStateCanceled}, 1},
		"both":    {Filtro{Contexto: "ctx1", Estado: a2a.TaskStateCanceled}, 0},
		"since":   {Filtro{Desde: instante(agora)}, 7},
		"later":   {Filtro{Desde: agora.Add(time.Second)}, 0},
		"until":   {Filtro{Ate: instante(agora)}, 0},
		"earlier": {Filtro{Ate: agora}, 7},
	} {
		c.f.Limite = 50
		if p, err := s.Listar(t.Context(), c.f); err != nil || p.Total != c.want || len(p.Tarefas) != c.want {
			t.Errorf("%s: want %d, got %d of %d, %v", nome, c.want, len(p.Tarefas), p.Total, err)
		}
	}
	for _, mau := range []string{"!", "0", "-1", "zzzzzzzzzzzzzzzzzzzz"} {
		if _, err := s.Listar(t.Context(), Filtro{Limite: 1, Marcador: mau}); !errors.Is(err, ErrMarcador) {
			t.Errorf("token %q: want ErrMarcador, got %v", mau, err)
		}
	}
}

func BenchmarkMemoriaCiclo(b *testing.B) {
	s := NovaMemoria(1000, 1<<30)
	m := mensagem("m", "pedido")
	b.ReportAllocs()
	for b.Loop() {
		t, _ := s.Criar(b.Context(), Nova(m, "", agora))
		t, _ = t.Com(Iniciar, agora)
		t, _ = s.Trocar(b.Context(), t)
		t, _ = t.Com(Concluir, agora)
		if _, err := s.Trocar(b.Context(), t.Dizendo("fim")); err != nil {
			b.Fatal(err)
		}
	}
}
