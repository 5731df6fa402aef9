package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

func TestDemo(t *testing.T) {
	inicio := time.Now()
	codigo, stdout, stderr := comando(t, construidos(t), "demo")
	if codigo != 0 || strings.Contains(stdout, "FALHOU") {
		t.Fatalf("exit code %d\n%s\n%s", codigo, stdout, stderr)
	}
	for _, want := range []string{
		"fora   ->  SendMessage: reservar sala=sala-garagem",
		"alternativas: sala-fusca, sala-mirante",
		"tools/call      id ",
		"o mesmo fora e dentro",
		"TASK_STATE_CANCELED",
		"Sala inexistente: sala-inexistente",
		fmt.Sprintf("Os %d passos foram como esperado.", len(historia)),
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("stdout should contain %q", want)
		}
	}
	if n := strings.Count(stdout, "\n  ok\n"); n != len(historia) {
		t.Errorf("%d steps ok, want %d", n, len(historia))
	}
	for linha := range strings.Lines(stdout) {
		if len(linha) > 100 {
			t.Errorf("a line of %d characters: %q", len(linha), linha)
		}
	}
	if strings.Contains(stdout, "\x1b") {
		t.Error("colours, although stdout is no terminal")
	}
	if d := time.Since(inicio); d > 20*time.Second {
		t.Errorf("took %s", d)
	}
}

// agenteFalso is a process in the agent's place that takes every message and
// answers nothing of use.
func agenteFalso() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("agente ouvindo em http://%s\n", l.Addr())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
}

func TestDemoComAgenteErrado(t *testing.T) {
	bins := binarios{dupla.Servidor: construidos(t)[dupla.Servidor], dupla.Agente: comoProcesso(t, dupla.Agente)}
	codigo, stdout, stderr := comando(t, bins, "demo")
	if codigo != 1 {
		t.Errorf("exit code %d, want 1", codigo)
	}
	if n := strings.Count(stdout, "FALHOU: "); n < len(historia) {
		t.Errorf("FALHOU stands %d times, want at least once for each of %d steps:\n%s", n, len(historia), stdout)
	}
	for _, want := range []string{`HTTP 200 {"jsonrpc":"2.0"`, "fim do stderr de servidor-mcp"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("nothing to debug with: stdout should contain %q", want)
		}
	}
	if !strings.Contains(stderr, "ponte: demo: 8 de 8 passos") {
		t.Errorf("stderr should end with the count:\n%s", stderr)
	}
}

// idDeChamada is the id of a tools/call in a log line.
var idDeChamada = regexp.MustCompile(`(method=tools/call .*id=)[0-9]+`)

// TestHistoriaPercebe plays the story through something that spoils one thing
// at a time. Each must be noticed, in the step where it happens.
func TestHistoriaPercebe(t *testing.T) {
	corpo := func(velho, novo string) defeito {
		return defeito{resposta: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(velho), []byte(novo)) }}
	}
	tests := []struct {
		nome string
		defeito
		passo int
		quer  string
	}{
		{"card without the skill", corpo("reservar-sala", "reservar"), 1, "falta a skill"},
		{"card of another version", corpo(`"protocolVersion":"1.0"`, `"protocolVersion":"0.3"`), 1, "versao 0.3"},
		{"card of another place", corpo("/a2a", "/rpc"), 1, "a interface JSONRPC esta em"},
		{"state", corpo("TASK_STATE_COMPLETED", "TASK_STATE_WORKING"), 2, "estado TASK_STATE_WORKING"},
		{"artifact without the policy", corpo(`,\"politica\":\"2026-11-01\"`, ""), 2, "artifact reserva"},
		{"artifact of another name", corpo(`"name":"reserva"`, `"name":"booking"`), 2, "artifact reserva"},
		{"order of the alternatives", corpo("sala-fusca, sala-mirante", "sala-mirante, sala-fusca"), 3, "mensagem"},
		{"requestState by name", corpo(`"state":"TASK_STATE_INPUT_REQUIRED"`, `"state":"TASK_STATE_INPUT_REQUIRED","metadata":{"requestState":"x"}`), 3, "deixa ver um requestState"},
		{"requestState by value", corpo(`"state":"TASK_STATE_INPUT_REQUIRED"`, `"state":"TASK_STATE_INPUT_REQUIRED","metadata":{"x":"v1.`+strings.Repeat("aB3_-", 20)+`"}`), 3, "deixa ver um requestState"},
		{"refusal that fails", corpo("TASK_STATE_CANCELED", "TASK_STATE_FAILED"), 7, "estado TASK_STATE_FAILED"},
		{"message of the tool", corpo("Sala inexistente", "Sala desconhecida"), 8, "mensagem"},
		{"answer with another id", corpo(`"id":1,`, `"id":77,`), 2, "id 77"},
		{"trace that stops at the agent", defeito{pedido: func(r *http.Request) { r.Header.Del("traceparent") }}, 2, "o log do servidor MCP mostra"},
		{"retry with the id of the first call", defeito{log: func(s string) string { return idDeChamada.ReplaceAllString(s, "${1}5") }}, 5, "repetiu o id 5"},
		{"call without discovery", defeito{log: func(s string) string { return strings.Replace(s, "method=tools/list", "method=ping", 1) }}, 2, "tools/list"},
		{"call made twice", defeito{log: func(s string) string {
			if strings.Contains(s, "method=tools/call") {
				return s + "\n" + s
			}
			return s
		}}, 2, "2 tools/call"},
	}
	for _, tt := range tests {
		t.Run(tt.nome, func(t *testing.T) {
			t.Parallel()
			saida, err := contarComDefeito(t, tt.defeito)
			if err == nil {
				t.Fatalf("nothing was noticed:\n%s", saida)
			}
			secao := fmt.Sprintf("\n%d. ", tt.passo)
			_, depois, _ := strings.Cut(saida, secao)
			depois, _, _ = strings.Cut(depois, fmt.Sprintf("\n%d. ", tt.passo+1))
			achado := strings.Join(strings.Fields(depois), " ") // undo the line breaks
			if !strings.Contains(achado, "FALHOU: ") || !strings.Contains(achado, tt.quer) {
				t.Errorf("step %d should fail with %q:\n%s", tt.passo, tt.quer, saida)
			}
		})
	}
	t.Run("nothing spoilt", func(t *testing.T) {
		t.Parallel()
		if saida, err := contarComDefeito(t, defeito{}); err != nil {
			t.Errorf("%v\n%s", err, saida)
		}
	})
}

// defeito spoils what passes: the request to the agent, its answer, or a line
// of the server's log.
type defeito struct {
	pedido   func(*http.Request)
	resposta func([]byte) []byte
	log      func(string) string
}

// contarComDefeito plays the story through a proxy in front of the real agent.
func contarComDefeito(t *testing.T, d defeito) (saida string, err error) {
	t.Helper()
	log := &diario{}
	servidor := &linhas{emitir: func(linha []byte) {
		texto := string(linha)
		if d.log != nil {
			texto = d.log(texto)
		}
		for l := range strings.SplitSeq(texto, "\n") {
			log.anotar([]byte(l))
		}
	}}
	p, err := iniciarPar(t.Context(), construidos(t), plano{
		argsServidor: portaLivre, argsAgente: portaLivre, env: isolado(novoSegredo()),
		saidaServidor: servidor, saidaAgente: (&diario{}).saida(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.parar()
	proxy := httptest.NewUnstartedServer(nil)
	proxy.Config.Handler = estragar(t, p.urlAgente, "http://"+proxy.Listener.Addr().String(), d)
	proxy.Start()
	defer proxy.Close()

	limite := 10 * time.Second
	if d.pedido != nil || d.log != nil {
		limite = 300 * time.Millisecond // a line that will never come
	}
	var b bytes.Buffer
	err = narrar(t.Context(), &palco{agente: proxy.URL, cliente: novoCliente(), servidor: log, limiteDiario: limite}, &tela{w: &b}, historia)
	return b.String(), err
}

// estragar is a reverse proxy to the agent at alvo that stands at eu, also in
// the card.
func estragar(t *testing.T, alvo, eu string, d defeito) http.Handler {
	t.Helper()
	u, err := url.Parse(alvo)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			if d.pedido != nil {
				d.pedido(r.Out)
			}
		},
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = bytes.ReplaceAll(body, []byte("http://localhost:"+u.Port()), []byte(eu))
			if d.resposta != nil {
				body = d.resposta(body)
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Del("Content-Length")
			return nil
		},
	}
}
