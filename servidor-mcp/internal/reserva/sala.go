package reserva

import (
	"cmp"
	"slices"
)

// Sala is a meeting room. The agenda's rooms never change while it lives.
type Sala struct {
	ID         string   // unique, printable, without space at either end
	Nome       string   // for people; not empty
	Capacidade int      // seats; at least 1
	Recursos   []string // what stands in the room; empty, never nil, in an Agenda
}

// copia returns a Sala that shares no memory with s and whose Recursos is
// never nil, so that it is encoded as a list in any format.
func (s Sala) copia() Sala {
	s.Recursos = append([]string{}, s.Recursos...)
	return s
}

func copiaSalas(salas []Sala) []Sala {
	copias := make([]Sala, len(salas))
	for i, s := range salas {
		copias[i] = s.copia()
	}
	return copias
}

// ordemDeOferta returns the rooms in the order in which they are offered as
// alternatives: by capacity, smallest first, and by id where it is equal. Ids
// compare byte by byte, so the order is the same on every host.
func ordemDeOferta(salas []Sala) []Sala {
	ordem := slices.Clone(salas)
	slices.SortFunc(ordem, func(a, b Sala) int {
		return cmp.Or(cmp.Compare(a.Capacidade, b.Capacidade), cmp.Compare(a.ID, b.ID))
	})
	return ordem
}
