package e2e

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/dupla"
)

// finished is how a process ended that was not expected to stay.
type finished struct {
	code           int
	stdout, stderr string
}

// runToEnd runs a binary that must end by itself.
func runToEnd(t *testing.T, name string, args, env []string) finished {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binaries[name], args...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("expected %s %q to end by itself, got: %v", name, args, err)
	}
	return finished{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// badStart is a start that must fail, and what its one line must name: the
// field, the value (unless it is a secret) and the remedy.
type badStart struct {
	name      string
	process   string
	args, env []string
	want      []string
}

func TestBadStarts(t *testing.T) {
	t.Parallel()
	short := "curto-demais-para-selar"
	sealed := "REQUEST_STATE_SECRET=" + secret()
	holder, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close() })
	_, taken, _ := net.SplitHostPort(holder.Addr().String())
	profile := func(content string) string {
		return writeFiles(t, map[string]string{"perfil.json": content}) + "/perfil.json"
	}

	server := func(name string, args, env []string, want ...string) badStart {
		return badStart{"server: " + name, dupla.Servidor, args, append([]string{sealed, "MCP_ADDR=127.0.0.1:0"}, env...), want}
	}
	agent := func(name string, args, env []string, want ...string) badStart {
		return badStart{"agent: " + name, dupla.Agente, args, append([]string{"AGENTE_ADDR=127.0.0.1:0"}, env...), want}
	}
	for _, c := range []badStart{
		server("no secret", nil, []string{"REQUEST_STATE_SECRET="}, "REQUEST_STATE_SECRET", "openssl rand -hex 32"),
		server("blank secret", nil, []string{"REQUEST_STATE_SECRET=   "}, "REQUEST_STATE_SECRET", "openssl rand -hex 32"),
		server("short secret", nil, []string{"REQUEST_STATE_SECRET=" + short}, "REQUEST_STATE_SECRET", "23 bytes", "32", "openssl rand -hex 32"),
		server("second secret short", nil, []string{sealed + "," + short}, "REQUEST_STATE_SECRET", "23 bytes", "32", "openssl rand -hex 32"),
		server("secret ends in a comma", nil, []string{sealed + ","}, "REQUEST_STATE_SECRET", "0 bytes", "openssl rand -hex 32"),
		server("address without port", []string{"-addr", "localhost"}, nil, `"localhost"`, "host:porta"),
		server("address from the environment", nil, []string{"MCP_ADDR=7301"}, `"7301"`, "host:porta"),
		server("port out of range", []string{"-addr", "localhost:70000"}, nil, `"localhost:70000"`, "0 a 65535"),
		server("port not a number", []string{"-addr", "localhost:http"}, nil, `"localhost:http"`, "0 a 65535"),
		server("another machine's address", []string{"-addr", "192.0.2.1:0"}, nil, "192.0.2.1:0", "-addr"),
		server("taken port", []string{"-addr", "127.0.0.1:" + taken}, nil, "127.0.0.1:"+taken, "em uso", "-addr"),
		server("taken port of localhost", []string{"-addr", "localhost:" + taken}, nil, "localhost:"+taken, "em uso", "-addr"),
		server("ttl too short", []string{"-ttl", "4m59s"}, nil, "ttl", `"4m59s"`, "de 5m0s a 30m0s"),
		server("ttl too long", nil, []string{"REQUEST_STATE_TTL=31m"}, "REQUEST_STATE_TTL", `"31m"`, "de 5m0s a 30m0s"),
		server("ttl not a duration", nil, []string{"REQUEST_STATE_TTL=15"}, "REQUEST_STATE_TTL", `"15"`, "de 5m0s a 30m0s"),
		server("bad origin", []string{"-origens", "app.example"}, nil, "origem", `"app.example"`, "https://app.example"),
		server("bad public url", []string{"-url", "salas.example"}, nil, "url", `"salas.example"`, "http"),
		server("unknown flag", []string{"-porta", "1"}, nil, "-porta", "-h"),
		server("flag without value", []string{"-addr"}, nil, "-addr", "-h"),
		server("stray argument", []string{"subir"}, nil, `"subir"`, "-h"),
		server("line break in a flag", []string{"-na\nda"}, nil, "-h"),

		agent("bad mcp", []string{"-mcp", "localhost:7301/mcp"}, nil, "MCP_URL", `"localhost:7301/mcp"`, "http://localhost:7301/mcp"),
		agent("mcp without host", nil, []string{"MCP_URL=http:///mcp"}, "MCP_URL", `"http:///mcp"`, "http://localhost:7301/mcp"),
		agent("bad url", []string{"-url", "agentes.example"}, nil, "url", `"agentes.example"`, "https://"),
		agent("url of another scheme", nil, []string{"AGENTE_URL=ftp://agentes.example"}, "url", `"ftp://agentes.example"`, "https://"),
		agent("no such profile", []string{"-perfil", "/nao/existe.json"}, nil, "PERFIL", "/nao/existe.json", "indique"),
		agent("profile not JSON", []string{"-perfil", profile("perfil: sim")}, nil, "perfil.json", "JSON invalido"),
		agent("profile with a wrong member", []string{"-perfil", profile(`{"cartoes":{}}`)}, nil, "perfil.json", "cartoes"),
		agent("profile without card", []string{"-perfil", profile(`{}`)}, nil, "perfil.json", "cartao.name", "informe"),
		agent("profile's name of two lines", nil, []string{"PERFIL=/nao/\nexiste"}, "PERFIL", "indique"),
		agent("bad tasks", []string{"-tarefas", "planilha"}, nil, "TAREFAS", `"planilha"`, "memoria"),
		agent("bad limit", []string{"-limite", "0"}, nil, "limite", `"0"`, "inteiro"),
		agent("bad wait", nil, []string{"AGENTE_ESPERA=1ms"}, "AGENTE_ESPERA", `"1ms"`, "de 100ms"),
		agent("bad address", []string{"-addr", "7300"}, nil, `"7300"`, "host:porta"),
		agent("taken port", []string{"-addr", "localhost:" + taken}, nil, "localhost:"+taken, "em uso", "-addr"),
		agent("unknown flag", []string{"-porta=1"}, nil, "-porta", "-h"),
		agent("stray argument", []string{"-limite", "5", "agora"}, nil, `"agora"`, "-h"),
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

// check runs the start and reads its one line.
func (c badStart) check(t *testing.T) {
	t.Helper()
	end := runToEnd(t, c.process, c.args, c.env)
	if end.code != 1 {
		t.Errorf("expected exit code 1, got %d", end.code)
	}
	if end.stdout != "" {
		t.Errorf("expected nothing on stdout, got %q", end.stdout)
	}
	line, more, ended := strings.Cut(end.stderr, "\n")
	if line == "" || !ended || more != "" {
		t.Errorf("expected exactly one line on stderr, got %q", end.stderr)
	}
	for _, want := range c.want {
		if !strings.Contains(end.stderr, want) {
			t.Errorf("expected a line that names %s, got %q", want, end.stderr)
		}
	}
	for _, variable := range c.env {
		value, isSecret := strings.CutPrefix(variable, "REQUEST_STATE_SECRET=")
		for secret := range strings.SplitSeq(value, ",") {
			if isSecret && strings.TrimSpace(secret) != "" && strings.Contains(end.stderr, secret) {
				t.Errorf("expected no secret on stderr, got %q", end.stderr)
			}
		}
	}
}

// writeFiles makes a folder with the given files.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
