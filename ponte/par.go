package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// binarios are the paths of the built processes, by [dupla.Servidor] and
// [dupla.Agente].
type binarios map[string]string

func construirComGo(ctx context.Context, dir string) (binarios, error) {
	return dupla.Construir(ctx, dir, []string{dupla.Servidor, dupla.Agente})
}

// comBinarios builds the two processes in a temporary folder and removes it
// when usar has ended.
func comBinarios(ctx context.Context, amb ambiente, usar func(binarios) error) error {
	dir, err := os.MkdirTemp("", "ponte-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(amb.stderr, "construindo os dois processos...")
	bins, err := amb.construir(ctx, dir)
	if err != nil {
		return err
	}
	return usar(bins)
}

// plano is how a pair is started.
type plano struct {
	argsServidor, argsAgente []string
	// env is added to this process's environment, for both.
	env []string
	// saidaServidor and saidaAgente get what each writes to its stderr.
	saidaServidor, saidaAgente *linhas
}

// par is the two processes at work, each in an operating-system process of its
// own.
type par struct {
	servidor, agente *dupla.Processo
	// urlMCP is the MCP endpoint, urlAgente the agent's base URL, as a client on
	// this machine reaches them.
	urlMCP, urlAgente string

	saidas [2]*linhas
}

// naoSubiu is a process that ended, or said nothing, instead of listening.
type naoSubiu struct {
	nome string
	err  error
}

func (e *naoSubiu) Error() string { return e.err.Error() }
func (e *naoSubiu) Unwrap() error { return e.err }

// iniciarPar starts the server, then the agent pointed at it, and waits until
// both answer. On an error nothing is left running.
func iniciarPar(ctx context.Context, bins binarios, p plano) (_ *par, err error) {
	d := &par{saidas: [2]*linhas{p.saidaServidor, p.saidaAgente}}
	defer func() {
		if err != nil {
			_ = d.parar()
		}
	}()
	if d.servidor, err = dupla.Iniciar(ctx, bins[dupla.Servidor], p.argsServidor, p.env, p.saidaServidor); err != nil {
		return nil, &naoSubiu{dupla.Servidor, err}
	}
	d.urlMCP = alcancavel(d.servidor.URL)
	args := append([]string{"-mcp", d.urlMCP}, p.argsAgente...)
	if d.agente, err = dupla.Iniciar(ctx, bins[dupla.Agente], args, p.env, p.saidaAgente); err != nil {
		return nil, &naoSubiu{dupla.Agente, err}
	}
	d.urlAgente = alcancavel(d.agente.URL)
	if err = d.esperarResposta(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// alcancavel turns the address of a process that listens on every interface
// into one that can be called.
func alcancavel(endereco string) string {
	u, err := url.Parse(endereco)
	if err != nil {
		return endereco
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("localhost", u.Port())
	}
	return u.String()
}

// limiteParada is longer than the processes take to drain, 5 s.
const limiteParada = 7 * time.Second

// vigiar waits until ctx ends or one of the two processes does, and returns
// the name of the one that ended on its own.
func (d *par) vigiar(ctx context.Context) (morto string) {
	select {
	case <-ctx.Done():
		return ""
	case <-d.servidor.Terminou():
		morto = dupla.Servidor
	case <-d.agente.Terminou():
		morto = dupla.Agente
	}
	return morto
}

// parar stops what runs, the agent first, so that its last calls still find
// the server. The error names each process whose end was not an orderly one.
func (d *par) parar() error {
	var ruins []string
	for _, p := range []struct {
		nome     string
		processo *dupla.Processo
	}{{dupla.Agente, d.agente}, {dupla.Servidor, d.servidor}} {
		if p.processo == nil {
			continue
		}
		if err := p.processo.Parar(limiteParada); err != nil {
			ruins = append(ruins, fmt.Sprintf("%s nao terminou em ordem (%v)", p.nome, err))
		}
	}
	for _, s := range d.saidas {
		s.fechar()
	}
	if len(ruins) > 0 {
		return errors.New(strings.Join(ruins, "; "))
	}
	return nil
}
