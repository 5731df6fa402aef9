package porta

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const ext = "A2A-Extensions"

func envelopeDe(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

// A caller that activates the extension gets the question as data, wherever the
// pause is shown, and answers with data.
func TestElicitacaoComoDados(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	r := a.post(t, envelopeDe("SendMessage", mensagem("pintar cor=rosa", "", "")), ext, "https://example.com/outra/v1, "+URIElicitacao)
	tk := r.task(t)
	const dados = `"metadata":{"` + URIElicitacao + `":{"message":"","requestedSchema":{"type":"object","properties":{"q":{"type":"string","enum":["a","b"]}},"required":["q"]}}}`
	if n := strings.Count(r.raw, dados); n != 2 { // in the status, and in the history
		t.Errorf("want the question twice, got it %d times: %s", n, r.raw)
	}
	if r.header.Get(ext) != URIElicitacao {
		t.Errorf("want the extension confirmed, got %q", r.header.Get(ext))
	}
	if strings.Contains(r.raw, "estado-secreto") {
		t.Errorf("the state leaves: %s", r.raw)
	}
	if tk.Status.Message.Parts[0].Text != "alternativas: a, b" {
		t.Errorf("the line stays: %s", r.raw)
	}
	id := `"taskId":"` + tk.ID + `"`
	dado := func(d string) string {
		mensagens++
		return fmt.Sprintf(`{"message":{"messageId":"d%d","role":"ROLE_USER",%s,"parts":[{"data":%s}]}}`, mensagens, id, d)
	}
	for _, d := range []string{
		`{"action":"accept"}`, `{"action":"accept","content":{}}`, `{"action":"accept","content":{"q":"c"}}`, `{"action":"accept","content":{"q":["a"]}}`,
		`{"action":"accept","content":{"q":"a","z":1}}`, `{"action":"Accept","content":{"q":"a"}}`, `{"action":"accept","content":{"q":"a"},"x":1}`,
		`{"action":"fly"}`, `{}`, `[]`, `"a"`, `7`, `{"content":{"q":"a"}}`, `{"responses":{}}`, `{"responses":{"z":{"action":"decline"}}}`,
		`{"action":"accept","content":"a"}`, `{"action":"accept","content":null}`,
	} {
		r := a.post(t, envelopeDe("SendMessage", dado(d)), ext, URIElicitacao)
		if tk := r.task(t); tk.Status.State != "TASK_STATE_INPUT_REQUIRED" || tk.Status.Message.Parts[0].Text != "alternativas: a, b" {
			t.Errorf("%s is no answer: the pause stands, got %s", d, r.raw)
		}
	}
	// Which part is the answer? None, then.
	a.post(t, envelopeDe("SendMessage", strings.Replace(dado(`{"action":"decline"}`), `"parts":[`, `"parts":[{"text":"escolha=a"},`, 1)), ext, URIElicitacao).quer(t, -32005)
	a.post(t, envelopeDe("SendMessage", strings.Replace(dado(`{"action":"decline"}`), `"parts":[`, `"parts":[{"data":1},`, 1)), ext, URIElicitacao).quer(t, -32005)
	// Text is still an answer as well.
	fim := a.post(t, envelopeDe("SendMessage", dado(`{"action":"accept","content":{"q":"b"}}`)), ext, URIElicitacao).task(t)
	if fim.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("the answer: %+v", fim.Status)
	}
	for _, d := range []string{`{"action":"decline"}`, `{"action":"cancel"}`, `{"responses":{"k":{"action":"decline"}}}`} {
		id = `"taskId":"` + a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t).ID + `"`
		if fim := a.post(t, envelopeDe("SendMessage", dado(d)), ext, URIElicitacao).task(t); fim.Status.State != "TASK_STATE_CANCELED" {
			t.Errorf("%s: want CANCELED, got %+v", d, fim.Status)
		}
	}
	// In a stream too, and read back.
	c := a.seguir(t, "SendStreamingMessage", mensagem("pintar cor=rosa", "", ""), ext, URIElicitacao)
	if pausa := c.quer("task SUBMITTED", "WORKING", "INPUT_REQUIRED"); !strings.Contains(pausa, dados) {
		t.Errorf("a stream shows the question: %s", pausa)
	}
	if r := a.post(t, envelopeDe("ListTasks", `{"status":"TASK_STATE_INPUT_REQUIRED"}`), ext, URIElicitacao); !strings.Contains(r.raw, dados) {
		t.Errorf("a list shows the question: %s", r.raw)
	}
}

// Without the header, or without the declaration in the card, nothing changes by
// a byte: the question is not shown as data, and data is no answer.
func TestSemAExtensaoNadaMuda(t *testing.T) {
	for _, c := range []struct {
		nome   string
		muda   func(*Config)
		header []string
	}{
		{"not activated", tudoDeclarado, nil},
		{"another one", tudoDeclarado, []string{ext, URIElicitacao + "2"}},
		{"not declared", func(*Config) {}, []string{ext, URIElicitacao}},
	} {
		t.Run(c.nome, func(t *testing.T) {
			a := novoAgente(t, c.muda)
			r := a.post(t, envelopeDe("SendMessage", mensagem("pintar cor=rosa", "", "")), c.header...)
			tk := r.task(t)
			if strings.Contains(r.raw, "hillvalley") || strings.Contains(r.raw, "metadata") || strings.Contains(r.raw, "extensions") || r.header.Get(ext) != "" {
				t.Errorf("something of the extension shows: %v %s", r.header, r.raw)
			}
			body := envelopeDe("SendMessage", `{"message":{"messageId":"x","taskId":"`+tk.ID+`","role":"ROLE_USER","parts":[{"data":{"action":"accept","content":{"q":"a"}}}]}}`)
			if tk := a.post(t, body, c.header...).task(t); tk.Status.State != "TASK_STATE_INPUT_REQUIRED" {
				t.Errorf("data is no answer: %+v", tk.Status)
			}
		})
	}
}

// A card that requires the extension has messages without it refused; the rest
// works for everybody.
func TestExtensaoExigida(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.Capacidades.Exigida = true })
	a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", "")).quer(t, -32008)
	if r := a.post(t, envelopeDe("SendMessage", mensagem("pintar cor=azul", "", "")), ext, URIElicitacao); r.task(t).Status.State != "TASK_STATE_COMPLETED" {
		t.Error(r.raw)
	}
	if r := a.chamar(t, "ListTasks", `{}`); r.Error != nil {
		t.Error(r.raw)
	}
}

// Names are taken as in the protocol buffers too, wherever the protocol has a
// field; what is the caller's own is left alone.
func TestNomesDosProtocolBuffers(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	r := a.chamar(t, "SendMessage", `{"message":{"message_id":"s1","context_id":"c_1","role":"ROLE_USER","parts":[{"text":"pintar cor=rosa","media_type":"text/plain","metadata":{"page_size":1}}],"metadata":{"task_id":"x"}},"configuration":{"history_length":1,"accepted_output_modes":["text/plain"]}}`)
	tk := r.task(t)
	if tk.ContextID != "c_1" || len(tk.History) != 1 {
		t.Errorf("want the fields read: %s", r.raw)
	}
	if r := a.chamar(t, "GetTask", `{"id":"`+tk.ID+`"}`); !strings.Contains(r.raw, `"metadata":{"page_size":1}`) || !strings.Contains(r.raw, `"metadata":{"task_id":"x"}`) || !strings.Contains(r.raw, `"mediaType":"text/plain"`) {
		t.Errorf("what is the caller's stays as it was: %s", r.raw)
	}
	if tk := a.chamar(t, "SendMessage", `{"message":{"message_id":"s2","task_id":"`+tk.ID+`","role":"ROLE_USER","parts":[{"text":"escolha=a"}]}}`).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("task_id: %+v", tk)
	}
	var l struct {
		Tasks    []map[string]any
		PageSize int
	}
	_ = json.Unmarshal(a.chamar(t, "ListTasks", `{"context_id":"c_1","page_size":7,"include_artifacts":true}`).Result, &l)
	if len(l.Tasks) != 1 || l.PageSize != 7 || l.Tasks[0]["artifacts"] == nil {
		t.Errorf("list: %+v", l)
	}
	for _, params := range []string{`{"pageSize":5,"page_size":5}`, `{"page_size":0}`, `{"page_size":101}`, `{"page_size":"x"}`} {
		a.chamar(t, "ListTasks", params).quer(t, -32602)
	}
	a.chamar(t, "SendMessage", `{"message":{"message_id":"s3","messageId":"s3","role":"ROLE_USER","parts":[{"text":"x"}]}}`).quer(t, -32602)
}

// Instants have milliseconds, all three digits, whatever they are.
func TestMilissegundos(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	for range 30 {
		s := a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", "")).task(t).Status.Timestamp
		if len(s) != len("2006-01-02T15:04:05.000Z") || !strings.HasSuffix(s, "Z") {
			t.Fatalf("timestamp %q", s)
		}
	}
}

// Push notification configs can be created, read, listed and deleted, come with
// a message, and show no credentials.
func TestConfigsDeAviso(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	cfg := `{"id":"c1","url":"https://example.com/x","token":"tok","authentication":{"scheme":"Bearer","credentials":"segredo-do-cliente"}}`
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", `{"taskPushNotificationConfig":`+cfg+`}`)).task(t)
	id := `"taskId":"` + tk.ID + `"`
	r := a.chamar(t, "GetTaskPushNotificationConfig", `{`+id+`,"id":"c1"}`)
	if !strings.Contains(r.raw, `"url":"https://example.com/x"`) || !strings.Contains(r.raw, `"scheme":"Bearer"`) || strings.Contains(r.raw, "segredo-do-cliente") {
		t.Errorf("get: %s", r.raw)
	}
	var criada struct{ ID, TaskID string }
	r = a.chamar(t, "CreateTaskPushNotificationConfig", `{"task_id":"`+tk.ID+`","url":"https://example.com/y"}`)
	if _ = json.Unmarshal(r.Result, &criada); criada.ID == "" || criada.TaskID != tk.ID {
		t.Errorf("create: %s", r.raw)
	}
	var lista struct{ Configs []struct{ ID string } }
	listar := func() int {
		t.Helper()
		lista.Configs = nil
		r := a.chamar(t, "ListTaskPushNotificationConfigs", `{`+id+`}`)
		if err := json.Unmarshal(r.Result, &lista); err != nil || lista.Configs == nil {
			t.Errorf("list: %s", r.raw)
		}
		return len(lista.Configs)
	}
	if listar() != 2 {
		t.Errorf("list: %+v", lista)
	}
	for range 2 { // deleting is idempotent
		if r := a.chamar(t, "DeleteTaskPushNotificationConfig", `{`+id+`,"id":"c1"}`); r.Error != nil {
			t.Error(r.raw)
		}
	}
	if listar() != 1 {
		t.Errorf("after the delete: %+v", lista)
	}
	a.chamar(t, "GetTaskPushNotificationConfig", `{`+id+`,"id":"c1"}`).quer(t, -32001)
	for range 9 {
		a.chamar(t, "CreateTaskPushNotificationConfig", `{`+id+`,"url":"https://example.com/y"}`)
	}
	a.chamar(t, "CreateTaskPushNotificationConfig", `{`+id+`,"url":"https://example.com/y"}`).quer(t, -32602)
	for _, c := range []struct {
		method, params string
		code           int
	}{
		{"CreateTaskPushNotificationConfig", `{"url":"https://example.com/y"}`, -32602}, {"CreateTaskPushNotificationConfig", `{"taskId":"x","url":"https://example.com/y"}`, -32001},
		{"CreateTaskPushNotificationConfig", `{` + id + `}`, -32602}, {"CreateTaskPushNotificationConfig", `{` + id + `,"url":"ftp://x"}`, -32602},
		{"CreateTaskPushNotificationConfig", `{` + id + `,"id":"` + strings.Repeat("x", 300) + `","url":"https://example.com/y"}`, -32602},
		{"GetTaskPushNotificationConfig", `{"taskId":"x","id":"y"}`, -32001}, {"GetTaskPushNotificationConfig", `{` + id + `}`, -32602},
		{"ListTaskPushNotificationConfigs", `{}`, -32602}, {"ListTaskPushNotificationConfigs", `{` + id + `,"pageToken":"x"}`, -32602},
		{"DeleteTaskPushNotificationConfig", `{` + id + `}`, -32602}, {"DeleteTaskPushNotificationConfig", `{"taskId":"x","id":"y"}`, -32001},
		{"SendMessage", mensagem("pintar cor=azul", "", `{"taskPushNotificationConfig":{"url":"x"}}`), -32602},
	} {
		a.chamar(t, c.method, c.params).quer(t, c.code)
	}
	if n := a.chamar(t, "ListTasks", `{}`); strings.Contains(n.raw, "segredo-do-cliente") || strings.Contains(n.raw, `"totalSize":2`) {
		t.Errorf("a refused message opens no task: %s", n.raw)
	}
	// Undeclared, a message that asks for it is refused: nobody waits in vain.
	novoAgente(t).chamar(t, "SendMessage", mensagem("pintar cor=azul", "", `{"taskPushNotificationConfig":`+cfg+`}`)).quer(t, -32003)
}
