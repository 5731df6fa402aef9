package main

import (
	"context"
	"fmt"
)

// Checks 9 to 12 and 20: the tool errors and their messages.

// recusado demands that both tools refuse the request with the message: the
// availability tool validates as the booking tool does.
func recusado(ctx context.Context, e *execucao, p pedido, mensagem string) error {
	for _, nome := range []string{toolConsultar, toolReservar} {
		argumentos := p.argumentos()
		if nome == toolConsultar {
			argumentos = p.consulta()
		}
		t, err := e.chamarTool(ctx, nome, argumentos)
		if err == nil {
			err = t.falha(mensagem)
		}
		if err != nil {
			return fmt.Errorf("%s de %s a %s: %w", nome, argumentos["inicio"], argumentos["fim"], err)
		}
	}
	return nil
}

func salaInexistente(ctx context.Context, e *execucao) error {
	p := novoPedido("sala-inexistente-"+hexAleatorio(3), "Marty", e.horarios.sortear())
	return recusado(ctx, e, p, msgSalaInexistente+p.sala)
}

func foraDaJanela(ctx context.Context, e *execucao) error {
	h := e.horarios.sortear()
	cedo := h.das(6, 0, 7, 0)
	for _, h := range []horario{
		h.das(7, 30, 8, 30),   // begins before the window
		h.das(19, 30, 20, 30), // ends after it
		// Six in the morning in Sao Paulo, written as nine in UTC: the
		// window is the policy's clock, not the digits sent.
		{cedo.inicio.UTC(), cedo.fim.UTC()},
	} {
		if err := recusado(ctx, e, novoPedido(porao, "Marty", h), msgForaDaJanela); err != nil {
			return err
		}
	}
	return nil
}

func duracaoAcima(ctx context.Context, e *execucao) error {
	h := e.horarios.sortear()
	if err := recusado(ctx, e, novoPedido(porao, "Marty", h.das(10, 0, 12, 30)), msgDuracao); err != nil {
		return err
	}
	// The limit itself is allowed.
	t, err := e.chamarTool(ctx, toolConsultar, novoPedido(porao, "Marty", h.das(10, 0, 12, 0)).consulta())
	if err == nil {
		_, err = t.completo()
	}
	if err != nil {
		return fmt.Errorf("duas horas exatas: %w", err)
	}
	return nil
}

func intervaloInvalido(ctx context.Context, e *execucao) error {
	h := e.horarios.sortear()
	for _, h := range []horario{h.das(11, 0, 10, 0), h.das(10, 0, 10, 0)} {
		if err := recusado(ctx, e, novoPedido(porao, "Marty", h), msgIntervalo); err != nil {
			return err
		}
	}
	return nil
}

// semAlternativa uses the largest room: nothing can stand in for it.
func semAlternativa(ctx context.Context, e *execucao) error {
	h := e.horarioLivre(ctx, mirante)
	if err := e.ocupar(ctx, novoPedido(mirante, "Marty", h)); err != nil {
		return fmt.Errorf("preparacao: %w", err)
	}
	t, err := e.chamarTool(ctx, toolReservar, novoPedido(mirante, "Jennifer", h).argumentos())
	if err != nil {
		return err
	}
	return t.falha(msgSemAlternativas)
}
