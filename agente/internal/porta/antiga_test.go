package porta

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// velha is a message of v0.3.
func velha(texto, extra, config string) string {
	mensagens++
	if config != "" {
		config = `,"configuration":` + config
	}
	return fmt.Sprintf(`{"message":{"kind":"message","messageId":"v%d","role":"user","parts":[{"kind":"text","text":%q}]%s}%s}`, mensagens, texto, extra, config)
}

type taskVelha struct {
	Kind, ID string
	Status   struct {
		State   string
		Message struct{ Parts []struct{ Kind, Text string } }
	}
	Artifacts []struct{ Name string }
}

func (a *agente) velho(t testing.TB, method, params string) taskVelha {
	t.Helper()
	r := a.chamar(t, method, params)
	var tk taskVelha
	if err := json.Unmarshal(r.Result, &tk); err != nil || tk.Kind != "task" {
		t.Fatalf("want a task of v0.3, got %s", r.raw)
	}
	return tk
}

// A caller of v0.3 finds a card of its version and completes a pause, in the
// names and values of that version, whatever version its header says.
func TestVersaoAntiga(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	res, err := http.Get(a.URL + CaminhoCartaoAntigo)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	var card struct{ URL, PreferredTransport, ProtocolVersion, Name string }
	if err := json.Unmarshal(raw, &card); err != nil || card.URL != "https://agentes.example/oficina/a2a" || card.PreferredTransport != "JSONRPC" || card.ProtocolVersion != "0.3.0" || card.Name != "Oficina" {
		t.Errorf("card of v0.3: %s", raw)
	}
	tk := a.velho(t, "message/send", velha("pintar cor=rosa", "", ""))
	if tk.Status.State != "input-required" || tk.Status.Message.Parts[0].Kind != "text" || tk.Status.Message.Parts[0].Text != "alternativas: a, b" {
		t.Fatalf("pause: %+v", tk)
	}
	for _, header := range []string{"0.3", "1.0", "9.9"} {
		if r := a.post(t, envelopeDe("tasks/get", `{"id":"`+tk.ID+`"}`), "A2A-Version", header); r.Error != nil {
			t.Errorf("the method says the version, not the header %s: %s", header, r.raw)
		}
	}
	fim := a.velho(t, "message/send", velha("escolha=a", `,"taskId":"`+tk.ID+`"`, ""))
	if fim.Status.State != "completed" || len(fim.Artifacts) != 1 || fim.Artifacts[0].Name != "pintura" {
		t.Errorf("end: %+v", fim)
	}
	a.chamar(t, "message/send", velha("escolha=a", `,"taskId":"`+tk.ID+`"`, "")).quer(t, -32004)
	if tk := a.velho(t, "message/send", velha("pintar cor=cinza", "", `{"blocking":false}`)); tk.Status.State != "submitted" && tk.Status.State != "working" {
		t.Errorf("not blocking: %+v", tk)
	}
	close(a.solta)
	outra := a.velho(t, "message/send", velha("pintar cor=rosa", "", ""))
	if c := a.velho(t, "tasks/cancel", `{"id":"`+outra.ID+`"}`); c.Status.State != "canceled" {
		t.Errorf("cancel: %+v", c)
	}
	// Both versions see the same Task.
	if tk := a.chamar(t, "GetTask", `{"id":"`+tk.ID+`"}`).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("the same task in v1.0: %+v", tk)
	}
}

// Where it is asked to, the card of 1.0 is one of v0.3 as well.
func TestCartaoDeDuasVersoes(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.CartaoComAntigo = true })
	_, raw := a.pedir(t, "GET", CaminhoCartao, "")
	var card struct {
		URL, ProtocolVersion string
		SupportedInterfaces  []struct{ ProtocolVersion string }
	}
	if err := json.Unmarshal(raw, &card); err != nil || card.URL != "https://agentes.example/oficina/a2a" || card.ProtocolVersion != "0.3.0" || len(card.SupportedInterfaces) != 3 || card.SupportedInterfaces[0].ProtocolVersion != "1.0" {
		t.Errorf("want both versions, got %s", raw)
	}
}

func TestStreamsDaVersaoAntiga(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	ler := func(c *corrente) (kinds string) {
		for raw := c.dado(); raw != ""; raw = c.dado() {
			var e struct {
				Result struct {
					Kind   string
					Final  bool
					Status struct{ State string }
				}
			}
			if err := json.Unmarshal([]byte(raw), &e); err != nil {
				t.Fatal(raw)
			}
			kinds += fmt.Sprintf("%s/%s/%v ", e.Result.Kind, e.Result.Status.State, e.Result.Final)
		}
		return kinds
	}
	want := "task/submitted/false status-update/working/false artifact-update//false status-update/completed/true "
	if got := ler(a.seguir(t, "message/stream", velha("pintar cor=azul", "", ""))); got != want {
		t.Errorf("stream:\nwant %s\ngot  %s", want, got)
	}
	tk := a.velho(t, "message/send", velha("pintar cor=rosa", "", ""))
	sub := a.seguir(t, "tasks/resubscribe", `{"id":"`+tk.ID+`"}`)
	if !strings.Contains(sub.dado(), "input-required") {
		t.Error("the task comes first")
	}
	a.velho(t, "message/send", velha("escolha=z", `,"taskId":"`+tk.ID+`"`, ""))
	if got := ler(sub); got != "status-update/input-required/true " { // what is final ends the stream
		t.Errorf("resubscribe: %s", got)
	}
}

func TestErrosDaVersaoAntiga(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	tk := a.velho(t, "message/send", velha("pintar cor=rosa", "", ""))
	for _, c := range []struct {
		method, params string
		code           int
	}{
		{"message/send", `{}`, -32602}, {"message/send", `[]`, -32602}, {"message/send", `{"message":{"kind":"message","messageId":"x","role":"user","parts":[]}}`, -32602},
		{"message/send", `{"message":{"kind":"message","role":"user","parts":[{"kind":"text","text":"x"}]}}`, -32602},
		{"message/send", `{"message":{"kind":"message","messageId":"x","role":"agent","parts":[{"kind":"text","text":"x"}]}}`, -32602},
		{"message/send", `{"message":{"kind":"message","messageId":"x","role":"user","parts":[{"kind":"nada"}]}}`, -32602},
		{"message/send", `{"message":{"kind":"message","messageId":"x","role":"user","parts":[null]}}`, -32602},
		{"message/send", velha(strings.Repeat("x", 5000), "", ""), -32602},
		{"message/stream", `{}`, -32602}, {"tasks/resubscribe", `{"id":"x"}`, -32001},
		{"tasks/get", `{}`, -32602}, {"tasks/get", `{"id":"x"}`, -32001}, {"tasks/cancel", `{"id":"x"}`, -32001},
		{"tasks/pushNotificationConfig/get", `{"id":"` + tk.ID + `"}`, -32001}, {"tasks/pushNotificationConfig/set", `{}`, -32602},
		{"agent/getAuthenticatedExtendedCard", `{}`, -32007}, {"tasks/list", `{}`, -32601}, {"message/fly", `{}`, -32601},
	} {
		a.chamar(t, c.method, c.params).quer(t, c.code)
	}
	set := a.chamar(t, "tasks/pushNotificationConfig/set", `{"taskId":"`+tk.ID+`","pushNotificationConfig":{"url":"https://example.com/x","token":"t"}}`)
	if !strings.Contains(string(set.Result), `"pushNotificationConfig":{`) || !strings.Contains(set.raw, "https://example.com/x") {
		t.Errorf("set: %s", set.raw)
	}
	if get := a.chamar(t, "tasks/pushNotificationConfig/get", `{"id":"`+tk.ID+`"}`); !strings.Contains(get.raw, "https://example.com/x") {
		t.Errorf("get: %s", get.raw)
	}
	var cfgs []struct{ PushNotificationConfig struct{ ID string } }
	if err := json.Unmarshal(a.chamar(t, "tasks/pushNotificationConfig/list", `{"id":"`+tk.ID+`"}`).Result, &cfgs); err != nil || len(cfgs) != 1 {
		t.Fatalf("list: %v", cfgs)
	}
	if del := a.chamar(t, "tasks/pushNotificationConfig/delete", `{"id":"`+tk.ID+`","pushNotificationConfigId":"`+cfgs[0].PushNotificationConfig.ID+`"}`); del.Error != nil || !strings.Contains(del.raw, `"result":null`) {
		t.Errorf("delete: %s", del.raw)
	}
	b := novoAgente(t)
	b.chamar(t, "message/stream", velha("pintar cor=azul", "", "")).quer(t, -32004)
	b.chamar(t, "tasks/pushNotificationConfig/set", `{}`).quer(t, -32003)
}
