package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"hillvalley.example/ponte/internal/dupla"
	"hillvalley.example/ponte/internal/rastro"
)

const (
	caminhoCartao = "/.well-known/agent-card.json"
	caminhoA2A    = "/a2a"

	// limiteResponder is how long a process that listens may take to answer.
	limiteResponder = 10 * time.Second
	intervalo       = 50 * time.Millisecond
)

// esperarResposta waits until the agent gives its card and the server answers
// server/discover.
func (d *par) esperarResposta(ctx context.Context) error {
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	descobrir := pedidoMCP(d.urlMCP, 1, "server/discover", "", objeto{}, semElicitacao, rastro.Novo().Traceparent())
	if err := aguardar(ctx, cliente, dupla.Servidor, d.servidor, descobrir); err != nil {
		return err
	}
	return aguardar(ctx, cliente, dupla.Agente, d.agente, pedidoCartao(d.urlAgente))
}

func pedidoCartao(base string) pedido {
	return pedido{"GET", base + caminhoCartao, objeto{{"Accept", "application/json"}}, nil}
}

// aguardar repeats a request until it is answered with 200.
func aguardar(ctx context.Context, cliente *http.Client, nome string, p *dupla.Processo, teste pedido) error {
	ctx, cancel := context.WithTimeout(ctx, limiteResponder)
	defer cancel()
	var ultimo string
	for {
		status, _, err := enviar(ctx, cliente, teste)
		switch {
		case err == nil && status == http.StatusOK:
			return nil
		case err == nil:
			ultimo = fmt.Sprintf("HTTP %d", status)
		case ctx.Err() == nil:
			ultimo = err.Error()
		}
		select {
		case <-time.After(intervalo):
		case <-p.Terminou():
			return fmt.Errorf("%s terminou antes de responder", nome)
		case <-ctx.Done():
			return fmt.Errorf("%s nao respondeu em %s %s: %s", nome, teste.metodo, teste.url, ultimo)
		}
	}
}
