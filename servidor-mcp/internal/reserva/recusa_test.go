package reserva

import (
	"errors"
	"fmt"
	"testing"
)

func TestRecusaCasaComUmaSentinela(t *testing.T) {
	sentinelas := []error{
		ErrSalaInexistente, ErrDataInvalida, ErrIntervalo, ErrJanela, ErrDuracao,
		ErrResponsavel, ErrSemAlternativas, ErrOcupada, ErrEstadoUsado,
	}
	_, vazio := ValidarResponsavel("")
	casos := []struct {
		err       error
		sentinela error
	}{
		{salaInexistente("x"), ErrSalaInexistente},
		{dataInvalida("fim"), ErrDataInvalida},
		{vazio, ErrResponsavel},
	}
	for _, s := range sentinelas {
		casos = append(casos, struct{ err, sentinela error }{s, s})
	}
	for _, c := range casos {
		for _, err := range []error{c.err, fmt.Errorf("wrapped: %w", c.err)} {
			for _, s := range sentinelas {
				if got, want := errors.Is(err, s), s == c.sentinela; got != want {
					t.Errorf("errors.Is(%q, %q) = %t, want %t", err, s, got, want)
				}
			}
			_, recusa := errors.AsType[*Recusa](err)
			if want := c.sentinela != ErrOcupada && c.sentinela != ErrEstadoUsado; recusa != want {
				t.Errorf("%q is a *Recusa: %t, want %t", err, recusa, want)
			}
		}
	}
	if errors.Is(ErrIntervalo, (*Recusa)(nil)) {
		t.Error("a Recusa matches a nil one")
	}
}

// TestRecusaMensagens holds the messages that have no value in them.
func TestRecusaMensagens(t *testing.T) {
	for err, esperada := range map[error]string{
		ErrIntervalo:       msgIntervalo,
		ErrJanela:          msgJanela,
		ErrDuracao:         msgDuracao,
		ErrSemAlternativas: "Sem alternativas disponiveis no intervalo",
	} {
		if err.Error() != esperada {
			t.Errorf("got %q, want %q", err, esperada)
		}
	}
}
