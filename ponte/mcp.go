package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// versaoMCP is the revision that this client speaks.
const versaoMCP = "2026-07-28"

// pedido is one HTTP request, as it is recorded and as it is sent.
type pedido struct {
	metodo, url string
	// headers are names and values, in the order in which they are recorded.
	headers objeto
	// body is a JSON object, or nil for none.
	body any
}

// capacidades is what a client declares on a request (MCP 2026-07-28,
// ClientCapabilities).
type capacidades = objeto

var (
	// comFormulario declares elicitation in form mode, as the agent does.
	comFormulario = capacidades{{"elicitation", objeto{{"form", objeto{}}}}}
	semElicitacao = capacidades{}
)

// pedidoMCP builds a request that is complete in itself: the required _meta in
// the body, and its mirror in the headers. nome is what Mcp-Name mirrors, empty
// for methods without one; params are those of the method, without _meta.
func pedidoMCP(url string, id int, metodo, nome string, params objeto, caps capacidades, traceparent string) pedido {
	headers := objeto{
		{"Content-Type", "application/json"},
		{"Accept", "application/json, text/event-stream"},
		{"MCP-Protocol-Version", versaoMCP},
		{"Mcp-Method", metodo},
	}
	if nome != "" {
		headers = headers.com("Mcp-Name", nome)
	}
	meta := objeto{
		{"io.modelcontextprotocol/protocolVersion", versaoMCP},
		{"io.modelcontextprotocol/clientInfo", objeto{{"name", "agente-central-de-salas"}, {"version", "1.0.0"}}},
		{"io.modelcontextprotocol/clientCapabilities", caps},
		{"traceparent", traceparent},
	}
	return pedido{"POST", url, headers, objeto{
		{"jsonrpc", "2.0"}, {"id", id}, {"method", metodo}, {"params", params.com("_meta", meta)},
	}}
}

// limiteResposta bounds the answers that are read, in bytes.
const limiteResposta = 8 << 20

// novoCliente makes the HTTP client of a command. It goes to this machine only,
// past any proxy, and does not wait for ever.
func novoCliente() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: nil}, Timeout: 20 * time.Second}
}

// enviar sends a request and returns the answer's status and body, whatever
// the status is.
func enviar(ctx context.Context, cliente *http.Client, p pedido) (status int, body []byte, err error) {
	var conteudo io.Reader
	if p.body != nil {
		raw, err := codificar(p.body)
		if err != nil {
			return 0, nil, err
		}
		conteudo = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, p.metodo, p.url, conteudo)
	if err != nil {
		return 0, nil, err
	}
	for _, h := range p.headers {
		req.Header.Set(h.nome, fmt.Sprint(h.valor))
	}
	res, err := cliente.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, limiteResposta))
	return res.StatusCode, body, err
}
