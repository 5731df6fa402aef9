package main

import "context"

// isolado is the environment of a pair that must not depend on this one's: a
// secret of its own, and every other setting at its default. An empty variable
// counts as unset.
func isolado(segredo string) []string {
	env := []string{variavelSegredo + "=" + segredo}
	for _, v := range variaveis {
		env = append(env, v+"=")
	}
	return env
}

// variaveis are what the two processes read from the environment, besides the
// secret.
var variaveis = []string{
	"MCP_MAX_CORPO", "MCP_MAX_CABECALHO", "MCP_MAX_PROFUNDIDADE", "MCP_MAX_EM_CURSO", "MCP_LEITURA", "MCP_ESCRITA", "MCP_OCIOSA",
	"AGENTE_MAX_CORPO", "AGENTE_MAX_CABECALHO", "AGENTE_MAX_PROFUNDIDADE", "AGENTE_MAX_EM_CURSO", "AGENTE_LEITURA", "AGENTE_ESCRITA", "AGENTE_OCIOSA", "AGENTE_MAX_MENSAGEM",
	"AGENTE_HTTPJSON", "AGENTE_GRPC", "AGENTE_GRPC_URL", "AGENTE_AVISOS_PRIVADOS", "AGENTE_MAX_FLUXOS", "AGENTE_CARTAO_V03",
	"MCP_ADDR", "REQUEST_STATE_TTL", "DADOS", "MCP_URL_PUBLICA", "MCP_ORIGENS",
	"AGENTE_ADDR", "MCP_URL", "AGENTE_URL", "TAREFAS", "AGENTE_LIMITE", "AGENTE_MAX_MEMORIA", "TAREFAS_CHAVE", "AGENTE_ESPERA", "AGENTE_GUARDA", "PERFIL", "AGENTE_ORIGENS",
}

// portaLivre makes a process listen wherever the system has room.
var portaLivre = []string{"-addr", "localhost:0"}

// comPar runs usar with an isolated pair on free ports, whose stderr goes into
// the two diaries, and stops it.
func comPar(ctx context.Context, bins binarios, servidor, agente *diario, usar func(*par) error) error {
	d, err := iniciarPar(ctx, bins, plano{
		argsServidor:  portaLivre,
		argsAgente:    portaLivre,
		env:           isolado(novoSegredo()),
		saidaServidor: servidor.saida(),
		saidaAgente:   agente.saida(),
	})
	if err != nil {
		return err
	}
	err = usar(d)
	if parada := d.parar(); err == nil {
		err = parada
	}
	return err
}
