package porta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// comAvisos adds a tool that notifies its caller n times before it answers, and
// one that does so without end.
func comAvisos(cfg *Config) {
	add := func(name string, h mcp.ToolHandler) {
		cfg.Servidor.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
	}
	add("avisa", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args struct {
			N     int
			Falha bool
		}
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		for i := range args.N {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
			if err != nil {
				return nil, err
			}
		}
		//lint:ignore SA1019 deprecated, and still part of the revision
		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "visto"}); err != nil {
			return nil, err
		}
		if args.Falha {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "nao"}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fim"}}}, nil
	})
	add("tagarela", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for ctx.Err() == nil {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "t", Message: strings.Repeat("x", 64<<10)})
			if err != nil {
				return nil, err
			}
			time.Sleep(time.Millisecond)
		}
		return nil, ctx.Err()
	})
}

func comMeta(p pedido, meta string) pedido { return p.trocando(`"_meta":{`, `"_meta":{`+meta+`,`) }

// mensagens are the JSON-RPC messages of a stream of events.
func mensagens(t *testing.T, body string) []string {
	t.Helper()
	var ms []string
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") || !json.Valid([]byte(data)) {
			t.Fatalf("want one message per event, got %q", event)
		}
		ms = append(ms, data)
	}
	return ms
}

func TestAvisosVaoAntesDaResposta(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	p := comMeta(tool("avisa", `{"n":3}`), `"progressToken":"t"`)
	status, header, body := b.enviar(t, p)
	if status != 200 || header.Get("Content-Type") != "text/event-stream" || header.Get("X-Accel-Buffering") != "no" || header.Get("Cache-Control") != "no-store" {
		t.Fatalf("want a stream of events, got %d %v", status, header)
	}
	ms := mensagens(t, body)
	if len(ms) != 4 {
		t.Fatalf("want three notifications and the answer, got %q", ms)
	}
	for i, m := range ms[:3] {
		want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"progressToken":"t"}}`, i)
		if !igualJSON(t, m, want) {
			t.Errorf("notification %d: want %s, got %s", i, want, m)
		}
	}
	if !strings.HasPrefix(ms[3], `{"jsonrpc":"2.0","id":7,"result":`) || !strings.Contains(ms[3], "fim") {
		t.Errorf("the answer comes last, with its id, got %s", ms[3])
	}
	if log := b.log.String(); !strings.Contains(log, "outcome=ok status=200") {
		t.Errorf("want the outcome in the log, got %s", log)
	}

	// The status is said before the outcome is known; the event tells it.
	status, _, body = b.enviar(t, comMeta(tool("avisa", `{"n":1,"falha":true}`), `"progressToken":"t"`))
	if ms := mensagens(t, body); status != 200 || len(ms) != 2 || !strings.Contains(ms[1], `"id":7,"error":{"code":-32602`) {
		t.Errorf("want the error as the last event, got %d %q", status, ms)
	}
}

func igualJSON(t *testing.T, got, want string) bool {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(got), &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// Without anything to say before the answer, or a caller who takes it, the
// answer is one JSON object.
func TestSemAvisosEhJSON(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	for name, p := range map[string]pedido{
		"nothing to say":        tool("avisa", `{"n":0}`),
		"JSON only":             tool("avisa", `{"n":3}`).com("Accept", "application/json"),
		"no accept":             tool("avisa", `{"n":3}`).com("Accept", ""),
		"anything":              tool("avisa", `{"n":3}`).com("Accept", "*/*"),
		"events not wanted":     tool("avisa", `{"n":3}`).com("Accept", "application/json, text/event-stream;q=0"),
		"log level not reached": comMeta(tool("avisa", `{"n":0}`), `"io.modelcontextprotocol/logLevel":"error"`),
	} {
		status, header, body := b.enviar(t, p)
		if status != 200 || header.Get("Content-Type") != "application/json" || !strings.Contains(body, "fim") {
			t.Errorf("%s: want one JSON object, got %d %v %s", name, status, header, body)
		}
	}
	status, header, body := b.enviar(t, comMeta(tool("avisa", `{"n":0}`), `"io.modelcontextprotocol/logLevel":"info"`))
	if status != 200 || header.Get("Content-Type") != "text/event-stream" || !strings.Contains(body, `"method":"notifications/message"`) {
		t.Errorf("log level reached: want the line as an event, got %d %v %s", status, header, body)
	}
}

// Many callers with one id and one token: each sees its own notifications.
func TestAvisosNaoSeMisturam(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	var wg sync.WaitGroup
	for n := range 10 {
		wg.Go(func() {
			_, _, body := b.enviar(t, comMeta(tool("avisa", fmt.Sprintf(`{"n":%d}`, n+1)), `"progressToken":"t"`))
			if ms := mensagens(t, body); len(ms) != n+2 {
				t.Errorf("want %d messages, got %q", n+2, ms)
			}
		})
	}
	wg.Wait()
}

// More notifications than fit are dropped; the answer is not.
func TestAvisosDemais(t *testing.T) {
	b := novaBancaCom(t, comAvisos)
	_, _, body := b.enviar(t, comMeta(tool("avisa", `{"n":20000}`), `"progressToken":"t"`))
	if ms := mensagens(t, body); !strings.Contains(ms[len(ms)-1], "fim") {
		t.Errorf("want the answer at the end, got %s", ms[len(ms)-1])
	}
}

// A caller that does not read its stream loses it, and holds up nobody.
func TestQuemNaoLeEventos(t *testing.T) {
	b := novaBancaCom(t, func(cfg *Config) {
		comAvisos(cfg)
		cfg.Limites.Escrita = 300 * time.Millisecond
	})
	conn := b.semLer(t, tool("tagarela", `{}`))
	defer conn.Close()
	deadline := time.Now().Add(20 * time.Second)
	for !strings.Contains(b.log.String(), "name=tagarela") {
		if time.Now().After(deadline) {
			t.Fatal("the stream was not given up")
		}
		if status, _, body := b.enviar(t, tool("eco", `{"a":1}`)); status != 200 {
			t.Fatalf("others must be served meanwhile, got %d %s", status, body)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.Contains(b.log.String(), "outcome=cancelled") {
		t.Errorf("want it in the log as cancelled, got %s", b.log)
	}
}

// semLer sends a request and reads nothing of the answer.
func (b *banca) semLer(t *testing.T, p pedido) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", b.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	req, err := http.NewRequest(p.method, b.URL+p.path, strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range p.header {
		req.Header.Set(k, v)
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	return conn
}
