package porta

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestFrente(t *testing.T) {
	b := novaBanca(t)
	listar := chamada("tools/list", "")
	eco := tool("eco", `{"a":1}`)
	for _, c := range []struct {
		nome   string
		p      pedido
		status int
		code   int    // 0 for a result
		has    string // in the body
	}{
		{"list", listar, 200, 0, `"tools":[`},
		{"call", eco, 200, 0, `{\"a\":1}`},
		{"discover", chamada("server/discover", ""), 200, 0, `"supportedVersions":["2026-07-28"]`},

		{"accept anything", eco.com("Accept", "*/*"), 200, 0, ""},
		{"accept application", eco.com("Accept", "application/*;q=0.5"), 200, 0, ""},
		{"no accept", eco.com("Accept", ""), 200, 0, ""},
		{"accept SSE only", eco.com("Accept", "text/event-stream"), 406, -32600, ""},
		{"accept html", eco.com("Accept", "text/html"), 406, -32600, ""},
		{"charset", eco.com("Content-Type", "application/json; charset=UTF-8"), 200, 0, ""},
		{"other charset", eco.com("Content-Type", "application/json; charset=latin1"), 415, -32600, ""},
		{"text", eco.com("Content-Type", "text/plain"), 415, -32600, ""},
		{"no content type", eco.com("Content-Type", ""), 415, -32600, ""},

		{"GET", pedido{method: "GET", path: Caminho}, 405, -32600, ""},
		{"DELETE", pedido{method: "DELETE", path: Caminho}, 405, -32600, ""},
		{"elsewhere", pedido{method: "POST", path: "/"}, 404, -32600, ""},
		{"below", pedido{method: "POST", path: Caminho + "/"}, 404, -32600, ""},

		{"no version", eco.com("MCP-Protocol-Version", ""), 400, -32020, "Mcp-Protocol-Version"},
		{"older version", eco.com("MCP-Protocol-Version", "2025-11-25"), 400, -32022, `"supported":["2026-07-28"]`},
		{"version that sorts before", eco.com("MCP-Protocol-Version", "1.0"), 400, -32022, `"supported":["2026-07-28"]`},
		{"later version", eco.com("MCP-Protocol-Version", "2099-01-01"), 400, -32022, `"requested":"2099-01-01"`},
		{"version unlike the body", eco.trocando("2026-07-28", "2025-11-25"), 400, -32020, ""},
		{"initialize", pedido{method: "POST", path: Caminho, header: map[string]string{"Content-Type": "application/json"}, body: `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`}, 400, -32022, `"requested":"2025-11-25"`},

		{"initialize of this revision, which has none", chamada("initialize", ""), 404, -32601, ""},
		{"initialize without _meta", chamada("initialize", "").trocando(`"_meta"`, `"x"`), 400, -32602, ""},

		{"no method header", eco.com("Mcp-Method", ""), 400, -32020, "Mcp-Method"},
		{"other method header", eco.com("Mcp-Method", "tools/list"), 400, -32020, ""},
		{"method in another case", eco.com("Mcp-Method", "Tools/Call"), 400, -32020, ""},
		{"no name header", eco.com("Mcp-Name", ""), 400, -32020, "Mcp-Name"},
		{"other name header", eco.com("Mcp-Name", "lenta"), 400, -32020, ""},
		{"encoded name", eco.com("Mcp-Name", "=?base64?ZWNv?="), 200, 0, ""},
		{"encoded unicode name", tool("olá mundo", `{}`).com("Mcp-Name", "=?base64?b2zDoSBtdW5kbw==?="), 200, 0, "unicode"},
		{"unicode name not encoded", tool("olá mundo", `{}`), 400, -32020, ""},
		{"badly encoded name", eco.com("Mcp-Name", "=?base64?%%%?="), 400, -32020, ""},
		{"encoded other name", eco.com("Mcp-Name", "=?base64?bGVudGE=?="), 400, -32020, ""},
		{"name in another case of the key", eco.trocando(`"name":`, `"NAME":`), 400, -32602, ""},
		{"name of another type", eco.trocando(`"name":"eco"`, `"name":7`), 400, -32602, ""},
		{"name twice", eco.trocando(`"name":"eco"`, `"name":"eco","name":"lenta"`), 400, -32602, "twice"},

		{"no _meta", eco.trocando(`"_meta"`, `"x"`), 400, -32602, "protocolVersion"},
		{"no version in _meta", eco.trocando(`io.modelcontextprotocol/protocolVersion`, `x`), 400, -32602, "protocolVersion"},
		{"no capabilities", eco.trocando(`io.modelcontextprotocol/clientCapabilities`, `x`), 400, -32602, "clientCapabilities"},
		{"capabilities of another type", eco.trocando(`clientCapabilities":{}`, `clientCapabilities":7`), 400, -32602, "clientCapabilities"},
		{"_meta of another type", eco.trocando(`"_meta":{`, `"_meta":7,"x":{`), 400, -32602, ""},
		{"params as a list", pedido{"POST", Caminho, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}`, listar.header}, 400, -32602, ""},

		{"unknown method", chamada("tools/nope", ""), 404, -32601, ""},
		{"method removed", chamada("ping", ""), 404, -32601, ""},
		{"subscriptions", chamada("subscriptions/listen", `"notifications":{}`), 404, -32601, ""},
		{"unknown tool", tool("nada", `{}`), 400, -32602, "nada"},
		{"malformed input responses", tool("eco", `{}`).trocando(`"arguments"`, `"inputResponses":7,"requestState":"x","arguments"`), 400, -32602, ""},
		{"input responses to nobody", tool("eco", `{}`).trocando(`"arguments"`, `"inputResponses":7,"arguments"`), 200, 0, ""},
		{"empty input responses", tool("eco", `{}`).trocando(`"arguments"`, `"inputResponses":{"a":null,"b":{},"c":7,"d":{"foo":1}},"requestState":"x","arguments"`), 200, 0, ""},
		{"empty state", tool("eco", `{}`).trocando(`"arguments"`, `"requestState":"","arguments"`), 400, -32602, "requestState"},
		{"state of another type", tool("eco", `{}`).trocando(`"arguments"`, `"requestState":null,"arguments"`), 400, -32602, "requestState"},
		{"error with data", tool("recusa", `{}`), 400, -32602, `"data":{"a":1}`},
		{"error that is none of the protocol's", tool("falha", `{}`), 500, -32603, "internal error"},

		{"empty", pedido{"POST", Caminho, "", eco.header}, 400, -32700, ""},
		{"null", pedido{"POST", Caminho, "null", eco.header}, 400, -32600, ""},
		{"batch", pedido{"POST", Caminho, "[" + eco.body + "]", eco.header}, 400, -32600, ""},
		{"deep", pedido{"POST", Caminho, strings.Repeat("[", 200_000), eco.header}, 400, -32700, ""},
		{"5 MB", pedido{"POST", Caminho, strings.Repeat("x", 5<<20), eco.header}, 413, -32600, ""},
		{"id null", eco.trocando(`"id":7`, `"id":null`), 400, -32600, ""},
		{"id with a fraction", eco.trocando(`"id":7`, `"id":7.5`), 400, -32600, ""},
		{"no id", eco.trocando(`"id":7,`, ``), 400, -32600, ""},

		{"old headers ignored", eco.com("Last-Event-ID", "1").com("Mcp-Session-Id", "x"), 200, 0, ""},
		{"foreign origin", eco.com("Origin", "https://evil.example"), 403, -32600, ""},
		{"foreign host", eco.com("Host", "evil.example"), 403, -32600, ""},
		{"allowed origin", eco.com("Origin", "https://app.example"), 200, 0, ""},
	} {
		t.Run(c.nome, func(t *testing.T) {
			status, header, body := b.enviar(t, c.p)
			var a struct {
				JSONRPC string
				Result  json.RawMessage
				Error   *struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(body), &a); err != nil || a.JSONRPC != "2.0" || header.Get("Content-Type") != "application/json" {
				t.Fatalf("want a JSON-RPC answer, got %d %v %s", status, header, body)
			}
			code := 0
			if a.Error != nil {
				code = a.Error.Code
				if len(a.Error.Message) > maxMensagem+3 {
					t.Errorf("message of %d bytes", len(a.Error.Message))
				}
			}
			if status != c.status || code != c.code || (a.Error == nil) == (a.Result == nil) || !strings.Contains(body, c.has) {
				t.Errorf("want status %d, code %d and %q, got %d %s", c.status, c.code, c.has, status, body)
			}
			if status == 405 && header.Get("Allow") != "POST" {
				t.Errorf("405 must say what is allowed, got %v", header)
			}
			if header.Get("Mcp-Session-Id") != "" {
				t.Error("there are no sessions")
			}
		})
	}
}

func TestNotificacoes(t *testing.T) {
	b := novaBanca(t)
	p := chamada("tools/list", "")
	p.body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	if status, _, body := b.enviar(t, p); status != 202 || body != "" {
		t.Errorf("want 202 without a body, got %d %q", status, body)
	}
}

func TestIDsVoltamComoVieram(t *testing.T) {
	b := novaBanca(t)
	for _, id := range []string{`0`, `-1`, `123456789012345678901234567890`, `"x"`, `""`, `"\u00e9\n\""`} {
		_, _, body := b.enviar(t, tool("eco", `{}`).trocando(`"id":7`, `"id":`+id))
		if !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":`+id+`,"result":`) {
			t.Errorf("id %s: got %s", id, body)
		}
	}
}

// Two callers may use one id at the same time; each gets its own answer.
func TestMesmoIDAoMesmoTempo(t *testing.T) {
	b := novaBanca(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			args := `{"n":` + string(rune('a'+i)) + `}`
			args = strings.Replace(args, ":", `:"`, 1)
			args = strings.Replace(args, "}", `"}`, 1)
			_, _, body := b.enviar(t, tool("lenta", args))
			if !strings.Contains(body, strings.ReplaceAll(args, `"`, `\"`)) {
				t.Errorf("want the answer to %s, got %s", args, body)
			}
		})
	}
	for range 20 {
		<-b.arrived
	}
	// That is as many as are served at a time.
	if status, header, body := b.enviar(t, tool("eco", `{}`)); status != 503 || header.Get("Retry-After") != "1" || !strings.Contains(body, "-32603") {
		t.Errorf("one too many: want 503, got %d %v %s", status, header, body)
	}
	close(b.release)
	wg.Wait()
}

// A caller that leaves cancels its call, and the server goes on.
func TestQuemSaiCancela(t *testing.T) {
	b := novaBanca(t)
	ctx, leave := context.WithCancel(t.Context())
	p := tool("lenta", `{}`)
	req, _ := http.NewRequestWithContext(ctx, "POST", b.URL+p.path, strings.NewReader(p.body))
	for k, v := range p.header {
		req.Header.Set(k, v)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	<-b.arrived
	leave()
	<-done
	select {
	case <-b.cancelled:
	case <-time.After(10 * time.Second):
		t.Fatal("the handler was not cancelled")
	}
	if status, _, body := b.enviar(t, tool("eco", `{}`)); status != 200 {
		t.Errorf("want to be served afterwards, got %d %s", status, body)
	}
}

// One line for each request, also for a refused one, with method, id and
// traceparent; a request cannot forge a line.
func TestRegistro(t *testing.T) {
	b := novaBanca(t)
	const tp = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	b.enviar(t, tool("eco", `{}`).com("Authorization", "Bearer credencial-secreta").trocando(`"_meta":{`, `"_meta":{"traceparent":"`+tp+`",`))
	b.enviar(t, tool("eco", `{}`).com("MCP-Protocol-Version", "").trocando(`"id":7`, `"id":"a\nb level=INFO"`).trocando(`"_meta":{`, `"_meta":{"traceparent":"`+tp+`",`))
	b.enviar(t, pedido{method: "POST", path: Caminho, body: "{", header: map[string]string{"Content-Type": "application/json"}})
	lines := strings.Split(strings.TrimSpace(b.log.String()), "\n")
	if strings.Contains(b.log.String(), "credencial-secreta") {
		t.Errorf("a credential is in the log: %s", b.log)
	}
	if len(lines) != 3 {
		t.Fatalf("want 3 lines, got %d: %s", len(lines), b.log)
	}
	for i, want := range []string{
		`method=tools/call name=eco id=7 traceparent=` + tp + ` outcome=ok status=200 dur=`,
		`traceparent=` + tp + ` outcome="error -32020" status=400 dur=`,
		`method="" name="" id=null traceparent="" outcome="error -32700" status=400 dur=`,
	} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: want %q, got %q", i, want, lines[i])
		}
	}
}
