package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"hillvalley.example/ponte/agente/internal/hospede"
)

// cenarios are the suite's scenarios that say something of a host: what it
// lists, calls, reads and sends back. Those of authorization do not: the host
// has no credentials.
var cenarios = map[string]func(context.Context, *roteiro) error{
	"tools_call": func(ctx context.Context, r *roteiro) error {
		return r.chamar(ctx, "add_numbers", `{"a":5,"b":3}`)
	},
	"request-metadata": func(ctx context.Context, r *roteiro) error {
		return r.listar(ctx, "any", false)
	},
	"json-schema-ref-no-deref": func(ctx context.Context, r *roteiro) error {
		return r.listar(ctx, "lookup_user", true)
	},
	"sep-2322-client-request-state": pausas,
	"http-standard-headers":         cabecalhos,
	"http-custom-headers":           espelhos,
	"http-invalid-tool-headers":     invalidas,
}

// roteiro is what a scenario has at hand.
type roteiro struct {
	host     *hospede.Hospede
	contexto string
	log      io.Writer
}

// listar makes the host discover the tools, and checks whether one is there.
func (r *roteiro) listar(ctx context.Context, nome string, deve bool) error {
	f, ha, falhou := r.host.Ferramenta(ctx, nome)
	fmt.Fprintf(r.log, "tools/list: %s %t, chaves %v, falha %+v\n", nome, ha, f.Chaves(), falhou)
	if falhou != nil || ha != deve {
		return fmt.Errorf("tools/list: %s deve existir: %t; existe: %t, falha %+v", nome, deve, ha, falhou)
	}
	return nil
}

// chamar calls a tool that asks nothing. The suite's tools answer with a
// sentence, which has no fields that this agent could show: to it that is no
// usable answer, and the scenarios do not look at what it makes of one.
func (r *roteiro) chamar(ctx context.Context, ferramenta, argumentos string) error {
	d := r.host.Chamar(ctx, ferramenta, []byte(argumentos), nil)
	fmt.Fprintf(r.log, "tools/call %s: %T %+v\n", ferramenta, d, d)
	switch d := d.(type) {
	case hospede.Concluido:
		return nil
	case hospede.Inacessivel:
		if d != hospede.SemFerramenta && ctx.Err() == nil {
			return nil
		}
	}
	return fmt.Errorf("tools/call %s: desfecho inesperado %T %+v", ferramenta, d, d)
}

// pausas answers one question that comes with a state and one without, and
// calls something else in between.
func pausas(ctx context.Context, r *roteiro) error {
	comEstado, err := r.pausar(ctx, "test_mrtr_echo_state")
	if err != nil {
		return err
	}
	semEstado, err := r.pausar(ctx, "test_mrtr_no_state")
	if err != nil {
		return err
	}
	if comEstado.RequestState == "" || semEstado.RequestState != "" {
		return fmt.Errorf("so a primeira pausa tem estado: %q e %q", comEstado.RequestState, semEstado.RequestState)
	}
	if err := r.chamar(ctx, "test_mrtr_unrelated", `{}`); err != nil {
		return err
	}
	if err := r.retomar(ctx, "test_mrtr_echo_state", comEstado); err != nil {
		return err
	}
	if err := r.retomar(ctx, "test_mrtr_no_state", semEstado); err != nil {
		return err
	}
	return r.chamar(ctx, "test_mrtr_no_result_type", `{}`)
}

// pausar calls a tool that asks one question.
func (r *roteiro) pausar(ctx context.Context, ferramenta string) (hospede.PedeEntrada, error) {
	d := r.host.Chamar(ctx, ferramenta, []byte(`{}`), nil)
	fmt.Fprintf(r.log, "tools/call %s: %T\n", ferramenta, d)
	p, ok := d.(hospede.PedeEntrada)
	if !ok || len(p.Perguntas) != 1 {
		return p, fmt.Errorf("tools/call %s: quero uma pergunta, veio %T %+v", ferramenta, d, d)
	}
	return p, nil
}

// retomar answers a question with yes.
func (r *roteiro) retomar(ctx context.Context, ferramenta string, p hospede.PedeEntrada) error {
	sim := hospede.Resposta{Acao: "accept", Conteudo: map[string]any{"confirmed": true}}
	d := r.host.Chamar(ctx, ferramenta, []byte(`{}`), &hospede.Retomada{
		Respostas:    map[string]hospede.Resposta{p.Perguntas[0].Chave: sim},
		RequestState: p.RequestState,
	})
	fmt.Fprintf(r.log, "tools/call %s, de novo: %T\n", ferramenta, d)
	if _, outra := d.(hospede.PedeEntrada); outra {
		return fmt.Errorf("tools/call %s: perguntou de novo", ferramenta)
	}
	return nil
}

// cabecalhos sends each kind of request that the host has.
func cabecalhos(ctx context.Context, r *roteiro) error {
	for _, nome := range []string{"test_headers", "my-hyphenated-tool"} {
		if err := r.chamar(ctx, nome, `{}`); err != nil {
			return err
		}
	}
	for _, uri := range []string{"file:///path/to/file%20name.txt", "https://example.com/resource?id=123"} {
		_, falhou := r.host.Recurso(ctx, uri) // the suite's resources are empty
		fmt.Fprintf(r.log, "resources/read %s: %+v\n", uri, falhou)
	}
	return nil
}

// espelhos makes the calls that the suite describes, of tools whose parameters
// are mirrored into headers.
func espelhos(ctx context.Context, r *roteiro) error {
	var contexto struct {
		ToolCalls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal([]byte(r.contexto), &contexto); err != nil {
		return fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	for _, c := range contexto.ToolCalls {
		if err := r.chamar(ctx, c.Name, string(c.Arguments)); err != nil {
			return err
		}
	}
	return nil
}

// invalidas calls what a list offers in which one tool is as it should be. The
// others are none to the host: their headers could not be sent.
func invalidas(ctx context.Context, r *roteiro) error {
	for _, nome := range []string{
		"invalid_empty_header", "invalid_object_header", "invalid_array_header", "invalid_null_header",
		"invalid_number_header", "invalid_duplicate_same_case", "invalid_duplicate_diff_case",
		"invalid_space_in_name", "invalid_colon_in_name", "invalid_non_ascii_name", "invalid_control_char_name",
	} {
		if d := r.host.Chamar(ctx, nome, []byte(`{}`), nil); d != hospede.SemFerramenta {
			return fmt.Errorf("%s nao devia existir, veio %+v", nome, d)
		}
	}
	return r.chamar(ctx, "valid_tool", `{"region":"us-west1"}`)
}
