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
	vaga int32 // of its Task
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
	switch pendente := m.vagas.em(g.vaga).versao > g.Entregue; {
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

// aviso finds a config among those of its Task, or the place where it would be.
func (m *Memoria) aviso(vaga int32, id string) (int, bool) {
	return slices.BinarySearchFunc(m.avisos[vaga], id, func(g *guardado, id string) int { return strings.Compare(g.ID, id) })
}

func (m *Memoria) vez() int64 {
	m.vezes++
	return m.vezes
}

// GuardarAviso implements [Avisos]. Configs count into the bytes that the store
// may hold.
func (m *Memoria) GuardarAviso(_ context.Context, a Aviso) error {
	id := chaveDe(a.TaskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	vaga, ok := m.byID[id]
	if !ok {
		return ErrNaoExiste
	}
	avisos := m.avisos[vaga]
	i, existe := m.aviso(vaga, a.ID)
	if !existe && len(avisos) >= MaxAvisos {
		return ErrMuitosAvisos
	}
	a.Entregue, a.Tentativas, a.Proxima, a.Vez = m.vagas.em(vaga).versao, 0, time.Time{}, m.vez()
	g := &guardado{Aviso: a, vaga: vaga, lugar: -1}
	cresce := g.size()
	if existe {
		cresce -= avisos[i].size()
	}
	for cresce > 0 && m.bytes+cresce > m.maxBytes {
		if !m.forgetOne(vaga) {
			return ErrCheia
		}
	}
	if existe {
		m.tirarAviso(avisos[i])
		avisos[i] = g
	} else {
		m.avisos[vaga] = slices.Insert(avisos, i, g)
	}
	m.bytes += g.size()
	return nil
}

// ListarAvisos implements [Avisos].
func (m *Memoria) ListarAvisos(_ context.Context, taskID string) ([]Aviso, error) {
	c := chaveDe(taskID)
	m.mu.RLock()
	defer m.mu.RUnlock()
	vaga, ok := m.byID[c]
	if !ok {
		return nil, ErrNaoExiste
	}
	avisos := make([]Aviso, len(m.avisos[vaga]))
	for i, g := range m.avisos[vaga] {
		avisos[i] = g.Aviso
	}
	return avisos, nil
}

// ApagarAviso implements [Avisos].
func (m *Memoria) ApagarAviso(_ context.Context, taskID, id string) error {
	c := chaveDe(taskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	vaga, ok := m.byID[c]
	if !ok {
		return ErrNaoExiste
	}
	if i, existe := m.aviso(vaga, id); existe {
		avisos := m.avisos[vaga]
		m.tirarAviso(avisos[i])
		if len(avisos) == 1 {
			delete(m.avisos, vaga)
		} else {
			m.avisos[vaga] = slices.Delete(avisos, i, i+1)
		}
	}
	return nil
}

// ReivindicarAvisos implements [Avisos]. What has nothing to tell costs nothing.
func (m *Memoria) ReivindicarAvisos(_ context.Context, tarefas []string, agora, ate time.Time, n int) ([]Pendente, error) {
	avisos, gs := m.reivindicar(tarefas, agora, ate, n)
	var pendentes []Pendente
	for i, g := range gs {
		pendentes = append(pendentes, Pendente{avisos[i], g.tarefa()})
	}
	return pendentes, nil
}

// reivindicar returns the configs that it claimed, and the Task of each.
func (m *Memoria) reivindicar(tarefas []string, agora, ate time.Time, n int) (avisos []Aviso, gs []guardada) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var escolhidos []*guardado
	if tarefas == nil {
		for len(escolhidos) < n && len(m.pendentes) > 0 && !m.pendentes[0].Proxima.After(agora) {
			escolhidos = append(escolhidos, heap.Pop(&m.pendentes).(*guardado))
		}
	} else {
		for _, id := range tarefas {
			vaga, ok := m.byID[chaveDe(id)]
			if !ok {
				continue
			}
			for _, g := range m.avisos[vaga] {
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
	for _, g := range escolhidos {
		g.Proxima, g.Vez = instante(ate), m.vez()
		m.enfileirar(g)
		avisos, gs = append(avisos, g.Aviso), append(gs, m.ler(g.vaga))
	}
	return avisos, gs
}

// AnotarAviso implements [Avisos].
func (m *Memoria) AnotarAviso(_ context.Context, a Aviso) error {
	id := chaveDe(a.TaskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	vaga, ok := m.byID[id]
	if !ok {
		return nil
	}
	i, existe := m.aviso(vaga, a.ID)
	if !existe || m.avisos[vaga][i].Vez != a.Vez {
		return nil
	}
	g := m.avisos[vaga][i]
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
