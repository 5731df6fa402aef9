package main

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"strings"
)

// Checks 1, 2 and 4 to 8: what the MCP server shows before anything is booked.

// maxPaginas bounds a tools/list that never ends.
const maxPaginas = 10

// tools reads tools/list, all pages of it.
func (e *execucao) tools(ctx context.Context) ([]objeto, error) {
	var todas []objeto
	params := map[string]any{}
	for range maxPaginas {
		r, err := e.mcp.chamar(ctx, pedidoMCP{metodo: "tools/list", params: params})
		if err != nil {
			return nil, err
		}
		o, err := r.sucesso()
		if err != nil {
			return nil, err
		}
		pagina, err := o.objetos("tools")
		if err != nil {
			return nil, err
		}
		todas = append(todas, pagina...)
		if _, err := o.valor("nextCursor"); err != nil {
			return todas, nil
		}
		cursor, err := o.texto("nextCursor")
		if err != nil {
			return nil, err
		}
		params["cursor"] = cursor
	}
	return nil, fmt.Errorf("tools/list com mais de %d paginas", maxPaginas)
}

// toolDe gives the one tool of a name.
func toolDe(tools []objeto, nome string) (objeto, error) {
	var achada objeto
	for _, t := range tools {
		if n, _ := t.texto("name"); n == nome {
			if achada != nil {
				return nil, fmt.Errorf("tool %s repetida", nome)
			}
			achada = t
		}
	}
	if achada == nil {
		return nil, fmt.Errorf("falta a tool %s", nome)
	}
	return achada, nil
}

func tresTools(ctx context.Context, e *execucao) error {
	tools, err := e.tools(ctx)
	if err != nil {
		return err
	}
	for _, nome := range []string{toolListar, toolConsultar, toolReservar} {
		if _, err := toolDe(tools, nome); err != nil {
			return err
		}
	}
	return nil
}

func esquemasDeEntrada(ctx context.Context, e *execucao) error {
	tools, err := e.tools(ctx)
	if err != nil {
		return err
	}
	if len(tools) == 0 {
		return errors.New("tools/list sem tools")
	}
	for _, t := range tools {
		nome, err := t.texto("name")
		if err != nil {
			return fmt.Errorf("tool: %w", err)
		}
		if err := esquemaDeObjeto(t); err != nil {
			return fmt.Errorf("%s: inputSchema: %w", nome, err)
		}
	}
	for _, exigida := range []struct {
		tool   string
		params []string
	}{
		{toolConsultar, []string{"sala", "inicio", "fim"}},
		{toolReservar, []string{"sala", "inicio", "fim", "responsavel"}},
	} {
		t, err := toolDe(tools, exigida.tool)
		if err != nil {
			return err
		}
		esq, _ := t.objeto("inputSchema")
		props, _ := esq.objeto("properties")
		for _, p := range exigida.params {
			if !props.tem(p) {
				return fmt.Errorf("%s: inputSchema sem a propriedade %s", exigida.tool, p)
			}
		}
	}
	return nil
}

// esquemaDeObjeto demands a tool's inputSchema to be a JSON Schema of type
// object whose members have the kinds that JSON Schema gives them.
func esquemaDeObjeto(tool objeto) error {
	raw, err := tool.valor("inputSchema")
	if err != nil {
		return errors.New("ausente")
	}
	esq, err := comoObjeto(raw)
	if err != nil {
		return err
	}
	if tipo, err := esq.texto("type"); err != nil || tipo != "object" {
		return fmt.Errorf("esperado type object, veio %s", trecho(esq["type"]))
	}
	if esq.tem("properties") {
		props, err := esq.objeto("properties")
		if err != nil {
			return err
		}
		for _, nome := range props.chaves() {
			if t := tipoJSON(props[nome]); t != "objeto" && t != "booleano" {
				return fmt.Errorf("properties.%s: esperado um esquema, veio %s", nome, t)
			}
		}
	}
	if esq.tem("required") {
		if _, err := esq.textos("required"); err != nil {
			return err
		}
	}
	return nil
}

func semVersao(ctx context.Context, e *execucao) error { return semMeta(ctx, e, metaVersao) }

func semCapacidades(ctx context.Context, e *execucao) error { return semMeta(ctx, e, metaCapacidades) }

// semMeta leaves out one required field of _meta, on a listing and on a call:
// nothing may be inferred from the header or from an earlier request.
func semMeta(ctx context.Context, e *execucao, chave string) error {
	for _, p := range []pedidoMCP{
		{metodo: "tools/list"},
		chamadaTool(toolListar, map[string]any{}),
	} {
		p.semMeta = chave
		r, err := e.mcp.chamar(ctx, p)
		if err == nil {
			err = r.recusa400(paramsInvalidos)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.metodo, err)
		}
	}
	return nil
}

// toolInexistente accepts both refusals that the statement allows.
func toolInexistente(ctx context.Context, e *execucao) error {
	r, err := e.mcp.tool(ctx, "tool_inexistente_"+hexAleatorio(3), map[string]any{})
	if err != nil {
		return err
	}
	if r.erro != nil {
		return r.recusa(paramsInvalidos)
	}
	t, err := lerTool(r)
	if err != nil {
		return err
	}
	if !t.erro {
		return fmt.Errorf("a chamada foi aceita: %s", trecho(r.resultado))
	}
	return nil
}

func leituraDaPolitica(ctx context.Context, e *execucao) error {
	r, err := e.mcp.chamar(ctx, leituraResource(uriPolitica))
	if err != nil {
		return err
	}
	o, err := r.sucesso()
	if err != nil {
		return err
	}
	conteudos, err := o.objetos("contents")
	if err != nil {
		return err
	}
	if len(conteudos) != 1 {
		return fmt.Errorf("esperado um item em contents, vieram %d", len(conteudos))
	}
	c := conteudos[0]
	if uri, err := c.texto("uri"); err != nil || uri != uriPolitica {
		return fmt.Errorf("esperada a uri %s, veio %s", uriPolitica, trecho(c["uri"]))
	}
	bruto, err := c.texto("mimeType")
	if err != nil {
		return err
	}
	if tipo, _, err := mime.ParseMediaType(bruto); err != nil || tipo != "text/markdown" {
		return fmt.Errorf("esperado mimeType text/markdown, veio %q", bruto)
	}
	texto, err := c.texto("text")
	if err != nil {
		return err
	}
	// Line ends and a last newline are the checkout's business.
	if strings.TrimSpace(strings.ReplaceAll(texto, "\r\n", "\n")) != textoPolitica {
		return fmt.Errorf("o texto nao e o de dados/politica-de-uso.md: %s", trecho([]byte(texto)))
	}
	return nil
}

func uriInexistente(ctx context.Context, e *execucao) error {
	r, err := e.mcp.chamar(ctx, leituraResource("politica://inexistente-"+hexAleatorio(3)))
	if err != nil {
		return err
	}
	return r.recusa(paramsInvalidos)
}
