package tarefa

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	for range 8 {
		if _, err := s.Criar(t.Context(), Nova(mensagem("m", strings.Repeat("x", 10<<10)), "", agora)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Criar(t.Context(), Nova(mensagem("m", strings.Repeat("x", 10<<10)), "", agora)); !errors.Is(err, ErrCheia) {
		t.Errorf("full of open tasks: want ErrCheia, got %v", err)
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
