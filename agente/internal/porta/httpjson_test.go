package porta

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// resposta is an answer of the HTTP+JSON binding.
type respostaREST struct {
	status int
	header http.Header
	raw    string
	Error  *struct {
		Code    int
		Status  string
		Message string
		Details []map[string]any
	}
}

func (a *agente) rest(t testing.TB, method, path, body string, header ...string) respostaREST {
	t.Helper()
	res, raw := a.pedir(t, method, CaminhoREST+path, body, header...)
	out := respostaREST{status: res.StatusCode, header: res.Header, raw: string(raw)}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s %s: want JSON, got %d %s", method, path, res.StatusCode, raw)
	}
	return out
}

func (r respostaREST) task(t testing.TB) task {
	t.Helper()
	return answer{Result: json.RawMessage(r.raw), raw: r.raw}.task(t)
}

// The whole life of a Task over HTTP+JSON (A2A v1.0, 11.3).
func TestVidaEmHTTPJSON(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	r := a.rest(t, "POST", "/message:send", mensagem("pintar cor=rosa", `"contextId":"c"`, ""))
	tk := r.task(t)
	if r.status != 200 || tk.Status.State != "TASK_STATE_INPUT_REQUIRED" || !strings.HasPrefix(r.raw, `{"task":{`) || r.header.Get("Content-Type") != "application/json" {
		t.Fatalf("send: %d %s", r.status, r.raw)
	}
	if r := a.rest(t, "POST", "/message:send", mensagem("escolha=c", `"taskId":"`+tk.ID+`"`, ""), "Content-Type", "application/a2a+json"); r.header.Get("Content-Type") != "application/a2a+json" {
		t.Errorf("want the media type that the caller speaks of, got %v", r.header)
	}
	if got := a.rest(t, "GET", "/tasks/"+tk.ID+"?historyLength=1", "").task(t); got.ID != tk.ID || len(got.History) != 1 {
		t.Errorf("get: %+v", got)
	}
	for query, want := range map[string]string{
		"":                             `"totalSize":1`,
		"?contextId=c&pageSize=007":    `"pageSize":7`,
		"?context_id=outro":            `"totalSize":0`,
		"?status=TASK_STATE_COMPLETED": `"totalSize":0`,
		"?statusTimestampAfter=2999-01-01T00:00:00Z": `"totalSize":0`,
		"?pageSize=&includeArtifacts=true&x=1":       `"pageSize":50`,
	} {
		if r := a.rest(t, "GET", "/tasks"+query, ""); r.status != 200 || !strings.Contains(r.raw, want) {
			t.Errorf("list %s: want %s, got %d %s", query, want, r.status, r.raw)
		}
	}
	push := "/tasks/" + tk.ID + "/pushNotificationConfigs"
	if r := a.rest(t, "POST", push, `{"id":"a/b","url":"https://example.com"}`); r.status != 200 || !strings.Contains(r.raw, `"taskId":"`+tk.ID) {
		t.Errorf("push create: %d %s", r.status, r.raw)
	}
	if r := a.rest(t, "GET", push+"/a%2Fb", ""); r.status != 200 || !strings.Contains(r.raw, `"id":"a/b"`) {
		t.Errorf("push get: %d %s", r.status, r.raw)
	}
	if r := a.rest(t, "GET", push, ""); r.status != 200 || !strings.Contains(r.raw, `"configs":[{`) {
		t.Errorf("push list: %d %s", r.status, r.raw)
	}
	if r := a.rest(t, "DELETE", push+"/a%2Fb", ""); r.status != 200 || r.raw != "{}" {
		t.Errorf("push delete: %d %s", r.status, r.raw)
	}
	ctx, sair := context.WithTimeout(t.Context(), 20*time.Second)
	defer sair()
	sub := a.abrirCorrente(t, ctx, sair, CaminhoREST+"/tasks/"+tk.ID+":subscribe", "")
	sub.quer("task INPUT_REQUIRED")
	a.abrirCorrente(t, ctx, sair, CaminhoREST+"/message:stream", mensagem("escolha=a", `"taskId":"`+tk.ID+`"`, "")).
		quer("task WORKING", "artifact pintura", "COMPLETED", "end")
	sub.quer("WORKING", "artifact pintura", "COMPLETED", "end")
	outra := a.rest(t, "POST", "/message:send", mensagem("pintar cor=rosa", "", "")).task(t)
	if c := a.rest(t, "POST", "/tasks/"+outra.ID+":cancel", "").task(t); c.Status.State != "TASK_STATE_CANCELED" {
		t.Errorf("cancel: %+v", c)
	}
	card, err := http.Get(a.URL + CaminhoCartao)
	if err != nil {
		t.Fatal(err)
	}
	defer card.Body.Close()
	if raw, _ := io.ReadAll(card.Body); !strings.Contains(string(raw), `{"url":"https://agentes.example/oficina/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},{"url":"grpc.example:443","protocolBinding":"GRPC"`) {
		t.Errorf("the card lists the binding: %s", raw)
	}
}

// Errors are google.rpc.Status with the status that goes with them (A2A v1.0,
// 11.6), whatever is wrong.
func TestErrosEmHTTPJSON(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	fim := a.rest(t, "POST", "/message:send", mensagem("pintar cor=azul", "", "")).task(t).ID
	for _, c := range []struct {
		method, path, body string
		status             int
		reason             string
		header             []string
	}{
		{"GET", "/tasks/x", "", 404, "TASK_NOT_FOUND", nil},
		{"POST", "/tasks/x:cancel", "", 404, "TASK_NOT_FOUND", nil},
		{"POST", "/tasks/" + fim + ":cancel", "{}", 400, "TASK_NOT_CANCELABLE", nil},
		{"POST", "/tasks/" + fim + ":subscribe", "", 400, "UNSUPPORTED_OPERATION", nil},
		{"GET", "/tasks/" + fim + ":subscribe", "", 400, "UNSUPPORTED_OPERATION", nil},
		{"POST", "/message:stream", mensagem("escolha=a", `"taskId":"`+fim+`"`, ""), 400, "UNSUPPORTED_OPERATION", nil},
		{"POST", "/message:send", "", 400, "PARSE_ERROR", nil},
		{"POST", "/message:send", "{", 400, "PARSE_ERROR", nil},
		{"POST", "/message:send", "{}{}", 400, "PARSE_ERROR", nil},
		{"POST", "/message:send", "\"\xff\"", 400, "PARSE_ERROR", nil},
		{"POST", "/message:send", strings.Repeat("[", 1000), 400, "PARSE_ERROR", nil},
		{"POST", "/message:send", "[]", 400, "INVALID_PARAMS", nil},
		{"POST", "/message:send", "null", 400, "INVALID_PARAMS", nil},
		{"POST", "/message:send", "{}", 400, "INVALID_PARAMS", nil},
		{"POST", "/message:send", `{"message":7}`, 400, "INVALID_PARAMS", nil},
		{"POST", "/message:send", strings.Repeat("x", 1<<20+1), 413, "INVALID_REQUEST", nil},
		{"POST", "/message:send", mensagem("pintar cor=azul", "", ""), 400, "VERSION_NOT_SUPPORTED", []string{"A2A-Version", "9.9"}},
		{"GET", "/tasks?A2A-Version=0.3", "", 400, "VERSION_NOT_SUPPORTED", nil},
		{"GET", "/tasks?pageSize=0", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks?pageSize=x", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks?pageSize=1&pageSize=2", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks?includeArtifacts=yes", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks?statusTimestampAfter=ontem", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks?pageToken=!", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks?pageSize=%zz", "", 400, "INVALID_PARAMS", nil},
		{"GET", "/tasks/x?historyLength=-1", "", 400, "INVALID_PARAMS", nil},
		{"POST", "/tasks/" + fim + "/pushNotificationConfigs", `{"taskId":"outra","url":"https://x.example"}`, 400, "INVALID_PARAMS", nil},
		{"GET", "/extendedAgentCard", "", 400, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", nil},
		{"GET", "/message:send", "", 405, "METHOD_NOT_FOUND", nil},
		{"PUT", "/tasks/x", "", 405, "METHOD_NOT_FOUND", nil},
		{"GET", "/nada", "", 404, "METHOD_NOT_FOUND", nil},
		{"GET", "/tasks/x/y", "", 404, "METHOD_NOT_FOUND", nil},
		{"GET", "/", "", 404, "METHOD_NOT_FOUND", nil},
		{"GET", "/tasks", "", 403, "INVALID_REQUEST", []string{"Origin", "https://evil.example"}},
	} {
		r := a.rest(t, c.method, c.path, c.body, c.header...)
		nome := c.method + " " + c.path
		if r.status != c.status || r.Error == nil || r.Error.Code != c.status || r.Error.Status == "" || r.Error.Message == "" {
			t.Errorf("%s: want %d, got %d %s", nome, c.status, r.status, r.raw)
			continue
		}
		info := r.Error.Details[len(r.Error.Details)-1]
		if info["@type"] != "type.googleapis.com/google.rpc.ErrorInfo" || info["reason"] != c.reason || info["domain"] != "a2a-protocol.org" {
			t.Errorf("%s: want the reason %s, got %s", nome, c.reason, r.raw)
		}
		if r.status == 405 && r.header.Get("Allow") == "" {
			t.Errorf("%s: want an Allow header", nome)
		}
	}
	// Where the binding is off, there is nothing, and the answer says so.
	b := novoAgente(t)
	if r := b.post(t, envelopeDe("ListTasks", `{}`)); r.Error != nil {
		t.Error(r.raw)
	}
	res, err := http.Get(b.URL + CaminhoREST + "/tasks")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 404 {
		t.Errorf("not on: want 404, got %d", res.StatusCode)
	}
	// What is not declared is refused there too.
	c := novoAgente(t, tudoDeclarado, func(c *Config) { c.Capacidades = Capacidades{} })
	for path, reason := range map[string]string{"/message:stream": "UNSUPPORTED_OPERATION", "/tasks/x:subscribe": "UNSUPPORTED_OPERATION", "/tasks/x/pushNotificationConfigs": "PUSH_NOTIFICATION_NOT_SUPPORTED"} {
		if r := c.rest(t, "POST", path, mensagem("pintar cor=azul", "", "")); r.status != 400 || !strings.Contains(r.raw, reason) {
			t.Errorf("%s: want %s, got %d %s", path, reason, r.status, r.raw)
		}
	}
}
