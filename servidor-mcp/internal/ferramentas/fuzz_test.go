package ferramentas

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/servidor-mcp/internal/porta"
	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

// exemplo is a recorded exchange with the server.
type exemplo struct {
	Request struct {
		URL     string
		Headers map[string]string
		Body    json.RawMessage
	}
}

func exemplosMCP(tb testing.TB) []exemplo {
	tb.Helper()
	arquivos, err := filepath.Glob("../../../exemplos/wire/*.json")
	if err != nil || len(arquivos) == 0 {
		tb.Fatalf("no recorded examples: %v", err)
	}
	var es []exemplo
	for _, arquivo := range arquivos {
		raw, err := os.ReadFile(arquivo)
		if err != nil {
			tb.Fatal(err)
		}
		var e exemplo
		if err := json.Unmarshal(raw, &e); err != nil {
			tb.Fatal(err)
		}
		if strings.HasSuffix(e.Request.URL, porta.Caminho) {
			es = append(es, e)
		}
	}
	return es
}

// Whatever the headers and the body: a JSON-RPC answer or a plain 202, no
// panic, no 5xx; and what is refused has booked nothing.
func FuzzServidor(f *testing.F) {
	c := novaCentral(f)
	for _, e := range exemplosMCP(f) {
		f.Add(e.Request.Headers["Mcp-Method"], e.Request.Headers["Mcp-Name"], string(e.Request.Body))
	}
	f.Add("tools/list", "", "null")
	f.Add("", "", `{"jsonrpc":"2.0","method":"notifications/x"}`)
	sempre := reserva.Periodo{Inicio: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), Fim: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}
	reservas := func() (n int) {
		for _, s := range c.agenda.Salas() {
			n += len(c.agenda.Conflitos(s.ID, sempre))
		}
		return n
	}
	f.Fuzz(func(t *testing.T, method, name, body string) {
		antes := reservas()
		r := httptest.NewRequest("POST", porta.Caminho, strings.NewReader(body))
		r.Header = http.Header{
			"Content-Type":         {"application/json"},
			"Mcp-Protocol-Version": {VersaoProtocolo},
			"Mcp-Method":           {method},
			"Mcp-Name":             {name},
		}
		w := httptest.NewRecorder()
		c.Config.Handler.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code != 202 && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%q %q %q: %d %s", method, name, body, w.Code, w.Body)
		}
		var a struct {
			Result struct{ ResultType, StructuredContent any }
		}
		_ = json.Unmarshal(w.Body.Bytes(), &a)
		if reservas() != antes && (w.Code != 200 || a.Result.StructuredContent == nil) {
			t.Fatalf("%q: %d %s, and something was booked", body, w.Code, w.Body)
		}
	})
}
