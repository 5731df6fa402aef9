package porta

import (
	"bytes"
	"fmt"
	"net/http"
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

// BenchmarkCiclo is what the agent itself costs: a message that pauses its Task and
// one that refuses, from the body of the request to that of the answer, over a
// server that answers at once.
func BenchmarkCiclo(b *testing.B) {
	a := novoAgente(b, func(c *Config) { c.Limites = processo.LimitesPadrao })
	a.log.mudo = true
	enviar := func(params string) []byte {
		body := `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":` + params + `}`
		req, err := http.NewRequest("POST", "http://localhost/a2a", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		w := &resposta{h: http.Header{}}
		a.porta.ServeHTTP(w, req)
		return w.b.Bytes()
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		raw := enviar(fmt.Sprintf(`{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"pintar cor=verde"}]}}`, n))
		_, depois, _ := bytes.Cut(raw, []byte(`"result":{"task":{"id":"`))
		id, _, ok := bytes.Cut(depois, []byte(`"`))
		if !ok {
			b.Fatalf("no task: %s", raw)
		}
		raw = enviar(fmt.Sprintf(`{"message":{"messageId":"r-%d","role":"ROLE_USER","taskId":"%s","parts":[{"text":"escolha=recusar"}]}}`, n, id))
		if !bytes.Contains(raw, []byte("TASK_STATE_CANCELED")) {
			b.Fatalf("not refused: %s", raw)
		}
	}
}
