package main

import (
	"fmt"
	"time"
)

// reserva is a booking as a server reports it: the structuredContent of the
// tool, or the text of the agent's artifact.
type reserva struct {
	id, sala, inicio, fim, responsavel, politica string
}

// lerReserva demands the six keys of the contract, each a text.
func lerReserva(o objeto) (reserva, error) {
	var r reserva
	for _, campo := range []struct {
		chave string
		onde  *string
	}{
		{"reserva", &r.id}, {"sala", &r.sala}, {"inicio", &r.inicio},
		{"fim", &r.fim}, {"responsavel", &r.responsavel}, {"politica", &r.politica},
	} {
		var err error
		if *campo.onde, err = o.texto(campo.chave); err != nil {
			return r, err
		}
	}
	return r, nil
}

// deve says where the booking differs from the request p in the room
// salaEsperada. Instants are compared as instants: another offset is another
// spelling, not another hour.
func (r reserva) deve(p pedido, salaEsperada string) error {
	if r.sala != salaEsperada {
		return fmt.Errorf("reserva na sala %q, esperada %q", r.sala, salaEsperada)
	}
	if err := mesmoInstante("inicio", r.inicio, p.inicio); err != nil {
		return err
	}
	if err := mesmoInstante("fim", r.fim, p.fim); err != nil {
		return err
	}
	if r.responsavel != p.responsavel {
		return fmt.Errorf("reserva para %q, esperado %q", r.responsavel, p.responsavel)
	}
	if r.politica != versaoPolitica {
		return fmt.Errorf("politica %q, esperada %q", r.politica, versaoPolitica)
	}
	return nil
}

func mesmoInstante(nome, texto string, esperado time.Time) error {
	t, err := time.Parse(time.RFC3339, texto)
	if err != nil {
		return fmt.Errorf("%s %q nao e um instante ISO 8601 com fuso", nome, texto)
	}
	if !t.Equal(esperado) {
		return fmt.Errorf("%s %s, esperado %s", nome, texto, esperado.Format(formatoInstante))
	}
	return nil
}
