package tarefa

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// Memoria is a [Store] in memory, with [Avisos] beside it. It holds at most a
// given number of Tasks, and about a given number of bytes of them and of their
// configs: past either, the Task that ended first is forgotten. Open Tasks are
// never forgotten; when there are only such, Criar fails.
//
// A Task that has ended is kept as one piece of bytes, and made anew for each
// reader: it takes a fraction of the room, and the collector has nothing to do
// with it. It counts those bytes and what it costs to find them; an open one, and
// the rare one that cannot be kept so, counts [Tarefa.Tamanho].
type Memoria struct {
	limite, maxBytes int

	mu    sync.RWMutex
	seq   uint64
	bytes int
	byID  map[chave]int32 // the number of its vaga
	vagas *vagas
	// recent is ordered by the last change, the latest first; ended by the
	// end, the earliest first.
	recent, ended anel
	// inteiras are the Tasks that are not compact; arquivo has the others.
	inteiras map[int32]*Tarefa
	arquivo  arquivo
	estados  []a2a.TaskState // all that a Task was ever in; see vaga.estado
	// avisos are the configs of a Task, in the order of their ids.
	avisos map[int32][]*guardado
	// pendentes are the configs that have something to tell.
	pendentes fila
	vezes     int64 // the last Aviso.Vez
}

var (
	_ Store  = (*Memoria)(nil)
	_ Avisos = (*Memoria)(nil)
)

// custoCompacta is what a compact Task takes beside its bytes: a vaga, its part
// of byID, and of what both keep free.
const custoCompacta = 144

// NovaMemoria makes an empty store for at most limite Tasks (at least 1) and
// about maxBytes bytes.
func NovaMemoria(limite, maxBytes int) *Memoria {
	v := &vagas{paginas: []*[porPagina]vaga{{}}}
	return &Memoria{
		limite:   max(limite, 1),
		maxBytes: maxBytes,
		byID:     make(map[chave]int32),
		vagas:    v,
		recent:   anel{vagas: v, qual: 0},
		ended:    anel{vagas: v, qual: 1},
		inteiras: make(map[int32]*Tarefa),
		arquivo:  novoArquivo(),
		avisos:   make(map[int32][]*guardado),
	}
}

// entrada is a Task, which nobody changes, made ready to be kept.
type entrada struct {
	guardada
	t            *Tarefa
	id, contexto chave
	size         int // what it will count
}

// guardada is a Task as the store keeps it: whole, or as its bytes.
type guardada struct {
	inteira  *Tarefa
	compacta []byte
}

// novaEntrada does what takes time, outside of the lock.
func novaEntrada(t *Tarefa) entrada {
	e := entrada{t: t, id: chaveDe(t.ID), contexto: chaveDe(t.Contexto)}
	if t.Estado.Terminal() {
		if b, ok := compactar(t); ok {
			e.compacta, e.size = b, len(b)+custoCompacta
			return e
		}
	}
	e.inteira, e.size = t, t.Tamanho()
	return e
}

// tarefa returns the Task. It takes time, too.
func (g guardada) tarefa() *Tarefa {
	if g.inteira != nil {
		return g.inteira
	}
	return descompactar(string(g.compacta))
}

// por keeps a Task in a vaga that has none.
func (m *Memoria) por(i int32, e entrada) {
	m.seq++
	v := m.vagas.em(i)
	v.id, v.contexto, v.seq, v.versao, v.size = e.id, e.contexto, m.seq, e.t.Versao, e.size
	v.mudada, v.prazo, v.estado = e.t.Mudada.UnixMilli(), prazoEmMilis(e.t.Prazo), m.numeroDoEstado(e.t.Estado)
	if e.inteira != nil {
		m.inteiras[i] = e.inteira
	} else {
		v.trecho = m.arquivo.guardar(e.compacta)
	}
	m.bytes += e.size
	m.recent.porNoComeco(i)
}

// ler returns what por has kept.
func (m *Memoria) ler(i int32) guardada {
	if t, ok := m.inteiras[i]; ok {
		return guardada{inteira: t}
	}
	return guardada{compacta: m.arquivo.ler(m.vagas.em(i).trecho)}
}

// tirar undoes por.
func (m *Memoria) tirar(i int32) {
	v := m.vagas.em(i)
	if _, ok := m.inteiras[i]; ok {
		delete(m.inteiras, i)
	} else {
		m.arquivo.soltar(v.trecho)
	}
	m.bytes -= v.size
	m.recent.tirar(i)
}

func (m *Memoria) numeroDoEstado(e a2a.TaskState) int32 {
	i := slices.Index(m.estados, e)
	if i < 0 {
		i = len(m.estados)
		m.estados = append(m.estados, e)
	}
	return int32(i)
}

// Criar implements [Store].
func (m *Memoria) Criar(_ context.Context, t *Tarefa) (*Tarefa, error) {
	c := *t
	c.Versao = 1
	e := novaEntrada(&c)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.byID[e.id]; ok {
		return nil, fmt.Errorf("task %s exists already", c.ID)
	}
	for len(m.byID) >= m.limite || m.bytes+e.size > m.maxBytes {
		if !m.forgetOne(0) {
			return nil, ErrCheia
		}
	}
	i := m.vagas.nova()
	m.byID[e.id] = i
	m.por(i, e)
	if c.Estado.Terminal() {
		m.ended.porNoFim(i)
	}
	return &c, nil
}

// forgetOne drops the Task that ended first, with its configs. exceto is one that
// stays, 0 for none.
func (m *Memoria) forgetOne(exceto int32) bool {
	i := m.ended.primeira()
	if i != 0 && i == exceto {
		i = m.ended.depois(i)
	}
	if i == 0 {
		return false
	}
	for _, g := range m.avisos[i] {
		m.tirarAviso(g)
	}
	delete(m.avisos, i)
	m.tirar(i)
	m.ended.tirar(i)
	delete(m.byID, m.vagas.em(i).id)
	m.vagas.soltar(i)
	return true
}

// Ler implements [Store].
func (m *Memoria) Ler(_ context.Context, id string) (*Tarefa, error) {
	c := chaveDe(id)
	m.mu.RLock()
	i, ok := m.byID[c]
	if !ok {
		m.mu.RUnlock()
		return nil, ErrNaoExiste
	}
	g := m.ler(i)
	m.mu.RUnlock()
	return g.tarefa(), nil
}

// Trocar implements [Store].
func (m *Memoria) Trocar(_ context.Context, t *Tarefa) (*Tarefa, error) {
	c := *t
	c.Versao++
	e := novaEntrada(&c)
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.byID[e.id]
	if !ok {
		return nil, ErrNaoExiste
	}
	v := m.vagas.em(i)
	if v.versao != t.Versao {
		return nil, ErrConflito
	}
	estava := m.estados[v.estado]
	if c.Estado == a2a.TaskStateInputRequired && estava == c.Estado {
		for m.bytes+e.size-v.size > m.maxBytes {
			if !m.forgetOne(0) {
				return nil, ErrCheia
			}
		}
	}
	m.tirar(i)
	m.por(i, e)
	for _, g := range m.avisos[i] {
		m.enfileirar(g)
	}
	// What grew past the bound pushes out what ended, though never this Task:
	// its caller is about to read it.
	for m.bytes > m.maxBytes && m.forgetOne(i) {
	}
	switch {
	case !estava.Terminal() && c.Estado.Terminal():
		m.ended.porNoFim(i)
	case estava.Terminal() && !c.Estado.Terminal():
		m.ended.tirar(i)
	}
	return &c, nil
}

// Esquecer implements [Store].
func (m *Memoria) Esquecer(_ context.Context, antes time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, limite := 0, limiar(antes)
	for i := m.ended.primeira(); i != 0 && m.vagas.em(i).mudada < limite; i = m.ended.primeira() {
		m.forgetOne(0)
		n++
	}
	return n, nil
}
