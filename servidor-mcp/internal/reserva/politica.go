package reserva

import "time"

// Politica is the use policy as its owner wrote it. Texto is the whole
// document, byte for byte; Versao is the version its first line declares.
//
// The limits that the text describes are the constants below: a new text
// does not change them.
type Politica struct {
	Versao, Texto string
}

const (
	// Abertura is the time of day, since midnight at -03:00, from which a
	// room may be used. It is itself allowed.
	Abertura = 8 * time.Hour

	// Fechamento is the time of day, since midnight at -03:00, up to which a
	// room may be used. It is itself allowed.
	Fechamento = 20 * time.Hour

	// DuracaoMaxima is the longest reserva. It is itself allowed.
	DuracaoMaxima = 2 * time.Hour
)

// verificar applies the rules that a new reserva must keep, in the order in
// which they are reported: interval, window, duration. Reservas that came
// with the agenda are the owner's and are not held to window and duration.
func (p Periodo) verificar() error {
	switch {
	case p.vazio():
		return ErrIntervalo
	case !p.naJanela():
		return ErrJanela
	case p.Fim.Sub(p.Inicio) > DuracaoMaxima:
		return ErrDuracao
	}
	return nil
}

// naJanela reports whether both ends lie on one day at -03:00, between
// Abertura and Fechamento.
func (p Periodo) naJanela() bool {
	diaInicio, horaInicio := diaEHora(p.Inicio)
	diaFim, horaFim := diaEHora(p.Fim)
	return diaInicio.Equal(diaFim) &&
		horaInicio >= Abertura && horaInicio <= Fechamento &&
		horaFim >= Abertura && horaFim <= Fechamento
}

// diaEHora splits t, seen at -03:00, into its midnight and the time since.
// The zone is fixed, so every day has 24 hours.
func diaEHora(t time.Time) (dia time.Time, hora time.Duration) {
	t = t.In(fuso)
	dia = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, fuso)
	return dia, t.Sub(dia)
}
