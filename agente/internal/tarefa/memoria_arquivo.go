package tarefa

import "bytes"

// arquivo keeps the bytes of Tasks that have ended, one after the other in large
// pieces: the collector meets a few pieces, not every Task, and looks into none
// of them. A piece goes when nothing in it is kept. What ended first is forgotten
// first, so that hardly more than the first piece and the last are partly empty.
type arquivo struct {
	pedacos []pedaco
	livres  []uint32 // the places of pieces that are gone
	atual   uint32   // the place of the piece that is being filled
}

type pedaco struct {
	b     []byte // grows to its capacity; what is written does not change
	vivos int    // how many Tasks are kept in it
}

// trecho is where the bytes of a Task lie.
type trecho struct{ pedaco, inicio, tamanho uint32 }

const tamanhoDoPedaco = 64 << 10

func novoArquivo() arquivo { return arquivo{pedacos: make([]pedaco, 1)} }

// guardar keeps a copy of b, which is not empty.
func (a *arquivo) guardar(b []byte) trecho {
	if len(b) > tamanhoDoPedaco/8 {
		// On its own, so as to leave no large rest.
		return trecho{a.por(pedaco{bytes.Clone(b), 1}), 0, uint32(len(b))}
	}
	if p := a.pedacos[a.atual]; len(p.b)+len(b) > cap(p.b) {
		cheio := a.atual
		a.atual = a.por(pedaco{b: make([]byte, 0, tamanhoDoPedaco)})
		a.talvezLargar(cheio)
	}
	p := &a.pedacos[a.atual]
	t := trecho{a.atual, uint32(len(p.b)), uint32(len(b))}
	p.b = append(p.b, b...)
	p.vivos++
	return t
}

func (a *arquivo) por(p pedaco) uint32 {
	if n := len(a.livres); n > 0 {
		i := a.livres[n-1]
		a.livres = a.livres[:n-1]
		a.pedacos[i] = p
		return i
	}
	a.pedacos = append(a.pedacos, p)
	return uint32(len(a.pedacos) - 1)
}

// ler returns what was kept. It stays valid and unchanged, and keeps its piece
// from going: copy what is to last.
func (a *arquivo) ler(t trecho) []byte {
	return a.pedacos[t.pedaco].b[t.inicio : t.inicio+t.tamanho]
}

// soltar ends the keeping of t.
func (a *arquivo) soltar(t trecho) {
	a.pedacos[t.pedaco].vivos--
	a.talvezLargar(t.pedaco)
}

// talvezLargar drops a piece that is of no more use.
func (a *arquivo) talvezLargar(i uint32) {
	if i != a.atual && a.pedacos[i].vivos == 0 {
		a.pedacos[i] = pedaco{}
		a.livres = append(a.livres, i)
	}
}
