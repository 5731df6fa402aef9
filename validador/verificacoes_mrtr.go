package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Checks 13 to 19: the question in the result, and the retry.

func conflitoPergunta(ctx context.Context, e *execucao) error {
	_, _, err := e.conflito(ctx, porao, mirante)
	return err
}

// alternativasNaOrdem asks three times at one hour, each time with more rooms
// taken: at most three and by capacity; one of equal capacity gone; a single
// one left, which may come as a const.
func alternativasNaOrdem(ctx context.Context, e *execucao) error {
	h := e.horarioLivre(ctx, aquario, porao, fusca, garagem, mirante)
	for _, passo := range []struct {
		ocupar   string
		pedir    string
		esperada []string
	}{
		{aquario, aquario, []string{porao, fusca, garagem}},
		{fusca, aquario, []string{porao, garagem, mirante}},
		{garagem, garagem, []string{mirante}},
	} {
		if err := e.ocupar(ctx, novoPedido(passo.ocupar, "Marty", h)); err != nil {
			return fmt.Errorf("preparacao: %w", err)
		}
		pa, err := e.pausar(ctx, novoPedido(passo.pedir, "Jennifer", h))
		if err != nil {
			return err
		}
		alts, err := pa.alternativas()
		if err != nil {
			return err
		}
		if !slices.Equal(alts, passo.esperada) {
			return fmt.Errorf("esperadas as alternativas %q para %s, vieram %q", passo.esperada, passo.pedir, alts)
		}
	}
	return nil
}

// semFormulario asks without the capability and with a mode that is not the
// one needed.
func semFormulario(ctx context.Context, e *execucao) error {
	h := e.horarioLivre(ctx, porao, mirante)
	if err := e.ocupar(ctx, novoPedido(porao, "Marty", h)); err != nil {
		return fmt.Errorf("preparacao: %w", err)
	}
	for _, declaradas := range []map[string]any{
		{},
		{"elicitation": map[string]any{"url": map[string]any{}}},
	} {
		p := chamadaTool(toolReservar, novoPedido(porao, "Jennifer", h).argumentos())
		p.capacidades = declaradas
		r, err := e.mcp.chamar(ctx, p)
		if err == nil {
			err = r.recusa400(faltaCapacidade)
		}
		if err == nil {
			err = listaFormulario(r.erro)
		}
		if err != nil {
			return fmt.Errorf("com as capabilities %v: %w", declaradas, err)
		}
	}
	return nil
}

// listaFormulario demands that the error names what was missing. An empty
// elicitation object is the specification's other way to say form mode.
func listaFormulario(erro *erroRPC) error {
	dados, err := comoObjeto(erro.dados)
	if err != nil {
		return fmt.Errorf("error.data: %w", err)
	}
	exigidas, err := dados.objeto("requiredCapabilities")
	if err != nil {
		return fmt.Errorf("error.data: %w", err)
	}
	el, err := exigidas.objeto("elicitation")
	if err != nil {
		return fmt.Errorf("requiredCapabilities: %w", err)
	}
	if len(el) > 0 {
		if _, err := el.objeto("form"); err != nil {
			return fmt.Errorf("requiredCapabilities.elicitation: %w", err)
		}
	}
	return nil
}

// retryConclui takes the last room offered, so that a server which always
// takes the first one is seen, and then asks for it again to see that the
// booking is really there.
func retryConclui(ctx context.Context, e *execucao) error {
	p, pa, alts, err := e.conflitoComEscolha(ctx, porao, fusca, garagem, mirante)
	if err != nil {
		return err
	}
	escolhida := alts[len(alts)-1]
	r, err := e.responder(ctx, p.argumentos(), pa, "accept", escolhida)
	if err != nil {
		return err
	}
	t, err := lerTool(r)
	if err != nil {
		return err
	}
	feita, err := t.reservada()
	if err != nil {
		return err
	}
	if err := feita.deve(p, escolhida); err != nil {
		return err
	}
	t, err = e.chamarTool(ctx, toolReservar, novoPedido(escolhida, "Biff", p.horario).argumentos())
	if err != nil {
		return fmt.Errorf("novo pedido de %s: %w", escolhida, err)
	}
	if t.tipo == "complete" && !t.erro {
		return fmt.Errorf("%s continua livre depois da reserva", escolhida)
	}
	return nil
}

func estadoAlterado(ctx context.Context, e *execucao) error {
	p, pa, alts, err := e.conflitoComEscolha(ctx, porao, mirante)
	if err != nil {
		return err
	}
	pa.estado = alterar(pa.estado)
	r, err := e.responder(ctx, p.argumentos(), pa, "accept", alts[0])
	if err != nil {
		return err
	}
	return r.recusa(paramsInvalidos)
}

// argumentosAlterados retries with another room, another day and another name.
// The server may refuse, or conclude with the sealed values; what was altered
// must not show in the answer, nor may anything be booked on the other day.
func argumentosAlterados(ctx context.Context, e *execucao) error {
	p, pa, alts, err := e.conflitoComEscolha(ctx, porao, fusca, garagem, mirante)
	if err != nil {
		return err
	}
	escolhida := alts[0]
	outro := novoPedido(aquario, "Biff", e.horarioLivre(ctx, aquario, porao, escolhida))
	r, err := e.responder(ctx, outro.argumentos(), pa, "accept", escolhida)
	if err != nil {
		return err
	}
	if r.erro != nil {
		if err := r.recusa(paramsInvalidos); err != nil {
			return err
		}
	} else {
		t, err := lerTool(r)
		if err != nil {
			return err
		}
		if !t.erro {
			feita, err := t.reservada()
			if err != nil {
				return fmt.Errorf("nem recusa nem reserva com os valores selados: %w", err)
			}
			if err := feita.deve(p, escolhida); err != nil {
				return fmt.Errorf("os argumentos alterados tomaram efeito: %w", err)
			}
		}
	}
	for _, s := range slices.Compact([]string{aquario, porao, escolhida}) {
		if err := e.ocupar(ctx, novoPedido(s, "Lorraine", outro.horario)); err != nil {
			return fmt.Errorf("os argumentos alterados tomaram efeito, %s esta ocupada no dia que so eles traziam: %w", s, err)
		}
	}
	return nil
}

func recusaConclui(ctx context.Context, e *execucao) error {
	for _, acao := range []string{"decline", "cancel"} {
		p, pa, alts, err := e.conflitoComEscolha(ctx, porao, fusca, garagem, mirante)
		if err != nil {
			return err
		}
		if err := e.recusarMCP(ctx, p, pa, acao); err != nil {
			return fmt.Errorf("%s: %w", acao, err)
		}
		for _, s := range alts {
			if err := e.ocupar(ctx, novoPedido(s, "Lorraine", p.horario)); err != nil {
				return fmt.Errorf("%s: %s nao esta livre depois da recusa: %w", acao, s, err)
			}
		}
	}
	return nil
}

func (e *execucao) recusarMCP(ctx context.Context, p pedido, pa pausa, acao string) error {
	r, err := e.responder(ctx, p.argumentos(), pa, acao, "")
	if err != nil {
		return err
	}
	t, err := lerTool(r)
	if err != nil {
		return err
	}
	o, err := t.completo()
	if err != nil {
		return err
	}
	feita, err := o.booleano("reservado")
	if err != nil {
		return fmt.Errorf("structuredContent: %w", err)
	}
	if feita {
		return errors.New("structuredContent: esperado reservado false, veio true")
	}
	motivo, err := o.texto("motivo")
	if err != nil {
		return fmt.Errorf("structuredContent: %w", err)
	}
	if strings.TrimSpace(motivo) == "" {
		return errors.New("structuredContent: motivo em branco")
	}
	return nil
}
