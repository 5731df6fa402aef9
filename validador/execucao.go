package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
)

// verificacao is one row of the table. conferir returns nil for PASS, or the
// reason of the FAIL. Each prepares what it needs itself: no check reads what
// another one produced.
type verificacao struct {
	numero    int
	texto     string
	conferir  func(ctx context.Context, e *execucao) error
	porUltimo bool // judges the run as a whole, so it runs after all others
}

// execucao is one run: the two clients, its trace-id, and the hours it uses.
type execucao struct {
	mcp      *clienteMCP
	a2a      *clienteA2A
	rastro   string // trace-id, 32 hex digits
	horarios *sorteador
	semSonda bool // the MCP server did not answer a probe: probe no more
}

func novaExecucao(op opcoes) *execucao {
	rastro := hexAleatorio(16)
	t := &transporte{
		espera: op.espera,
		cliente: &http.Client{
			Transport: &http.Transport{
				Proxy:                  http.ProxyFromEnvironment,
				DisableCompression:     true,
				MaxResponseHeaderBytes: 64 << 10,
				ReadBufferSize:         64 << 10,
			},
			// A redirect is an answer to judge, not an order to follow.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	m := &clienteMCP{t: t, url: op.mcp + op.caminhoMCP, rastro: rastro}
	return &execucao{
		mcp:      m,
		a2a:      &clienteA2A{t: t, base: op.agente, caminho: op.caminhoA2A, rastro: rastro, vigia: vigia{estados: m}},
		rastro:   rastro,
		horarios: novoSorteador(nil),
	}
}

// executar runs the table. A row is reported as soon as every row with a lower
// number has been, so the report is in order although porUltimo rows run late.
func executar(ctx context.Context, e *execucao, tabela []verificacao, rel *relato) {
	motivos := make([]error, len(tabela))
	feitas := make([]bool, len(tabela))
	proxima := 0
	for _, vez := range []bool{false, true} {
		for i, v := range tabela {
			if v.porUltimo != vez {
				continue
			}
			motivos[i], feitas[i] = conferir(ctx, e, v), true
			for ; proxima < len(tabela) && feitas[proxima]; proxima++ {
				rel.linha(tabela[proxima], motivos[proxima])
			}
		}
	}
	e.mcp.t.cliente.CloseIdleConnections()
}

// conferir runs one check. Should hostile input reach a mistake of ours, the
// check fails and the run goes on.
func conferir(ctx context.Context, e *execucao, v verificacao) (motivo error) {
	defer func() {
		if p := recover(); p != nil {
			motivo = fmt.Errorf("defeito do validador: %v", p)
		}
	}()
	if ctx.Err() != nil {
		return errInterrompido
	}
	return v.conferir(ctx, e)
}

// hexAleatorio gives n random bytes in hex. All zeros, which the trace context
// forbids, would need a broken source, and crypto/rand ends the process then.
func hexAleatorio(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// traceparent is the W3C header of one request: the run's trace, a new span.
func traceparent(rastro string) string {
	return "00-" + rastro + "-" + hexAleatorio(8) + "-01"
}
