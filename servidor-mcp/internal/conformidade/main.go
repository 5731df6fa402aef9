// The command conformidade is a server for tests only: this project's HTTP
// front and seal around the fixtures that the MCP conformance suite expects of
// a server under test. What it offers is the suite's public contract; what
// carries it (package porta) and what protects the requestState (package selo)
// are the parts that the real server uses.
//
// interop/ builds and runs it. It is no part of what is delivered.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/servidor-mcp/internal/porta"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

func main() { os.Exit(processo.Principal("conformidade", run)) }

const versaoProtocolo = "2026-07-28"

// maxAssinaturas is far more than the suite opens.
const maxAssinaturas = 16

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	o := processo.NovasOpcoes("conformidade", getenv, stderr)
	addr := o.Texto("addr", "", "127.0.0.1:0", "endereco em que escuta; porta 0 deixa o sistema escolher")
	origens := o.Lista("origens", "", "valores de Origin aceitos, separados por virgula; nenhum por padrao")
	if err := o.Ler(args); err != nil {
		return err
	}
	chaveiro, err := selo.NovoChaveiro(getenv("REQUEST_STATE_SECRET"))
	if err != nil {
		return err
	}
	porteiro, err := processo.NovoPorteiro(*origens, "")
	if err != nil {
		return err
	}
	log := processo.NovoLog(stderr)
	p, err := porta.Nova(context.WithoutCancel(ctx), porta.Config{
		Servidor:    novoServidor(&rodadas{chaveiro: chaveiro, agora: time.Now}),
		Versao:      versaoProtocolo,
		Porteiro:    porteiro,
		Limites:     processo.LimitesPadrao,
		Assinaturas: maxAssinaturas,
		Parada:      ctx.Done(),
		Log:         log,
	})
	if err != nil {
		return err
	}
	defer p.Fechar()
	ls, err := processo.Escutar(ctx, *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "conformidade ouvindo em http://%s%s\n", ls[0].Addr(), porta.Caminho)
	return processo.Servir(ctx, ls, p, processo.LimitesPadrao, log, nil)
}
