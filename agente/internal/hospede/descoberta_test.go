package hospede

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestDescobertaValePeloTTL(t *testing.T) {
	agora := time.Now()
	f := novoFingido(t, normal(60_000, nil))
	h := Novo(Config{URL: f.URL, Nome: "x", Versao: "1", Agora: func() time.Time { return agora }})
	t.Cleanup(h.Fechar)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, ok, falhou := h.Ferramenta(t.Context(), "pinta"); !ok || falhou != nil {
				t.Error(falhou)
			}
			if s, falhou := h.Recurso(t.Context(), "x://y"); s != "v: 1" || falhou != nil {
				t.Error(s, falhou)
			}
		})
	}
	wg.Wait()
	if l, r, d := len(f.de("tools/list")), len(f.de("resources/read")), len(f.de("server/discover")); l != 1 || r != 1 || d != 1 {
		t.Errorf("20 at once: want one request of each kind, got %d, %d, %d", l, r, d)
	}
	if _, ok, falhou := h.Ferramenta(t.Context(), "outra"); ok || falhou != nil {
		t.Error("a tool that is not offered is no failure, only not there")
	}

	f.trocar(normal(0, nil)) // nothing may be kept
	agora = agora.Add(time.Hour)
	fresco := novoHospede(t, f.URL)
	for range 3 {
		if _, ok, falhou := fresco.Ferramenta(t.Context(), "pinta"); !ok || falhou != nil {
			t.Fatal(falhou)
		}
	}
	if l := len(f.de("tools/list")); l != 4 {
		t.Errorf("ttlMs 0: want a request each time, got %d", l-1)
	}
}

func TestValoresPeloTipo(t *testing.T) {
	f, err := LerFerramenta("pinta", json.RawMessage(`{"properties":{"s":{"type":"string"},"n":{"type":"integer"},"b":{"type":"boolean"},"o":{"type":"object"},"u":{"type":["string","null"]},"x":{},"v":true},"required":7}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ chave, texto, want string }{
		{"n", "1_0", ""}, {"n", "0x10", ""}, {"n", "+1", ""},
		{"s", "12", `"12"`}, {"n", "12345678901234567890", "12345678901234567890"}, {"n", "x", ""}, {"n", `"1"`, ""}, {"n", "", ""},
		{"b", "true", "true"}, {"b", "sim", ""}, {"o", `{"a": 1}`, `{"a":1}`}, {"o", "{", ""}, {"u", "a", `"a"`}, {"x", "7", `"7"`}, {"v", "7", `"7"`},
	} {
		v, err := f.Valor(c.chave, c.texto)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s=%q: want an error, got %v", c.chave, c.texto, v)
			}
			continue
		}
		if raw, _ := json.Marshal(v); err != nil || string(raw) != c.want {
			t.Errorf("%s=%q: want %s, got %s, %v", c.chave, c.texto, c.want, raw, err)
		}
	}
}

// A value that may not be kept is still fetched once for all who wait for it.
func TestBuscaCompartilhada(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, buscas := novoGuardado[int](), 0
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				v, err := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) {
					buscas++
					time.Sleep(time.Second) // everybody is there by now
					return buscas, 0, nil
				})
				if v != 1 || err != nil {
					t.Errorf("want what the one fetch got, got %d, %v", v, err)
				}
			})
		}
		wg.Wait()
		if v, _ := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) { return 7, 0, nil }); v != 7 {
			t.Errorf("ttlMs 0: want a fetch for who comes later, got %d", v)
		}
	})
	// Who gives up while fetching for others leaves them their own try.
	g := novoGuardado[int]()
	ctx, sai := context.WithCancel(t.Context())
	dentro := make(chan struct{})
	go func() {
		_, _ = g.obter(ctx, time.Now, func(ctx context.Context) (int, time.Duration, error) {
			close(dentro)
			<-ctx.Done()
			return 0, 0, ctx.Err()
		})
	}()
	<-dentro
	time.AfterFunc(10*time.Millisecond, sai)
	if v, err := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) { return 7, 0, nil }); v != 7 || err != nil {
		t.Errorf("want an own try, got %d, %v", v, err)
	}
}

// What is dropped while it is being fetched serves who waits for it, and nobody
// after them.
func TestEsquecerDuranteABusca(t *testing.T) {
	g, buscas := novoGuardado[int](), 0
	obter := func(durante func()) int {
		v, err := g.obter(t.Context(), time.Now, func(context.Context) (int, time.Duration, error) {
			buscas++
			durante()
			return buscas, time.Hour, nil
		})
		if err != nil {
			t.Error(err)
		}
		return v
	}
	if v := obter(g.esquecer); v != 1 {
		t.Errorf("want what was fetched, got %d", v)
	}
	for range 2 {
		if v := obter(func() {}); v != 2 {
			t.Errorf("want it fetched anew, once, got %d", v)
		}
	}
}

func TestTTLAbsurdo(t *testing.T) {
	for ms, want := range map[int]time.Duration{-1: 0, 0: 0, 1500: 1500 * time.Millisecond, 1 << 62: maxTTL, 9223372036855: maxTTL} {
		if got := ttlDe(ms); got != want {
			t.Errorf("ttlMs %d: want %s, got %s", ms, want, got)
		}
	}
}

// Another tool of the server's may be as odd as it likes.
func TestOutrasFerramentasNaoAtrapalham(t *testing.T) {
	f := novoFingido(t, func(w http.ResponseWriter, p pedido) string {
		if p.Method == "tools/list" {
			return `{"tools":[{"name":"estranha","inputSchema":{"type":"object","properties":7}},{"name":"pinta","inputSchema":{"type":"object","properties":{"cor":true},"required":["cor"]}}]}`
		}
		return normal(0, nil)(w, p)
	})
	h := novoHospede(t, f.URL)
	if g, ok, falhou := h.Ferramenta(t.Context(), "pinta"); !ok || falhou != nil || len(g.Chaves()) != 1 || g.Obrigatorias[0] != "cor" {
		t.Errorf("got %+v, %v, %v", g, ok, falhou)
	}
	if _, _, falhou := h.Ferramenta(t.Context(), "estranha"); !strings.HasPrefix(ver(falhou), "Inacessivel Servidor MCP deu uma resposta invalida.") {
		t.Errorf("got %s", ver(falhou))
	}
}

// A call refused for its headers is looked up again and repeated, once.
func TestCabecalhosMudaram(t *testing.T) {
	recusas := 1
	f := novoFingido(t, normal(60_000, func(w http.ResponseWriter, p pedido) string {
		if recusas--; recusas >= 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"x"}}`, p.ID)
			return ""
		}
		return `{"structuredContent":{"a":1}}`
	}))
	h := novoHospede(t, f.URL)
	if _, _, falhou := h.Ferramenta(t.Context(), "pinta"); falhou != nil {
		t.Fatal(falhou)
	}
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != `Concluido {"a":1}` || len(f.de("tools/list")) != 2 {
		t.Errorf("got %s after %d lists", got, len(f.de("tools/list")))
	}
	antes := runtime.NumGoroutine()
	for range 20 {
		recusas = 1
		h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)
	}
	for fim := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > antes+10; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(fim) {
			t.Fatalf("sessions are left over: %d goroutines, then %d", antes, runtime.NumGoroutine())
		}
	}
	chamadas := len(f.de("tools/call"))
	recusas = 100
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != "ErroDeProtocolo -32020" || len(f.de("tools/call")) != chamadas+2 {
		t.Errorf("not for ever: got %s after %d calls", got, len(f.de("tools/call")))
	}
}
