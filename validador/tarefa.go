package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The states that the checks name.
const (
	submetida  = "TASK_STATE_SUBMITTED"
	trabalhada = "TASK_STATE_WORKING"
	concluida  = "TASK_STATE_COMPLETED"
	falhada    = "TASK_STATE_FAILED"
	cancelada  = "TASK_STATE_CANCELED"
	rejeitada  = "TASK_STATE_REJECTED"
	pausada    = "TASK_STATE_INPUT_REQUIRED"
)

// tarefa is a Task as far as the checks look at it.
type tarefa struct {
	id, contextID, estado string
	partes                []string   // of status.message; a part without text is ""
	artefatos             []artefato // in order
	historico             []string   // the texts of each message, joined
}

// artefato is an Artifact: its name and the text of its parts, joined.
type artefato struct{ nome, texto string }

// lerTarefa demands id, contextId and a state; the rest may be absent, but not
// of another kind.
func lerTarefa(o objeto) (tarefa, error) {
	t, err := lerCampos(o)
	if err != nil {
		return tarefa{}, fmt.Errorf("na Task: %w", err)
	}
	return t, nil
}

func lerCampos(o objeto) (tarefa, error) {
	var t tarefa
	var err error
	if t.id, err = o.texto("id"); err != nil {
		return t, err
	}
	if t.contextID, err = o.texto("contextId"); err != nil {
		return t, err
	}
	status, err := o.objeto("status")
	if err != nil {
		return t, err
	}
	if t.estado, err = status.texto("state"); err != nil {
		return t, fmt.Errorf("status: %w", err)
	}
	if _, err := status.valor("message"); err == nil {
		msg, err := status.objeto("message")
		if err != nil {
			return t, fmt.Errorf("status: %w", err)
		}
		if t.partes, err = lerPartes(msg); err != nil {
			return t, fmt.Errorf("status.message: %w", err)
		}
	}
	if _, err := o.valor("artifacts"); err == nil {
		lista, err := o.objetos("artifacts")
		if err != nil {
			return t, err
		}
		for _, a := range lista {
			partes, err := lerPartes(a)
			if err != nil {
				return t, fmt.Errorf("artifacts: %w", err)
			}
			nome, _ := a.texto("name")
			t.artefatos = append(t.artefatos, artefato{nome, strings.Join(partes, "")})
		}
	}
	if _, err := o.valor("history"); err == nil {
		lista, err := o.objetos("history")
		if err != nil {
			return t, err
		}
		for _, m := range lista {
			partes, err := lerPartes(m)
			if err != nil {
				return t, fmt.Errorf("history: %w", err)
			}
			t.historico = append(t.historico, strings.Join(partes, "\n"))
		}
	}
	return t, nil
}

func lerPartes(o objeto) ([]string, error) {
	lista, err := o.objetos("parts")
	if err != nil {
		return nil, err
	}
	var textos []string
	for _, p := range lista {
		s, _ := p.texto("text")
		textos = append(textos, s)
	}
	return textos, nil
}

func (t tarefa) terminal() bool {
	return slices.Contains([]string{concluida, falhada, cancelada, rejeitada}, t.estado)
}

// em demands a state; a Task in another one says what it last said.
func (t tarefa) em(estado string) error {
	if t.estado == estado {
		return nil
	}
	return fmt.Errorf("esperada a Task em %s, veio %s com a mensagem %q", estado, t.estado, strings.Join(t.partes, "\n"))
}

// linha gives the status message, which must be one text part.
func (t tarefa) linha() (string, error) {
	if len(t.partes) != 1 || t.partes[0] == "" {
		return "", fmt.Errorf("esperada uma parte de texto na mensagem da pausa, vieram %d: %q", len(t.partes), t.partes)
	}
	return t.partes[0], nil
}

// alternativas reads the pause's line.
func (t tarefa) alternativas() ([]string, error) {
	linha, err := t.linha()
	if err != nil {
		return nil, err
	}
	ids, ok := strings.CutPrefix(linha, "alternativas: ")
	if !ok || ids == "" {
		return nil, fmt.Errorf("esperada a linha \"alternativas: ...\", veio %q", linha)
	}
	return strings.Split(ids, ", "), nil
}

// artefatoReserva gives the one artifact named reserva.
func (t tarefa) artefatoReserva() (string, error) {
	var textos []string
	for _, a := range t.artefatos {
		if a.nome == "reserva" {
			textos = append(textos, a.texto)
		}
	}
	if len(textos) != 1 {
		return "", fmt.Errorf("esperado um artifact de nome reserva, vieram %d (de %d ao todo)", len(textos), len(t.artefatos))
	}
	return textos[0], nil
}

// reservou demands a COMPLETED Task whose artifact is the booking of p in sala.
func (t tarefa) reservou(p pedido, sala string) error {
	if err := t.em(concluida); err != nil {
		return err
	}
	texto, err := t.artefatoReserva()
	if err != nil {
		return err
	}
	o, err := comoObjeto([]byte(texto))
	if err != nil {
		return fmt.Errorf("artifact reserva: %w", err)
	}
	r, err := lerReserva(o)
	if err != nil {
		return fmt.Errorf("artifact reserva: %w", err)
	}
	if err := r.deve(p, sala); err != nil {
		return fmt.Errorf("artifact reserva: %w", err)
	}
	return nil
}

// conversar sends a message and waits for the Task to come to rest. An agent
// may answer while it still works; then GetTask is asked until the limit of
// one request is over.
func (e *execucao) conversar(ctx context.Context, m mensagem) (tarefa, error) {
	r, err := e.a2a.enviar(ctx, m)
	if err != nil {
		return tarefa{}, fmt.Errorf("SendMessage: %w", err)
	}
	t, err := tarefaDe(r)
	if err == nil && m.tarefa != "" && t.id != m.tarefa {
		err = fmt.Errorf("veio a Task %q, referenciada %q", t.id, m.tarefa)
	}
	if err != nil {
		return tarefa{}, fmt.Errorf("SendMessage: %w", err)
	}
	fim := time.Now().Add(e.a2a.t.espera)
	for t.estado == submetida || t.estado == trabalhada {
		if time.Now().After(fim) {
			return t, fmt.Errorf("a Task continua em %s depois de %s", t.estado, e.a2a.t.espera)
		}
		select {
		case <-ctx.Done():
			return t, errInterrompido
		case <-time.After(20 * time.Millisecond):
		}
		if t, err = e.a2a.obter(ctx, t.id); err != nil {
			return t, err
		}
	}
	return t, nil
}

// pedir opens a Task for a booking.
func (e *execucao) pedir(ctx context.Context, p pedido) (tarefa, error) {
	return e.conversar(ctx, mensagem{texto: p.linha()})
}

// continuar answers a paused Task.
func (e *execucao) continuar(ctx context.Context, t tarefa, texto string) (tarefa, error) {
	return e.conversar(ctx, mensagem{texto: texto, tarefa: t.id})
}

// reservarPeloAgente books a room that is free, by way of the agent.
func (e *execucao) reservarPeloAgente(ctx context.Context, p pedido) (tarefa, error) {
	t, err := e.pedir(ctx, p)
	if err == nil {
		err = t.em(concluida)
	}
	if err != nil {
		return t, fmt.Errorf("reserva de %s: %w", p.sala, err)
	}
	return t, nil
}

// pausaDoAgente books a room in a fresh hour and asks for it again in another
// name; the second Task must pause. livres are known to be free at that hour.
func (e *execucao) pausaDoAgente(ctx context.Context, sala string, livres ...string) (pedido, tarefa, error) {
	h := e.horarioLivre(ctx, append([]string{sala}, livres...)...)
	if _, err := e.reservarPeloAgente(ctx, novoPedido(sala, "Marty", h)); err != nil {
		return pedido{}, tarefa{}, fmt.Errorf("preparacao: %w", err)
	}
	p := novoPedido(sala, "Jennifer", h)
	t, err := e.pedir(ctx, p)
	if err == nil {
		err = t.em(pausada)
	}
	if err != nil {
		return p, t, fmt.Errorf("pedido em conflito: %w", err)
	}
	return p, t, nil
}

// pausaComEscolha is pausaDoAgente with the rooms offered, at least one.
func (e *execucao) pausaComEscolha(ctx context.Context, sala string, livres ...string) (pedido, tarefa, []string, error) {
	p, t, err := e.pausaDoAgente(ctx, sala, livres...)
	if err != nil {
		return p, t, nil, err
	}
	alts, err := t.alternativas()
	if err == nil && slices.Contains(alts, "") {
		err = errors.New("alternativa vazia")
	}
	if err != nil {
		return p, t, nil, fmt.Errorf("pedido em conflito: %w", err)
	}
	return p, t, alts, nil
}
