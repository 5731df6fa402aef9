package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"hillvalley.example/ponte/internal/dupla"
)

// subir runs the two processes until a signal comes or one of them ends. Their
// settings come from the environment, as when they are started by hand; only
// the addresses have options here.
func subir(ctx context.Context, amb ambiente, args []string) error {
	fs := flag.NewFlagSet("subir", flag.ContinueOnError)
	addrAgente := fs.String("addr-agente", "", "endereco do agente; sem ela, AGENTE_ADDR ou localhost:7300")
	addrMCP := fs.String("addr-mcp", "", "endereco do servidor MCP; sem ela, MCP_ADDR ou localhost:7301")
	if err := lerOpcoes(fs, args, amb.stdout); err != nil {
		return err
	}

	// Both streams share one destination: lines never mix.
	stderr := &vez{w: amb.stderr}
	p := plano{
		argsServidor:  endereco(*addrMCP),
		argsAgente:    endereco(*addrAgente),
		saidaServidor: comPrefixo(stderr, "["+dupla.Servidor+"] "),
		saidaAgente:   comPrefixo(stderr, "["+dupla.Agente+"] "),
	}
	novo := amb.getenv(variavelSegredo) == ""
	if novo {
		p.env = []string{variavelSegredo + "=" + novoSegredo()}
	}
	subiu := false
	err := comBinarios(ctx, amb, func(bins binarios) error {
		d, err := iniciarPar(ctx, bins, p)
		if err != nil {
			return explicar(err)
		}
		subiu = true
		anunciar(amb, d, novo)
		if morto := d.vigiar(ctx); morto != "" {
			_ = d.parar() // says the same again
			return fmt.Errorf("%s terminou sozinho; o outro processo foi encerrado", morto)
		}
		fmt.Fprintln(stderr, "encerrando os dois processos...")
		return d.parar()
	})
	if ctx.Err() != nil && !subiu {
		return nil // stopped while still starting, as asked
	}
	return err
}

// endereco is the -addr argument of a process, or none to leave it its own
// default.
func endereco(addr string) []string {
	if addr == "" {
		return nil
	}
	return []string{"-addr", addr}
}

func anunciar(amb ambiente, d *par, novo bool) {
	fmt.Fprintf(amb.stdout, "servidor-mcp ouvindo em %s (pid %d)\n", d.servidor.URL, d.servidor.PID())
	fmt.Fprintf(amb.stdout, "agente ouvindo em %s (pid %d)\n", d.agente.URL, d.agente.PID())
	fmt.Fprintf(amb.stdout, "cartao em %s\n", d.urlAgente+caminhoCartao)
	if novo {
		fmt.Fprintf(amb.stdout, "%s: novo, so desta execucao (ponte segredo imprime um para guardar)\n", variavelSegredo)
	}
	fmt.Fprintln(amb.stdout, "Ctrl-C encerra os dois")
}

// explicar says what went wrong at the start. The process's own line stands
// above already, and speaks of an option that has another name here.
func explicar(err error) error {
	var n *naoSubiu
	if !errors.As(err, &n) {
		return err
	}
	dica := ""
	if strings.Contains(n.err.Error(), " -addr") {
		opcao := map[string]string{dupla.Servidor: "--addr-mcp", dupla.Agente: "--addr-agente"}[n.nome]
		dica = fmt.Sprintf("; em subir, a opcao -addr dele se chama %s", opcao)
	}
	return fmt.Errorf("%s nao subiu, pelo motivo que ele deu acima%s", n.nome, dica)
}
