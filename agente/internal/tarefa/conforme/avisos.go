package conforme

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
