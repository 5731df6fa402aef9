package e2e

import (
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/dupla"
)

// TestHelp: -h explains every option and ends well, whatever else is wrong.
func TestHelp(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		dupla.Servidor: {"-addr", "MCP_ADDR", "localhost:7301", "-ttl", "REQUEST_STATE_TTL", "15m", "-dados", "DADOS", "-origens"},
		dupla.Agente:   {"-addr", "AGENTE_ADDR", "localhost:7300", "-mcp", "MCP_URL", "http://localhost:7301/mcp", "-url", "AGENTE_URL", "-tarefas", "TAREFAS", "-limite", "-perfil", "PERFIL", "-espera", "10s", "-origens"},
	} {
		for _, flag := range []string{"-h", "-help", "--help"} {
			end := runToEnd(t, name, []string{flag}, nil)
			if end.code != 0 {
				t.Errorf("%s %s: expected exit code 0, got %d", name, flag, end.code)
			}
			help := end.stdout + end.stderr
			for _, word := range want {
				if !strings.Contains(help, word) {
					t.Errorf("%s %s: expected the help to name %s, got:\n%s", name, flag, word, help)
				}
			}
		}
	}
}

// TestFlagBeatsEnvironment: what the environment says of an option does not
// matter when the flag is given, not even when it is wrong.
func TestFlagBeatsEnvironment(t *testing.T) {
	t.Parallel()
	good := writeFiles(t, goodData)
	for _, c := range []struct {
		name, process string
		args          []string
		env           string
	}{
		{"server address", dupla.Servidor, []string{"-addr", "127.0.0.1:0"}, "MCP_ADDR=192.0.2.1:1"},
		{"server ttl", dupla.Servidor, []string{"-addr", "127.0.0.1:0", "-ttl", "5m"}, "REQUEST_STATE_TTL=1h"},
		{"server data", dupla.Servidor, []string{"-addr", "127.0.0.1:0", "-dados", good}, "DADOS=/nao/existe"},
		{"agent address", dupla.Agente, []string{"-addr", "127.0.0.1:0"}, "AGENTE_ADDR=192.0.2.1:1"},
		{"agent mcp", dupla.Agente, []string{"-addr", "127.0.0.1:0", "-mcp", "http://127.0.0.1:1/mcp"}, "MCP_URL=7301"},
		{"agent url", dupla.Agente, []string{"-addr", "127.0.0.1:0", "-url", "https://agentes.example/salas"}, "AGENTE_URL=x"},
		{"agent limit", dupla.Agente, []string{"-addr", "127.0.0.1:0", "-limite", "5"}, "AGENTE_LIMITE=-1"},
		{"agent wait", dupla.Agente, []string{"-addr", "127.0.0.1:0", "-espera", "1s"}, "AGENTE_ESPERA=never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, c.process, c.args, "REQUEST_STATE_SECRET="+secret(), c.env)
			if !strings.HasPrefix(p.URL, "http://127.0.0.1:") {
				t.Errorf("expected an address on 127.0.0.1, got %s", p.URL)
			}
		})
	}
}

// TestPublicURL: the card shows the configured URL and never what a caller
// calls the agent.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, flag, host, want string }{
		{"configured", "https://agentes.example/salas", "", "https://agentes.example/salas/a2a"},
		{"with a slash at the end", "https://agentes.example/salas/", "", "https://agentes.example/salas/a2a"},
		{"asked under its public name", "https://agentes.example", "agentes.example", "https://agentes.example/a2a"},
		{"asked under another name", "https://agentes.example", "localhost:9", "https://agentes.example/a2a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			agent := startAgent(t, "http://127.0.0.1:1/mcp", "-url", c.flag)
			client := &a2aClient{base: agent.URL}
			if c.host != "" {
				client = client.with("Host", c.host)
			}
			if a := client.card(t); a.status != 200 || !strings.Contains(string(a.body), `"url":"`+c.want+`"`) {
				t.Errorf("expected a card with the url %s, got HTTP %d: %s", c.want, a.status, a.body)
			}
		})
	}
}

// TestSecretRotation: the first secret seals, all of them open.
func TestSecretRotation(t *testing.T) {
	t.Parallel()
	old, fresh := secret(), secret()
	before := startServer(t, "REQUEST_STATE_SECRET="+old)
	q := (&mcpClient{url: before.URL}).ask(t, conflict)
	for _, c := range []struct {
		name, secrets string
		opens         bool
	}{
		{"old one kept", fresh + "," + old, true},
		{"spaces around", " " + fresh + " , " + old + " ", true},
		{"old one gone", fresh, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			after := &mcpClient{url: startServer(t, "REQUEST_STATE_SECRET="+c.secrets).URL}
			a := after.tool(t, "reservar_sala", conflict.args(), q.accepting("sala-fusca"))
			if !c.opens {
				wantError(t, a, 400, -32602)
				return
			}
			if r := toolResultOf(t, a); !strings.Contains(string(r.Structured), `"reservado":true`) {
				t.Errorf("expected a state sealed with the old secret to conclude, got: %s", a.body)
			}
		})
	}
}
