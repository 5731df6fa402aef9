package reserva

import (
	"slices"
	"sync"
	"time"
)

// Agenda holds the rooms, their reservas and the policy. It is safe for use
// by many goroutines at once: whatever they do, no room ever has two
// overlapping reservas. Make one with NovaAgenda.
type Agenda struct {
	// Fixed at construction and read without the lock.
	salas    []Sala          // in the order given
	oferta   []Sala          // in the order of ordemDeOferta
	porID    map[string]Sala // the same rooms
	politica Politica
	agora    func() time.Time // time.Now, but in tests

	mu       sync.RWMutex
	reservas map[string]lista // by room
	ultima   uint64           // numeric suffix of the highest reserva id
	usadas   chavesUsadas
}

// NovaAgenda makes an Agenda of rooms, the reservas they already have and the
// policy. It keeps no reference to the slices.
//
// It refuses what could not be an agenda with an *Inconsistencia: no room at
// all; a room without id or name, with the id of another or without seats; a
// reserva whose id is not "res-" and digits or is another's, of an unknown
// room, without responsavel, empty or inverted, or overlapping another of its
// room; a policy without version. It does not hold these reservas to the
// policy's window and duration: they are facts, not wishes.
func NovaAgenda(salas []Sala, reservas []Reserva, politica Politica) (*Agenda, error) {
	if err := conferirSalas(salas); err != nil {
		return nil, err
	}
	salas = copiaSalas(salas)
	a := &Agenda{
		salas:    salas,
		oferta:   ordemDeOferta(salas),
		porID:    make(map[string]Sala, len(salas)),
		politica: politica,
		agora:    time.Now,
		usadas:   novasChavesUsadas(),
	}
	for _, s := range salas {
		a.porID[s.ID] = s
	}
	if err := conferirReservas(a.porID, reservas); err != nil {
		return nil, err
	}
	if err := conferirPolitica(politica); err != nil {
		return nil, err
	}
	porSala := make(map[string][]Reserva, len(salas))
	for _, r := range reservas {
		r.Periodo = r.Periodo.noFuso()
		porSala[r.Sala] = append(porSala[r.Sala], r)
		n, _ := numeroDoID(r.ID) // conferirReservas has seen the form
		a.ultima = max(a.ultima, n)
	}
	a.reservas = make(map[string]lista, len(salas))
	for sala, rs := range porSala {
		slices.SortFunc(rs, func(x, y Reserva) int { return x.Periodo.Inicio.Compare(y.Periodo.Inicio) })
		a.reservas[sala] = novaLista(rs)
	}
	return a, nil
}

// Salas returns the rooms in the order in which the agenda received them. The
// slice is the caller's.
func (a *Agenda) Salas() []Sala { return copiaSalas(a.salas) }

// Politica returns the use policy.
func (a *Agenda) Politica() Politica { return a.politica }

// Verificar reads and judges a wish before anybody asks whether the room is
// free: the room exists, inicio and then fim are instants (see LerInstante),
// the interval is not empty, it lies in the window of one day, it is not too
// long. The first rule broken is the error, a *Recusa.
func (a *Agenda) Verificar(sala string, inicio, fim string) (Periodo, error) {
	if _, ok := a.porID[sala]; !ok {
		return Periodo{}, salaInexistente(sala)
	}
	var p Periodo
	var err error
	if p.Inicio, err = LerInstante("inicio", inicio); err != nil {
		return Periodo{}, err
	}
	if p.Fim, err = LerInstante("fim", fim); err != nil {
		return Periodo{}, err
	}
	if err := p.verificar(); err != nil {
		return Periodo{}, err
	}
	return p, nil
}

// Conflitos returns the reservas of the room that overlap p, by start. The
// slice is never nil and is the caller's; it is empty for an unknown room and
// for an empty or inverted p. The cost is O(log n + k) for n reservas of the
// room and k conflicts.
func (a *Agenda) Conflitos(sala string, p Periodo) []Reserva {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.reservas[sala].conflitos(p)
}
