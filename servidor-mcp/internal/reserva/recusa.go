package reserva

import "errors"

// Recusa is an answer of the domain that says no: the call was understood,
// and its result is this message. Error gives the message to the letter, with
// whatever the user wrote inside it kept as it came; it is to be shown, not
// wrapped.
//
// Every Recusa matches exactly one of the sentinels below with errors.Is, and
// each sentinel is itself a *Recusa. An error of this package that is no
// *Recusa (ErrOcupada, ErrEstadoUsado) is an outcome that the caller must
// handle; it has no message for the user.
type Recusa struct {
	motivo   motivo
	mensagem string
}

// Error returns the message for the user.
func (r *Recusa) Error() string { return r.mensagem }

// Is reports whether alvo is a Recusa for the same reason, whatever value
// either of them names.
func (r *Recusa) Is(alvo error) bool {
	outra, ok := alvo.(*Recusa)
	return ok && outra != nil && outra.motivo == r.motivo
}

type motivo int

const (
	motivoSala motivo = iota + 1
	motivoData
	motivoIntervalo
	motivoJanela
	motivoDuracao
	motivoResponsavel
	motivoSemAlternativas
)

// The reasons for a Recusa. Where a message names a value, the sentinel has
// only the part before it; all others are the whole message.
var (
	// ErrSalaInexistente: no room has the id.
	ErrSalaInexistente error = &Recusa{motivoSala, "Sala inexistente"}

	// ErrDataInvalida: an end of the interval is no instant with an offset.
	ErrDataInvalida error = &Recusa{motivoData, "Data invalida"}

	// ErrIntervalo: the interval is empty or inverted.
	ErrIntervalo error = &Recusa{motivoIntervalo, "Intervalo invalido: fim deve ser posterior a inicio"}

	// ErrJanela: an end lies outside the hours of use, or the two ends lie on
	// different days.
	ErrJanela error = &Recusa{motivoJanela, "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"}

	// ErrDuracao: the interval is longer than DuracaoMaxima.
	ErrDuracao error = &Recusa{motivoDuracao, "Duracao acima do limite: a politica permite no maximo 2 horas"}

	// ErrResponsavel: nobody is named as responsavel, or the name is longer
	// than ResponsavelMaximo.
	ErrResponsavel error = &Recusa{motivoResponsavel, "Responsavel invalido"}

	// ErrSemAlternativas: the room is taken and Alternativas is empty. This
	// package does not return it; it is what the caller answers then.
	ErrSemAlternativas error = &Recusa{motivoSemAlternativas, "Sem alternativas disponiveis no intervalo"}
)

var (
	// ErrOcupada: the room has a reserva that overlaps the interval, and
	// nothing was booked.
	ErrOcupada = errors.New("sala ocupada no intervalo")

	// ErrEstadoUsado: the chave has already booked something else, or lies so
	// far past its validade that the agenda no longer remembers whether it
	// did. Nothing was booked.
	ErrEstadoUsado = errors.New("chave ja usada para outra reserva")
)

func salaInexistente(id string) error {
	return &Recusa{motivoSala, "Sala inexistente: " + id}
}

func dataInvalida(campo string) error {
	return &Recusa{motivoData, "Data invalida em " + campo +
		": use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"}
}

func responsavelInvalido(mensagem string) error {
	return &Recusa{motivoResponsavel, mensagem}
}
