package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"hillvalley.example/ponte/internal/rastro"
)

// palco is where a story is played: an agent, and the diary of the MCP server
// behind it.
type palco struct {
	agente   string // base URL
	cliente  *http.Client
	servidor *diario
	// limiteDiario is how long a log line may lag behind the answer.
	limiteDiario time.Duration

	endpoint string // of the card, once it was read
	pedidos  int    // JSON-RPC requests sent so far
	tarefas  map[string]*enredo
}

// enredo is what the story knows of one of its Tasks.
type enredo struct {
	id, contexto string
	// pedido is the text that opened it, ultima the id of its last tools/call.
	pedido, ultima string
}

// cena is what happened in one step.
type cena struct {
	traceID string
	pedido  pedido
	status  int
	body    []byte
	// tarefa and cartao are what the body holds; err why it holds neither.
	tarefa *tarefa
	cartao any
	err    error
	mcp    []requestVisto
	// anterior is the id of the Task's last tools/call before this step.
	anterior string
}

// encenar plays one step. Every step has a trace of its own, so that the log
// of the server tells which requests it caused.
func (p *palco) encenar(ctx context.Context, s passo) cena {
	r := rastro.Novo()
	c := cena{traceID: r.TraceID}
	e := p.tarefas[s.tarefa]
	if e != nil {
		c.anterior = e.ultima
	}
	if c.pedido, c.err = p.montar(s, e, r.Traceparent()); c.err != nil {
		return c
	}
	if c.status, c.body, c.err = enviar(ctx, p.cliente, c.pedido); c.err != nil {
		return c
	}
	if s.cartao {
		c.cartao, c.err = lerJSON(c.body)
		p.endpoint, _ = em(interfaceJSONRPC(c.cartao), "url").(string)
	} else {
		c.tarefa, c.err = lerTarefa(c.body, p.pedidos)
	}
	if c.err != nil {
		c.mcp = p.servidor.doRastro(c.traceID)
		return c
	}
	c.mcp = p.servidor.esperar(ctx, c.traceID, p.limiteDiario, func(v []requestVisto) bool {
		return emSequencia(s.espera.mcp, v)
	})
	if s.cartao {
		return c
	}
	if e == nil {
		e = &enredo{id: c.tarefa.ID, contexto: c.tarefa.ContextID, pedido: s.texto}
		p.tarefas[s.tarefa] = e
	}
	if id, ok := ultimaChamada(c.mcp); ok {
		e.ultima = id
	}
	return c
}

// montar writes the request of a step.
func (p *palco) montar(s passo, e *enredo, traceparent string) (pedido, error) {
	if s.cartao {
		q := pedidoCartao(p.agente)
		q.headers = q.headers.com("traceparent", traceparent)
		return q, nil
	}
	if p.endpoint == "" {
		p.endpoint = p.agente + caminhoA2A
	}
	p.pedidos++
	switch {
	case e == nil && s.consulta:
		return pedido{}, fmt.Errorf("nao ha Task %q para consultar: o passo que a abre falhou", s.tarefa)
	case s.consulta:
		return pedidoA2A(p.endpoint, p.pedidos, "GetTask", objeto{{"id", e.id}}, traceparent), nil
	}
	id := ""
	if e != nil {
		id = e.id
	}
	msg := mensagemA2A(fmt.Sprintf("demo-%d", p.pedidos), id, s.texto)
	return pedidoA2A(p.endpoint, p.pedidos, "SendMessage", msg, traceparent), nil
}

// interfaceJSONRPC is the card's JSON-RPC interface, or nil.
func interfaceJSONRPC(cartao any) any {
	lista, _ := em(cartao, "supportedInterfaces").([]any)
	for _, i := range lista {
		if em(i, "protocolBinding") == "JSONRPC" {
			return i
		}
	}
	return nil
}

// emSequencia reports whether the methods stand in the requests in this order,
// whatever stands between them.
func emSequencia(metodos []string, vistos []requestVisto) bool {
	for _, v := range vistos {
		if len(metodos) > 0 && v.metodo == metodos[0] {
			metodos = metodos[1:]
		}
	}
	return len(metodos) == 0
}

// ultimaChamada is the JSON-RPC id of the last tools/call.
func ultimaChamada(vistos []requestVisto) (string, bool) {
	for _, v := range slices.Backward(vistos) {
		if v.metodo == "tools/call" {
			return v.id, true
		}
	}
	return "", false
}
