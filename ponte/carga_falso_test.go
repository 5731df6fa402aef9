package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// agenteDeCarga answers as an agent does whose every SendMessage takes demora,
// but those that defeito names.
type agenteDeCarga struct {
	demora time.Duration
	// defeito is what is wrong with the answer to message n, counted from 1.
	defeito func(n int64) string

	recebidas atomic.Int64
	solta     chan struct{} // ends those that hang
}

func novoAgenteDeCarga(t *testing.T, a *agenteDeCarga) (base string) {
	t.Helper()
	a.solta = make(chan struct{})
	s := httptest.NewServer(a)
	t.Cleanup(func() { close(a.solta); s.Close() })
	return s.URL
}

func (a *agenteDeCarga) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == caminhoCartao {
		fmt.Fprintf(w, `{"supportedInterfaces":[{"protocolBinding":"GRPC","url":"x"},{"protocolBinding":"JSONRPC","url":"http://%s/rpc"}]}`, r.Host)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	pedido, err := lerJSON(raw)
	if err != nil || r.URL.Path != "/rpc" || em(pedido, "method") != "SendMessage" {
		http.Error(w, "what is this?", http.StatusTeapot)
		return
	}
	n := a.recebidas.Add(1)
	time.Sleep(a.demora)
	estado, id := pausada, fmt.Sprint(em(pedido, "id"))
	partes, _ := em(pedido, "params", "message", "parts").([]any)
	if tarefa := em(pedido, "params", "message", "taskId"); tarefa != nil {
		estado = "?"
		if tarefa == "t-1" && em(partes[0], "text") == "escolha=recusar" {
			estado = cancelada
		}
	}
	defeito := ""
	if a.defeito != nil {
		defeito = a.defeito(n)
	}
	switch defeito {
	case "http":
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	case "json_rpc":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, id)
		return
	case "estado":
		estado = "TASK_STATE_WORKING"
	case "resposta":
		id = "1"
	case "tempo_esgotado":
		<-a.solta
	case "conexao":
		panic(http.ErrAbortHandler)
	}
	fmt.Fprintf(w, `{"result":{"task":{"status":{"message":{"parts":[{"text":"alternativas: a, b"}]},"state":%q},"history":[{"id":"not this"}],"id":"t-1"}},"id":%s,"jsonrpc":"2.0"}`, estado, id)
}

// medicoesDe runs the command with -json and returns its report.
func medicoesDe(t *testing.T, codigo int, args ...string) (relatorio any) {
	t.Helper()
	c, stdout, stderr := comando(t, nil, append([]string{"carga", "-json"}, args...)...)
	if c != codigo {
		t.Fatalf("exit code %d, want %d\n%s%s", c, codigo, stdout, stderr)
	}
	v, err := lerJSON([]byte(stdout))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, stdout)
	}
	return v
}

// numeroEm is a number of a report.
func numeroEm(t *testing.T, v any, caminho ...string) float64 {
	t.Helper()
	n, ok := em(v, caminho...).(interface{ Float64() (float64, error) })
	if !ok {
		t.Fatalf("%s is %v, want a number", strings.Join(caminho, "."), em(v, caminho...))
	}
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// medicaoEm is one of the measurements of a report.
func medicaoEm(t *testing.T, relatorio any, i int) any {
	t.Helper()
	lista, _ := em(relatorio, "medicoes").([]any)
	if i >= len(lista) {
		t.Fatalf("%d measurements, want at least %d", len(lista), i+1)
	}
	return lista[i]
}
