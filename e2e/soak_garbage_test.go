package e2e

import (
	"net/http"
	"strings"
)

// garbage is a body that is no request, or one about nothing. It makes no Task.
func (c *client) garbage() {
	small := func(body string, code int) {
		if r := c.post([]byte(body), http.StatusOK); r.ok && !r.is(code) {
			c.fault("%.120s: expected error %d, got %s", body, code, r)
		}
	}
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}
	const parts = `"parts":[{"text":"oi"}]`
	switch c.rnd.IntN(14) {
	case 0:
		small("", parse)
	case 1:
		small(`{"jsonrpc":"2.0","id":1,"method":"`, parse)
	case 2:
		small("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", parse)
	case 3:
		small(pick(c.rnd, []string{"null", "[]", "[{}]", "1", "{}", `"x"`}), request)
	case 4:
		small(strings.Repeat("[", 5000)+strings.Repeat("]", 5000), parse)
	case 5:
		small(call("tools/list", "{}"), noSuch)
	case 6:
		small(call("SendMessage", `{"message":{"role":"ROLE_USER",`+parts+`}}`), params)
	case 7:
		small(call("SendMessage", `{"message":{"messageId":"m","role":"ROLE_AGENT",`+parts+`}}`), params)
	case 8:
		small(call("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}`), params)
	case 9:
		small(call("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"`+strings.Repeat("a ", 40<<10)+`"}]}}`), params)
	case 10:
		small(call("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"nenhuma",`+parts+`}}`), -32001)
	case 11:
		small(call(pick(c.rnd, []string{"GetTask", "CancelTask"}), `{"id":"nenhuma"}`), -32001)
	case 12:
		small(call("SendStreamingMessage", `{"message":{"messageId":"m","role":"ROLE_USER",`+parts+`}}`), -32004)
	case 13:
		body := []byte(call("SendMessage", `{"x":"`+strings.Repeat("a ", 520<<10)+`"}`)) // over 1 MiB
		if r := c.post(body, http.StatusRequestEntityTooLarge); r.ok && !r.is(request) {
			c.fault("a body of %d bytes: expected error %d, got %s", len(body), request, r)
		}
	}
}

// garbageInside sends a bad body to the MCP server, past the agent. It must be
// answered unless the server is killed.
func (c *client) garbageInside() {
	body, status, code := "{", http.StatusBadRequest, parse
	switch c.rnd.IntN(4) {
	case 0:
		body, code = pick(c.rnd, []string{"null", "[]", "1", `{"jsonrpc":"2.0"}`}), request
	case 1:
		body, code = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"reservar_sala"}}`, params
	case 2:
		body, status, code = `{"x":"`+strings.Repeat("a ", 520<<10)+`"}`, http.StatusRequestEntityTooLarge, request
	}
	sp := c.lives.enter()
	a, err := exchange(c.ctx, "POST", c.mcp.url, mcpHeader("tools/call", "reservar_sala"), []byte(body))
	c.lives.leave(&sp)
	if err == nil {
		var r response
		if r, err = a.rpc(); err == nil && a.status == status && r.Error != nil && r.Error.Code == code {
			return
		}
	} else if sp.life() == unsure {
		return
	}
	c.fault("MCP server, %.120s: expected error %d with HTTP %d, got HTTP %d %.300s (%v)", body, code, status, a.status, a.body, err)
}
