package e2e

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// kinds are the errors of A2A v1.0, 5.4, and those of 9.5 by their HTTP status.
var kinds = map[int]struct {
	status int
	reason string // of google.rpc.ErrorInfo, for A2A's own
}{
	-32700: {400, ""},
	-32602: {400, ""},
	-32601: {404, ""},
	-32001: {404, "TASK_NOT_FOUND"},
	-32002: {400, "TASK_NOT_CANCELABLE"},
	-32003: {400, "PUSH_NOTIFICATION_NOT_SUPPORTED"},
	-32004: {400, "UNSUPPORTED_OPERATION"},
	-32005: {400, "CONTENT_TYPE_NOT_SUPPORTED"},
	-32007: {400, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"},
	-32008: {400, "EXTENSION_SUPPORT_REQUIRED"},
	-32009: {400, "VERSION_NOT_SUPPORTED"},
}

// mistake is one request that is wrong, in both spellings.
type mistake struct {
	what string
	// code is expected, any of several.
	code []int
	// method and params for JSON-RPC; params may be text that is no JSON.
	method string
	params any
	// route is "METHOD /path" for HTTP+JSON, body goes with it.
	route string
	body  any
	// version is the A2A-Version header; "" for none.
	version string
}

// restError is an error of the HTTP+JSON binding (A2A v1.0, 11.6).
type restError struct {
	Code    int             `json:"code"`
	Status  string          `json:"status"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// details are the reasons and the fields that an error names.
func details(t testing.TB, raw json.RawMessage) (reasons, fields []string) {
	t.Helper()
	var all []struct {
		Type       string `json:"@type"`
		Reason     string `json:"reason"`
		Domain     string `json:"domain"`
		Violations []struct {
			Field string `json:"field"`
		} `json:"fieldViolations"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatalf("expected a list of details, got %s: %v", raw, err)
	}
	for _, d := range all {
		switch d.Type {
		case "type.googleapis.com/google.rpc.ErrorInfo":
			reasons = append(reasons, d.Reason+" of "+d.Domain)
		case "type.googleapis.com/google.rpc.BadRequest":
			for _, v := range d.Violations {
				fields = append(fields, v.Field)
			}
		default:
			t.Errorf("expected details of a known type, got %s", raw)
		}
	}
	return reasons, fields
}

// check makes the mistake over both bindings and compares what they say.
func (m mistake) check(t *testing.T, c *a2aClient) {
	t.Helper()
	if m.version != "" {
		c = c.with("A2A-Version", m.version)
	}
	encode := func(v any) []byte {
		if text, isText := v.(string); isText {
			return []byte(text)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + m.method + `","params":` + string(encode(m.params)) + `}`)
	rpc, err := c.post(t.Context(), request)
	if err != nil {
		t.Fatalf("%s: expected an answer, got: %v", m.what, err)
	}
	r, err := rpc.rpc()
	if err != nil || r.Error == nil || !slices.Contains(m.code, r.Error.Code) || rpc.status != http.StatusOK {
		t.Errorf("%s: expected error %v with HTTP 200 over JSON-RPC, got HTTP %d: %s (%v)", m.what, m.code, rpc.status, rpc.body, err)
		return
	}
	kind := kinds[r.Error.Code]

	method, path, _ := strings.Cut(m.route, " ")
	var body []byte
	if m.body != nil {
		body = encode(m.body)
	}
	header := map[string]string{"Content-Type": "application/a2a+json"}
	for name, value := range c.header {
		header[name] = value
	}
	rest := mustExchange(t, method, c.base+"/rest"+path, header, body)
	var e struct {
		Error *restError `json:"error"`
	}
	if err := json.Unmarshal(rest.body, &e); err != nil || e.Error == nil || rest.status != kind.status || e.Error.Code != kind.status {
		t.Errorf("%s: expected an error with code and HTTP status %d over HTTP+JSON, to match %d, got HTTP %d: %s (%v)", m.what, kind.status, r.Error.Code, rest.status, rest.body, err)
		return
	}
	if e.Error.Status == "" || e.Error.Message == "" || r.Error.Message == "" {
		t.Errorf("%s: expected a status and messages, got %s and %s", m.what, rest.body, rpc.body)
	}
	reasons, fields := details(t, r.Error.Data)
	restReasons, restFields := details(t, e.Error.Details)
	if !slices.Equal(reasons, restReasons) || !slices.Equal(fields, restFields) {
		t.Errorf("%s: expected the details of JSON-RPC, %q %q, over HTTP+JSON, got %q %q", m.what, reasons, fields, restReasons, restFields)
	}
	if want := kind.reason + " of a2a-protocol.org"; kind.reason != "" && !slices.Equal(reasons, []string{want}) {
		t.Errorf("%s: expected the reason %q, got %q", m.what, want, reasons)
	}
	if r.Error.Code == -32602 && len(fields) == 0 && !strings.Contains(r.Error.Message, "pageToken") {
		t.Errorf("%s: expected the error to name the field that is wrong, got %s", m.what, rpc.body)
	}
}

// TestBindingsRefuseAlike: the same mistakes give the same errors, each in its
// binding's spelling (A2A v1.0, 5.4, 9.5 and 11.6).
func TestBindingsRefuseAlike(t *testing.T) {
	t.Parallel()
	sending := func(m object) object { return object{"message": m} }
	message := func(parts ...any) object {
		return object{"messageId": rand.Text(), "role": "ROLE_USER", "parts": parts}
	}
	text := object{"text": conflict.text()}
	t.Run("an agent that does everything", func(t *testing.T) {
		t.Parallel()
		c := startPairWith(t, everything(t)...).a2a
		open, ended := c.pause(t, conflict, line).ID, c.send(t, "oi").ID
		configs := "/tasks/" + open + "/pushNotificationConfigs"
		noRole := message(text)
		noRole["role"] = "ROLE_AGENT"
		to := func(id string) object { m := message(text); m["taskId"] = id; return sending(m) }
		for _, m := range []mistake{
			{"unknown Task, read", []int{-32001}, "GetTask", object{"id": "x"}, "GET /tasks/x", nil, ""},
			{"unknown Task, canceled", []int{-32001}, "CancelTask", object{"id": "x"}, "POST /tasks/x:cancel", nil, ""},
			{"unknown Task, followed", []int{-32001}, "SubscribeToTask", object{"id": "x"}, "POST /tasks/x:subscribe", nil, ""},
			{"unknown Task, answered", []int{-32001}, "SendMessage", to("x"), "POST /message:send", to("x"), ""},
			{"unknown Task, answered with a stream", []int{-32001}, "SendStreamingMessage", to("x"), "POST /message:stream", to("x"), ""},
			{"unknown Task, told of", []int{-32001}, "CreateTaskPushNotificationConfig", object{"taskId": "x", "url": "http://localhost:1/"}, "POST /tasks/x/pushNotificationConfigs", object{"url": "http://localhost:1/"}, ""},
			{"unknown Task, its configs", []int{-32001}, "ListTaskPushNotificationConfigs", object{"taskId": "x"}, "GET /tasks/x/pushNotificationConfigs", nil, ""},
			{"unknown Task, a config dropped", []int{-32001}, "DeleteTaskPushNotificationConfig", object{"taskId": "x", "id": "y"}, "DELETE /tasks/x/pushNotificationConfigs/y", nil, ""},
			{"unknown config", []int{-32001}, "GetTaskPushNotificationConfig", object{"taskId": open, "id": "y"}, "GET " + configs + "/y", nil, ""},
			{"ended Task, canceled", []int{-32002}, "CancelTask", object{"id": ended}, "POST /tasks/" + ended + ":cancel", nil, ""},
			{"ended Task, answered", []int{-32004}, "SendMessage", to(ended), "POST /message:send", to(ended), ""},
			{"ended Task, answered with a stream", []int{-32004}, "SendStreamingMessage", to(ended), "POST /message:stream", to(ended), ""},
			{"ended Task, followed", []int{-32004}, "SubscribeToTask", object{"id": ended}, "POST /tasks/" + ended + ":subscribe", object{}, ""},
			{"text and a file", []int{-32005}, "SendMessage", sending(message(text, object{"url": "http://localhost:1/"})), "POST /message:send", sending(message(text, object{"url": "http://localhost:1/"})), ""},
			{"no message", []int{-32602}, "SendMessage", object{}, "POST /message:send", object{}, ""},
			{"no parts", []int{-32602}, "SendMessage", sending(message()), "POST /message:send", sending(message()), ""},
			{"a message of the agent's", []int{-32602}, "SendStreamingMessage", sending(noRole), "POST /message:stream", sending(noRole), ""},
			{"a list for a message", []int{-32602}, "SendMessage", object{"message": []int{}}, "POST /message:send", object{"message": []int{}}, ""},
			{"negative history", []int{-32602}, "GetTask", object{"id": open, "historyLength": -1}, "GET /tasks/" + open + "?historyLength=-1", nil, ""},
			{"history in words", []int{-32602}, "GetTask", object{"id": open, "historyLength": "um"}, "GET /tasks/" + open + "?historyLength=um", nil, ""},
			{"empty page", []int{-32602}, "ListTasks", object{"pageSize": 0}, "GET /tasks?pageSize=0", nil, ""},
			{"large page", []int{-32602}, "ListTasks", object{"pageSize": 101}, "GET /tasks?pageSize=101", nil, ""},
			{"unknown state", []int{-32602}, "ListTasks", object{"status": "TASK_STATE_LOST"}, "GET /tasks?status=TASK_STATE_LOST", nil, ""},
			{"unknown page", []int{-32602}, "ListTasks", object{"pageToken": "!"}, "GET /tasks?pageToken=%21", nil, ""},
			{"no URL", []int{-32602}, "CreateTaskPushNotificationConfig", object{"taskId": open}, "POST " + configs, object{}, ""},
			{"a URL of another kind", []int{-32602}, "SendMessage", telling(conflict.text(), object{"url": "ftp://localhost/"}), "POST /message:send", telling(conflict.text(), object{"url": "ftp://localhost/"}), ""},
			{"no JSON", []int{-32700}, "SendMessage", `{"message":`, "POST /message:send", `{"message":`, ""},
			{"unknown operation", []int{-32601}, "FlyTask", object{}, "POST /message:fly", object{}, ""},
			{"another version", []int{-32009}, "GetTask", object{"id": open}, "GET /tasks/" + open, nil, "9.9"},
			{"the version before", []int{-32009}, "SendMessage", to(open), "POST /message:send", to(open), "0.3"},
			{"extended card", []int{-32004, -32007}, "GetExtendedAgentCard", object{}, "GET /extendedAgentCard", nil, ""},
		} {
			m.check(t, c)
		}
		var left page
		if err := json.Unmarshal(c.restResult(t, "GET", "/tasks", nil), &left); err != nil || left.Total != 2 {
			t.Errorf("expected none of the mistakes to open a Task, got %d beside the two before (%v)", left.Total-2, err)
		}
		wantTask(t, c.get(t, open), inputRequired, line)
	})
	t.Run("an agent that declares nothing", func(t *testing.T) {
		t.Parallel()
		c := startPairWith(t, "-httpjson").a2a
		open := c.pause(t, conflict, line).ID
		configs := "/tasks/" + open + "/pushNotificationConfigs"
		told := telling(conflict.text(), object{"url": "https://example.com/"})
		for _, m := range []mistake{
			{"stream", []int{-32004}, "SendStreamingMessage", say("", conflict.text()), "POST /message:stream", say("", conflict.text()), ""},
			{"subscription", []int{-32004}, "SubscribeToTask", object{"id": open}, "POST /tasks/" + open + ":subscribe", nil, ""},
			{"config in a message", []int{-32003}, "SendMessage", told, "POST /message:send", told, ""},
			{"config made", []int{-32003}, "CreateTaskPushNotificationConfig", object{"taskId": open, "url": "https://example.com/"}, "POST " + configs, object{"url": "https://example.com/"}, ""},
			{"config read", []int{-32003}, "GetTaskPushNotificationConfig", object{"taskId": open, "id": "y"}, "GET " + configs + "/y", nil, ""},
			{"configs listed", []int{-32003}, "ListTaskPushNotificationConfigs", object{"taskId": open}, "GET " + configs, nil, ""},
			{"config dropped", []int{-32003}, "DeleteTaskPushNotificationConfig", object{"taskId": open, "id": "y"}, "DELETE " + configs + "/y", nil, ""},
		} {
			m.check(t, c)
		}
	})
	t.Run("an agent that requires its extension", func(t *testing.T) {
		t.Parallel()
		c := startPairWith(t, "-httpjson", "-perfil", profile(t, func(capabilities object) {
			capabilities["extensions"].([]any)[0].(object)["required"] = true
		})).a2a
		m := say("", conflict.text())
		mistake{"extension not activated", []int{-32008}, "SendMessage", m, "POST /message:send", m, ""}.check(t, c)
		active := c.with("A2A-Extensions", "https://hillvalley.example/a2a/ext/elicitation/v1")
		wantTask(t, active.send(t, conflict.text()), inputRequired)
	})
}
