package porta

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/processo"
)

// resposta is the least that a handler can write an answer to.
type resposta struct {
	h http.Header
	b bytes.Buffer
}

func (r *resposta) Header() http.Header         { return r.h }
func (r *resposta) WriteHeader(int)             {}
func (r *resposta) Write(b []byte) (int, error) { return r.b.Write(b) }

// BenchmarkCiclo is a message that pauses its Task and one that refuses, over an
// MCP server that answers at once: what the agent itself costs, from the body of a
// request to that of its answer; the same over HTTP in this process; and beside
// them what two exchanges of bodies of the same sizes cost there.
func BenchmarkCiclo(b *testing.B) {
	a := novoAgente(b, func(c *Config) { c.Limites = processo.LimitesPadrao })
	a.log.mudo = true
	n := 0
	ciclo := func(b *testing.B, enviar func(body string) []byte) (primeira, segunda []byte) {
		n++
		const envelope = `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"%s-%d","role":"ROLE_USER"%s,"parts":[{"text":"%s"}]}}}`
		primeira = enviar(fmt.Sprintf(envelope, "m", n, "", "pintar cor=verde"))
		_, depois, _ := bytes.Cut(primeira, []byte(`"result":{"task":{"id":"`))
		id, _, ok := bytes.Cut(depois, []byte(`"`))
		if !ok {
			b.Fatalf("no task: %s", primeira)
		}
		segunda = enviar(fmt.Sprintf(envelope, "r", n, `,"taskId":"`+string(id)+`"`, "escolha=recusar"))
		if !bytes.Contains(segunda, []byte("TASK_STATE_CANCELED")) {
			b.Fatalf("not refused: %s", segunda)
		}
		return primeira, segunda
	}
	porHTTP := func(b *testing.B, url string) func(string) []byte {
		return func(body string) []byte {
			res, err := http.Post(url, "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			defer res.Body.Close()
			raw, err := io.ReadAll(res.Body)
			if err != nil {
				b.Fatal(err)
			}
			return raw
		}
	}

	b.Run("agente", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ciclo(b, func(body string) []byte {
				req, err := http.NewRequest("POST", "http://localhost"+CaminhoRPC, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				w := &resposta{h: http.Header{}}
				a.porta.ServeHTTP(w, req)
				return w.b.Bytes()
			})
		}
	})
	b.Run("http", func(b *testing.B) {
		b.ReportAllocs()
		enviar := porHTTP(b, a.URL+CaminhoRPC)
		for b.Loop() {
			ciclo(b, enviar)
		}
	})
	b.Run("net-http", func(b *testing.B) {
		primeira, segunda := ciclo(b, porHTTP(b, a.URL+CaminhoRPC))
		puro := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			if bytes.Contains(body, []byte("taskId")) {
				_, _ = w.Write(segunda)
				return
			}
			_, _ = w.Write(primeira)
		}))
		defer puro.Close()
		enviar := porHTTP(b, puro.URL)
		b.ReportAllocs()
		for b.Loop() {
			ciclo(b, enviar)
		}
	})
}
