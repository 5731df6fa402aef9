package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Checks 24 to 26, 31 and 35: a Task that does not pause.

// livre books a free room by way of the agent.
func (e *execucao) livre(ctx context.Context) (pedido, tarefa, error) {
	p := novoPedido(garagem, "Marty", e.horarioLivre(ctx, garagem))
	t, err := e.pedir(ctx, p)
	return p, t, err
}

func livreConclui(ctx context.Context, e *execucao) error {
	_, t, err := e.livre(ctx)
	if err != nil {
		return err
	}
	if err := t.em(concluida); err != nil {
		return err
	}
	if _, err := t.artefatoReserva(); err != nil {
		return err
	}
	return nil
}

func artefatoDaReserva(ctx context.Context, e *execucao) error {
	p, t, err := e.livre(ctx)
	if err != nil {
		return err
	}
	return t.reservou(p, p.sala)
}

func consultaTarefa(ctx context.Context, e *execucao) error {
	p, t, err := e.livre(ctx)
	if err != nil {
		return err
	}
	lida, err := e.a2a.obter(ctx, t.id)
	if err != nil {
		return err
	}
	if lida.contextID != t.contextID {
		return fmt.Errorf("GetTask com contextId %q, SendMessage com %q", lida.contextID, t.contextID)
	}
	if err := lida.reservou(p, p.sala); err != nil {
		return fmt.Errorf("GetTask: %w", err)
	}
	if !slices.Equal(lida.artefatos, t.artefatos) {
		return fmt.Errorf("GetTask com os artifacts %q, SendMessage com %q", lida.artefatos, t.artefatos)
	}
	return nil
}

// inexistente asks for a room that does not exist.
func (e *execucao) inexistente(ctx context.Context) (pedido, tarefa, error) {
	p := novoPedido("sala-inexistente-"+hexAleatorio(3), "Marty", e.horarios.sortear())
	t, err := e.pedir(ctx, p)
	return p, t, err
}

// terminalRecusa tries each way in which a Task ends.
func terminalRecusa(ctx context.Context, e *execucao) error {
	_, boa, err := e.livre(ctx)
	if err != nil {
		return fmt.Errorf("preparacao: %w", err)
	}
	_, ruim, err := e.inexistente(ctx)
	if err != nil {
		return fmt.Errorf("preparacao: %w", err)
	}
	_, pausa, err := e.pausaDoAgente(ctx, porao, mirante)
	if err != nil {
		return err
	}
	recusada, err := e.continuar(ctx, pausa, "escolha=recusar")
	if err != nil {
		return fmt.Errorf("preparacao: recusa: %w", err)
	}
	for _, t := range []tarefa{boa, ruim, recusada} {
		if !t.terminal() {
			return fmt.Errorf("preparacao: a Task nao terminou, esta em %s", t.estado)
		}
		if err := e.recusaMensagem(ctx, t); err != nil {
			return fmt.Errorf("com a Task em %s: %w", t.estado, err)
		}
	}
	return nil
}

// recusaMensagem demands an error in answer to a message, and a Task that is
// as it was. Any code will do but those which say that the agent broke or did
// not understand the request at all.
func (e *execucao) recusaMensagem(ctx context.Context, t tarefa) error {
	r, err := e.a2a.enviar(ctx, mensagem{texto: "escolha=" + mirante, tarefa: t.id})
	if err != nil {
		return err
	}
	if r.erro == nil {
		return fmt.Errorf("a mensagem foi aceita: %s", trecho(r.resultado))
	}
	if slices.Contains([]int64{erroInterno, metodoInexistente, jsonInvalido}, r.erro.codigo) {
		return fmt.Errorf("esperada uma recusa, veio %w", r.erro)
	}
	lida, err := e.a2a.obter(ctx, t.id)
	if err != nil {
		return err
	}
	if lida.estado != t.estado {
		return fmt.Errorf("passou para %s depois da mensagem recusada", lida.estado)
	}
	if !slices.Equal(lida.artefatos, t.artefatos) {
		return fmt.Errorf("artifacts mudaram depois da mensagem recusada: %q", lida.artefatos)
	}
	return nil
}

// salaInexistenteFalha reads the history of either answer: an agent may leave
// it out of one, but not out of both.
func salaInexistenteFalha(ctx context.Context, e *execucao) error {
	p, t, err := e.inexistente(ctx)
	if err != nil {
		return err
	}
	if err := t.em(falhada); err != nil {
		return err
	}
	lida, err := e.a2a.obter(ctx, t.id)
	if err != nil {
		return err
	}
	if err := lida.em(falhada); err != nil {
		return fmt.Errorf("GetTask: %w", err)
	}
	esperada := msgSalaInexistente + p.sala
	historico := slices.Concat(lida.historico, t.historico)
	if !slices.ContainsFunc(historico, func(s string) bool { return strings.Contains(s, esperada) }) {
		return fmt.Errorf("esperado %q no historico, que traz %q", esperada, lida.historico)
	}
	return nil
}
