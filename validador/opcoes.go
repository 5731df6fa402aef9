package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// opcoes is the configuration of one run, checked once by lerOpcoes.
type opcoes struct {
	agente     string        // base URL of the agent, without trailing slash
	mcp        string        // base URL of the MCP server, without trailing slash
	caminhoA2A string        // path of the JSON-RPC endpoint, added to agente
	caminhoMCP string        // path of the MCP endpoint, added to mcp
	espera     time.Duration // limit of one request, body included; above zero
}

// definir binds the flags to op. It is shared by parsing and help, so that the
// help cannot forget a flag.
func definir(op *opcoes) *flag.FlagSet {
	fs := flag.NewFlagSet("validador", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the package speaks English; lerOpcoes does the talking
	fs.StringVar(&op.agente, "agente", "http://localhost:7300", "URL base do agente A2A")
	fs.StringVar(&op.mcp, "mcp", "http://localhost:7301", "URL base do servidor MCP")
	fs.StringVar(&op.caminhoA2A, "caminho-a2a", "/a2a", "caminho do endpoint JSON-RPC do agente")
	fs.StringVar(&op.caminhoMCP, "caminho-mcp", "/mcp", "caminho do endpoint do servidor MCP")
	fs.DurationVar(&op.espera, "espera", 15*time.Second, "limite de tempo por request")
	return fs
}

// ajuda is the text of -h: one line per flag.
func ajuda() string {
	var b strings.Builder
	b.WriteString("uso: validador [opcoes]\n\n")
	b.WriteString("Roda as 36 verificacoes contra os dois processos; termina com 0 se todas passarem.\n\n")
	definir(new(opcoes)).VisitAll(func(f *flag.Flag) {
		fmt.Fprintf(&b, "  --%-12s %s (padrao %s)\n", f.Name, f.Usage, f.DefValue)
	})
	return b.String()
}

// lerOpcoes parses and checks the command line. The error is flag.ErrHelp, or
// one line that names the flag and the value that are wrong.
func lerOpcoes(args []string) (opcoes, error) {
	var op opcoes
	fs := definir(&op)
	if err := fs.Parse(args); err != nil {
		return op, traduzir(err)
	}
	if fs.NArg() > 0 {
		return op, fmt.Errorf("argumento inesperado %q: use -h para ver as opcoes", fs.Arg(0))
	}
	var err error
	if op.agente, err = urlBase("agente", op.agente); err != nil {
		return op, err
	}
	if op.mcp, err = urlBase("mcp", op.mcp); err != nil {
		return op, err
	}
	if err := caminho("caminho-a2a", op.caminhoA2A); err != nil {
		return op, err
	}
	if err := caminho("caminho-mcp", op.caminhoMCP); err != nil {
		return op, err
	}
	if op.espera <= 0 {
		return op, fmt.Errorf("--espera %s: use uma duracao maior que zero, por exemplo 15s", op.espera)
	}
	return op, nil
}

// urlBase checks a base URL and takes its trailing slash off.
func urlBase(nome, valor string) (string, error) {
	invalida := fmt.Errorf("--%s %q: use uma URL http ou https, por exemplo http://localhost:7300", nome, valor)
	u, err := url.Parse(valor)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "", invalida
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", invalida
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return "", invalida
		}
	}
	return strings.TrimRight(valor, "/"), nil
}

// caminho checks an endpoint's path.
func caminho(nome, valor string) error {
	u, err := url.Parse(valor)
	if err != nil || !strings.HasPrefix(valor, "/") || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--%s %q: use um caminho que comece com /, por exemplo /%s", nome, valor, strings.TrimPrefix(nome, "caminho-"))
	}
	return nil
}

// traduzir turns an error of package flag into Portuguese; what it does not
// recognise still comes out as one line.
func traduzir(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	texto := err.Error()
	if nome, ok := strings.CutPrefix(texto, "flag provided but not defined: -"); ok {
		return fmt.Errorf("opcao desconhecida --%s: use -h para ver as opcoes", nome)
	}
	if nome, ok := strings.CutPrefix(texto, "flag needs an argument: -"); ok {
		return fmt.Errorf("falta o valor de --%s", nome)
	}
	if resto, ok := strings.CutPrefix(texto, "invalid value "); ok {
		if valor, depois, ok := strings.Cut(resto, " for flag -"); ok {
			nome, _, _ := strings.Cut(depois, ":")
			return fmt.Errorf("valor invalido %s em --%s", valor, nome)
		}
	}
	return fmt.Errorf("opcoes invalidas: %s", texto)
}
