package reserva

import "time"

// chavesUsadas remembers which chave booked what. It keeps one promise: a
// chave that has booked is either remembered, or its validade is not after
// esquecidasAte. A chave that is unknown and later than that has therefore
// never booked, whatever the clock did meanwhile.
//
// It has no lock of its own; the Agenda's guards it.
type chavesUsadas struct {
	porChave      map[string]uso
	esquecidasAte time.Time // the latest validade ever forgotten
	varrerEm      int       // how many keys there may be before the next sweep
}

type uso struct {
	reserva  Reserva
	validade time.Time
}

// menorVarredura is how many keys are kept before it is worth looking for
// old ones.
const menorVarredura = 64

func novasChavesUsadas() chavesUsadas {
	return chavesUsadas{porChave: map[string]uso{}, varrerEm: menorVarredura}
}

func (c *chavesUsadas) reserva(chave string) (Reserva, bool) {
	u, ok := c.porChave[chave]
	return u.reserva, ok
}

// esqueceu reports whether a chave of that validade may have booked and been
// forgotten.
func (c *chavesUsadas) esqueceu(validade time.Time) bool {
	return !validade.After(c.esquecidasAte)
}

// lembrar records that chave booked r. Every time the keys have doubled it
// first forgets those past their validade, so there are never more than twice
// as many as are alive (or menorVarredura), at a constant cost per call.
func (c *chavesUsadas) lembrar(chave string, validade time.Time, r Reserva, agora time.Time) {
	if len(c.porChave) >= c.varrerEm {
		c.varrer(agora)
		c.varrerEm = max(menorVarredura, 2*len(c.porChave))
	}
	c.porChave[chave] = uso{reserva: r, validade: validade}
}

func (c *chavesUsadas) varrer(agora time.Time) {
	for chave, u := range c.porChave {
		if !agora.After(u.validade) {
			continue
		}
		delete(c.porChave, chave)
		if u.validade.After(c.esquecidasAte) {
			c.esquecidasAte = u.validade
		}
	}
}
