package tarefa

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// conferir looks for what must be true of a store at any time.
func conferir(t *testing.T, s *Memoria) {
	t.Helper()
	var recent, ended []int32
	bytes, compactas, terminadas := 0, 0, 0
	for i, seq := s.recent.primeira(), s.seq+1; i != 0; i = s.recent.depois(i) {
		v := s.vagas.em(i)
		if v.seq >= seq || s.byID[v.id] != i {
			t.Fatalf("vaga %d is out of order, or not found by its id", i)
		}
		if _, ok := s.inteiras[i]; !ok {
			compactas++
		}
		if s.estados[v.estado].Terminal() {
			terminadas++
		}
		for _, g := range s.avisos[i] {
			bytes += g.size()
		}
		seq, recent, bytes = v.seq, append(recent, i), bytes+v.size
	}
	for i := s.ended.primeira(); i != 0; i = s.ended.depois(i) {
		if !s.estados[s.vagas.em(i).estado].Terminal() || !slices.Contains(recent, i) {
			t.Fatalf("vaga %d is no Task that ended", i)
		}
		ended = append(ended, i)
	}
	if n := len(recent); n != len(s.byID) || n != compactas+len(s.inteiras) || len(ended) != terminadas || s.bytes != bytes {
		t.Fatalf("%d Tasks in order, %d by id, %d compact and %d whole; %d have ended, %d of them in order; %d bytes counted, %d added up",
			n, len(s.byID), compactas, len(s.inteiras), terminadas, len(ended), s.bytes, bytes)
	}
	vivos, pedacos := 0, len(s.arquivo.pedacos)-len(s.arquivo.livres)
	for _, p := range s.arquivo.pedacos {
		vivos += p.vivos
	}
	if vivos != compactas || pedacos > 1+compactas {
		t.Fatalf("%d compact Tasks, but %d kept in %d pieces", compactas, vivos, pedacos)
	}
}

// Any steps, in any order, in a store that is too small for them: nothing is
// lost or mixed up but what ended first.
func TestMemoriaNaoSeConfunde(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := NovaMemoria(40, 400<<10)
	todas := map[string]*Tarefa{}
	for passo := range 3000 {
		var err error
		if ids := slices.Sorted(maps.Keys(todas)); len(ids) == 0 || r.IntN(4) == 0 {
			var tk *Tarefa
			m := mensagem("m", strings.Repeat("x", r.IntN(100)*r.IntN(300)))
			m.ContextID = []string{"", "c"}[r.IntN(2)]
			if tk, err = s.Criar(t.Context(), Nova(m, "", agora)); err == nil {
				todas[tk.ID] = tk
			}
		} else {
			tk := todas[ids[r.IntN(len(ids))]]
			if r.IntN(3) == 0 {
				err = s.GuardarAviso(t.Context(), Aviso{TaskID: tk.ID, ID: fmt.Sprint(r.IntN(3))})
			} else if novo, errCom := tk.Com(Evento(r.IntN(8)), agora); errCom == nil {
				if tk, err = s.Trocar(t.Context(), novo.Dizendo("palavra")); err == nil {
					todas[tk.ID] = tk
				}
			}
		}
		if err != nil && !errors.Is(err, ErrCheia) {
			t.Fatal(err)
		}
		if r.IntN(200) == 0 {
			if _, err := s.Esquecer(t.Context(), agora.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		for id, tk := range todas {
			got, err := s.Ler(t.Context(), id)
			switch {
			case err == nil && !reflect.DeepEqual(got, tk):
				t.Fatalf("step %d: got\n%+v\nwant\n%+v", passo, got, tk)
			case err != nil && !tk.Estado.Terminal():
				t.Fatalf("step %d: an open Task is gone: %v", passo, err)
			case err != nil:
				delete(todas, id)
			}
		}
		conferir(t, s)
	}
	for _, tk := range todas {
		for !tk.Estado.Terminal() {
			tk = terminar(t, s, tk)
		}
	}
	if _, err := s.Esquecer(t.Context(), agora.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	conferir(t, s)
	if s.bytes != 0 || len(s.pendentes) != 0 || len(s.avisos) != 0 {
		t.Errorf("something is left over: %d bytes, %d to tell, configs of %d", s.bytes, len(s.pendentes), len(s.avisos))
	}
	for i, p := range s.arquivo.pedacos {
		if p.b != nil && uint32(i) != s.arquivo.atual {
			t.Errorf("a piece of %d bytes is left over", cap(p.b))
		}
	}
}

// What a store counts for Tasks that ended is about what they take, and that is
// little.
func TestMemoriaContaOQueOcupa(t *testing.T) {
	const n = 8000
	antes := vivos()
	s := encher(t, n)
	ocupa := (int(vivos()) - int(antes)) / n
	conta := s.bytes / n
	if ocupa > 1200 || conta < ocupa*7/10 || conta > ocupa*14/10 {
		t.Errorf("a Task that ended takes %d bytes and counts %d", ocupa, conta)
	}
	runtime.KeepAlive(s)
}

// Readers do not see a Task's bytes change when it is forgotten and its room is
// used again.
func TestMemoriaLidaEnquantoEsquece(t *testing.T) {
	s := NovaMemoria(8, 1<<30)
	parar := make(chan struct{})
	erros := make(chan error, 4)
	for range cap(erros) {
		go func() {
			var err error
			for err == nil {
				select {
				case <-parar:
					erros <- nil
					return
				default:
				}
				var p Pagina
				if p, err = s.Listar(t.Context(), Filtro{Limite: 8, Estado: a2a.TaskStateCompleted}); err != nil {
					continue
				}
				for _, tk := range p.Tarefas {
					if n := len(tk.Historico); n != 4 || tk.Palavra != tk.Historico[n-1] || tk.Historico[0].TaskID != a2a.TaskID(tk.ID) {
						err = fmt.Errorf("not as it was stored: %+v", tk)
					}
				}
			}
			erros <- err
		}()
	}
	for i := range 1000 {
		viver(t, s, i)
	}
	close(parar)
	for range cap(erros) {
		if err := <-erros; err != nil {
			t.Error(err)
		}
	}
}
