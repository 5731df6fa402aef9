package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Checks 27 to 30, 32 to 34 and 36: the pause and the continuation.

func conflitoPausa(ctx context.Context, e *execucao) error {
	_, t, err := e.pausaDoAgente(ctx, porao, mirante)
	if err != nil {
		return err
	}
	if len(t.artefatos) > 0 {
		return errors.New("a Task pausada ja traz um artifact")
	}
	lida, err := e.a2a.obter(ctx, t.id)
	if err != nil {
		return err
	}
	if err := lida.em(pausada); err != nil {
		return fmt.Errorf("GetTask: %w", err)
	}
	return nil
}

// linhaDaPausa asks twice at one hour: for a list that is neither alphabetical
// nor in the order of the file, and for a single alternative, which may reach
// the agent as a const.
func linhaDaPausa(ctx context.Context, e *execucao) error {
	h := e.horarioLivre(ctx, aquario, porao, fusca, garagem, mirante)
	for _, passo := range []struct {
		ocupar   []string
		pedir    string
		esperada string
	}{
		{[]string{aquario}, aquario, "alternativas: sala-porao, sala-fusca, sala-garagem"},
		{[]string{fusca, garagem}, garagem, "alternativas: sala-mirante"},
	} {
		for _, s := range passo.ocupar {
			if _, err := e.reservarPeloAgente(ctx, novoPedido(s, "Marty", h)); err != nil {
				return fmt.Errorf("preparacao: %w", err)
			}
		}
		t, err := e.pedir(ctx, novoPedido(passo.pedir, "Jennifer", h))
		if err == nil {
			err = t.em(pausada)
		}
		if err != nil {
			return fmt.Errorf("pedido em conflito: %w", err)
		}
		lida, err := e.a2a.obter(ctx, t.id)
		if err != nil {
			return err
		}
		for _, t := range []tarefa{t, lida} {
			linha, err := t.linha()
			if err != nil {
				return err
			}
			if linha != passo.esperada {
				return fmt.Errorf("esperada a linha %q, veio %q", passo.esperada, linha)
			}
		}
	}
	return nil
}

// escolhaFora chooses what was not offered: a room that does not exist, the
// room that is taken, one that is too small.
func escolhaFora(ctx context.Context, e *execucao) error {
	_, t, err := e.pausaDoAgente(ctx, porao, mirante)
	if err != nil {
		return err
	}
	linha, err := t.linha()
	if err != nil {
		return fmt.Errorf("pedido em conflito: %w", err)
	}
	if !strings.HasPrefix(linha, "alternativas: ") {
		return fmt.Errorf("pedido em conflito: esperada a linha \"alternativas: ...\", veio %q", linha)
	}
	for _, fora := range []string{"sala-inexistente", porao, aquario} {
		depois, err := e.continuar(ctx, t, "escolha="+fora)
		if err != nil {
			return fmt.Errorf("escolha=%s: %w", fora, err)
		}
		lida, err := e.a2a.obter(ctx, t.id)
		if err != nil {
			return err
		}
		for _, d := range []tarefa{depois, lida} {
			if err := d.em(pausada); err != nil {
				return fmt.Errorf("escolha=%s: %w", fora, err)
			}
			repetida, err := d.linha()
			if err != nil {
				return fmt.Errorf("escolha=%s: %w", fora, err)
			}
			if repetida != linha {
				return fmt.Errorf("escolha=%s: esperada de novo a linha %q, veio %q", fora, linha, repetida)
			}
			if len(d.artefatos) > 0 {
				return fmt.Errorf("escolha=%s: a Task pausada traz um artifact", fora)
			}
		}
	}
	return nil
}

// continuacaoConclui takes the last room offered, so that an agent which
// always takes the first one is seen.
func continuacaoConclui(ctx context.Context, e *execucao) error {
	p, t, alts, err := e.pausaComEscolha(ctx, porao, fusca, garagem, mirante)
	if err != nil {
		return err
	}
	escolhida := alts[len(alts)-1]
	depois, err := e.continuar(ctx, t, "escolha="+escolhida)
	if err != nil {
		return err
	}
	if err := depois.reservou(p, escolhida); err != nil {
		return err
	}
	lida, err := e.a2a.obter(ctx, t.id)
	if err != nil {
		return err
	}
	if err := lida.reservou(p, escolhida); err != nil {
		return fmt.Errorf("GetTask: %w", err)
	}
	return nil
}

func recusaCancela(ctx context.Context, e *execucao) error {
	p, t, alts, err := e.pausaComEscolha(ctx, porao, fusca, garagem, mirante)
	if err != nil {
		return err
	}
	depois, err := e.continuar(ctx, t, "escolha=recusar")
	if err != nil {
		return err
	}
	lida, err := e.a2a.obter(ctx, t.id)
	if err != nil {
		return err
	}
	for _, d := range []tarefa{depois, lida} {
		if err := d.em(cancelada); err != nil {
			return err
		}
		if len(d.artefatos) > 0 {
			return errors.New("a Task recusada traz um artifact")
		}
	}
	for _, s := range alts {
		if _, err := e.reservarPeloAgente(ctx, novoPedido(s, "Lorraine", p.horario)); err != nil {
			return fmt.Errorf("%s nao esta livre depois da recusa: %w", s, err)
		}
	}
	return nil
}

// duasPausas pauses two Tasks and continues them in the opposite order. Both
// choices are on both lists, so that swapped states show in the artifacts and
// not as some other error.
func duasPausas(ctx context.Context, e *execucao) error {
	pa, a, altsA, err := e.pausaComEscolha(ctx, aquario, porao, fusca, garagem)
	if err != nil {
		return err
	}
	pb, b, altsB, err := e.pausaComEscolha(ctx, porao, fusca, garagem, mirante)
	if err != nil {
		return err
	}
	if a.id == b.id {
		return fmt.Errorf("dois pedidos abriram a mesma Task %q", a.id)
	}
	escolhaA, escolhaB := altsA[len(altsA)-1], altsB[0]
	if _, err := e.continuar(ctx, b, "escolha="+escolhaB); err != nil {
		return fmt.Errorf("segunda Task: %w", err)
	}
	// This one names its context as well, which is as good.
	if _, err := e.conversar(ctx, mensagem{texto: "escolha=" + escolhaA, tarefa: a.id, contextID: a.contextID}); err != nil {
		return fmt.Errorf("primeira Task: %w", err)
	}
	for _, caso := range []struct {
		qual    string
		id      string
		p       pedido
		escolha string
	}{
		{"primeira Task", a.id, pa, escolhaA},
		{"segunda Task", b.id, pb, escolhaB},
	} {
		t, err := e.a2a.obter(ctx, caso.id)
		if err == nil {
			err = t.reservou(caso.p, caso.escolha)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", caso.qual, err)
		}
	}
	return nil
}

// semVazamento runs last and judges every A2A body of the run.
func semVazamento(ctx context.Context, e *execucao) error {
	err := e.provocarRespostas(ctx)
	if achado := e.a2a.vigia.achado; achado != "" {
		return fmt.Errorf("%s (%d respostas examinadas)", achado, e.a2a.vigia.corpos)
	}
	return err
}

// provocarRespostas makes a round of each kind of answer in which a state could
// get out: a pause, a choice outside, a message that is no choice, a refusal,
// an error, and GetTask after each. A run without a pause would prove nothing.
func (e *execucao) provocarRespostas(ctx context.Context) error {
	_, t, err := e.pausaDoAgente(ctx, porao, mirante)
	if err != nil {
		return fmt.Errorf("sem uma pausa nao ha o que conferir: %w", err)
	}
	for _, texto := range []string{"escolha=sala-inexistente", "bom dia", "escolha=recusar", "escolha=recusar"} {
		if _, err := e.a2a.enviar(ctx, mensagem{texto: texto, tarefa: t.id}); err != nil {
			return fmt.Errorf("SendMessage: %w", err)
		}
		if _, err := e.a2a.obter(ctx, t.id); err != nil {
			return err
		}
	}
	return nil
}

func mesmaPausa(ctx context.Context, e *execucao) error {
	p, t, err := e.pausaDoAgente(ctx, porao, fusca, garagem, mirante)
	if err != nil {
		return err
	}
	outra, err := e.pedir(ctx, p)
	if err == nil {
		err = outra.em(pausada)
	}
	if err != nil {
		return fmt.Errorf("segundo pedido igual: %w", err)
	}
	if _, err := t.alternativas(); err != nil {
		return err
	}
	if !slices.Equal(t.partes, outra.partes) {
		return fmt.Errorf("a primeira pausa diz %q, a segunda %q", t.partes, outra.partes)
	}
	return nil
}
