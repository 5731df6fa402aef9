package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// diario keeps what a server received, for the tests of what is sent.
type diario struct {
	mu       sync.Mutex
	recebido []recebido
}

type recebido struct {
	cabecalhos http.Header
	corpo      []byte
}

func (d *diario) anotar(r *http.Request) []byte {
	b, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recebido = append(d.recebido, recebido{r.Header.Clone(), b})
	return b
}

// mcpFalso is the MCP server of the fake pair, at /mcp.
type mcpFalso struct {
	*nucleo
	diario
}

func (f *mcpFalso) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	corpo := f.anotar(r)
	var p struct {
		ID     json.RawMessage
		Method string
		Params m
	}
	if r.URL.Path != "/mcp" || r.Method != "POST" || json.Unmarshal(corpo, &p) != nil {
		http.NotFound(w, r)
		return
	}
	resultado, erro := f.atender(r.Header, p.Method, p.Params)
	f.responder(w, p.ID, resultado, erro)
}

func (f *mcpFalso) atender(h http.Header, metodo string, params m) (m, *falha) {
	invalido := &falha{-32602, 400, nil}
	if f.tem("falta-de-meta-200") {
		invalido.status = 200
	}
	nome, _ := params["name"].(string)
	if metodo == "resources/read" {
		nome, _ = params["uri"].(string)
	}
	if h.Get("MCP-Protocol-Version") != versaoMCP || h.Get("Mcp-Method") != metodo || h.Get("Mcp-Name") != nome {
		return nil, &falha{-32020, 400, nil}
	}
	meta, _ := params["_meta"].(m)
	if meta["io.modelcontextprotocol/protocolVersion"] != versaoMCP && !f.tem("aceita-sem-versao") {
		return nil, invalido
	}
	caps, declarou := meta["io.modelcontextprotocol/clientCapabilities"].(m)
	if !declarou && !f.tem("aceita-sem-capacidades") {
		return nil, invalido
	}
	el, tem := caps["elicitation"].(m)
	_, form := el["form"]
	formulario := tem && (form || len(el) == 0) || f.tem("ignora-capacidades") || tem && f.tem("url-vale")
	args, _ := params["arguments"].(m)
	switch metodo {
	case "tools/list":
		return f.listarTools(params), nil
	case "resources/read":
		return f.lerResource(nome)
	case "tools/call":
		switch nome {
		case "listar_salas":
			return f.listarSalas(), nil
		case "consultar_disponibilidade":
			return f.consultar(args), nil
		case "reservar_sala":
			respostas, _ := params["inputResponses"].(m)
			estado, _ := params["requestState"].(string)
			return f.reservar(args, respostas, estado, formulario)
		}
		if f.tem("aceita-qualquer-tool") {
			return completo(m{}), nil
		}
		if f.tem("tool-desconhecida-32601") {
			return nil, &falha{-32601, 404, nil}
		}
		return nil, &falha{-32602, 400, nil}
	}
	return nil, &falha{-32601, 404, nil}
}

func (f *mcpFalso) listarTools(params m) m {
	esquema := func(nomes ...string) m {
		props := m{}
		for _, n := range nomes {
			props[n] = m{"type": "string"}
		}
		return m{"type": "object", "properties": props, "required": nomes}
	}
	listar := m{"name": "listar_salas", "inputSchema": m{"type": "object"}, "outputSchema": m{
		"type": "object", "required": []string{"salas"}, "additionalProperties": false,
		"properties": m{"salas": m{"type": "array", "items": m{"$ref": "#/$defs/sala"}}},
		"$defs": m{"sala": m{"type": "object", "required": []string{"id", "nome", "capacidade", "recursos"},
			"properties": m{"capacidade": m{"type": "integer"}}}},
	}}
	consultar := m{"name": "consultar_disponibilidade", "inputSchema": esquema("sala", "inicio", "fim")}
	reservar := m{"name": "reservar_sala", "inputSchema": esquema("sala", "inicio", "fim", "responsavel")}
	switch {
	case f.tem("schema-texto"):
		consultar["inputSchema"] = "object"
	case f.tem("schema-sem-type"):
		listar["inputSchema"] = m{}
	case f.tem("schema-sem-responsavel"):
		reservar["inputSchema"] = esquema("sala", "inicio", "fim")
	case f.tem("sem-output-schema"):
		delete(listar, "outputSchema")
	}
	// Two pages: a client that reads only the first sees one tool.
	if params["cursor"] == nil || f.tem("paginas-sem-fim") {
		return m{"resultType": "complete", "tools": []m{listar}, "nextCursor": "2"}
	}
	if f.tem("sem-consultar") {
		return m{"resultType": "complete", "tools": []m{reservar}}
	}
	return m{"resultType": "complete", "tools": []m{consultar, reservar}}
}

func (f *mcpFalso) listarSalas() m {
	lista := []m{}
	for _, s := range salasFixas {
		lista = append(lista, m{"id": s.id, "nome": s.nome, "capacidade": s.capacidade, "recursos": s.recursos})
	}
	if f.tem("quatro-salas") {
		lista = lista[:4]
	}
	if f.tem("capacidade-errada") {
		lista[2]["capacidade"] = 11
	}
	if f.tem("fora-do-output-schema") {
		lista[0]["capacidade"] = "4"
	}
	r := completo(m{"salas": lista})
	if f.tem("texto-diferente") {
		r["content"] = []m{{"type": "text", "text": "cinco salas"}}
	}
	if f.tem("sem-structured") {
		delete(r, "structuredContent")
	}
	return r
}

func (f *mcpFalso) lerResource(uri string) (m, *falha) {
	if uri != "politica://uso" {
		if f.tem("contents-vazio") {
			return m{"resultType": "complete", "contents": []m{}}, nil
		}
		if f.tem("uri-32002") {
			return nil, &falha{-32002, 400, nil}
		}
		return nil, &falha{-32602, 400, nil}
	}
	c := m{"uri": uri, "mimeType": "text/markdown", "text": textoPolitica + "\n"}
	if f.tem("politica-cortada") {
		c["text"] = "versao: 2026-11-01\n"
	}
	if f.tem("politica-text-plain") {
		c["mimeType"] = "text/plain"
	}
	return m{"resultType": "complete", "contents": []m{c}}, nil
}

// responder writes JSON, or with "sse" an event stream that begins with what a
// client has to skip.
func (f *mcpFalso) responder(w http.ResponseWriter, id json.RawMessage, resultado m, erro *falha) {
	r := m{"jsonrpc": "2.0", "id": id, "result": resultado}
	status := 200
	if erro != nil {
		status = erro.status
		r = m{"jsonrpc": "2.0", "id": id, "error": m{"code": erro.codigo, "message": "recusado", "data": erro.dados}}
	}
	b, _ := json.Marshal(r)
	if f.tem("sse") {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.WriteHeader(status)
		fmt.Fprint(w, ": acordado\r\n\r\n")
		fmt.Fprint(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/message\",\"params\":{}}\n\n")
		if f.tem("sse-pergunta") {
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\"}\n\n")
		}
		fmt.Fprintf(w, "data: %s\n\n", b)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(b)
}
