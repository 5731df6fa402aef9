package reserva

import (
	"slices"
	"sort"
	"time"
)

// lista is the reservas of one room, sorted by start and never overlapping;
// their ends are therefore sorted as well. They stand in blocos of at most
// maxBloco, none of them empty, so that one more moves a few others and not all
// that come later.
type lista struct{ blocos [][]Reserva }

// maxBloco is where a bloco is cut in two.
const maxBloco = 256

// novaLista makes one of reservas that are in order.
func novaLista(reservas []Reserva) lista {
	var l lista
	for c := range slices.Chunk(reservas, maxBloco/2) {
		l.blocos = append(l.blocos, slices.Clone(c))
	}
	return l
}

// primeira is the place of the first reserva that ends after t, the first that can
// overlap an interval starting at t: its bloco, and its index there. Where there
// is none the bloco is one past the last.
func (l lista) primeira(t time.Time) (bloco, i int) {
	termina := func(r Reserva) bool { return r.Periodo.Fim.After(t) }
	bloco = sort.Search(len(l.blocos), func(b int) bool { return termina(l.blocos[b][len(l.blocos[b])-1]) })
	if bloco < len(l.blocos) {
		i = sort.Search(len(l.blocos[bloco]), func(i int) bool { return termina(l.blocos[bloco][i]) })
	}
	return bloco, i
}

// conflitos are the reservas that overlap p, in their order, never nil.
func (l lista) conflitos(p Periodo) []Reserva {
	rs := []Reserva{}
	if p.vazio() {
		return rs
	}
	for b, i := l.primeira(p.Inicio); b < len(l.blocos); b, i = b+1, 0 {
		for _, r := range l.blocos[b][i:] {
			if !r.Periodo.Inicio.Before(p.Fim) {
				return rs
			}
			rs = append(rs, r)
		}
	}
	return rs
}

// livre reports whether nothing in l overlaps p.
func (l lista) livre(p Periodo) bool {
	b, i := l.primeira(p.Inicio)
	return b == len(l.blocos) || !l.blocos[b][i].Periodo.Inicio.Before(p.Fim)
}

// com returns l with r in its place. The caller has seen that l is livre there,
// and goes on with what is returned.
func (l lista) com(r Reserva) lista {
	b, i := l.primeira(r.Periodo.Inicio)
	if b == len(l.blocos) { // the latest of all
		if b == 0 || len(l.blocos[b-1]) == maxBloco {
			l.blocos = append(l.blocos, []Reserva{r})
			return l
		}
		b--
		i = len(l.blocos[b])
	}
	bloco := slices.Insert(l.blocos[b], i, r)
	l.blocos[b] = bloco
	if len(bloco) > maxBloco {
		meio := len(bloco) / 2
		l.blocos = slices.Insert(l.blocos, b+1, slices.Clone(bloco[meio:]))
		clear(bloco[meio:])
		l.blocos[b] = bloco[:meio]
	}
	return l
}
