package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// resultadoTool is the result of a tools/call, of either kind.
type resultadoTool struct {
	tipo        string // resultType; "" when absent
	erro        bool   // isError
	estruturado []byte // structuredContent as JSON; nil when absent
	textos      []string
	bruto       objeto
}

// lerTool reads a tools/call response whose outcome is a result. A JSON-RPC
// error comes back as that error.
func lerTool(r respostaRPC) (resultadoTool, error) {
	o, err := r.sucesso()
	if err != nil {
		return resultadoTool{}, err
	}
	t := resultadoTool{bruto: o, estruturado: o["structuredContent"]}
	if o.tem("resultType") {
		if t.tipo, err = o.texto("resultType"); err != nil {
			return t, err
		}
	}
	if o.tem("isError") {
		if t.erro, err = o.booleano("isError"); err != nil {
			return t, err
		}
	}
	if o.tem("content") {
		blocos, err := o.objetos("content")
		if err != nil {
			return t, err
		}
		for _, b := range blocos {
			if tipo, _ := b.texto("type"); tipo == "text" {
				s, err := b.texto("text")
				if err != nil {
					return t, fmt.Errorf("content: %w", err)
				}
				t.textos = append(t.textos, s)
			}
		}
	}
	return t, nil
}

// completo demands a complete result that is no error, and gives its
// structuredContent.
func (t resultadoTool) completo() (objeto, error) {
	if t.tipo != "complete" {
		return nil, fmt.Errorf("esperado resultType complete, veio %q", t.tipo)
	}
	if t.erro {
		return nil, fmt.Errorf("isError com o texto %q", strings.Join(t.textos, "\n"))
	}
	o, err := comoObjeto(t.estruturado)
	if err != nil {
		return nil, fmt.Errorf("structuredContent: %w", err)
	}
	return o, nil
}

// falha demands a tool error whose text holds mensagem. Contains and not
// equals, because SDKs put a prefix of their own in front.
func (t resultadoTool) falha(mensagem string) error {
	if t.tipo != "complete" {
		return fmt.Errorf("esperado resultType complete com isError, veio %q", t.tipo)
	}
	if !t.erro {
		return fmt.Errorf("esperado isError com %q, veio sucesso", mensagem)
	}
	for _, s := range t.textos {
		if strings.Contains(s, mensagem) {
			return nil
		}
	}
	return fmt.Errorf("esperado o texto %q, veio %q", mensagem, strings.Join(t.textos, "\n"))
}

// reservada demands a concluded booking.
func (t resultadoTool) reservada() (reserva, error) {
	o, err := t.completo()
	if err != nil {
		return reserva{}, err
	}
	feita, err := o.booleano("reservado")
	if err == nil && !feita {
		err = errors.New("reservado: false")
	}
	if err != nil {
		return reserva{}, fmt.Errorf("structuredContent: %w", err)
	}
	r, err := lerReserva(o)
	if err != nil {
		return reserva{}, fmt.Errorf("structuredContent: %w", err)
	}
	if len(t.textos) == 0 {
		return reserva{}, errors.New("resultado sem bloco de texto")
	}
	return r, nil
}

// chamarTool calls a tool and reads its result.
func (e *execucao) chamarTool(ctx context.Context, nome string, argumentos map[string]any) (resultadoTool, error) {
	r, err := e.mcp.tool(ctx, nome, argumentos)
	if err != nil {
		return resultadoTool{}, err
	}
	return lerTool(r)
}

// ocupar books a room that must be free.
func (e *execucao) ocupar(ctx context.Context, p pedido) error {
	t, err := e.chamarTool(ctx, toolReservar, p.argumentos())
	if err != nil {
		return fmt.Errorf("reserva de %s: %w", p.sala, err)
	}
	r, err := t.reservada()
	if err == nil {
		err = r.deve(p, p.sala)
	}
	if err != nil {
		return fmt.Errorf("reserva de %s: %w", p.sala, err)
	}
	return nil
}
