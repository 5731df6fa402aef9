package porta

import (
	"fmt"
	"strings"
	"testing"

	"hillvalley.example/ponte/internal/processo"
)

func TestCorposRuins(t *testing.T) {
	a := novoAgente(t)
	env := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	msg := func(s string) string { return env("SendMessage", `{"message":`+s+`}`) }
	for _, c := range []struct {
		nome, body string
		code       int
	}{
		{"empty", "", -32700}, {"cut", "{", -32700}, {"html", "<html>", -32700}, {"not UTF-8", "{\"a\":\"\xff\"}", -32700},
		{"two values", env("GetTask", `{"id":"x"}`) + "{}", -32700}, {"deep", strings.Repeat("[", 100_000), -32700},
		{"null", "null", -32600}, {"batch", "[" + env("GetTask", `{"id":"x"}`) + "]", -32600}, {"batch of null", "[null]", -32600}, {"empty batch", "[]", -32600},
		{"number", "7", -32600}, {"no method", `{"jsonrpc":"2.0","id":1}`, -32600}, {"no version", `{"id":1,"method":"GetTask"}`, -32600},
		{"no id", `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}`, -32600}, {"id object", `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, -32600},
		{"unknown method", env("message/fly", `{}`), -32601}, {"method in another case", env("sendMessage", `{}`), -32601},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`, -32602}, {"params null", env("SendMessage", "null"), -32602},
		{"params list", env("SendMessage", "[]"), -32602}, {"no message", env("SendMessage", "{}"), -32602}, {"message null", msg("null"), -32602},
		{"message text", msg(`"x"`), -32602}, {"no parts", msg(`{"messageId":"a","role":"ROLE_USER"}`), -32602},
		{"empty parts", msg(`{"messageId":"a","role":"ROLE_USER","parts":[]}`), -32602}, {"part null", msg(`{"messageId":"a","role":"ROLE_USER","parts":[null]}`), -32602},
		{"part of nothing", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{}]}`), -32602},
		{"part of two kinds", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{"text":"x","url":"y"}]}`), -32602},
		{"part text number", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{"text":7}]}`), -32602},
		{"no messageId", msg(`{"role":"ROLE_USER","parts":[{"text":"x"}]}`), -32602}, {"empty messageId", msg(`{"messageId":"","role":"ROLE_USER","parts":[{"text":"x"}]}`), -32602},
		{"no role", msg(`{"messageId":"a","parts":[{"text":"x"}]}`), -32602}, {"agent's role", msg(`{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"x"}]}`), -32602},
		{"old role", msg(`{"messageId":"a","role":"user","parts":[{"text":"x"}]}`), -32602},
		{"negative history", env("SendMessage", mensagem("x", "", `{"historyLength":-1}`)), -32602},
		{"too long", env("SendMessage", mensagem(strings.Repeat("x", 4<<10), "", "")), -32602},
		{"text and file", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{"text":"pintar cor=azul"},{"url":"https://x"}]}`), -32005},
		{"unknown task", env("SendMessage", mensagem("escolha=a", `"taskId":"x"`, "")), -32001},
		{"GetTask without id", env("GetTask", "{}"), -32602}, {"GetTask of another type", env("GetTask", `{"id":7}`), -32602}, {"GetTask unknown", env("GetTask", `{"id":"x"}`), -32001},
		{"GetTask negative history", env("GetTask", `{"id":"x","historyLength":-1}`), -32602},
		{"CancelTask unknown", env("CancelTask", `{"id":"x"}`), -32001}, {"CancelTask without id", env("CancelTask", "{}"), -32602},
		{"ListTasks page 0", env("ListTasks", `{"pageSize":0}`), -32602}, {"ListTasks page 101", env("ListTasks", `{"pageSize":101}`), -32602},
		{"ListTasks state", env("ListTasks", `{"status":"TASK_STATE_RUNNING"}`), -32602}, {"ListTasks token", env("ListTasks", `{"pageToken":"!"}`), -32602},
		{"ListTasks time", env("ListTasks", `{"statusTimestampAfter":"ontem"}`), -32602},
		{"stream", env("SendStreamingMessage", mensagem("pintar cor=azul", "", "")), -32004}, {"subscribe", env("SubscribeToTask", `{"id":"x"}`), -32004},
		{"push create", env("CreateTaskPushNotificationConfig", `{}`), -32003}, {"push get", env("GetTaskPushNotificationConfig", `{}`), -32003},
		{"push list", env("ListTaskPushNotificationConfigs", `{}`), -32003}, {"push delete", env("DeleteTaskPushNotificationConfig", `{}`), -32003},
		{"extended card", env("GetExtendedAgentCard", `{}`), -32007},
	} {
		t.Run(c.nome, func(t *testing.T) { a.post(t, c.body).quer(t, c.code) })
	}
	if r := a.post(t, strings.Repeat("x", processo.LimitesPadrao.Corpo+1)); r.status != 413 || r.Error == nil {
		t.Errorf("too large: want 413, got %d", r.status)
	}
	// The parameters at fault are named.
	r := a.post(t, msg(`{"role":"x","parts":[]}`))
	if !strings.Contains(r.raw, `"fieldViolations"`) || !strings.Contains(r.raw, "message.messageId") || !strings.Contains(r.raw, "message.role") || !strings.Contains(r.raw, "message.parts") {
		t.Errorf("want all violations, got %s", r.raw)
	}
	if tk := a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", "")).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("afterwards: want to be served, got %+v", tk)
	}
}

func TestIDsEVersao(t *testing.T) {
	a := novoAgente(t)
	for _, id := range []string{"0", "-7", "123456789012345678901234567890", "1.50", "1e3", `"x"`, `""`, `"\"@\""`, "null"} {
		for _, tail := range []string{`"method":"ListTasks"`, `"method":"nope"`, `"method":"GetTask","params":{"id":"x"}`} {
			r := a.post(t, `{"jsonrpc":"2.0","id":`+id+`,`+tail+`}`)
			if !strings.HasPrefix(r.raw, `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("id %s must come back as it was sent, got %s", id, r.raw)
			}
		}
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`
	for _, v := range []string{"", " ", "1.0", "1.0.0", "1.0.17"} {
		if r := a.post(t, list, "A2A-Version", v); r.Error != nil {
			t.Errorf("version %q: want to be served, got %s", v, r.raw)
		}
	}
	for _, v := range []string{"0.3", "9.9", "1", "1.1", "1.0.", "1.0.x", "v1.0", "1.0, 9.9"} {
		a.post(t, list, "A2A-Version", v).quer(t, -32009)
	}
	a.post(t, list, "A2A-Version", "1.0", "A2A-Version", "9.9").quer(t, -32009)
}
