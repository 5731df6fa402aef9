package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// comPisoDeTeste lets this test binary be the floor.
func comPisoDeTeste(t *testing.T) {
	t.Helper()
	eu, antes := comoProcesso(t, "ponte"), executavel
	executavel = func() (string, error) { return eu, nil }
	t.Cleanup(func() { executavel = antes })
}

// TestCargaDeVerdade runs each mode against the real pair, beside the floor.
func TestCargaDeVerdade(t *testing.T) {
	comPisoDeTeste(t)
	for _, c := range []struct {
		modo string
		args []string
		// the processes whose CPU is there
		processos []string
	}{
		{"ciclo", nil, []string{"agente", "servidor_mcp", "soma", "gerador"}},
		{"completo", []string{"-reservas", "61"}, []string{"agente", "servidor_mcp", "soma", "gerador"}},
		{"listar", nil, []string{"servidor_mcp", "gerador"}},
	} {
		t.Run(c.modo, func(t *testing.T) {
			args := append([]string{"carga", "-json", "-modo", c.modo, "-conexoes", "4", "-duracao", "300ms", "-aquecimento", "100ms", "-piso", "-rodadas", "1"}, c.args...)
			codigo, stdout, stderr := comando(t, construidos(t), args...)
			r, err := lerJSON([]byte(stdout))
			if codigo != 0 || err != nil {
				t.Fatalf("exit code %d, %v\n%s%s", codigo, err, stdout, stderr)
			}
			m := medicaoEm(t, r, 0)
			for _, lado := range []string{"medido", "piso"} {
				if n := numeroEm(t, m, lado, "medianas", "tempo_s"); n != 0.3 {
					t.Errorf("%s: %v s, want 0.3", lado, n)
				}
				if numeroEm(t, m, lado, "medianas", "ciclos") == 0 {
					t.Skip("this machine is too slow for one cycle in 0.3 s")
				}
				if _, err := consumoDe(raizProc, os.Getpid()); err != nil {
					continue
				}
				for _, p := range c.processos {
					if em(m, lado, "medianas", "cpu_"+p+"_us_por_ciclo") == nil {
						t.Errorf("%s: nothing of the CPU of %s", lado, p)
					}
				}
				if rss := numeroEm(t, m, lado, "medianas", "rss_servidor_mcp_depois_mib"); rss < 1 || rss > 4096 {
					t.Errorf("%s: the server holds %v MiB", lado, rss)
				}
			}
			if numeroEm(t, m, "razoes", "ciclos_por_s") <= 0 || numeroEm(t, r, "erros") != 0 {
				t.Errorf("want ratios, and no error: %s", stdout)
			}
		})
	}
}

// TestCargaExterna: a pair that runs already, its reservations counted.
func TestCargaExterna(t *testing.T) {
	d := parDeTeste(t)
	base := strings.TrimSuffix(d.urlMCP, "/mcp") // /mcp is understood
	codigo, stdout, stderr := comando(t, nil, "carga", "-agente", d.urlAgente+"/", "-mcp", base, "-modo", "completo", "-ciclos", "20", "-conexoes", "3", "-aquecimento", "0s", "-reservas", "10")
	if codigo != 0 || !strings.Contains(stdout, "\n0 erros\n") {
		t.Fatalf("exit code %d\n%s%s", codigo, stdout, stderr)
	}
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	_, body, err := enviar(t.Context(), cliente, pedidoMCP(d.urlMCP, 1, "tools/call", "reservar_sala", chamada(livre), comFormulario, traceparent(1)))
	if err != nil {
		t.Fatal(err)
	}
	// Two reservations were there, 10 filled the agenda, 6 blocks, one of the
	// first cycle and 20: what comes next is the 40th.
	if id := textoJSON(membroDe(body, "result", "structuredContent", "reserva")); id != "res-0040" {
		t.Errorf("the next reservation is %q, want res-0040: %s", id, body)
	}
}

// TestPisoTrocaOsMesmosBytes: the floor's bodies are as long as those that the
// real agent and server exchange, but for the digits of an id.
func TestPisoTrocaOsMesmosBytes(t *testing.T) {
	base, g := agenteGravado(t)
	for _, modo := range []modoDeCarga{modoCiclo, modoCompleto} {
		t.Run(string(modo), func(t *testing.T) {
			d := parDeTeste(t)
			c := corrida{espera: 20 * time.Second, serie: &serie{prefixo: "m"}}
			var err error
			if modo == modoCompleto {
				c.agenda = novaAgendaDeCarga(d.urlMCP)
				if err = c.agenda.preparar(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if c.roteiro, err = novoRoteiro(modo, func(int) string { return d.urlAgente + caminhoA2A }); err != nil {
				t.Fatal(err)
			}
			corpos, err := gravarCorpos(t.Context(), c, d.urlMCP)
			if err != nil {
				t.Fatal(err)
			}

			// The same through a recorder; any conflict has the same length.
			cliente := novoCliente()
			defer cliente.CloseIdleConnections()
			escolha, pedidos := "escolha=recusar", [][]byte{}
			if modo == modoCompleto {
				escolha = "escolha=sala-fusca"
			}
			g.tomar()
			tarefa := ""
			for i, texto := range []string{textoDoPedido(garagem), escolha} {
				_, body, err := enviar(t.Context(), cliente, pedidoA2A(base+caminhoA2A, i, "SendMessage", mensagemA2A(string(modo)+texto, tarefa, texto), traceparent(i)))
				if err != nil {
					t.Fatal(err)
				}
				tarefa = textoJSON(membroDe(body, "result", "task", "id"))
				for _, p := range g.tomar() {
					if em(p.body, "method") == "tools/call" {
						raw, _ := codificar(p.body)
						pedidos = append(pedidos, raw)
					}
				}
			}
			if len(pedidos) != len(corpos.Etapas) {
				t.Fatalf("%d tools/call, want %d", len(pedidos), len(corpos.Etapas))
			}
			for i, e := range corpos.Etapas {
				if d := len(e.PedidoMCP) - len(pedidos[i]); d < -3 || d > 12 {
					t.Errorf("step %d: %d bytes to the server, the agent sends %d:\n%s\n%s", i, len(e.PedidoMCP), len(pedidos[i]), e.PedidoMCP, pedidos[i])
				}
				if len(e.RespostaMCP) == 0 || len(e.RespostaA2A) == 0 {
					t.Errorf("step %d has no answers", i)
				}
			}
		})
	}
}

// TestPisoPassaOsCorpos: each step of the floor takes what the caller sends,
// asks the other one, and gives the recorded bytes back.
func TestPisoPassaOsCorpos(t *testing.T) {
	corpos := corposDoPiso{Etapas: []corposDaEtapa{
		{PedidoMCP: []byte("pedido 0"), RespostaMCP: []byte("mcp 0"), RespostaA2A: []byte("a2a 0")},
		{PedidoMCP: bytes.Repeat([]byte("1"), 5000), RespostaMCP: bytes.Repeat([]byte("2"), 70_000), RespostaA2A: bytes.Repeat([]byte("3"), 9000)},
	}}
	servidor := httptest.NewServer(manipuladorDoServidor(corpos))
	defer servidor.Close()
	agente := httptest.NewServer(manipuladorDoAgente(corpos, servidor.URL))
	defer agente.Close()
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	for i, e := range corpos.Etapas {
		for url, want := range map[string][]byte{servidor.URL: e.RespostaMCP, agente.URL: e.RespostaA2A} {
			res, err := cliente.Post(url+caminhoDoPiso(i), "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != 200 || !bytes.Equal(body, want) || res.ContentLength != int64(len(want)) {
				t.Errorf("step %d: HTTP %d, %d bytes, want %d", i, res.StatusCode, len(body), len(want))
			}
		}
	}
	for _, url := range []string{servidor.URL, agente.URL} {
		if status, _, err := enviar(t.Context(), cliente, pedido{"POST", url + "/2", nil, objeto{}}); err != nil || status != 404 {
			t.Errorf("a step that is none: HTTP %d, %v", status, err)
		}
	}
	servidor.Close()
	if status, _, err := enviar(t.Context(), cliente, pedido{"POST", agente.URL + "/0", nil, objeto{}}); err != nil || status != 502 {
		t.Errorf("without a server: HTTP %d, %v, want 502", status, err)
	}
}

// TestPisoEmOrdem: the processes of the floor end well when asked, and refuse
// what they cannot use.
func TestPisoEmOrdem(t *testing.T) {
	comPisoDeTeste(t)
	corpos := corposDoPiso{Etapas: []corposDaEtapa{{RespostaMCP: []byte("x"), RespostaA2A: []byte("y")}}}
	p, err := iniciarPiso(t.Context(), t.TempDir(), corpos, true)
	if err != nil {
		t.Fatal(err)
	}
	if p.agente.PID() == p.servidor.PID() || p.agente.PID() == os.Getpid() {
		t.Error("want two processes of their own")
	}
	if err := p.parar(); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if _, err := iniciarPiso(t.Context(), t.TempDir(), corposDoPiso{}, true); err == nil {
		t.Error("a floor without bodies started")
	}
}

// TestCargaCtrlC: a signal at the terminal ends the command with its figures,
// and both processes.
func TestCargaCtrlC(t *testing.T) {
	bins := construidos(t)
	cmd := exec.Command(comoProcesso(t, "ponte"), "carga", "-duracao", "1h", "-aquecimento", "0s", "-conexoes", "2", "-json", "-progresso")
	cmd.Env = append(os.Environ(), "PONTE_BINARIOS="+strings.TrimSuffix(bins["agente"], "/agente"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout bytes.Buffer
	var stderr lento
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	stderr.esperarTexto(t, "medido, rodada 1 de 1, 2 conexoes: ")
	time.Sleep(200 * time.Millisecond)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var r struct {
		Interrompida bool
		Erros        int
		Agente       string
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || !r.Interrompida || r.Erros != 0 {
		t.Fatalf("%v, want an interrupted run without errors:\n%s", err, stdout.String())
	}
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	if status, _, err := enviar(t.Context(), cliente, pedido{"POST", r.Agente, nil, objeto{}}); err == nil {
		t.Errorf("the agent still answers (HTTP %d) after the end", status)
	}
}
