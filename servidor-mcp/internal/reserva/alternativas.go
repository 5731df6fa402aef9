package reserva

// AlternativasMaximo is how many alternatives are offered at most.
const AlternativasMaximo = 3

// Alternativas returns the ids of the rooms to offer instead of sala: free in
// the whole of p, with at least the capacity of sala, the smallest first and
// by id where capacities are equal, at most AlternativasMaximo, never sala
// itself. The slice is never nil; it is empty when there is none, for an
// unknown room, and for an empty or inverted p.
//
// What is offered may be taken before it is chosen: only booking decides.
func (a *Agenda) Alternativas(sala string, p Periodo) []string {
	ids := []string{}
	pedida, ok := a.porID[sala]
	if !ok || p.vazio() {
		return ids
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, s := range a.oferta {
		if s.ID == sala || s.Capacidade < pedida.Capacidade || !a.reservas[s.ID].livre(p) {
			continue
		}
		ids = append(ids, s.ID)
		if len(ids) == AlternativasMaximo {
			break
		}
	}
	return ids
}
