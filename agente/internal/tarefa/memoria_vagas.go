package tarefa

import (
	"crypto/rand"
	"crypto/sha256"
)

// vaga is the place of a Task in [Memoria]: what it takes to find it, to keep it
// in order, and to choose it. It holds no pointer, so that the collector has
// nothing to look at, however many there are.
type vaga struct {
	id, contexto chave
	seq          uint64 // grows with each change: the order of recent
	versao       int64
	// mudada and prazo are in milliseconds, prazo semPrazo for none.
	mudada, prazo int64
	size          int    // what the Task counts
	trecho        trecho // where it lies, when it is compact
	elos          [2]elo // in recent and in ended
	estado        int32  // its place in Memoria.estados
}

// elo is a place in a ring: the neighbours. Those of the first vaga are the two
// ends.
type elo struct{ antes, depois int32 }

// vagas are numbered from 1. Those of Tasks that are forgotten are used again;
// there are never fewer. They do not move.
type vagas struct {
	paginas []*[porPagina]vaga
	usadas  int32 // the highest number given out
	livre   int32 // the first of those that are free, 0 for none; see soltar
}

const porPagina = 512

func (v *vagas) em(i int32) *vaga { return &v.paginas[i/porPagina][i%porPagina] }

// nova returns the number of an empty one.
func (v *vagas) nova() int32 {
	if i := v.livre; i != 0 {
		v.livre = v.em(i).elos[0].depois
		*v.em(i) = vaga{}
		return i
	}
	v.usadas++
	if int(v.usadas) >= len(v.paginas)*porPagina {
		v.paginas = append(v.paginas, new([porPagina]vaga))
	}
	return v.usadas
}

// soltar gives one back.
func (v *vagas) soltar(i int32) {
	v.em(i).elos[0].depois = v.livre
	v.livre = i
}

// anel is an order of Tasks.
type anel struct {
	vagas *vagas
	qual  int // of vaga.elos
}

func (a *anel) elo(i int32) *elo { return &a.vagas.em(i).elos[a.qual] }

// primeira is the first Task, 0 for none.
func (a *anel) primeira() int32 { return a.elo(0).depois }

// depois is the Task after one, 0 for none.
func (a *anel) depois(i int32) int32 { return a.elo(i).depois }

// porNoComeco makes a Task that is in no place the first one.
func (a *anel) porNoComeco(i int32) { a.por(i, 0, a.elo(0).depois) }

// porNoFim makes a Task that is in no place the last one.
func (a *anel) porNoFim(i int32) { a.por(i, a.elo(0).antes, 0) }

func (a *anel) por(i, antes, depois int32) {
	*a.elo(i) = elo{antes, depois}
	a.elo(antes).depois, a.elo(depois).antes = i, i
}

// tirar takes a Task out of its place.
func (a *anel) tirar(i int32) {
	e := *a.elo(i)
	a.elo(e.antes).depois, a.elo(e.depois).antes = e.depois, e.antes
}

// chave stands for a text that is a UUID nearly always: its 16 bytes, or as many
// of a digest that nobody outside this process can compute: else a caller, who may
// choose a context, could spell the digest of another's as a UUID.
type chave [16]byte

// sal goes before what is digested.
var sal = rand.Text()

func chaveDe(s string) (c chave) {
	if len(formaUUID.empacotar(c[:0], s)) == 0 {
		h := sha256.Sum256([]byte(sal + s))
		copy(c[:], h[:])
	}
	return c
}
