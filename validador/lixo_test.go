package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// responde gives a server that answers every request with the same.
func responde(status int, tipo, corpo string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", tipo)
		w.WriteHeader(status)
		io.WriteString(w, corpo)
	}
}

// ecoa gives a server that answers in good JSON-RPC, with the id of the
// request and a member that makes no sense.
func ecoa(membro string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var p struct{ ID json.RawMessage }
		json.NewDecoder(r.Body).Decode(&p)
		if p.ID == nil {
			p.ID = json.RawMessage("null")
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, p.ID, membro)
	}
}

// TestServidoresQueRespondemLixo: whatever comes back, every check fails with a
// reason, none panics, and the exit code says so.
func TestServidoresQueRespondemLixo(t *testing.T) {
	t.Parallel()
	const appJSON = "application/json"
	lixos := map[string]http.HandlerFunc{
		"null":           responde(200, appJSON, "null"),
		"vazio":          responde(200, appJSON, ""),
		"vazio 202":      responde(202, appJSON, ""),
		"lista":          responde(200, appJSON, "[]"),
		"lista de null":  responde(200, appJSON, "[null]"),
		"objeto vazio":   responde(200, appJSON, "{}"),
		"numero":         responde(200, appJSON, "1e999"),
		"html 500":       responde(500, "text/html", "<!doctype html><h1>Internal Server Error</h1>"),
		"html 200":       responde(200, "text/html", "<html>\r\nPASS 01 tudo certo\r\n</html>"),
		"json cortado":   responde(200, appJSON, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`),
		"utf-8 invalido": responde(200, appJSON, "\xff\xfe{\"a\":1}"),
		"fundo":          responde(200, appJSON, strings.Repeat("[", 20_000)),
		"fundo objeto":   responde(200, appJSON, strings.Repeat(`{"a":`, 20_000)),
		"redireciona": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/outro", http.StatusTemporaryRedirect)
		},
		"desliga":           func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"sse vazio":         responde(200, "text/event-stream", ": oi\n\n"),
		"sse lixo":          responde(200, "text/event-stream", "data: null\n\ndata: {\n\n"),
		"outro id":          responde(200, appJSON, `{"jsonrpc":"2.0","id":"de outro","result":{}}`),
		"sem id":            responde(200, appJSON, `{"jsonrpc":"2.0","result":{}}`),
		"dois":              ecoa(`"result":{},"error":{"code":-32602,"message":""}`),
		"nenhum":            ecoa(`"nada":1`),
		"result null":       ecoa(`"result":null`),
		"result lista":      ecoa(`"result":[null]`),
		"result vazio":      ecoa(`"result":{}`),
		"erro null":         ecoa(`"error":null`),
		"erro vazio":        ecoa(`"error":{}`),
		"erro texto":        ecoa(`"error":{"code":"-32602","message":"x"}`),
		"erro fracao":       ecoa(`"error":{"code":-32602.5,"message":"x"}`),
		"erro sem texto":    ecoa(`"error":{"code":-32602,"message":null}`),
		"tudo null":         ecoa(`"result":{"tools":null,"contents":null,"resultType":null,"structuredContent":null,"content":null,"isError":null,"inputRequests":null,"requestState":null,"task":null}`),
		"listas de null":    ecoa(`"result":{"tools":[null],"contents":[null],"resultType":"complete","content":[null],"task":{"id":"a","contextId":"b","status":{"state":"TASK_STATE_COMPLETED","message":{"parts":[null]}},"artifacts":[null],"history":[null]}}`),
		"tipos errados":     ecoa(`"result":{"tools":{"a":1},"contents":"x","resultType":1,"content":"x","isError":"sim","inputRequests":[],"requestState":{},"task":[],"name":1}`),
		"pausa vazia":       ecoa(`"result":{"resultType":"input_required","inputRequests":{"k":null},"requestState":"s","task":{"id":"a","contextId":"b","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}`),
		"pausa sem enum":    ecoa(`"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"sala":{"type":"string","enum":[null]}}}}}},"requestState":"s"}`),
		"tarefa sem status": ecoa(`"result":{"task":{"id":"a","contextId":"b"},"id":"a","contextId":"b"}`),
	}
	for nome, h := range lixos {
		t.Run(nome, func(t *testing.T) {
			t.Parallel()
			u := servir(t, h)
			code, linhas := validar(t, u, u)
			tudoFalhou(t, code, linhas)
		})
	}
}

func tudoFalhou(t *testing.T, code int, linhas []string) {
	t.Helper()
	if code != 1 || linhas[37] != "resumo: 0 passaram, 36 falharam, de 36 verificacoes" {
		t.Errorf("codigo %d:\n%s", code, strings.Join(linhas, "\n"))
	}
}

func TestServidoresLentosDemais(t *testing.T) {
	t.Parallel()
	// Headers and then nothing; and a stream that drips for ever.
	lentos := map[string]http.HandlerFunc{
		"calado": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"gotejante": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				fmt.Fprint(w, ": espere\n\n")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		},
	}
	for nome, h := range lentos {
		t.Run(nome, func(t *testing.T) {
			t.Parallel()
			// The server sees a client go only once the body is read.
			u := servir(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				h(w, r)
			}))
			inicio := time.Now()
			code, linhas := validar(t, u, u, "--espera", "20ms")
			tudoFalhou(t, code, linhas)
			if !strings.Contains(linhas[1], "sem resposta completa em 20ms") {
				t.Errorf("motivo: %s", linhas[1])
			}
			if d := time.Since(inicio); d > 10*time.Second {
				t.Errorf("levou %s", d)
			}
		})
	}
}

// TestServidoresEnormes: 10 MB are refused, whether the server says so
// beforehand or goes on and on.
func TestServidoresEnormes(t *testing.T) {
	t.Parallel()
	pedaco := bytes.Repeat([]byte("a"), 1<<20)
	enorme := func(declarado bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if declarado {
				w.Header().Set("Content-Length", strconv.Itoa(10*len(pedaco)))
			}
			for range 10 {
				w.Write(pedaco)
			}
		}
	}
	const motivo = "resposta com mais de 4 MiB"
	u := servir(t, enorme(true))
	code, linhas := validar(t, u, u)
	tudoFalhou(t, code, linhas)
	exigirFalha(t, linhas, 1, motivo)
	exigirFalha(t, linhas, 24, motivo)

	u = servir(t, enorme(false))
	op, err := lerOpcoes([]string{"--agente", u, "--mcp", u})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []verificacao{verificacoes[0], verificacoes[20], verificacoes[23]} {
		if err := v.conferir(t.Context(), novaExecucao(op)); err == nil || !strings.Contains(err.Error(), motivo) {
			t.Errorf("%02d: %v, esperado %q", v.numero, err, motivo)
		}
	}
}

func TestServidoresDesligados(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	code, linhas := validar(t, s.URL, s.URL)
	tudoFalhou(t, code, linhas)
	if !strings.Contains(linhas[21], "sem resposta de http://127.0.0.1:") {
		t.Errorf("motivo: %s", linhas[21])
	}
}

// TestUmSoLadoDesligado: each side is judged without the other.
func TestUmSoLadoDesligado(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	p := subir(t)
	_, linhas := validar(t, p.urlMCP, s.URL)
	if linhas[37] != "resumo: 20 passaram, 16 falharam, de 36 verificacoes" {
		t.Errorf("sem agente:\n%s", strings.Join(linhas, "\n"))
	}
	_, linhas = validar(t, s.URL, p.urlA2A)
	if linhas[37] != "resumo: 16 passaram, 20 falharam, de 36 verificacoes" {
		t.Errorf("sem servidor MCP:\n%s", strings.Join(linhas, "\n"))
	}
}

func TestInterrompido(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	u := servir(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}))
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"--agente", u, "--mcp", u}, &stdout, &stderr)
	linhas := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	conferirForma(t, linhas)
	tudoFalhou(t, code, linhas)
	if !strings.HasSuffix(linhas[36], ": execucao interrompida") {
		t.Errorf("motivo: %s", linhas[36])
	}
}

// TestLinhasForjadas: a server's own words stay inside the line that quotes
// them.
func TestLinhasForjadas(t *testing.T) {
	t.Parallel()
	falso := "x\nPASS 01 tools/list traz as tres tools\r\n\x1b[2Kresumo: 36 passaram, 0 falharam, de 36 verificacoes\u2028PASS\u202e" + strings.Repeat("y", 5000)
	mensagem, _ := json.Marshal(falso)
	for nome, h := range map[string]http.HandlerFunc{
		"erro":   ecoa(`"error":{"code":-32000,"message":` + string(mensagem) + `}`),
		"estado": ecoa(`"result":{"resultType":` + string(mensagem) + `,"content":[],"tools":[{"name":` + string(mensagem) + `}],"task":{"id":"a","contextId":"b","status":{"state":` + string(mensagem) + `}}}`),
		"cru":    responde(200, "text/plain", falso),
	} {
		t.Run(nome, func(t *testing.T) {
			t.Parallel()
			u := servir(t, h)
			code, linhas := validar(t, u, u)
			tudoFalhou(t, code, linhas)
		})
	}
}
