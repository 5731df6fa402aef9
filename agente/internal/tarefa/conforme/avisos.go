package conforme

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Loja is a store with configs beside its Tasks.
type Loja interface {
	tarefa.Store
	tarefa.Avisos
}

// TestarAvisos runs the suite of [tarefa.Avisos]. abrir makes an empty store and
// returns it as each of its agents sees it, at least one; it is given up when
// its test ends.
func TestarAvisos(t *testing.T, abrir func(t *testing.T) []Loja) {
	for _, c := range []struct {
		nome string
		f    func(*testing.T, agentes)
	}{
		{"guardar e listar", avisosGuardar},
		{"substituir", avisosSubstituir},
		{"no maximo", avisosNoMaximo},
		{"apagar", avisosApagar},
		{"somem com a task", avisosSomem},
		{"tasks que nao existem", avisosSemTask},
		{"textos", avisosTextos},
		{"reivindicar", avisosReivindicar},
		{"reivindicacao vence", avisosReivindicacaoVence},
		{"quantos e quais", avisosQuantosEQuais},
		{"so algumas tasks", avisosSoAlgumas},
		{"anotar", avisosAnotar},
		{"anotar o que mudou", avisosAnotarOQueMudou},
		{"anotar tarde", avisosAnotarTarde},
		{"task terminada", avisosTaskTerminada},
		{"milissegundos", avisosMilissegundos},
		{"um so reivindica", avisosUmSoReivindica},
		{"guardar enquanto muda", avisosGuardarEnquantoMuda},
		{"tudo e contado", avisosTudoEContado},
		{"contexto cancelado", avisosContextoCancelado},
	} {
		t.Run(c.nome, func(t *testing.T) { c.f(t, abrir(t)) })
	}
}

// agentes are the same store, once for each agent.
type agentes []Loja

// um is any of them.
func (a agentes) um() Loja { return a[0] }

// outro is another one than um, if there is one.
func (a agentes) outro() Loja { return a[len(a)-1] }

func umAviso(tk *tarefa.Tarefa, id string) tarefa.Aviso {
	return tarefa.Aviso{TaskID: tk.ID, ID: id, URL: "https://example.com/" + id, Token: "t" + id, Esquema: "Bearer", Credenciais: "c" + id}
}

func avisar(t *testing.T, s tarefa.Avisos, avisos ...tarefa.Aviso) {
	t.Helper()
	for _, a := range avisos {
		if err := s.GuardarAviso(t.Context(), a); err != nil {
			t.Fatalf("GuardarAviso: %v", err)
		}
	}
}

// andar stores the next version of a Task, whatever it is.
func andar(t *testing.T, s tarefa.Store, tk *tarefa.Tarefa) *tarefa.Tarefa {
	t.Helper()
	return guardar(t, s, tk.AtePrazo(tk.Mudada.Add(time.Duration(tk.Versao)*time.Second)))
}

// avisosDe lists the configs of a Task, without what the store alone knows.
func avisosDe(t *testing.T, s tarefa.Avisos, id string) []tarefa.Aviso {
	t.Helper()
	avisos, err := s.ListarAvisos(t.Context(), id)
	if err != nil {
		t.Fatalf("ListarAvisos: %v", err)
	}
	for i := range avisos {
		avisos[i].Vez = 0
	}
	return avisos
}

func conferirAvisos(t *testing.T, s tarefa.Avisos, id string, want ...tarefa.Aviso) {
	t.Helper()
	if got := avisosDe(t, s, id); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("configs:\n got %+v\nwant %+v", got, want)
	}
}

func reivindicar(t *testing.T, s tarefa.Avisos, tarefas []string, quando, ate time.Time, n int) []tarefa.Pendente {
	t.Helper()
	ps, err := s.ReivindicarAvisos(t.Context(), tarefas, quando, ate, n)
	if err != nil {
		t.Fatalf("ReivindicarAvisos: %v", err)
	}
	for _, p := range ps {
		if !p.Proxima.Equal(ate) || p.Tarefa == nil || p.Tarefa.ID != p.TaskID {
			t.Fatalf("want a claim until %v with its Task, got %+v", ate, p)
		}
	}
	slices.SortFunc(ps, func(x, y tarefa.Pendente) int {
		return cmp.Or(strings.Compare(x.TaskID, y.TaskID), strings.Compare(x.ID, y.ID))
	})
	return ps
}

// reivindicado claims the one config that has something to tell.
func reivindicado(t *testing.T, s tarefa.Avisos, quando, ate time.Time) tarefa.Pendente {
	t.Helper()
	ps := reivindicar(t, s, nil, quando, ate, 10)
	if len(ps) != 1 {
		t.Fatalf("want one config claimed, got %d", len(ps))
	}
	return ps[0]
}

func nadaAContar(t *testing.T, s tarefa.Avisos, quando time.Time, porque string) {
	t.Helper()
	if ps := reivindicar(t, s, nil, quando, quando.Add(time.Hour), 10); len(ps) != 0 {
		t.Errorf("%s: want nothing to tell, got %+v", porque, ps)
	}
}

func anotar(t *testing.T, s tarefa.Avisos, a tarefa.Aviso) {
	t.Helper()
	if err := s.AnotarAviso(t.Context(), a); err != nil {
		t.Fatalf("AnotarAviso: %v", err)
	}
}

// entregue is what is noted of a config whose receiver has heard.
func entregue(p tarefa.Pendente) tarefa.Aviso {
	a := p.Aviso
	a.Entregue, a.Tentativas, a.Proxima = p.Tarefa.Versao, 0, time.Time{}
	return a
}

// falhou is what is noted of an attempt that has failed.
func falhou(p tarefa.Pendente, proxima time.Time) tarefa.Aviso {
	a := p.Aviso
	a.Tentativas, a.Proxima = a.Tentativas+1, proxima
	return a
}

func avisosGuardar(t *testing.T, as agentes) {
	s := as.um()
	tk, outra := nova(t, s, ""), nova(t, s, "")
	conferirAvisos(t, s, tk.ID)
	tk = andar(t, s, tk)
	b, a, c := umAviso(tk, "b"), umAviso(tk, "a"), tarefa.Aviso{TaskID: tk.ID, ID: "c", URL: "u"}
	sujo := b
	sujo.Entregue, sujo.Tentativas, sujo.Proxima, sujo.Vez = 99, 7, agora.Add(time.Hour), 5
	avisar(t, s, sujo, a, c)
	// The store says how far the telling has come, not the caller.
	for _, x := range []*tarefa.Aviso{&a, &b, &c} {
		x.Entregue = 2
	}
	conferirAvisos(t, as.outro(), tk.ID, a, b, c)
	conferirAvisos(t, s, outra.ID)
	// The same id on another Task is another config.
	igual := umAviso(outra, "a")
	avisar(t, s, igual)
	igual.Entregue = 1
	conferirAvisos(t, s, outra.ID, igual)
	conferirAvisos(t, s, tk.ID, a, b, c)
	iguais(t, lida(t, s, tk.ID), tk)
}

// A config of the same id is replaced: with all that it has, told of nothing but
// what comes now, without the failures of the old one.
func avisosSubstituir(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"), umAviso(tk, "b"))
	tk = andar(t, s, tk)
	for _, p := range reivindicar(t, s, nil, agora, agora.Add(time.Minute), 10) {
		anotar(t, s, falhou(p, agora.Add(time.Hour)))
	}
	novo := tarefa.Aviso{TaskID: tk.ID, ID: "a", URL: "outra"}
	avisar(t, as.outro(), novo)
	novo.Entregue = 2
	velho := umAviso(tk, "b")
	velho.Entregue, velho.Tentativas, velho.Proxima = 1, 1, agora.Add(time.Hour)
	conferirAvisos(t, s, tk.ID, novo, velho)
	nadaAContar(t, s, agora, "replaced")
	andar(t, s, tk)
	if p := reivindicado(t, s, agora, agora.Add(time.Minute)); p.ID != "a" || p.URL != "outra" || p.Token != "" {
		t.Errorf("want the new one, and at once, got %+v", p)
	}
}

func avisosNoMaximo(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	for i := range tarefa.MaxAvisos {
		avisar(t, s, umAviso(tk, fmt.Sprint(i)))
	}
	antes := avisosDe(t, s, tk.ID)
	if err := s.GuardarAviso(t.Context(), umAviso(tk, "mais")); !errors.Is(err, tarefa.ErrMuitosAvisos) {
		t.Errorf("one more: want ErrMuitosAvisos, got %v", err)
	}
	conferirAvisos(t, s, tk.ID, antes...)
	avisar(t, s, umAviso(tk, "3"), umAviso(nova(t, s, ""), "mais"))
	if err := s.ApagarAviso(t.Context(), tk.ID, "0"); err != nil {
		t.Fatal(err)
	}
	avisar(t, s, umAviso(tk, "mais"))

	// Many at once are not more.
	tk = nova(t, s, "")
	var wg sync.WaitGroup
	for i := range 3 * tarefa.MaxAvisos {
		wg.Go(func() {
			err := as[i%len(as)].GuardarAviso(t.Context(), umAviso(tk, fmt.Sprint(i)))
			if err != nil && !errors.Is(err, tarefa.ErrMuitosAvisos) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(avisosDe(t, s, tk.ID)); n != tarefa.MaxAvisos {
		t.Errorf("want %d, got %d", tarefa.MaxAvisos, n)
	}
}

func avisosApagar(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"), umAviso(tk, "b"))
	andar(t, s, tk)
	for range 2 { // the second time it is dropped already
		if err := as.outro().ApagarAviso(t.Context(), tk.ID, "a"); err != nil {
			t.Fatal(err)
		}
	}
	b := umAviso(tk, "b")
	b.Entregue = 1
	conferirAvisos(t, s, tk.ID, b)
	if p := reivindicado(t, s, agora, agora.Add(time.Minute)); p.ID != "b" {
		t.Errorf("what was dropped is told: %+v", p)
	}
	if err := s.ApagarAviso(t.Context(), tk.ID, "b"); err != nil {
		t.Fatal(err)
	}
	conferirAvisos(t, s, tk.ID)
	nadaAContar(t, s, agora.Add(time.Hour), "all dropped")
}

func avisosSomem(t *testing.T, as agentes) {
	s := as.um()
	vai, fica := nova(t, s, ""), nova(t, s, "")
	avisar(t, s, umAviso(vai, "a"), umAviso(vai, "b"), umAviso(fica, "a"))
	passar(t, s, vai, agora, tarefa.Cancelar)
	p := reivindicar(t, s, nil, agora, agora.Add(time.Minute), 1)[0]
	if n, err := as.outro().Esquecer(t.Context(), agora.Add(time.Second)); n != 1 || err != nil {
		t.Fatalf("want 1 forgotten, got %d, %v", n, err)
	}
	if _, err := s.ListarAvisos(t.Context(), vai.ID); !errors.Is(err, tarefa.ErrNaoExiste) {
		t.Errorf("want ErrNaoExiste, got %v", err)
	}
	nadaAContar(t, s, agora.Add(time.Hour), "the Task is gone")
	anotar(t, s, entregue(p))
	if n := len(avisosDe(t, s, fica.ID)); n != 1 {
		t.Errorf("want the other Task's config left, got %d", n)
	}
}

func avisosSemTask(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	for _, id := range []string{"", "x", "a", "%", "'; DROP TABLE avisos; --", "a\x00b", "\x00", "\xff\xfe", "ção"} {
		if err := s.GuardarAviso(t.Context(), tarefa.Aviso{TaskID: id, ID: "a"}); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("GuardarAviso %q: want ErrNaoExiste, got %v", id, err)
		}
		if _, err := s.ListarAvisos(t.Context(), id); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("ListarAvisos %q: want ErrNaoExiste, got %v", id, err)
		}
		if err := s.ApagarAviso(t.Context(), id, "a"); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("ApagarAviso %q: want ErrNaoExiste, got %v", id, err)
		}
		anotar(t, s, tarefa.Aviso{TaskID: id, ID: "a"})
		if ps := reivindicar(t, s, []string{id}, agora, agora.Add(time.Minute), 9); len(ps) != 0 {
			t.Errorf("ReivindicarAvisos %q: got %+v", id, ps)
		}
	}
	if n := len(avisosDe(t, s, tk.ID)); n != 1 {
		t.Errorf("want the config left, got %d", n)
	}
}

// Whatever text a config has, it comes back, and its id is a name of its own.
func avisosTextos(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	ids := []string{"", "\x00", " ", "%", "a", "a ", "a\x00", "A", "ção", strings.Repeat("x", 5000)}
	var want []tarefa.Aviso
	for i, id := range ids {
		a := tarefa.Aviso{TaskID: tk.ID, ID: id, URL: "u\x00\n" + id, Token: strings.Repeat("t", i*1000), Esquema: "\"<é>\"", Credenciais: "\x01"}
		avisar(t, s, a)
		a.Entregue = 1
		want = append(want, a)
	}
	slices.SortFunc(want, func(a, b tarefa.Aviso) int { return strings.Compare(a.ID, b.ID) })
	conferirAvisos(t, as.outro(), tk.ID, want...)
	for _, id := range ids {
		if err := s.ApagarAviso(t.Context(), tk.ID, id); err != nil {
			t.Error(err)
		}
	}
	conferirAvisos(t, s, tk.ID)
}

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

func avisosAnotar(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"), umAviso(tk, "b"))
	tk = andar(t, s, tk)
	ps := reivindicar(t, s, nil, agora, agora.Add(time.Minute), 10)

	// A failure keeps what is to be told, until Proxima. Nothing else of it is
	// stored.
	f := falhou(ps[0], agora.Add(time.Hour))
	f.URL, f.Token, f.Esquema, f.Credenciais = "x", "x", "x", "x"
	anotar(t, s, f)
	anotar(t, as.outro(), entregue(ps[1]))
	a, b := umAviso(tk, "a"), umAviso(tk, "b")
	a.Entregue, a.Tentativas, a.Proxima = 1, 1, agora.Add(time.Hour)
	b.Entregue = 2
	conferirAvisos(t, s, tk.ID, a, b)
	nadaAContar(t, s, agora.Add(time.Hour-time.Millisecond), "waiting after a failure, and told")

	p := reivindicado(t, s, agora.Add(time.Hour), agora.Add(2*time.Hour))
	if p.ID != "a" || p.Tentativas != 1 || p.Entregue != 1 || p.Tarefa.Versao != 2 {
		t.Errorf("want the one that failed, got %+v", p)
	}
	// An end of the claim without an outcome: at once.
	livre := p.Aviso
	livre.Proxima = time.Time{}
	anotar(t, s, livre)
	p = reivindicado(t, s, agora, agora.Add(time.Hour))
	anotar(t, s, entregue(p))
	nadaAContar(t, s, agora.Add(9*time.Hour), "all told")

	// The next change is told to both.
	andar(t, s, tk)
	ps = reivindicar(t, s, nil, agora, agora.Add(time.Minute), 10)
	if len(ps) != 2 || ps[0].Tentativas != 0 || ps[0].Tarefa.Versao != 3 {
		t.Errorf("want both told of version 3, got %+v", ps)
	}
}

// What changed between the claim and the note is to be told still, from Proxima
// on.
func avisosAnotarOQueMudou(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	tk = andar(t, s, tk)
	p := reivindicado(t, s, agora, agora.Add(time.Hour))
	tk = andar(t, as.outro(), tk)
	anotar(t, s, entregue(p))
	p = reivindicado(t, s, agora, agora.Add(time.Hour))
	if p.Entregue != 2 || p.Tarefa.Versao != 3 {
		t.Errorf("want version 3 told after 2, got %+v", p)
	}
	tk = passar(t, s, tk, agora, tarefa.Cancelar) // the last change too
	e := entregue(p)
	e.Proxima = agora.Add(time.Second)
	anotar(t, s, e)
	nadaAContar(t, s, agora, "not before Proxima")
	p = reivindicado(t, s, agora.Add(time.Second), agora.Add(time.Hour))
	if p.Tarefa.Versao != tk.Versao {
		t.Errorf("want the end told, got %+v", p)
	}
	anotar(t, s, entregue(p))
	nadaAContar(t, s, agora.Add(9*time.Hour), "the end is told")
}

// A note that comes too late changes nothing: the config is gone, was replaced,
// or is in somebody else's hands.
func avisosAnotarTarde(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	tk = andar(t, s, tk)
	ate := agora.Add(time.Minute)
	notas := func(p tarefa.Pendente) {
		t.Helper()
		antes := avisosDe(t, s, tk.ID)
		for _, s := range as {
			for _, nota := range []tarefa.Aviso{entregue(p), falhou(p, time.Time{}), falhou(p, agora.Add(9*time.Hour))} {
				anotar(t, s, nota)
				conferirAvisos(t, s, tk.ID, antes...)
			}
		}
	}
	// Claimed by somebody else.
	velha := reivindicado(t, s, agora, ate)
	p := reivindicado(t, as.outro(), ate, ate.Add(time.Minute))
	notas(velha)
	nadaAContar(t, s, ate, "claimed by the other one")

	// Noted already.
	anotar(t, s, falhou(p, time.Time{}))
	notas(p)

	// Replaced, by another one and by one that is the same.
	p = reivindicado(t, s, agora, ate)
	novo := umAviso(tk, "a")
	novo.URL = "outra"
	avisar(t, s, novo)
	notas(p)
	tk = andar(t, s, tk)
	p = reivindicado(t, s, agora, ate)
	avisar(t, s, novo)
	notas(p)
	novo.Entregue = tk.Versao
	conferirAvisos(t, s, tk.ID, novo)

	// Dropped, and there again.
	tk = andar(t, s, tk)
	p = reivindicado(t, s, agora, ate)
	if err := s.ApagarAviso(t.Context(), tk.ID, "a"); err != nil {
		t.Fatal(err)
	}
	notas(p)
	avisar(t, s, novo)
	notas(p)
	tk = andar(t, s, tk)
	p2 := reivindicado(t, s, agora, ate)
	notas(p)
	anotar(t, s, entregue(p2))
	novo.Entregue = tk.Versao
	conferirAvisos(t, s, tk.ID, novo)
}

// A Task that has ended is told to whoever did not hear, and a config that it
// is given then has nothing to tell.
func avisosTaskTerminada(t *testing.T, as agentes) {
	s := as.um()
	for _, e := range []tarefa.Evento{tarefa.Cancelar, tarefa.Falhar, tarefa.Rejeitar} {
		tk := nova(t, s, "")
		avisar(t, s, umAviso(tk, "a"))
		tk = passar(t, s, tk, agora, e)
		avisar(t, s, umAviso(tk, "tarde"))
		p := reivindicado(t, as.outro(), agora, agora.Add(time.Minute))
		if p.ID != "a" || !p.Tarefa.Estado.Terminal() {
			t.Fatalf("%s: want the end told to the first, got %+v", e, p)
		}
		anotar(t, s, falhou(p, agora))
		p = reivindicado(t, s, agora, agora.Add(time.Minute))
		anotar(t, s, entregue(p))
		nadaAContar(t, s, agora.Add(time.Hour), "the end is told")
		if ps := reivindicar(t, s, []string{tk.ID}, agora.Add(time.Hour), agora.Add(2*time.Hour), 9); len(ps) != 0 {
			t.Errorf("%s: got %+v", e, ps)
		}
		// They are there as long as the Task is.
		a, tarde := umAviso(tk, "a"), umAviso(tk, "tarde")
		a.Entregue, tarde.Entregue = tk.Versao, tk.Versao
		conferirAvisos(t, s, tk.ID, a, tarde)
	}
}

// Instants are kept to the millisecond; what is asked for may be finer.
func avisosMilissegundos(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	andar(t, s, tk)
	fino := agora.Add(400 * time.Microsecond).In(time.FixedZone("x", 3600))
	ps, err := s.ReivindicarAvisos(t.Context(), nil, fino, fino.Add(time.Second), 1)
	if err != nil || len(ps) != 1 || !ps[0].Proxima.Equal(agora.Add(time.Second)) || ps[0].Proxima.Location() != time.UTC {
		t.Fatalf("want it claimed to the millisecond, in UTC, got %+v, %v", ps, err)
	}
	anotar(t, s, falhou(ps[0], fino.Add(2*time.Second)))
	if got := avisosDe(t, s, tk.ID)[0].Proxima; got != agora.Add(2*time.Second) {
		t.Errorf("want the millisecond, in UTC, got %v", got)
	}
	nadaAContar(t, s, agora.Add(2*time.Second-1), "just before")
	reivindicado(t, s, agora.Add(2*time.Second), agora.Add(time.Hour))
}

// Of many that claim at once each config falls to one, also when each takes a
// few at a time and some look for some Tasks only.
func avisosUmSoReivindica(t *testing.T, as agentes) {
	const tasks, cada = 30, 4
	s := as.um()
	var todas []string
	for range tasks {
		tk := nova(t, s, "")
		for i := range cada {
			avisar(t, s, umAviso(tk, fmt.Sprint(i)))
		}
		todas = append(todas, andar(t, s, tk).ID)
	}
	for rodada := range 3 {
		quando := agora.Add(time.Duration(rodada) * time.Hour)
		var mu sync.Mutex
		vistas := map[string]int{}
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				var so []string
				if i%3 == 0 {
					so = todas[:tasks/2]
				}
				vazias := 0
				for vazias < 3 { // others may hold what they are about to claim
					ps, err := as[i%len(as)].ReivindicarAvisos(context.Background(), so, quando, quando.Add(time.Hour), 1+i%7)
					if err != nil {
						t.Error(err)
						return
					}
					if len(ps) == 0 {
						vazias++
					}
					if len(ps) > 1+i%7 {
						t.Errorf("want at most %d, got %d", 1+i%7, len(ps))
					}
					mu.Lock()
					for _, p := range ps {
						vistas[p.TaskID+p.ID]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for _, p := range reivindicar(t, s, nil, quando, quando.Add(time.Hour), tasks*cada) {
			vistas[p.TaskID+p.ID]++
		}
		for id, n := range vistas {
			if n != 1 {
				t.Errorf("%s: want it claimed once, got %d times", id, n)
			}
		}
		if len(vistas) != tasks*cada {
			t.Errorf("want %d claimed, got %d", tasks*cada, len(vistas))
		}
	}
}

// A change while the config is stored is either what it begins with or told.
func avisosGuardarEnquantoMuda(t *testing.T, as agentes) {
	s := as.um()
	for i := range 30 {
		tk := nova(t, s, "")
		var wg sync.WaitGroup
		largada := make(chan struct{})
		wg.Go(func() {
			<-largada
			if err := as.outro().GuardarAviso(t.Context(), umAviso(tk, "a")); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			<-largada
			novo, _ := tk.Com(tarefa.Cancelar, agora)
			if _, err := s.Trocar(t.Context(), novo); err != nil {
				t.Error(err)
			}
		})
		close(largada)
		wg.Wait()
		ps := reivindicar(t, s, nil, agora, agora.Add(time.Hour), 9)
		if a := avisosDe(t, s, tk.ID)[0]; a.Entregue != 2 && len(ps) != 1 {
			t.Fatalf("round %d: knows version %d of 2 and has nothing to tell", i, a.Entregue)
		}
	}
}

// Tasks change while several agents tell of it and some attempts fail: at the
// end every receiver knows the last version, none heard an older one after a
// newer, and no config was in two hands at once.
func avisosTudoEContado(t *testing.T, as agentes) {
	const tasks, cada, passos = 6, 2, 15
	s := as.um()
	var mu sync.Mutex
	emMaos := map[string]bool{}
	ouviu := map[string]int64{}
	ultima := map[string]int64{}
	parar := make(chan struct{})
	var entregadores, escritores sync.WaitGroup
	for i := range 6 {
		entregadores.Go(func() {
			s := as[i%len(as)]
			for n := 0; ; n++ {
				ps, err := s.ReivindicarAvisos(context.Background(), nil, agora, agora.Add(time.Hour), 3)
				if err != nil {
					t.Error(err)
					return
				}
				for k, p := range ps {
					id := p.TaskID + p.ID
					mu.Lock()
					if emMaos[id] {
						t.Errorf("%s is in two hands", id)
					}
					emMaos[id] = true
					mu.Unlock()
					nota := entregue(p)
					if (n+k)%4 == 0 {
						nota = falhou(p, agora)
					}
					mu.Lock()
					if nota.Tentativas == 0 {
						if p.Tarefa.Versao <= ouviu[id] {
							t.Errorf("%s hears version %d after %d", id, p.Tarefa.Versao, ouviu[id])
						}
						ouviu[id] = p.Tarefa.Versao
					}
					delete(emMaos, id)
					mu.Unlock()
					if err := s.AnotarAviso(context.Background(), nota); err != nil {
						t.Error(err)
					}
				}
				if len(ps) == 0 {
					select {
					case <-parar:
						return
					case <-time.After(time.Millisecond):
					}
				}
			}
		})
	}
	for range tasks {
		tk := nova(t, s, "")
		for i := range cada {
			avisar(t, s, umAviso(tk, fmt.Sprint(i)))
		}
		escritores.Go(func() {
			var err error
			for range passos {
				if tk, err = s.Trocar(context.Background(), tk.Ouvindo(mensagem("", "x"), "")); err != nil {
					t.Error(err)
					return
				}
			}
			if fim, errCom := tk.Com(tarefa.Cancelar, agora); errCom == nil {
				tk, err = s.Trocar(context.Background(), fim)
			}
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			for i := range cada {
				ultima[tk.ID+fmt.Sprint(i)] = tk.Versao
			}
			mu.Unlock()
		})
	}
	escritores.Wait()
	close(parar)
	entregadores.Wait()
	// What the last ones did not see.
	for {
		ps := reivindicar(t, s, nil, agora, agora.Add(time.Hour), 99)
		if len(ps) == 0 {
			break
		}
		for _, p := range ps {
			ouviu[p.TaskID+p.ID] = p.Tarefa.Versao
			anotar(t, s, entregue(p))
		}
	}
	for id, versao := range ultima {
		if ouviu[id] != versao {
			t.Errorf("%s heard of version %d, the Task is at %d", id, ouviu[id], versao)
		}
	}
	if len(ultima) != tasks*cada {
		t.Errorf("want %d, got %d", tasks*cada, len(ultima))
	}
}

// A call whose context has ended either took effect and says so, or did not and
// says why.
func avisosContextoCancelado(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	andar(t, s, tk)
	p := reivindicado(t, s, agora, agora.Add(time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conferir := func(o string, err error, aconteceu bool) {
		t.Helper()
		if err != nil && !errors.Is(err, context.Canceled) || (err == nil) != aconteceu {
			t.Errorf("%s: error %v, took effect: %v", o, err, aconteceu)
		}
	}
	err := s.AnotarAviso(ctx, falhou(p, time.Time{}))
	conferir("AnotarAviso", err, avisosDe(t, s, tk.ID)[0].Tentativas == 1)
	err = s.GuardarAviso(ctx, umAviso(tk, "b"))
	conferir("GuardarAviso", err, len(avisosDe(t, s, tk.ID)) == 2)
	ps, err := s.ReivindicarAvisos(ctx, nil, agora.Add(time.Hour), agora.Add(2*time.Hour), 9)
	conferir("ReivindicarAvisos", err, len(ps) == 1)
	antes := len(avisosDe(t, s, tk.ID))
	err = s.ApagarAviso(ctx, tk.ID, "a")
	conferir("ApagarAviso", err, len(avisosDe(t, s, tk.ID)) == antes-1)
	if _, err := s.ListarAvisos(ctx, tk.ID); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
