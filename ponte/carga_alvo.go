package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"hillvalley.example/ponte/internal/dupla"
)

// alvoDaCarga is what the load goes to.
type alvoDaCarga struct {
	// agente is the agent's JSON-RPC endpoint, mcp the server's; one of them
	// may be empty.
	agente, mcp string
	// processos are those of this machine, by [dupla.Agente] and
	// [dupla.Servidor].
	processos []processoMedido
}

// comAlvo runs usar with what is to be measured: a pair of its own, or what
// the options name.
func comAlvo(ctx context.Context, amb ambiente, o opcoesDeCarga, usar func(alvoDaCarga) error) error {
	if o.agente != "" || o.mcp != "" {
		a, err := alvoExterno(ctx, o)
		if err != nil {
			return err
		}
		return usar(a)
	}
	return comBinarios(ctx, amb, func(bins binarios) error {
		g, err := novoGuardaLogs(bins)
		if err != nil {
			return err
		}
		defer g.apagar()
		d, err := iniciarPar(ctx, g.bins, plano{
			argsServidor: portaLivre, argsAgente: portaLivre, env: isolado(novoSegredo()),
			saidaServidor: g.avisos[dupla.Servidor].saida(), saidaAgente: g.avisos[dupla.Agente].saida(),
		})
		if err == nil {
			err = usar(alvoDaCarga{
				agente:    d.urlAgente + caminhoA2A,
				mcp:       d.urlMCP,
				processos: []processoMedido{{dupla.Agente, d.agente.PID()}, {dupla.Servidor, d.servidor.PID()}},
			})
			if parada := d.parar(); err == nil {
				err = parada
			}
		}
		if err != nil && ctx.Err() == nil {
			g.mostrar(novaTela(amb.stderr, amb.getenv))
		}
		return err
	})
}

// alvoExterno finds what runs already.
func alvoExterno(ctx context.Context, o opcoesDeCarga) (a alvoDaCarga, err error) {
	if o.mcp != "" {
		u, err := url.Parse(o.mcp)
		if err != nil {
			return a, fmt.Errorf("carga: --mcp: %w", err)
		}
		if strings.Trim(u.Path, "/") == "" {
			u.Path = "/mcp"
		}
		a.mcp = u.String()
	}
	if o.agente != "" && o.modo != modoListar {
		if a.agente, err = endpointDoCartao(ctx, strings.TrimSuffix(o.agente, "/")); err != nil {
			return a, fmt.Errorf("carga: --agente %s: %w", o.agente, err)
		}
	}
	for _, p := range []processoMedido{{dupla.Agente, o.pidAgente}, {dupla.Servidor, o.pidMCP}} {
		if p.pid == 0 {
			continue
		}
		if _, err := consumoDe(raizProc, p.pid); err != nil && err != errSemProc {
			return a, fmt.Errorf("carga: %s: %w", p.nome, err)
		}
		a.processos = append(a.processos, p)
	}
	return a, nil
}

// endpointDoCartao is where an agent's card says that it speaks JSON-RPC.
func endpointDoCartao(ctx context.Context, base string) (string, error) {
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	status, body, err := enviar(ctx, cliente, pedidoCartao(base))
	if err != nil {
		return "", err
	}
	if status != http.StatusOK {
		return "", fmt.Errorf("o cartao deu HTTP %d", status)
	}
	cartao, err := lerJSON(body)
	if err != nil {
		return "", fmt.Errorf("o cartao nao e JSON: %w", err)
	}
	endpoint, ok := em(interfaceJSONRPC(cartao), "url").(string)
	if !ok {
		return "", fmt.Errorf("o cartao nao declara uma interface JSONRPC")
	}
	return endpoint, nil
}
