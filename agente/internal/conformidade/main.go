// The command conformidade is a client for tests only: the agent's MCP host
// (package hospede) at the hands of the MCP conformance suite. The suite starts
// a server for each scenario and runs this command with its URL; what it then
// checks is what the host has sent.
//
// interop/ builds and runs it. It is no part of what is delivered.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/internal/processo"
)

func main() { os.Exit(processo.Principal("conformidade", run)) }

// limite bounds a whole scenario.
const limite = 20 * time.Second

// run expects the scenario's name in MCP_CONFORMANCE_SCENARIO, what else it
// gives in MCP_CONFORMANCE_CONTEXT, and the server's URL as the last argument.
func run(ctx context.Context, args []string, getenv func(string) string, _, stderr io.Writer) error {
	nome := getenv("MCP_CONFORMANCE_SCENARIO")
	cenario, ok := cenarios[nome]
	if !ok {
		return fmt.Errorf("cenario desconhecido %q: use um de %s", nome, strings.Join(slices.Sorted(maps.Keys(cenarios)), ", "))
	}
	if len(args) == 0 {
		return fmt.Errorf("falta a url do servidor")
	}
	h := hospede.Novo(hospede.Config{URL: args[len(args)-1], Nome: "agente-conformidade", Versao: "1.0.0", Agora: time.Now})
	defer h.Fechar()
	ctx, cancel := context.WithTimeout(ctx, limite)
	defer cancel()
	return cenario(ctx, &roteiro{host: h, contexto: getenv("MCP_CONFORMANCE_CONTEXT"), log: stderr})
}
