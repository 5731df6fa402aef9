package reserva

import "time"

// Reservar books p if its room is free, and ErrOcupada otherwise. A Pedido
// that breaks a rule (see Verificar and ValidarResponsavel) is refused with
// the *Recusa of that rule, so nothing against the policy can enter the
// agenda whichever way it came.
func (a *Agenda) Reservar(p Pedido) (Reserva, error) {
	if err := a.conferir(p); err != nil {
		return Reserva{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.marcar(p)
}

// ReservarUmaVez books p at most once for a chave, however often and from
// however many goroutines it is called:
//
//   - chave has not booked yet: as Reservar; if that books, the agenda
//     remembers chave with its Reserva at least until validade;
//   - chave has booked p: the same Reserva again, and nothing new;
//   - chave has booked something else, or lies past its validade and the
//     agenda has begun to forget keys as old as that: ErrEstadoUsado.
//
// An attempt that failed does not use chave up. validade is the moment after
// which the caller no longer lets chave through.
func (a *Agenda) ReservarUmaVez(chave string, validade time.Time, p Pedido) (Reserva, error) {
	if err := a.conferir(p); err != nil {
		return Reserva{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok := a.usadas.reserva(chave); ok {
		if !p.gerou(r) {
			return Reserva{}, ErrEstadoUsado
		}
		return r, nil
	}
	if a.usadas.esqueceu(validade) {
		return Reserva{}, ErrEstadoUsado
	}
	r, err := a.marcar(p)
	if err != nil {
		return Reserva{}, err
	}
	a.usadas.lembrar(chave, validade, r, a.agora())
	return r, nil
}

// JaReservada returns the Reserva that chave has booked through
// ReservarUmaVez, if it has and the agenda still remembers it.
func (a *Agenda) JaReservada(chave string) (Reserva, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.usadas.reserva(chave)
}

// conferir judges a parsed Pedido by the rules of Verificar, in their order,
// and then its responsavel.
func (a *Agenda) conferir(p Pedido) error {
	if _, ok := a.porID[p.Sala]; !ok {
		return salaInexistente(p.Sala)
	}
	if err := p.Periodo.verificar(); err != nil {
		return err
	}
	_, err := ValidarResponsavel(p.Responsavel)
	return err
}

// marcar is the one place where a reserva enters the agenda. The caller holds
// the lock and has called conferir.
func (a *Agenda) marcar(p Pedido) (Reserva, error) {
	l := a.reservas[p.Sala]
	if !l.livre(p.Periodo) {
		return Reserva{}, ErrOcupada
	}
	r := Reserva{
		ID:          a.proximoID(),
		Sala:        p.Sala,
		Periodo:     p.Periodo.noFuso(),
		Responsavel: p.Responsavel,
	}
	a.reservas[p.Sala] = l.com(r)
	return r, nil
}
