package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// malformed is a body, and the answer that each process owes it.
type malformed struct {
	name, body string
	// id is the id of the answer, as JSON; "" for null.
	id string
	// codes are the JSON-RPC codes allowed; empty for a success.
	codes []int
	// status is the HTTP status. 0 stands for 200 after a success and, after an
	// error, for 400 from the MCP server and 200 from the agent: A2A's JSON-RPC
	// binding has no status of its own for errors.
	status int
}

const (
	parse   = -32700
	request = -32600
	noSuch  = -32601
	params  = -32602
)

// notJSON and notRequests are owed the same answers by both processes.
var notJSON = map[string]string{
	"empty":                   "",
	"white space":             " \r\n\t ",
	"an open brace":           "{",
	"an open string":          `{"jsonrpc":"2.0","id":1,"method":"`,
	"invalid UTF-8":           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
	"UTF-8 cut short":         "{\"jsonrpc\":\"2.0\",\"id\":\"\xe2\x82\"}",
	"UTF-16":                  "\xff\xfe{\x00}\x00",
	"byte order mark":         "\xef\xbb\xbf{}",
	"HTML":                    "<html></html>",
	"a null byte":             "\x00",
	"single quotes":           "{'jsonrpc':'2.0'}",
	"a trailing comma":        `{"jsonrpc":"2.0",}`,
	"garbage behind":          `{"jsonrpc":"2.0","id":1,"method":"x","params":{}}garbage`,
	"two requests":            `{"jsonrpc":"2.0","id":1,"method":"x"}{"jsonrpc":"2.0","id":2,"method":"x"}`,
	"NaN for an id":           `{"jsonrpc":"2.0","id":NaN,"method":"x"}`,
	"a leading zero":          `{"jsonrpc":"2.0","id":01,"method":"x"}`,
	"a raw control character": "{\"jsonrpc\":\"2.0\",\"id\":\"\x01\",\"method\":\"x\"}",
}

var notRequests = map[string]string{
	"null":                   "null",
	"an empty list":          "[]",
	"a list of null":         "[null]",
	"a list of an object":    "[{}]",
	"a batch":                `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"GetTask"}]`,
	"a number":               "1",
	"a string":               `"x"`,
	"true":                   "true",
	"an empty object":        "{}",
	"id an object":           `{"jsonrpc":"2.0","id":{},"method":"x","params":{}}`,
	"id a list":              `{"jsonrpc":"2.0","id":[1],"method":"x","params":{}}`,
	"id true":                `{"jsonrpc":"2.0","id":true,"method":"x","params":{}}`,
	"a member twice":         `{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"x","params":{}}`,
	"the id twice":           `{"jsonrpc":"2.0","id":1,"id":2,"method":"x","params":{}}`,
	"names in capitals":      `{"JSONRPC":"2.0","ID":1,"METHOD":"GetTask","PARAMS":{}}`,
	"an error":               `{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}`,
	"a notification, unique": `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}`,
}

// notRequestsWithID are no requests either, but their id (7) can be read.
var notRequestsWithID = map[string]string{
	"no jsonrpc":             `{"id":7,"method":"x","params":{}}`,
	"jsonrpc 1.0":            `{"jsonrpc":"1.0","id":7,"method":"x","params":{}}`,
	"jsonrpc a number":       `{"jsonrpc":2.0,"id":7,"method":"x","params":{}}`,
	"no method":              `{"jsonrpc":"2.0","id":7,"params":{}}`,
	"method null":            `{"jsonrpc":"2.0","id":7,"method":null,"params":{}}`,
	"method a number":        `{"jsonrpc":"2.0","id":7,"method":1,"params":{}}`,
	"method a list":          `{"jsonrpc":"2.0","id":7,"method":["x"],"params":{}}`,
	"method empty":           `{"jsonrpc":"2.0","id":7,"method":"","params":{}}`,
	"a response":             `{"jsonrpc":"2.0","id":7,"result":{}}`,
	"method in capitals too": `{"jsonrpc":"2.0","id":7,"METHOD":"GetTask","params":{}}`,
}

// common are the rows of both tables.
func common() []malformed {
	rows := []malformed{
		{name: "lists 100 000 deep", body: strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), codes: []int{parse, request}},
		{name: "objects 100 000 deep", body: strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000), codes: []int{parse, request}},
		{name: "params 100 000 deep", body: `{"jsonrpc":"2.0","id":7,"method":"x","params":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", codes: []int{parse, request}},
		{name: "100 000 brackets open", body: strings.Repeat("[", 100_000), codes: []int{parse}},
		{name: "5 MB", body: `{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"` + strings.Repeat("a", 5<<20) + `"}}`, codes: []int{request}, status: http.StatusRequestEntityTooLarge},
	}
	add := func(bodies map[string]string, id string, code int) {
		for name, body := range bodies {
			rows = append(rows, malformed{name: name, body: body, id: id, codes: []int{code}})
		}
	}
	add(notJSON, "", parse)
	add(notRequests, "", request)
	add(notRequestsWithID, "7", request)
	return rows
}

// ids are what comes back exactly as it was sent.
var ids = []string{
	`0`, `-1`, `9007199254740993`, `123456789012345678901234567890`, `-123456789012345678901234567890`,
	`"x"`, `""`, `"123"`, `"Sala \u00e1"`, `"acentuação ✓"`, `"<&>"`, `"a\/b"`, `"line\nbreak"`, `"@"`,
}

// check sends the body and compares what comes back.
func (m malformed) check(t *testing.T, url string, header map[string]string, errorStatus int) {
	t.Helper()
	a := mustExchange(t, "POST", url, header, []byte(m.body))
	r, err := a.rpc()
	if err != nil {
		t.Fatal(err)
	}
	want := m.status
	switch {
	case want == 0 && len(m.codes) == 0:
		want = http.StatusOK
	case want == 0:
		want = errorStatus
	}
	if len(m.codes) > 0 {
		wantError(t, a, want, m.codes...)
	} else if r.Error != nil || a.status != want {
		t.Fatalf("expected a result with HTTP %d, got HTTP %d: %.300s", want, a.status, a.body)
	}
	id := m.id
	if id == "" {
		id = "null"
	}
	if string(r.ID) != id {
		t.Errorf("expected the id %s, got %s", id, r.ID)
	}
	if len(a.body) > 8192 {
		t.Errorf("expected a short answer, got %d bytes", len(a.body))
	}
}

func TestMalformedToServer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	meta := fmt.Sprintf(`"_meta":{%q:%q,%q:{}}`, metaVersion, mcpRevision, metaCapabilities)
	good := func(id, more string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list","params":{` + meta + more + `}}`
	}
	rows := append(common(),
		malformed{name: "id null", body: good("null", ""), codes: []int{request}},
		malformed{name: "id a fraction", body: good("1.5", ""), codes: []int{request}},
		malformed{name: "params a string", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"x"}`, id: "7", codes: []int{request}},
		malformed{name: "params a number", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":1}`, id: "7", codes: []int{request}},
		malformed{name: "params a list", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}`, id: "7", codes: []int{params}},
		malformed{name: "params missing", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, id: "7", codes: []int{params}},
		malformed{name: "params null", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}`, id: "7", codes: []int{params}},
		malformed{name: "params empty", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`, id: "7", codes: []int{params}},
		malformed{name: "_meta null", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":null}}`, id: "7", codes: []int{params}},
		malformed{name: "_meta a list", body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":[]}}`, id: "7", codes: []int{params}},
		malformed{name: "capabilities null", body: fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{%q:%q,%q:null}}}`, metaVersion, mcpRevision, metaCapabilities), id: "7", codes: []int{params}},
		malformed{name: "unknown members", body: strings.TrimSuffix(good("7", `,"mais":[null]`), "}") + `,"extra":{"a":1}}`, id: "7"},
	)
	for _, id := range ids {
		rows = append(rows, malformed{name: "id " + id, body: good(id, ""), id: id})
	}
	for _, m := range rows {
		t.Run(m.name, func(t *testing.T) {
			m.check(t, s.URL, mcpHeader("tools/list", ""), http.StatusBadRequest)
		})
	}
	t.Run("unknown method", func(t *testing.T) {
		m := malformed{body: strings.Replace(good("7", ""), "tools/list", "tools/fly", 1), id: "7", codes: []int{noSuch}}
		m.check(t, s.URL, mcpHeader("tools/fly", ""), http.StatusNotFound)
	})
	(&mcpClient{url: s.URL}).ask(t, conflict) // and it goes on serving
}

func TestMalformedToAgent(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	call := func(id, method, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
	}
	message := func(inside string) string { return `{"message":{` + inside + `}}` }
	const parts = `"parts":[{"text":"x"}]`
	rows := append(common(), malformed{name: "unknown method", body: call("7", "Fly", "{}"), id: "7", codes: []int{noSuch}})
	for name, body := range map[string]string{
		"params missing":      `{"jsonrpc":"2.0","id":7,"method":"SendMessage"}`,
		"params null":         call("7", "SendMessage", "null"),
		"params a list":       call("7", "SendMessage", "[]"),
		"params a string":     call("7", "SendMessage", `"x"`),
		"params a number":     call("7", "GetTask", "1"),
		"params empty":        call("7", "SendMessage", "{}"),
		"message null":        call("7", "SendMessage", `{"message":null}`),
		"message a string":    call("7", "SendMessage", `{"message":"x"}`),
		"no messageId":        call("7", "SendMessage", message(`"role":"ROLE_USER",`+parts)),
		"messageId empty":     call("7", "SendMessage", message(`"messageId":"","role":"ROLE_USER",`+parts)),
		"messageId a number":  call("7", "SendMessage", message(`"messageId":1,"role":"ROLE_USER",`+parts)),
		"no role":             call("7", "SendMessage", message(`"messageId":"m",`+parts)),
		"role of the agent":   call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_AGENT",`+parts)),
		"role of old":         call("7", "SendMessage", message(`"messageId":"m","role":"user",`+parts)),
		"no parts":            call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_USER"`)),
		"parts empty":         call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_USER","parts":[]`)),
		"parts null":          call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_USER","parts":null`)),
		"a part of null":      call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_USER","parts":[null]`)),
		"a part of nothing":   call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_USER","parts":[{}]`)),
		"text a number":       call("7", "SendMessage", message(`"messageId":"m","role":"ROLE_USER","parts":[{"text":1}]`)),
		"GetTask without id":  call("7", "GetTask", "{}"),
		"GetTask id a number": call("7", "GetTask", `{"id":7}`),
		"GetTask id null":     call("7", "GetTask", `{"id":null}`),
		"CancelTask no id":    call("7", "CancelTask", "{}"),
		"page too large":      call("7", "ListTasks", `{"pageSize":101}`),
		"page of nothing":     call("7", "ListTasks", `{"pageSize":0}`),
		"unknown page token":  call("7", "ListTasks", `{"pageToken":"!"}`),
		"unknown status":      call("7", "ListTasks", `{"status":"TASK_STATE_TIRED"}`),
	} {
		rows = append(rows, malformed{name: name, body: body, id: "7", codes: []int{params}})
	}
	good := func(id, more string) string { return call(id, "ListTasks", `{"contextId":"nobody's"`+more+`}`) }
	rows = append(rows, malformed{name: "unknown members", body: strings.TrimSuffix(good("7", `,"mais":[null]`), "}") + `,"extra":{"a":1}}`, id: "7"})
	for _, id := range ids {
		rows = append(rows, malformed{name: "id " + id, body: good(id, ""), id: id})
	}
	header := map[string]string{"Content-Type": "application/json"}
	for _, m := range rows {
		t.Run(m.name, func(t *testing.T) {
			m.check(t, p.agent.URL+"/a2a", header, http.StatusOK)
		})
	}
	// Nothing of all that became a Task, and the agent goes on serving.
	var list struct {
		Total json.Number `json:"totalSize"`
	}
	if err := p.a2a.call(t, "ListTasks", object{}).result(&list); err != nil || list.Total != "0" {
		t.Errorf("expected no Task after malformed requests, got %s (%v)", list.Total, err)
	}
	p.a2a.pause(t, conflict, line)
}
