package porta

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// exemplos are the bodies of the recorded requests that go to a path.
func exemplos(tb testing.TB, caminho string) []string {
	tb.Helper()
	arquivos, err := filepath.Glob("../../../exemplos/wire/*.json")
	if err != nil || len(arquivos) == 0 {
		tb.Fatalf("no recorded examples: %v", err)
	}
	var corpos []string
	for _, arquivo := range arquivos {
		raw, err := os.ReadFile(arquivo)
		if err != nil {
			tb.Fatal(err)
		}
		var e struct {
			Request struct {
				URL  string
				Body json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			tb.Fatal(err)
		}
		if strings.HasSuffix(e.Request.URL, caminho) && e.Request.Body != nil {
			corpos = append(corpos, string(e.Request.Body))
		}
	}
	return corpos
}

// Whatever the body: a JSON-RPC answer, no panic, no state in it; and an error
// has stored nothing.
func FuzzCorpo(f *testing.F) {
	// All that is optional but streams, which answer in another form.
	a := novoAgente(f, tudoDeclarado, func(c *Config) { c.Capacidades.Fluxo = false })
	h := a.Config.Handler
	for _, corpo := range exemplos(f, CaminhoRPC) {
		f.Add(corpo)
	}
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + mensagem("pintar cor=azul", "", "") + `}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"1","status":"TASK_STATE_FAILED"}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"message/send","params":` + velha("pintar cor=rosa", "", `{"pushNotificationConfig":{"url":"https://x.example"}}`) + `}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + mensagem("pintar cor=rosa", "", `{"taskPushNotificationConfig":{"url":"https://x.example"}}`) + `}`)
	f.Add(`[null]`)
	guardado := func() string {
		p, err := a.store.Listar(context.Background(), tarefa.Filtro{Limite: 1})
		if err != nil || p.Total == 0 {
			return fmt.Sprint(err)
		}
		return fmt.Sprint(p.Total, p.Tarefas[0].ID, p.Tarefas[0].Versao)
	}
	f.Fuzz(func(t *testing.T, body string) {
		antes := guardado()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", CaminhoRPC, strings.NewReader(body)))
		if w.Code != 200 && w.Code != 413 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "estado-secreto") {
			t.Fatalf("%q: the state leaves: %s", body, w.Body)
		}
		var r struct{ Error any }
		if _ = json.Unmarshal(w.Body.Bytes(), &r); r.Error != nil && guardado() != antes {
			t.Fatalf("%q: refused with %v, and something was stored", body, r.Error)
		}
	})
}

// Whatever the path, the query and the body: a JSON answer of the binding, whose
// status and code agree, no panic, no state in it.
func FuzzREST(f *testing.F) {
	a := novoAgente(f, tudoDeclarado, func(c *Config) { c.Capacidades.Fluxo = false })
	for _, s := range [][3]string{
		{"POST", "/message:send", mensagem("pintar cor=rosa", "", "")}, {"GET", "/tasks?page_size=3&status=TASK_STATE_WORKING", ""}, {"GET", "/tasks/x%2Fy?historyLength=1", ""},
		{"DELETE", "/tasks/x/pushNotificationConfigs/y", ""}, {"POST", "/tasks/x/pushNotificationConfigs", `{"url":"https://x.example"}`}, {"POST", "/tasks/x:cancel", "{}"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		u, err := url.ParseRequestURI(CaminhoREST + "/" + strings.TrimPrefix(path, "/"))
		if err != nil || strings.ContainsAny(method, " \r\n") || method == "" {
			return
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Method, r.URL = method, u
		a.Config.Handler.ServeHTTP(w, r)
		if w.Code == http.StatusNoContent {
			return // a preflight
		}
		var e struct{ Error *struct{ Code int } }
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || (w.Code == 200) != (e.Error == nil) || e.Error != nil && e.Error.Code != w.Code {
			t.Fatalf("%s %s %q: %d %s", method, u, body, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "estado-secreto") {
			t.Fatalf("%s %s %q: the state leaves: %s", method, u, body, w.Body)
		}
	})
}
