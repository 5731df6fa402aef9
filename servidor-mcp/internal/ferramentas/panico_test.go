package ferramentas

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/servidor-mcp/internal/porta"
)

// A panic in a handler costs its caller an internal error, and nobody else
// anything: the stack goes to the log, the next request is served.
func TestPanicoNaoDerruba(t *testing.T) {
	for nome, direto := range map[string]bool{"through the SDK": false, "directly": true} {
		t.Run(nome, func(t *testing.T) {
			var out bytes.Buffer
			log := slog.New(slog.NewTextHandler(&out, nil))
			f := Novo(Config{Agenda: nil, TTL: time.Minute, Agora: time.Now, Log: log}) // no agenda: every tool panics
			cfg := porta.Config{Servidor: f.Servidor(), Versao: VersaoProtocolo, Limites: processo.LimitesPadrao, Log: slog.New(slog.DiscardHandler)}
			if direto {
				cfg.Chamador = f
			}
			p, err := porta.Nova(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			c := &central{Server: httptest.NewServer(p)}
			defer c.Close()
			defer p.Fechar()
			for range 2 {
				r := c.tool(t, "listar_salas", obj{})
				if r.Status != 500 || r.Error == nil || r.Error.Code != -32603 || r.Error.Message != "internal error" {
					t.Errorf("want an internal error that shows nothing, got %d %s", r.Status, r.Raw)
				}
			}
			if r := c.chamar(t, "tools/list", obj{}, nil); r.Status != 200 {
				t.Errorf("want to be served afterwards, got %d %s", r.Status, r.Raw)
			}
			if !strings.Contains(out.String(), "stack=") {
				t.Errorf("the stack is not in the log: %q", out.String())
			}
		})
	}
}
