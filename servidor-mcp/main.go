// The command servidor-mcp is process 1: an MCP server of meeting rooms over
// Streamable HTTP (revision 2026-07-28).
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"hillvalley.example/ponte"
	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/servidor-mcp/internal/acervo"
	"hillvalley.example/ponte/servidor-mcp/internal/ferramentas"
	"hillvalley.example/ponte/servidor-mcp/internal/porta"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

func main() { os.Exit(processo.Principal("servidor-mcp", run)) }

// Bounds of the validity of a requestState, given by the statement.
const (
	minTTL    = 5 * time.Minute
	maxTTL    = 30 * time.Minute
	padraoTTL = 15 * time.Minute
)

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	o := processo.NovasOpcoes("servidor-mcp", getenv, stderr)
	addr := o.Texto("addr", "MCP_ADDR", "localhost:7301", "endereco em que escuta; porta 0 deixa o sistema escolher")
	ttl := o.Duracao("ttl", "REQUEST_STATE_TTL", padraoTTL, minTTL, maxTTL, "validade do requestState, de 5m a 30m")
	dados := o.Texto("dados", "DADOS", "", "pasta com salas.json, reservas.json e politica-de-uso.md; sem ela, os dados embutidos")
	publica := o.Texto("url", "MCP_URL_PUBLICA", "", "url publica, quando atras de um proxy nesta maquina")
	origens := o.Lista("origens", "MCP_ORIGENS", "valores de Origin aceitos, separados por virgula; nenhum por padrao")
	perfilador := o.Texto("pprof", "", "", "endereco de loopback em que serve perfis (net/http/pprof); nenhum por padrao")
	limites := o.Limites("MCP_")
	if err := o.Ler(args); err != nil {
		return err
	}

	chaveiro, err := selo.NovoChaveiro(getenv("REQUEST_STATE_SECRET"))
	if err != nil {
		return err
	}
	porteiro, err := processo.NovoPorteiro(*origens, *publica)
	if err != nil {
		return err
	}
	pasta, origem, err := abrirDados(*dados)
	if err != nil {
		return err
	}
	agenda, err := acervo.Carregar(pasta, origem)
	if err != nil {
		return err
	}

	log := processo.NovoLog(stderr)
	f := ferramentas.Novo(ferramentas.Config{
		Agenda:   agenda,
		Chaveiro: chaveiro,
		TTL:      *ttl,
		Agora:    time.Now,
		Log:      log,
	})
	p, err := porta.Nova(context.WithoutCancel(ctx), porta.Config{
		Servidor: f.Servidor(),
		Chamador: f,
		Versao:   ferramentas.VersaoProtocolo,
		Porteiro: porteiro,
		Limites:  *limites,
		Log:      log,
	})
	if err != nil {
		return err
	}
	defer p.Fechar()

	if err := processo.Perfilador(ctx, *perfilador, stderr); err != nil {
		return err
	}
	ls, err := processo.Escutar(ctx, *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "servidor-mcp ouvindo em http://%s%s\n", ls[0].Addr(), porta.Caminho)
	return processo.Servir(ctx, ls, p, *limites, log, nil)
}

// abrirDados opens the data folder, or the embedded one when none is given.
func abrirDados(pasta string) (fs.FS, string, error) {
	if pasta == "" {
		sub, err := fs.Sub(ponte.Dados, "dados")
		return sub, "dados embutidos", err
	}
	if info, err := os.Stat(pasta); err != nil || !info.IsDir() {
		return nil, "", fmt.Errorf("DADOS: a pasta %q nao existe ou nao e uma pasta: indique uma com salas.json, reservas.json e politica-de-uso.md", pasta)
	}
	return os.DirFS(pasta), pasta, nil
}
