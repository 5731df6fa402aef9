package conforme

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

func avisosReivindicar(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	nadaAContar(t, s, agora, "empty")
	avisar(t, s, umAviso(tk, "a"))
	nova(t, s, "") // a Task without a config has nobody to tell
	nadaAContar(t, s, agora, "nothing changed")
	// Steps that follow each other are told as one: the Task as it stands.
	tk = andar(t, s, tk)
	tk = passar(t, s, tk, agora, tarefa.Iniciar, tarefa.Pausar)
	tk = guardar(t, s, tk.Pausando(&tarefa.Pausa{RequestState: "e"}).Dizendo("linha").Produzindo(&a2a.Artifact{ID: "a", Parts: a2a.ContentParts{a2a.NewTextPart("x")}}))
	p := reivindicado(t, as.outro(), agora, agora.Add(time.Minute))
	iguais(t, p.Tarefa, tk)
	want := umAviso(tk, "a")
	want.Entregue, want.Proxima, want.Vez = 1, agora.Add(time.Minute), p.Vez
	if !reflect.DeepEqual(p.Aviso, want) {
		t.Errorf("claimed:\n got %+v\nwant %+v", p.Aviso, want)
	}
	want.Vez = 0
	conferirAvisos(t, s, tk.ID, want)
	iguais(t, lida(t, s, tk.ID), tk)
}

// Nobody takes what is claimed before the claim ends, also when the Task goes on
// meanwhile; then anybody does, with the Task as it stands.
func avisosReivindicacaoVence(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	tk = andar(t, s, tk)
	ate := agora.Add(time.Minute)
	a := reivindicado(t, s, agora, ate)
	tk = andar(t, s, tk)
	for _, s := range as {
		nadaAContar(t, s, agora, "claimed")
		nadaAContar(t, s, ate.Add(-time.Millisecond), "still claimed")
		if ps := reivindicar(t, s, []string{tk.ID}, agora, ate, 9); len(ps) != 0 {
			t.Errorf("claimed, and looked at by name: got %+v", ps)
		}
	}
	b := reivindicado(t, as.outro(), ate, ate.Add(time.Minute))
	if b.Vez == a.Vez || b.Tarefa.Versao != tk.Versao || b.Tentativas != 0 || b.Entregue != 1 {
		t.Errorf("want a claim of its own and the Task as it stands, got %+v after %+v", b, a)
	}
	nadaAContar(t, s, ate, "claimed again")
}

// The earliest Proxima goes before others, and there are never more than n.
func avisosQuantosEQuais(t *testing.T, as agentes) {
	s := as.um()
	var tks []*tarefa.Tarefa
	for range 6 {
		tk := nova(t, s, "")
		avisar(t, s, umAviso(tk, "a"))
		tks = append(tks, andar(t, s, tk))
	}
	// Each may go on a second before the one that is older; the last one at once.
	for _, p := range reivindicar(t, s, nil, agora, agora.Add(time.Hour), 6) {
		proxima := time.Time{}
		if i := slices.IndexFunc(tks, func(tk *tarefa.Tarefa) bool { return tk.ID == p.TaskID }); i < 5 {
			proxima = agora.Add(time.Duration(-i-1) * time.Second)
		}
		anotar(t, s, falhou(p, proxima))
	}
	for _, n := range []int{0, -1} {
		for _, so := range [][]string{nil, {tks[0].ID}} {
			if ps := reivindicar(t, s, so, agora, agora.Add(time.Hour), n); len(ps) != 0 {
				t.Errorf("n = %d: got %d", n, len(ps))
			}
		}
	}
	todas := ids(tks)
	for _, c := range []struct {
		so   []string
		n    int
		want []int
	}{
		{nil, 1, []int{5}},
		{todas, 1, []int{4}},
		{nil, 2, []int{3, 2}},
		{todas, 1, []int{1}},
		{nil, 9, []int{0}},
	} {
		var got, want []string
		for _, p := range reivindicar(t, s, c.so, agora, agora.Add(time.Hour), c.n) {
			got = append(got, p.TaskID)
		}
		for _, i := range c.want {
			want = append(want, tks[i].ID)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("at most %d: want %v, got %v", c.n, want, got)
		}
	}
}

func avisosSoAlgumas(t *testing.T, as agentes) {
	s := as.um()
	var tks []*tarefa.Tarefa
	for range 5 {
		tk := nova(t, s, "")
		avisar(t, s, umAviso(tk, "a"), umAviso(tk, "b"))
		tks = append(tks, andar(t, s, tk))
	}
	quieta, sem := nova(t, s, ""), nova(t, s, "")
	avisar(t, s, umAviso(quieta, "a"))
	conferir := func(n, want int, ids ...string) {
		t.Helper()
		ps := reivindicar(t, s, append([]string{}, ids...), agora, agora.Add(time.Hour), n)
		if len(ps) != want {
			t.Errorf("%d of %v: want %d, got %+v", n, ids, want, ps)
		}
		for i, p := range ps {
			if !slices.Contains(ids, p.TaskID) || i > 0 && ps[i-1].TaskID == p.TaskID && ps[i-1].ID == p.ID {
				t.Errorf("%s of %s was not asked for, or is there twice", p.ID, p.TaskID)
			}
		}
	}
	conferir(9, 0)
	conferir(9, 0, quieta.ID, sem.ID, "x", "", "a\x00", "\xff", `"`, "%")
	conferir(9, 2, tks[0].ID, tks[0].ID, "x")
	conferir(9, 0, tks[0].ID)
	conferir(3, 3, tks[1].ID, quieta.ID, tks[2].ID)
	conferir(3, 1, tks[1].ID, quieta.ID, tks[2].ID)
	if n := len(reivindicar(t, s, nil, agora, agora.Add(time.Hour), 99)); n != 4 {
		t.Errorf("want the 4 others left, got %d", n)
	}
}
