package porta

import (
	"strings"
	"testing"
)

// A field that stands twice is refused whatever else the request has, in every
// spelling and version: two readers could disagree on which counts.
func TestCamposRepetidos(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	um := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t).ID
	for _, params := range []string{`{"id":"` + um + `","id":"x"}`, `{"id":"x","ID":"` + um + `"}`, `{"id":"` + um + `","historyLength":1,"historylength":2}`} {
		a.chamar(t, "GetTask", params).quer(t, -32602)
	}
	a.chamar(t, "tasks/get", `{"id":"x","id":"`+um+`"}`).quer(t, -32602)
	for range 30 { // not one way today and another tomorrow
		if r := a.rest(t, "GET", "/tasks?contextId=a&context_id=b", ""); r.status != 400 {
			t.Fatalf("want 400, got %d %s", r.status, r.raw)
		}
	}
	if r := a.rest(t, "GET", "/tasks?pageSize=-05", ""); r.status != 400 || !strings.Contains(r.raw, `"field":"pageSize"`) {
		t.Errorf("want the field named, got %d %s", r.status, r.raw)
	}
}

// What the card does not declare is refused for that, whatever else is wrong with
// the request (A2A v1.0, 3.3.4).
func TestNaoDeclaradoVemPrimeiro(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.Capacidades = Capacidades{} })
	for metodo, code := range map[string]int{
		"SendStreamingMessage": -32004, "SubscribeToTask": -32004, "message/stream": -32004, "tasks/resubscribe": -32004,
		"CreateTaskPushNotificationConfig": -32003, "tasks/pushNotificationConfig/get": -32003,
	} {
		for _, params := range []string{`{}`, `[]`, `{"id":7}`} {
			a.chamar(t, metodo, params).quer(t, code)
		}
	}
	for path, reason := range map[string]string{"/message:stream": "UNSUPPORTED_OPERATION", "/tasks/x/pushNotificationConfigs": "PUSH_NOTIFICATION_NOT_SUPPORTED"} {
		for _, body := range []string{"", "{", "null"} {
			if r := a.rest(t, "POST", path, body); !strings.Contains(r.raw, reason) {
				t.Errorf("%s %q: want %s, got %s", path, body, reason, r.raw)
			}
		}
	}
}

// Nothing of a caller's is repeated without a bound.
func TestRespostasTemTamanho(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	r := a.chamar(t, "GetTask", `{"id":"x","historyLength":`+strings.Repeat("1", 100_000)+`}`)
	r.quer(t, -32602)
	if len(r.raw) > 4<<10 {
		t.Errorf("the error repeats %d bytes", len(r.raw))
	}
	r = a.post(t, `{"jsonrpc":"2.0","id":"`+strings.Repeat("x", 2<<10)+`","method":"ListTasks"}`)
	r.quer(t, -32600)
	if !strings.HasPrefix(r.raw, `{"jsonrpc":"2.0","id":null,`) {
		t.Errorf("an id that is too long does not come back: %.80s", r.raw)
	}
}
