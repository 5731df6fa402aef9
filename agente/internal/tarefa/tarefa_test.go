package tarefa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

var agora = time.Date(2026, 11, 3, 12, 0, 0, 123456789, time.FixedZone("x", -3*3600))

func mensagem(id, texto string) *a2a.Message {
	return &a2a.Message{ID: id, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(texto)}}
}

// The whole product of states and events: what is not in the table is refused
// with a typed error and changes nothing.
func TestTransicoes(t *testing.T) {
	const S, W, I = a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateInputRequired
	const C, F, X, R = a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled, a2a.TaskStateRejected
	permitido := map[string]a2a.TaskState{
		fmt.Sprint(S, Iniciar): W, fmt.Sprint(S, Rejeitar): R, fmt.Sprint(S, Falhar): F, fmt.Sprint(S, Cancelar): X,
		fmt.Sprint(W, Rejeitar): R, fmt.Sprint(W, Pausar): I, fmt.Sprint(W, Concluir): C, fmt.Sprint(W, Falhar): F, fmt.Sprint(W, Cancelar): X,
		fmt.Sprint(I, Insistir): I, fmt.Sprint(I, Retomar): W, fmt.Sprint(I, Falhar): F, fmt.Sprint(I, Cancelar): X,
	}
	for _, estado := range []a2a.TaskState{a2a.TaskStateUnspecified, S, W, I, C, F, X, R, a2a.TaskStateAuthRequired} {
		for e := Iniciar; e <= Cancelar; e++ {
			novo, err := Proximo(estado, e)
			want, ok := permitido[fmt.Sprint(estado, e)]
			var impossivel *TransicaoError
			switch {
			case ok && (err != nil || novo != want):
				t.Errorf("%s in %s: want %s, got %s, %v", e, estado, want, novo, err)
			case !ok && (!errors.As(err, &impossivel) || novo != estado):
				t.Errorf("%s in %s: want a refusal, got %s, %v", e, estado, novo, err)
			}
		}
		if estado.Terminal() && !Parada(estado) {
			t.Errorf("%s ends a wait", estado)
		}
	}
	if !Parada(I) || Parada(W) || Parada(S) {
		t.Error("an interrupted state ends a wait, work does not")
	}
}

func TestHistoricoEInstantaneos(t *testing.T) {
	t0 := Nova(mensagem("m1", "pedir"), "00-trace", agora)
	if t0.ID == "" || t0.Contexto == "" || t0.Estado != a2a.TaskStateSubmitted {
		t.Fatalf("new task: %+v", t0)
	}
	if t0.Mudada.Location() != time.UTC || t0.Mudada.Nanosecond() != 123_000_000 {
		t.Errorf("want UTC to the millisecond, got %v", t0.Mudada)
	}
	if m := t0.Historico[0]; m.TaskID != a2a.TaskID(t0.ID) || m.ContextID != t0.Contexto {
		t.Errorf("the stored message belongs to the task: %+v", m)
	}
	t1, err := t0.Com(Iniciar, agora)
	if err != nil {
		t.Fatal(err)
	}
	t2, _ := t1.Com(Pausar, agora)
	t2 = t2.Pausando(&Pausa{RequestState: "segredo"}).Dizendo("linha", "mais")
	t3, _ := t2.Ouvindo(mensagem("m2", "resposta"), "r2").Com(Retomar, agora)
	t4, _ := t3.Com(Concluir, agora)
	t4 = t4.Dizendo("fim").Produzindo(&a2a.Artifact{ID: "a"})
	got := ""
	for _, m := range t4.Historico {
		got += string(m.Role) + ":" + m.Parts[0].Text() + " "
	}
	if got != "ROLE_USER:pedir ROLE_AGENT:linha ROLE_USER:resposta ROLE_AGENT:fim " {
		t.Errorf("history: %s", got)
	}
	if t4.Palavra != t4.Historico[3] || t4.Pausa != nil || t3.Pausa == nil || t3.Palavra != nil {
		t.Error("the last word is in the history; a claim keeps the pause, an end drops it")
	}
	if len(t0.Historico) != 1 || len(t2.Historico) != 2 || len(t3.Artefatos) != 0 {
		t.Error("an earlier snapshot changed")
	}
	if !t4.JaOuviu("m1") || !t4.JaOuviu("m2") || t4.JaOuviu(t4.Palavra.ID) || t4.JaOuviu("") {
		t.Error("only the caller's messages count as heard")
	}
	raw, _ := json.Marshal(t2.A2A(-1, true))
	if strings.Contains(string(raw), "segredo") {
		t.Errorf("the pause leaves through A2A: %s", raw)
	}
	for n, want := range map[int]int{-1: 4, 0: 0, 1: 1, 3: 3, 9: 4} {
		if h := t4.A2A(n, false).History; len(h) != want || want > 0 && h[want-1] != t4.Palavra {
			t.Errorf("history of %d: want the last %d, got %d", n, want, len(h))
		}
	}
	if t4.A2A(-1, false).Artifacts != nil || len(t4.A2A(-1, true).Artifacts) != 1 {
		t.Error("artifacts only when asked for")
	}
}

func TestHistoricoTemLimite(t *testing.T) {
	tk, _ := Nova(mensagem("m0", "pedido"), "", agora).Com(Iniciar, agora)
	tk, _ = tk.Com(Pausar, agora)
	tk = tk.Dizendo("linha")
	for i := range MaxHistorico {
		tk = tk.Ouvindo(mensagem(fmt.Sprint("r", i), "nada"), "")
		tk, _ = tk.Com(Insistir, agora)
		tk = tk.Dizendo(fmt.Sprint("linha ", i))
	}
	if len(tk.Historico) > MaxHistorico || tk.Historico[0].ID != "m0" || tk.Historico[len(tk.Historico)-1] != tk.Palavra {
		t.Errorf("want at most %d messages with the first and the last, got %d", MaxHistorico, len(tk.Historico))
	}
	for i, m := range tk.Historico {
		if want := []a2a.MessageRole{a2a.MessageRoleUser, a2a.MessageRoleAgent}[i%2]; m.Role != want {
			t.Fatalf("message %d: want %s, got %s", i, want, m.Role)
		}
	}
}

// The text of a conversation is bounded as well as its messages, and what a
// store holds by bytes.
func TestTextoTemLimite(t *testing.T) {
	tk, _ := Nova(mensagem("m0", "pedido"), "", agora).Com(Iniciar, agora)
	tk, _ = tk.Com(Pausar, agora)
	tk = tk.Dizendo("linha")
	for i := range 50 {
		tk = tk.Ouvindo(mensagem(fmt.Sprint("r", i), strings.Repeat("x", 64<<10)), "").Dizendo("linha")
	}
	if n := tk.Tamanho(); n > MaxTexto+128<<10 || tk.Historico[0].ID != "m0" || tk.Historico[len(tk.Historico)-2].ID != "r49" {
		t.Errorf("want about %d bytes with the first and the last message, got %d", MaxTexto, n)
	}
	s := NovaMemoria(1000, 100<<10)
	var ids []string
	for range 20 {
		novo, err := s.Criar(t.Context(), Nova(mensagem("m", strings.Repeat("x", 10<<10)), "", agora))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, terminar(t, s, novo).ID)
	}
	if s.bytes > 100<<10 || len(s.byID) != 9 {
		t.Errorf("want what fits in 100 KiB, got %d tasks of %d bytes", len(s.byID), s.bytes)
	}
	if _, err := s.Ler(t.Context(), ids[19]); err != nil {
		t.Error("the last one is gone")
	}
	for range 9 {
		if _, err := s.Criar(t.Context(), Nova(mensagem("m", strings.Repeat("x", 10<<10)), "", agora)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Criar(t.Context(), Nova(mensagem("m", strings.Repeat("x", 10<<10)), "", agora)); !errors.Is(err, ErrCheia) {
		t.Errorf("full of open tasks: want ErrCheia, got %v", err)
	}
}

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

func TestEstadosDaTask(t *testing.T) {
	tk, _ := Nova(mensagem("m0", "pedido"), "", agora).Com(Iniciar, agora)
	for i := range maxEstados + 5 {
		tk = tk.Pausando(&Pausa{RequestState: fmt.Sprint("e", i)}).Pausando(&Pausa{RequestState: fmt.Sprint("e", i)})
	}
	if n := len(tk.Estados); n != maxEstados || tk.Estados[n-1] != fmt.Sprint("e", maxEstados+4) {
		t.Errorf("want the last %d, each once, got %v", maxEstados, tk.Estados)
	}
	if fim, _ := tk.Com(Falhar, agora); fim.Estados != nil {
		t.Error("an ended task needs none")
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
	if s.recent.Len() != 3 || len(s.byID) != 3 || s.ended.Len() != 0 {
		t.Errorf("something is left over: %d %d %d", s.recent.Len(), len(s.byID), s.ended.Len())
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
