package tarefa

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strings"
	"time"
)

// guardado is a config in memory.
type guardado struct {
	Aviso
	r *registro
	// lugar is its place in the queue of those that have something to tell, -1
	// when it has nothing.
	lugar int
}

// size is about how many bytes the config takes in memory.
func (g *guardado) size() int {
	const resto = 300
	return resto + len(g.ID) + len(g.URL) + len(g.Token) + len(g.Esquema) + len(g.Credenciais)
}

// fila are the configs that have something to tell, the earliest Proxima first.
// It implements [heap.Interface].
type fila []*guardado

func (f fila) Len() int           { return len(f) }
func (f fila) Less(i, j int) bool { return antes(f[i], f[j]) < 0 }
func (f fila) Swap(i, j int) {
	f[i], f[j] = f[j], f[i]
	f[i].lugar, f[j].lugar = i, j
}

// Push implements [heap.Interface].
func (f *fila) Push(x any) {
	g := x.(*guardado)
	g.lugar = len(*f)
	*f = append(*f, g)
}

// Pop implements [heap.Interface].
func (f *fila) Pop() any {
	n := len(*f) - 1
	g := (*f)[n]
	(*f)[n] = nil
	*f = (*f)[:n]
	g.lugar = -1
	return g
}

func antes(a, b *guardado) int {
	return cmp.Or(a.Proxima.Compare(b.Proxima), cmp.Compare(a.Vez, b.Vez))
}

// enfileirar puts a config where it belongs: in the queue when it has something
// to tell, out of it when not.
func (m *Memoria) enfileirar(g *guardado) {
	switch pendente := g.r.t.Versao > g.Entregue; {
	case pendente && g.lugar < 0:
		heap.Push(&m.pendentes, g)
	case pendente:
		heap.Fix(&m.pendentes, g.lugar)
	case g.lugar >= 0:
		heap.Remove(&m.pendentes, g.lugar)
	}
}

// tirarAviso drops a config of a Task.
func (m *Memoria) tirarAviso(g *guardado) {
	if g.lugar >= 0 {
		heap.Remove(&m.pendentes, g.lugar)
	}
	m.bytes -= g.size()
}

// aviso finds a config among those of its Task, which are in the order of their
// ids, or the place where it would be.
func (r *registro) aviso(id string) (int, bool) {
	return slices.BinarySearchFunc(r.avisos, id, func(g *guardado, id string) int { return strings.Compare(g.ID, id) })
}

func (m *Memoria) vez() int64 {
	m.vezes++
	return m.vezes
}

// GuardarAviso implements [Avisos]. Configs count into the bytes that the store
// may hold.
func (m *Memoria) GuardarAviso(_ context.Context, a Aviso) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byID[a.TaskID]
	if !ok {
		return ErrNaoExiste
	}
	r := e.Value.(*registro)
	i, existe := r.aviso(a.ID)
	if !existe && len(r.avisos) >= MaxAvisos {
		return ErrMuitosAvisos
	}
	a.Entregue, a.Tentativas, a.Proxima, a.Vez = r.t.Versao, 0, time.Time{}, m.vez()
	g := &guardado{Aviso: a, r: r, lugar: -1}
	cresce := g.size()
	if existe {
		cresce -= r.avisos[i].size()
	}
	for cresce > 0 && m.bytes+cresce > m.maxBytes {
		if !m.forgetOne(a.TaskID) {
			return ErrCheia
		}
	}
	if existe {
		m.tirarAviso(r.avisos[i])
		r.avisos[i] = g
	} else {
		r.avisos = slices.Insert(r.avisos, i, g)
	}
	m.bytes += g.size()
	return nil
}

// ListarAvisos implements [Avisos].
func (m *Memoria) ListarAvisos(_ context.Context, taskID string) ([]Aviso, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	e, ok := m.byID[taskID]
	if !ok {
		return nil, ErrNaoExiste
	}
	r := e.Value.(*registro)
	avisos := make([]Aviso, len(r.avisos))
	for i, g := range r.avisos {
		avisos[i] = g.Aviso
	}
	return avisos, nil
}

// ApagarAviso implements [Avisos].
func (m *Memoria) ApagarAviso(_ context.Context, taskID, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byID[taskID]
	if !ok {
		return ErrNaoExiste
	}
	r := e.Value.(*registro)
	if i, existe := r.aviso(id); existe {
		m.tirarAviso(r.avisos[i])
		r.avisos = slices.Delete(r.avisos, i, i+1)
	}
	return nil
}

// ReivindicarAvisos implements [Avisos]. What has nothing to tell costs nothing.
func (m *Memoria) ReivindicarAvisos(_ context.Context, tarefas []string, agora, ate time.Time, n int) ([]Pendente, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var escolhidos []*guardado
	if tarefas == nil {
		for len(escolhidos) < n && len(m.pendentes) > 0 && !m.pendentes[0].Proxima.After(agora) {
			escolhidos = append(escolhidos, heap.Pop(&m.pendentes).(*guardado))
		}
	} else {
		for _, id := range tarefas {
			e, ok := m.byID[id]
			if !ok {
				continue
			}
			for _, g := range e.Value.(*registro).avisos {
				// One that was named twice is out of the queue the second time.
				if g.lugar >= 0 && !g.Proxima.After(agora) {
					heap.Remove(&m.pendentes, g.lugar)
					escolhidos = append(escolhidos, g)
				}
			}
		}
		slices.SortFunc(escolhidos, antes)
		for _, g := range escolhidos[min(max(n, 0), len(escolhidos)):] {
			m.enfileirar(g)
		}
		escolhidos = escolhidos[:min(max(n, 0), len(escolhidos))]
	}
	var pendentes []Pendente
	for _, g := range escolhidos {
		g.Proxima, g.Vez = instante(ate), m.vez()
		m.enfileirar(g)
		pendentes = append(pendentes, Pendente{g.Aviso, g.r.t})
	}
	return pendentes, nil
}

// AnotarAviso implements [Avisos].
func (m *Memoria) AnotarAviso(_ context.Context, a Aviso) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byID[a.TaskID]
	if !ok {
		return nil
	}
	r := e.Value.(*registro)
	i, existe := r.aviso(a.ID)
	if !existe || r.avisos[i].Vez != a.Vez {
		return nil
	}
	g := r.avisos[i]
	g.Entregue, g.Tentativas, g.Proxima, g.Vez = a.Entregue, a.Tentativas, instanteOuZero(a.Proxima), m.vez()
	m.enfileirar(g)
	return nil
}

func instanteOuZero(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return instante(t)
}
