package reserva

import "time"

// Periodo is the half-open interval [Inicio, Fim): a reserva that ends at
// 15:00 and one that starts at 15:00 do not overlap.
type Periodo struct {
	Inicio, Fim time.Time
}

// vazio reports whether p holds no instant: Fim at or before Inicio.
func (p Periodo) vazio() bool { return !p.Fim.After(p.Inicio) }

// noFuso returns the same interval seen at -03:00, without the monotonic
// readings of a clock: equal intervals are then equal by == as well.
func (p Periodo) noFuso() Periodo {
	return Periodo{Inicio: p.Inicio.Round(0).In(fuso), Fim: p.Fim.Round(0).In(fuso)}
}

// igual reports whether p and q have the same two ends, in whatever zone.
func (p Periodo) igual(q Periodo) bool {
	return p.Inicio.Equal(q.Inicio) && p.Fim.Equal(q.Fim)
}
