package reserva

import (
	"slices"
	"sort"
	"time"
)

// lista is the reservas of one room, sorted by start and never overlapping;
// their ends are therefore sorted as well.
type lista []Reserva

// primeira is the index of the first reserva that ends after t: the first
// that can overlap an interval starting at t.
func (l lista) primeira(t time.Time) int {
	return sort.Search(len(l), func(i int) bool { return l[i].Periodo.Fim.After(t) })
}

// conflitos is the run of l that overlaps p; it shares l's memory.
func (l lista) conflitos(p Periodo) lista {
	if p.vazio() {
		return nil
	}
	de := l.primeira(p.Inicio)
	ate := de
	for ate < len(l) && l[ate].Periodo.Inicio.Before(p.Fim) {
		ate++
	}
	return l[de:ate]
}

// livre reports whether nothing in l overlaps p.
func (l lista) livre(p Periodo) bool {
	i := l.primeira(p.Inicio)
	return i == len(l) || !l[i].Periodo.Inicio.Before(p.Fim)
}

// com returns l with r in its place. The caller has seen that l is livre
// there. Moving what comes later is one copy; most reservas are late ones.
func (l lista) com(r Reserva) lista {
	return slices.Insert(l, l.primeira(r.Periodo.Inicio), r)
}
