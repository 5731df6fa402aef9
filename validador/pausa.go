package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pausa is an input_required result: the one question, the key under which the
// server wants its answer, and the state to bring back.
type pausa struct {
	chave    string
	pergunta objeto
	estado   string
}

// lerPausa demands input_required with one elicitation and a requestState.
func lerPausa(t resultadoTool) (pausa, error) {
	var p pausa
	if t.tipo != "input_required" {
		extra := ""
		if len(t.textos) > 0 {
			extra = fmt.Sprintf(" com o texto %q", strings.Join(t.textos, "\n"))
		}
		return p, fmt.Errorf("esperado resultType input_required, veio %q%s", t.tipo, extra)
	}
	pedidos, err := t.bruto.objeto("inputRequests")
	if err != nil {
		return p, err
	}
	if len(pedidos) != 1 {
		return p, fmt.Errorf("inputRequests com %d entradas, esperada uma", len(pedidos))
	}
	p.chave = pedidos.chaves()[0]
	if p.pergunta, err = pedidos.objeto(p.chave); err != nil {
		return p, fmt.Errorf("inputRequests: %w", err)
	}
	if metodo, err := p.pergunta.texto("method"); err != nil || metodo != "elicitation/create" {
		return p, fmt.Errorf("inputRequests: esperado o metodo elicitation/create, veio %s", trecho(p.pergunta["method"]))
	}
	if p.estado, err = t.bruto.texto("requestState"); err != nil {
		return p, err
	}
	return p, nil
}

// alternativas demands a form with the one property sala and gives the rooms
// it may take, in the order of the enum. A const counts as an enum of one.
func (p pausa) alternativas() ([]string, error) {
	params, err := p.pergunta.objeto("params")
	if err != nil {
		return nil, err
	}
	if modo, err := params.texto("mode"); err != nil || modo != "form" {
		return nil, fmt.Errorf("esperado mode form, veio %s", trecho(params["mode"]))
	}
	if _, err := params.texto("message"); err != nil {
		return nil, err
	}
	esq, err := params.objeto("requestedSchema")
	if err != nil {
		return nil, err
	}
	if tipo, err := esq.texto("type"); err != nil || tipo != "object" {
		return nil, errors.New("requestedSchema: esperado type object")
	}
	props, err := esq.objeto("properties")
	if err != nil {
		return nil, fmt.Errorf("requestedSchema: %w", err)
	}
	if !slices.Equal(props.chaves(), []string{"sala"}) {
		return nil, fmt.Errorf("requestedSchema: esperada so a propriedade sala, vieram %q", props.chaves())
	}
	campo, err := props.objeto("sala")
	if err != nil {
		return nil, fmt.Errorf("requestedSchema: %w", err)
	}
	if tipo, err := campo.texto("type"); err != nil || tipo != "string" {
		return nil, errors.New("requestedSchema: a propriedade sala nao e do tipo string")
	}
	if campo.tem("enum") {
		return campo.textos("enum")
	}
	unica, err := campo.texto("const")
	if err != nil {
		return nil, errors.New("requestedSchema: a propriedade sala nao tem enum nem const")
	}
	return []string{unica}, nil
}

// pausar asks for a taken room.
func (e *execucao) pausar(ctx context.Context, p pedido) (pausa, error) {
	t, err := e.chamarTool(ctx, toolReservar, p.argumentos())
	if err != nil {
		return pausa{}, fmt.Errorf("pedido em conflito: %w", err)
	}
	pa, err := lerPausa(t)
	if err != nil {
		return pausa{}, fmt.Errorf("pedido em conflito: %w", err)
	}
	return pa, nil
}

// conflito books a room in a fresh hour and then asks for it in another name.
// The rooms in livres are known to be free at that hour.
func (e *execucao) conflito(ctx context.Context, sala string, livres ...string) (pedido, pausa, error) {
	h := e.horarioLivre(ctx, append([]string{sala}, livres...)...)
	if err := e.ocupar(ctx, novoPedido(sala, "Marty", h)); err != nil {
		return pedido{}, pausa{}, fmt.Errorf("preparacao: %w", err)
	}
	p := novoPedido(sala, "Jennifer", h)
	pa, err := e.pausar(ctx, p)
	return p, pa, err
}

// conflitoComEscolha is conflito for the checks that go on to choose: it also
// gives the rooms offered, at least one.
func (e *execucao) conflitoComEscolha(ctx context.Context, sala string, livres ...string) (pedido, pausa, []string, error) {
	p, pa, err := e.conflito(ctx, sala, livres...)
	if err != nil {
		return p, pa, nil, err
	}
	alts, err := pa.alternativas()
	if err == nil && len(alts) == 0 {
		err = errors.New("nenhuma alternativa oferecida")
	}
	if err != nil {
		return p, pa, nil, fmt.Errorf("pedido em conflito: %w", err)
	}
	return p, pa, alts, nil
}

// responder retries the call with an answer to its question. argumentos are
// those to send, which check 18 changes on purpose; sala "" sends no content.
func (e *execucao) responder(ctx context.Context, argumentos map[string]any, pa pausa, acao, sala string) (respostaRPC, error) {
	resposta := map[string]any{"action": acao}
	if sala != "" {
		resposta["content"] = map[string]any{"sala": sala}
	}
	p := chamadaTool(toolReservar, argumentos)
	p.params["inputResponses"] = map[string]any{pa.chave: resposta}
	p.params["requestState"] = pa.estado
	return e.mcp.chamar(ctx, p)
}

// alterar changes the one character in the middle. In base64url the new one
// differs in its highest bit, which is never padding: the change always means
// something.
func alterar(estado string) string {
	const alfabeto = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	letras := []rune(estado)
	meio := len(letras) / 2
	c := letras[meio]
	switch c { // the other alphabet of base64
	case '+':
		c = '-'
	case '/':
		c = '_'
	}
	letras[meio] = 'A'
	if i := strings.IndexRune(alfabeto, c); i >= 0 {
		letras[meio] = rune(alfabeto[i^32])
	}
	return string(letras)
}
