package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// modern rewrites JSON of A2A v0.3 as v1.0 has it: no kinds, other names of
// states and roles. Instants lose the zeros at their end in v0.3, so they are
// written anew; JSON of v1.0 goes through unchanged but for that.
func modern(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = modern(v[i])
		}
	case object:
		delete(v, "kind")
		for name, value := range v {
			s, text := value.(string)
			switch {
			case name == "state" && text && !strings.HasPrefix(s, "TASK_STATE_"):
				v[name] = "TASK_STATE_" + strings.ReplaceAll(strings.ToUpper(s), "-", "_")
			case name == "role" && text && !strings.HasPrefix(s, "ROLE_"):
				v[name] = "ROLE_" + strings.ToUpper(s)
			case name == "timestamp" && text:
				if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
					v[name] = at.UTC().Format(time.RFC3339Nano)
				}
			default:
				v[name] = modern(value)
			}
		}
	}
	return v
}

// decoded is JSON as any version of the protocol has it, in the words of v1.0.
func decoded(t testing.TB, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("expected JSON, got %.300q: %v", raw, err)
	}
	return modern(v)
}

// resultOf is the result in a JSON-RPC answer.
func (c *a2aClient) resultOf(t testing.TB, method string, params any) json.RawMessage {
	t.Helper()
	var raw json.RawMessage
	if err := c.call(t, method, params).result(&raw); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return raw
}

// restResult is the body of an answer of the HTTP+JSON binding that is no error.
func (c *a2aClient) restResult(t testing.TB, method, path string, body any) json.RawMessage {
	t.Helper()
	a := c.rest(t, method, path, body)
	if ct := a.header.Get("Content-Type"); a.status != http.StatusOK || ct != "application/a2a+json" {
		t.Fatalf("%s %s: expected HTTP 200 with application/a2a+json, got HTTP %d with %q: %s", method, path, a.status, ct, a.body)
	}
	return a.body
}

// old is the params of v0.3's message/send.
func old(taskID, text string) object {
	m := object{"kind": "message", "messageId": rand.Text(), "role": "user", "parts": []object{{"kind": "text", "text": text}}}
	if taskID != "" {
		m["taskId"] = taskID
	}
	return object{"message": m}
}

// ways of sending a message, each of which must be answered with a Task.
var ways = []struct {
	name string
	send func(t testing.TB, c *a2aClient, taskID, text string) task
}{
	{"JSON-RPC", func(t testing.TB, c *a2aClient, taskID, text string) task {
		t.Helper()
		return c.reply(t, taskID, text)
	}},
	{"HTTP+JSON", func(t testing.TB, c *a2aClient, taskID, text string) task {
		t.Helper()
		e, err := parseEvent(c.restResult(t, "POST", "/message:send", say(taskID, text)))
		if err != nil || e.Task == nil {
			t.Fatalf("expected a Task, got %s (%v)", e.raw, err)
		}
		return *e.Task
	}},
	{"v0.3", func(t testing.TB, c *a2aClient, taskID, text string) (tk task) {
		t.Helper()
		raw := c.resultOf(t, "message/send", old(taskID, text))
		if !bytes.Contains(raw, []byte(`"kind":"task"`)) {
			t.Fatalf("expected a task of v0.3, got %s", raw)
		}
		again, err := json.Marshal(decoded(t, raw))
		if err == nil {
			err = json.Unmarshal(again, &tk)
		}
		if err != nil {
			t.Fatalf("expected a Task, got %s: %v", raw, err)
		}
		return tk
	}},
}

// TestBindingsSeeOneTask: whichever binding and version a Task is opened and
// answered over, all of them show the same Task (A2A v1.0, 5.1).
func TestBindingsSeeOneTask(t *testing.T) {
	t.Parallel()
	p := startPairWith(t, everything(t)...)
	c := p.a2a
	unknown := conflict
	unknown.sala = "sala-nove"
	var all []task
	for i, way := range ways {
		next := ways[(i+1)%len(ways)] // whoever opens a Task, another one answers
		pause := func() string {
			t.Helper()
			tk := way.send(t, c, "", conflict.text())
			wantTask(t, tk, inputRequired, line)
			return tk.ID
		}
		b := conflict.at("12-0"+string(rune('1'+i)), "09:00", "10:00")
		done := way.send(t, c, "", b.text())
		wantBooked(t, done, "sala-garagem", b)
		taken := way.send(t, c, "", b.text())
		wantTask(t, taken, inputRequired, line)
		chosen := next.send(t, c, taken.ID, "escolha=sala-fusca")
		wantBooked(t, chosen, "sala-fusca", b)
		refused := next.send(t, c, pause(), "escolha=recusar")
		wantTask(t, refused, canceled, "Reserva recusada.")
		insisted := next.send(t, c, pause(), "escolha=sala-nove")
		wantTask(t, insisted, inputRequired, line)
		none := way.send(t, c, "", unknown.text())
		wantTask(t, none, failed, "Sala inexistente: sala-nove")
		nonsense := way.send(t, c, "", "oi")
		wantTask(t, nonsense, rejected)
		for _, tk := range []task{done, chosen, refused, insisted, none, nonsense} {
			if now := c.get(t, tk.ID); now.ContextID != tk.ContextID || now.Status.State != tk.Status.State || !slices.Equal(now.said(), tk.said()) {
				t.Errorf("%s: expected the answer to be the Task that GetTask shows, %+v, got %+v", way.name, now, tk)
			}
			all = append(all, tk)
		}
	}
	// Each binding cancels.
	for _, cancel := range []func(id string) json.RawMessage{
		func(id string) json.RawMessage { return c.resultOf(t, "CancelTask", object{"id": id}) },
		func(id string) json.RawMessage { return c.restResult(t, "POST", "/tasks/"+id+":cancel", nil) },
		func(id string) json.RawMessage { return c.resultOf(t, "tasks/cancel", object{"id": id}) },
	} {
		tk := c.pause(t, conflict, line)
		ended := decoded(t, cancel(tk.ID))
		if now := decoded(t, c.resultOf(t, "GetTask", object{"id": tk.ID})); !reflect.DeepEqual(ended, now) {
			t.Errorf("expected the answer to the cancel to be the Task that GetTask shows,\n%v\ngot\n%v", now, ended)
		}
		tk = c.get(t, tk.ID)
		wantTask(t, tk, canceled)
		all = append(all, tk)
	}

	names := map[string]string{
		completed: "completed", failed: "failed", canceled: "canceled", rejected: "rejected", inputRequired: "input-required",
	}
	for _, tk := range all {
		for _, length := range []string{"", "0", "1"} {
			params, query := object{"id": tk.ID}, ""
			if length != "" {
				params["historyLength"], query = json.Number(length), "?historyLength="+length
			}
			rpc := c.resultOf(t, "GetTask", params)
			if rest := c.restResult(t, "GET", "/tasks/"+tk.ID+query, nil); canonical(t, rest) != canonical(t, rpc) {
				t.Errorf("%s: expected HTTP+JSON to show what JSON-RPC shows,\n%s\ngot\n%s", tk.Status.State, rpc, rest)
			}
			before := c.resultOf(t, "tasks/get", params)
			if !reflect.DeepEqual(decoded(t, before), decoded(t, rpc)) {
				t.Errorf("%s: expected v0.3 to show what v1.0 shows,\n%s\ngot\n%s", tk.Status.State, rpc, before)
			}
			if want := `"state":"` + names[tk.Status.State] + `"`; !bytes.Contains(before, []byte(want)) || bytes.Contains(before, []byte("TASK_STATE_")) || bytes.Contains(before, []byte("ROLE_")) {
				t.Errorf("expected v0.3 to say %s and nothing in the words of v1.0, got %s", want, before)
			}
		}
	}

	// Lists, with all that may narrow them.
	first := c.get(t, all[0].ID)
	for _, params := range []object{
		{},
		{"status": inputRequired},
		{"contextId": first.ContextID, "includeArtifacts": true},
		{"pageSize": 3, "historyLength": 1},
		{"statusTimestampAfter": first.Status.Timestamp},
	} {
		query := url.Values{}
		for name, value := range params {
			text, _ := json.Marshal(value)
			query.Set(name, strings.Trim(string(text), `"`))
		}
		rpc := c.resultOf(t, "ListTasks", params)
		if rest := c.restResult(t, "GET", "/tasks?"+query.Encode(), nil); canonical(t, rest) != canonical(t, rpc) {
			t.Errorf("ListTasks %v: expected HTTP+JSON to list what JSON-RPC lists,\n%s\ngot\n%s", params, rpc, rest)
		}
	}
}

// TestBindingsShareConfigs: a push notification config that is made over one
// binding is there over all.
func TestBindingsShareConfigs(t *testing.T) {
	t.Parallel()
	c := startPairWith(t, everything(t)...).a2a
	id := c.pause(t, conflict, line).ID
	path := "/tasks/" + id + "/pushNotificationConfigs"
	made := c.create(t, id, object{"url": "http://localhost:1/um"})
	c.restResult(t, "POST", path, object{"id": "dois", "url": "http://localhost:1/dois", "token": "x"})
	c.resultOf(t, "tasks/pushNotificationConfig/set", object{"taskId": id, "pushNotificationConfig": object{"id": "tres", "url": "http://localhost:1/tres"}})
	for _, config := range []string{made, "dois", "tres"} {
		rpc := c.resultOf(t, "GetTaskPushNotificationConfig", object{"taskId": id, "id": config})
		if rest := c.restResult(t, "GET", path+"/"+config, nil); canonical(t, rest) != canonical(t, rpc) {
			t.Errorf("config %s: expected HTTP+JSON to show what JSON-RPC shows,\n%s\ngot\n%s", config, rpc, rest)
		}
		before := c.resultOf(t, "tasks/pushNotificationConfig/get", object{"id": id, "pushNotificationConfigId": config})
		var shown, then struct {
			ID, URL, TaskID string
			Config          struct{ ID, URL string } `json:"pushNotificationConfig"`
		}
		if json.Unmarshal(rpc, &shown) != nil || json.Unmarshal(before, &then) != nil || shown.ID != config || then.TaskID != id || then.Config.ID != shown.ID || then.Config.URL != shown.URL {
			t.Errorf("config %s: expected v0.3 to show what v1.0 shows, %s, got %s", config, rpc, before)
		}
	}
	c.restResult(t, "DELETE", path+"/"+made, nil)
	c.resultOf(t, "DeleteTaskPushNotificationConfig", object{"taskId": id, "id": "tres"})
	rpc, rest := c.resultOf(t, "ListTaskPushNotificationConfigs", object{"taskId": id}), c.restResult(t, "GET", path, nil)
	if canonical(t, rpc) != canonical(t, rest) || !bytes.Contains(rpc, []byte("/dois")) || bytes.Contains(rpc, []byte("/um")) || bytes.Contains(rpc, []byte("/tres")) {
		t.Errorf("expected the one config that was not deleted over both, got\n%s\nand\n%s", rpc, rest)
	}
}

// TestBindingsOnTheCard: the card shows the bindings that are served, where they
// are served, and no others.
func TestBindingsOnTheCard(t *testing.T) {
	t.Parallel()
	type served struct{ ProtocolBinding, ProtocolVersion, URL string }
	interfaces := func(t *testing.T, c *a2aClient) []served {
		t.Helper()
		var card struct{ SupportedInterfaces []served }
		if err := json.Unmarshal(c.card(t).body, &card); err != nil {
			t.Fatal(err)
		}
		return card.SupportedInterfaces
	}
	with, without := startPairWith(t, everything(t)...).a2a, startPair(t).a2a
	// The card names the host as it was given with -addr.
	base := func(c *a2aClient) string { return "http://localhost:" + port(t, c.base) }
	if want, got := []served{{"JSONRPC", "1.0", base(with) + "/a2a"}, {"HTTP+JSON", "1.0", base(with) + "/rest"}}, interfaces(t, with); !slices.Equal(got, want) {
		t.Errorf("expected the interfaces %+v, got %+v", want, got)
	}
	if want, got := []served{{"JSONRPC", "1.0", base(without) + "/a2a"}}, interfaces(t, without); !slices.Equal(got, want) {
		t.Errorf("expected the interface %+v alone, got %+v", want, got)
	}
	if a := without.rest(t, "GET", "/tasks", nil); a.status != http.StatusNotFound {
		t.Errorf("expected HTTP 404 below /rest of an agent without -httpjson, got HTTP %d: %s", a.status, a.body)
	}
}
