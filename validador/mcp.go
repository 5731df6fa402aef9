package main

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"sync"
)

const (
	versaoMCP = "2026-07-28"

	metaVersao      = "io.modelcontextprotocol/protocolVersion"
	metaCliente     = "io.modelcontextprotocol/clientInfo"
	metaCapacidades = "io.modelcontextprotocol/clientCapabilities"
)

// comFormulario declares elicitation in form mode, in the form the statement
// fixes.
var comFormulario = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}

// clienteMCP speaks raw JSON-RPC over the Streamable HTTP transport of
// revision 2026-07-28: no session, and every request complete in itself.
type clienteMCP struct {
	t      *transporte
	url    string
	rastro string

	mu      sync.Mutex
	proximo int      // last JSON-RPC id used; a retry never repeats one
	estados []string // every requestState seen, for check 34
}

// pedidoMCP is one request. The headers are derived from it, as the transport
// demands.
type pedidoMCP struct {
	metodo      string
	nome        string         // mirrored in Mcp-Name, when the method has one
	params      map[string]any // without _meta
	capacidades any            // nil: comFormulario
	semMeta     string         // a required _meta key to leave out on purpose
}

// chamar sends one request and reads the JSON-RPC response.
func (c *clienteMCP) chamar(ctx context.Context, p pedidoMCP) (respostaRPC, error) {
	c.mu.Lock()
	c.proximo++
	id := strconv.Itoa(c.proximo)
	c.mu.Unlock()

	meta := map[string]any{
		metaVersao:      versaoMCP,
		metaCliente:     map[string]any{"name": "validador", "version": "1.0.0"},
		metaCapacidades: p.capacidades,
		"traceparent":   traceparent(c.rastro),
	}
	if p.capacidades == nil {
		meta[metaCapacidades] = comFormulario
	}
	delete(meta, p.semMeta)
	params := map[string]any{"_meta": meta}
	maps.Copy(params, p.params)
	corpo, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": json.Number(id), "method": p.metodo, "params": params,
	})
	if err != nil {
		return respostaRPC{}, err
	}
	cabecalhos := map[string]string{
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
		"MCP-Protocol-Version": versaoMCP,
		"Mcp-Method":           p.metodo,
	}
	if p.nome != "" {
		cabecalhos["Mcp-Name"] = p.nome
	}
	r, err := c.t.trocar(ctx, "POST", c.url, cabecalhos, corpo, true)
	if err != nil {
		return respostaRPC{}, err
	}
	resp, err := lerRPC(r, id)
	if err == nil {
		c.anotar(resp)
	}
	return resp, err
}

// tool calls a tool with comFormulario declared.
func (c *clienteMCP) tool(ctx context.Context, nome string, argumentos map[string]any) (respostaRPC, error) {
	return c.chamar(ctx, chamadaTool(nome, argumentos))
}

func chamadaTool(nome string, argumentos map[string]any) pedidoMCP {
	return pedidoMCP{
		metodo: "tools/call",
		nome:   nome,
		params: map[string]any{"name": nome, "arguments": argumentos},
	}
}

func leituraResource(uri string) pedidoMCP {
	return pedidoMCP{metodo: "resources/read", nome: uri, params: map[string]any{"uri": uri}}
}

// anotar keeps the requestState of an answer, so that check 34 can look for it
// on the other border.
func (c *clienteMCP) anotar(r respostaRPC) {
	o, err := comoObjeto(r.resultado)
	if err != nil {
		return
	}
	estado, err := o.texto("requestState")
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.estados = append(c.estados, estado)
}

func (c *clienteMCP) estadosVistos() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.estados[:len(c.estados):len(c.estados)]
}
