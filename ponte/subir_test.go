package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

func ajudaDe(t *testing.T, binario string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binario, "-h").CombinedOutput()
	if err != nil {
		t.Fatalf("%s -h: %v\n%s", binario, err, out)
	}
	return string(out)
}

func subirEmPortaLivre(t *testing.T) *execucao {
	t.Helper()
	e := iniciarComando(t, construidos(t), "subir", "--addr-agente", "localhost:0", "--addr-mcp", "localhost:0")
	e.stdout.esperarTexto(t, "Ctrl-C encerra os dois")
	return e
}

// anunciado finds where a process listens, and its pid, in what subir printed.
func anunciado(t *testing.T, e *execucao, nome string) (endereco string, pid int) {
	t.Helper()
	m := regexp.MustCompile(nome + ` ouvindo em (\S+) \(pid (\d+)\)`).FindStringSubmatch(e.stdout.String())
	if m == nil {
		t.Fatalf("no address of %s in:\n%s", nome, e.stdout.String())
	}
	pid, _ = strconv.Atoi(m[2])
	return m[1], pid
}

func TestSubir(t *testing.T) {
	e := subirEmPortaLivre(t)
	_, pidServidor := anunciado(t, e, dupla.Servidor)
	agente, pidAgente := anunciado(t, e, dupla.Agente)
	if pidServidor == pidAgente || pidServidor == os.Getpid() {
		t.Errorf("pids %d and %d: want two processes of their own", pidServidor, pidAgente)
	}

	// The two meet: a request passes through both.
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	status, body, err := enviar(t.Context(), cliente, pedidoA2A(agente+caminhoA2A, 1, "SendMessage", mensagemA2A("m", "", textoDoPedido(garagem)), traceparent(1)))
	if err != nil || status != http.StatusOK || !strings.Contains(string(body), "alternativas: sala-fusca, sala-mirante") {
		t.Errorf("status %d, err %v, body %s", status, err, body)
	}
	e.stderr.esperarTexto(t, "[servidor-mcp] time=")
	e.stderr.esperarTexto(t, "method=tools/call")
	e.stderr.esperarTexto(t, "[agente] time=")

	e.cancelar() // what a signal does
	if codigo := e.fim(t); codigo != 0 {
		t.Errorf("exit code %d, want 0\n%s", codigo, e.stderr.String())
	}
	for linha := range strings.Lines(e.stderr.String()) {
		if !regexp.MustCompile(`^(\[servidor-mcp\] |\[agente\] |construindo |encerrando )`).MatchString(linha) {
			t.Errorf("line without a prefix: %q", linha)
		}
	}
	if status, _, err := enviar(context.Background(), cliente, pedidoCartao(agente)); err == nil {
		t.Errorf("the agent still answers (HTTP %d) after the end", status)
	}
}

func TestSubirQuandoUmMorre(t *testing.T) {
	for _, nome := range []string{dupla.Servidor, dupla.Agente} {
		t.Run(nome, func(t *testing.T) {
			e := subirEmPortaLivre(t)
			agente, _ := anunciado(t, e, dupla.Agente)
			_, pid := anunciado(t, e, nome)
			p, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			if codigo := e.fim(t); codigo != 1 {
				t.Errorf("exit code %d, want 1", codigo)
			}
			if want := "ponte: " + nome + " terminou sozinho"; !strings.Contains(e.stderr.String(), want) {
				t.Errorf("stderr should contain %q:\n%s", want, e.stderr.String())
			}
			cliente := &http.Client{Timeout: time.Second}
			if status, _, err := enviar(context.Background(), cliente, pedidoCartao(agente)); err == nil {
				t.Errorf("the agent still answers (HTTP %d): the other process was not stopped", status)
			}
		})
	}
}

func TestSubirComPortaOcupada(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for opcao, nome := range map[string]string{"--addr-mcp": dupla.Servidor, "--addr-agente": dupla.Agente} {
		t.Run(nome, func(t *testing.T) {
			outra := map[string]string{"--addr-mcp": "--addr-agente", "--addr-agente": "--addr-mcp"}[opcao]
			codigo, stdout, stderr := comando(t, construidos(t), "subir", opcao, l.Addr().String(), outra, "localhost:0")
			if codigo != 1 || strings.Contains(stdout, "ouvindo") {
				t.Errorf("exit code %d, stdout %q: want 1 and no address", codigo, stdout)
			}
			if linha := "[" + nome + "] " + nome + ": endereco " + l.Addr().String() + " ja esta em uso"; strings.Count(stderr, linha) != 1 {
				t.Errorf("stderr should contain %q once:\n%s", linha, stderr)
			}
			if want := "ponte: " + nome + " nao subiu"; !strings.Contains(stderr, want) || !strings.Contains(stderr, opcao) {
				t.Errorf("stderr should contain %q and the option %s:\n%s", want, opcao, stderr)
			}
		})
	}
}

func TestSubirInterrompidoNoInicio(t *testing.T) {
	e := &execucao{codigo: make(chan int, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	amb := ambiente{os.Getenv, &e.stdout, &e.stderr, func(ctx context.Context, _ string) (binarios, error) {
		cancel() // Ctrl-C while go build runs
		return nil, ctx.Err()
	}}
	if codigo := executar(ctx, amb, []string{"subir"}); codigo != 0 {
		t.Errorf("exit code %d, want 0\n%s", codigo, e.stderr.String())
	}
}

func TestAlcancavel(t *testing.T) {
	tests := map[string]string{
		"http://127.0.0.1:7301/mcp": "http://127.0.0.1:7301/mcp",
		"http://0.0.0.0:7301/mcp":   "http://localhost:7301/mcp",
		"http://[::]:7300":          "http://localhost:7300",
		"http://[::1]:7300":         "http://[::1]:7300",
		"http://10.0.0.7:7300":      "http://10.0.0.7:7300",
	}
	for in, want := range tests {
		if got := alcancavel(in); got != want {
			t.Errorf("alcancavel(%q) = %q, want %q", in, got, want)
		}
	}
}
