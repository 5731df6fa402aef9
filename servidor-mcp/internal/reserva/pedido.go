package reserva

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Pedido is a wish to book a room, already parsed. Agenda.Verificar gives its
// Periodo, ValidarResponsavel its Responsavel.
type Pedido struct {
	Sala        string
	Periodo     Periodo
	Responsavel string
}

// Reserva is a granted Pedido.
type Reserva struct {
	ID          string // "res-" and at least one digit; unique in the agenda
	Sala        string
	Periodo     Periodo
	Responsavel string
}

// ResponsavelMaximo is the greatest length of a responsavel, in characters
// (Unicode code points).
const ResponsavelMaximo = 200

// ValidarResponsavel returns texto exactly as it came, untrimmed, or an error
// that satisfies errors.Is(err, ErrResponsavel): there is nothing in it but
// space, or it is longer than ResponsavelMaximo.
func ValidarResponsavel(texto string) (string, error) {
	if strings.TrimSpace(texto) == "" {
		return "", responsavelInvalido("Responsavel vazio: informe quem reserva")
	}
	if utf8.RuneCountInString(texto) > ResponsavelMaximo {
		return "", responsavelInvalido(fmt.Sprintf("Responsavel longo demais: no maximo %d caracteres", ResponsavelMaximo))
	}
	return texto, nil
}

// gerou reports whether r is what granting p gave.
func (p Pedido) gerou(r Reserva) bool {
	return r.Sala == p.Sala && r.Periodo.igual(p.Periodo) && r.Responsavel == p.Responsavel
}
