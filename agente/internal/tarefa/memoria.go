package tarefa

import (
	"container/list"
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// Memoria is a [Store] in memory, with [Avisos] beside it. It holds at most a
// given number of Tasks, and about a given number of bytes of them and of their
// configs: past either, the Task that ended first is forgotten. Open Tasks are
// never forgotten; when there are only such, Criar fails.
type Memoria struct {
	limite, maxBytes int

	mu    sync.RWMutex
	seq   uint64
	bytes int
	byID  map[string]*list.Element // of *registro, in recent
	// recent is ordered by the last change, the latest first; ended by the
	// end, the earliest first.
	recent *list.List
	ended  *list.List
	// pendentes are the configs that have something to tell.
	pendentes fila
	vezes     int64 // the last Aviso.Vez
}

var (
	_ Store  = (*Memoria)(nil)
	_ Avisos = (*Memoria)(nil)
)

type registro struct {
	t      *Tarefa
	seq    uint64 // grows with each change: the order of recent
	size   int    // of t
	avisos []*guardado
}

// NovaMemoria makes an empty store for at most limite Tasks (at least 1) and
// about maxBytes bytes.
func NovaMemoria(limite, maxBytes int) *Memoria {
	return &Memoria{
		limite:   max(limite, 1),
		maxBytes: maxBytes,
		byID:     make(map[string]*list.Element),
		recent:   list.New(),
		ended:    list.New(),
	}
}

// Criar implements [Store].
func (m *Memoria) Criar(_ context.Context, t *Tarefa) (*Tarefa, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := t.Tamanho()
	for len(m.byID) >= m.limite || m.bytes+size > m.maxBytes {
		if !m.forgetOne("") {
			return nil, ErrCheia
		}
	}
	m.bytes += size
	c := *t
	c.Versao = 1
	m.seq++
	m.byID[c.ID] = m.recent.PushFront(&registro{t: &c, seq: m.seq, size: size})
	m.noteEnd(&c)
	return &c, nil
}

// forgetOne drops the Task that ended first, with its configs. exceto is the id
// of one that stays, empty for none.
func (m *Memoria) forgetOne(exceto string) bool {
	oldest := m.ended.Front()
	if oldest != nil && oldest.Value.(string) == exceto {
		oldest = oldest.Next()
	}
	if oldest == nil {
		return false
	}
	id := m.ended.Remove(oldest).(string)
	r := m.recent.Remove(m.byID[id]).(*registro)
	delete(m.byID, id)
	m.bytes -= r.size
	for _, g := range r.avisos {
		m.tirarAviso(g)
	}
	return true
}

func (m *Memoria) noteEnd(t *Tarefa) {
	if t.Estado.Terminal() {
		m.ended.PushBack(t.ID)
	}
}

// Ler implements [Store].
func (m *Memoria) Ler(_ context.Context, id string) (*Tarefa, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	e, ok := m.byID[id]
	if !ok {
		return nil, ErrNaoExiste
	}
	return e.Value.(*registro).t, nil
}

// Trocar implements [Store].
func (m *Memoria) Trocar(_ context.Context, t *Tarefa) (*Tarefa, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byID[t.ID]
	if !ok {
		return nil, ErrNaoExiste
	}
	r := e.Value.(*registro)
	if r.t.Versao != t.Versao {
		return nil, ErrConflito
	}
	wasOpen := !r.t.Estado.Terminal()
	c := *t
	c.Versao++
	size := c.Tamanho()
	if c.Estado == a2a.TaskStateInputRequired && r.t.Estado == c.Estado {
		for m.bytes+size-r.size > m.maxBytes {
			if !m.forgetOne("") {
				return nil, ErrCheia
			}
		}
	}
	m.seq++
	m.bytes += size - r.size
	r.t, r.seq, r.size = &c, m.seq, size
	m.recent.MoveToFront(e)
	for _, g := range r.avisos {
		m.enfileirar(g)
	}
	// What grew past the bound pushes out what ended, though never this Task:
	// its caller is about to read it.
	for m.bytes > m.maxBytes && m.forgetOne(t.ID) {
	}
	if wasOpen {
		m.noteEnd(&c)
	}
	return &c, nil
}

// Esquecer implements [Store].
func (m *Memoria) Esquecer(_ context.Context, antes time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for e := m.ended.Front(); e != nil; e = m.ended.Front() {
		if !m.byID[e.Value.(string)].Value.(*registro).t.Mudada.Before(antes) {
			break
		}
		m.forgetOne("")
		n++
	}
	return n, nil
}

// Listar implements [Store]. The page token is the place in the order of
// changes of the last Task given out: Tasks that change meanwhile move to the
// front and are not seen twice.
func (m *Memoria) Listar(_ context.Context, f Filtro) (Pagina, error) {
	before := uint64(0)
	if f.Marcador != "" {
		n, err := strconv.ParseUint(f.Marcador, 36, 64)
		if err != nil || n == 0 {
			return Pagina{}, ErrMarcador
		}
		before = n
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	p := Pagina{Tarefas: []*Tarefa{}}
	last := uint64(0)
	for e := m.recent.Front(); e != nil; e = e.Next() {
		r := e.Value.(*registro)
		if !f.escolhe(r.t) {
			continue
		}
		p.Total++
		if before != 0 && r.seq >= before {
			continue
		}
		if len(p.Tarefas) < f.Limite {
			p.Tarefas = append(p.Tarefas, r.t)
			last = r.seq
		} else if p.Marcador == "" {
			p.Marcador = strconv.FormatUint(last, 36)
		}
	}
	return p, nil
}

func (f Filtro) escolhe(t *Tarefa) bool {
	return (f.Contexto == "" || t.Contexto == f.Contexto) &&
		(f.Estado == "" || t.Estado == f.Estado) &&
		(f.Desde.IsZero() || !t.Mudada.Before(f.Desde)) &&
		(f.Ate.IsZero() || t.Mudada.Before(f.Ate)) &&
		(f.Abandonadas.IsZero() || !t.Prazo.IsZero() && t.Prazo.Before(f.Abandonadas))
}
