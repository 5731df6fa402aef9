package aviso

import "time"

const (
	// porReceptor is how many notifications go to one receiver at once.
	porReceptor = 8
	// lentidao is how long a receiver may take before it is a slow one.
	lentidao = time.Second
	// quedas is after how many exchanges without any answer a receiver is taken
	// to be down.
	quedas = 3
)

// receptor is a host that notifications go to, as this agent knows it: whatever
// it forgets costs time only. A receiver that is slow, or down, must not take the
// places of others: what it has no room for goes back to the store until there
// may be some.
type receptor struct {
	emCurso map[*entrega]struct{}
	fila    []*entrega
	// demora is how long the last exchange took.
	demora time.Duration
	// vaga is when there may be room for one more of a slow receiver.
	vaga time.Time
	// falhas counts the exchanges without an answer since the last one with, and
	// nivel how often one attempt has found the receiver still down; it is next
	// tried at volta.
	falhas, nivel int
	volta         time.Time
}

func (r *receptor) ocioso() bool { return len(r.emCurso) == 0 && len(r.fila) == 0 }

func (r *receptor) lento() bool { return r.demora >= lentidao }

func (r *receptor) caido() bool { return r.falhas >= quedas }

// destino is what becomes of a notification at its receiver.
type destino int

const (
	comecar destino = iota
	esperar         // for a place, here
	adiar           // in the store
)

// fim is how an attempt ended, as far as it tells of the receiver.
type fim int

const (
	semTentativa fim = iota
	semResposta
	comResposta
)

// destinar decides what becomes of one more notification, and until when it is
// put off.
func (r *receptor) destinar(agora time.Time, t tempos) (destino, time.Time) {
	switch {
	case r.caido() && (len(r.emCurso) > 0 || agora.Before(r.volta)):
		ate := r.volta
		if ate.Before(agora) {
			ate = agora
		}
		if len(r.emCurso) > 0 { // not before it is known whether it is back
			ate = ate.Add(r.demora)
		}
		return adiar, ate.Add(sorte(t.espera(r.nivel + 1)))
	case len(r.emCurso) < porReceptor:
		return comecar, time.Time{}
	case !r.lento():
		return esperar, time.Time{}
	}
	// As fast as it took them until now, and no two of them at once.
	if minimo := agora.Add(lentidao); r.vaga.Before(minimo) {
		r.vaga = minimo
	}
	r.vaga = r.vaga.Add(r.demora / porReceptor)
	return adiar, r.vaga
}

// terminou takes the end of an exchange into account.
func (r *receptor) terminou(x *entrega, f fim, agora time.Time, t tempos) {
	delete(r.emCurso, x)
	if f == semTentativa {
		return
	}
	r.demora = agora.Sub(x.inicio)
	if f == comResposta {
		r.falhas, r.nivel = 0, 0
		if !r.lento() {
			r.vaga = time.Time{}
		}
		return
	}
	r.falhas++
	if r.falhas == quedas || r.falhas > quedas && x.sonda {
		r.nivel++
		r.volta = agora.Add(t.espera(r.nivel))
	}
}

// travado reports whether the receiver has let what is under way wait for so
// long that it is a slow one, whatever it was before.
func (r *receptor) travado(agora time.Time) bool {
	if len(r.fila) == 0 || r.lento() {
		return false
	}
	for x := range r.emCurso {
		if d := agora.Sub(x.inicio); d >= lentidao {
			r.demora = d
			return true
		}
	}
	return false
}
