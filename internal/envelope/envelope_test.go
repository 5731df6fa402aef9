package envelope

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const maxDepth = 64

func TestParse(t *testing.T) {
	ok := func(id, method, params string) Request {
		r := Request{Method: method}
		if id != "" {
			r.ID = json.RawMessage(id)
		}
		if params != "" {
			r.Params = json.RawMessage(params)
		}
		return r
	}
	for _, c := range []struct {
		nome, body string
		want       Request
		code       int
		id         string // of the request that comes beside an error
	}{
		{nome: "request", body: ` {"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}} `, want: ok("7", "m", `{"a":1}`)},
		{nome: "params list", body: `{"jsonrpc":"2.0","id":"x","method":"m","params":[1]}`, want: ok(`"x"`, "m", `[1]`)},
		{nome: "large id", body: `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}`, want: ok("123456789012345678901234567890", "m", "")},
		{nome: "null id", body: `{"jsonrpc":"2.0","id":null,"method":"m"}`, want: ok("null", "m", "")},
		{nome: "notification", body: `{"jsonrpc":"2.0","method":"m"}`, want: ok("", "m", "")},
		{nome: "null params", body: `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`, want: ok("1", "m", "")},
		{nome: "unknown member", body: `{"jsonrpc":"2.0","id":1,"method":"m","x":1}`, want: ok("1", "m", "")},
		{nome: "deep enough", body: `{"jsonrpc":"2.0","id":1,"method":"m","params":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`,
			want: ok("1", "m", strings.Repeat("[", maxDepth-1)+strings.Repeat("]", maxDepth-1))},

		{nome: "empty", body: "", code: CodeParse, id: "null"},
		{nome: "spaces", body: " \n", code: CodeParse, id: "null"},
		{nome: "cut", body: `{"jsonrpc":"2.0","id":1`, code: CodeParse, id: "null"},
		{nome: "two values", body: `{"jsonrpc":"2.0","id":1,"method":"m"}{}`, code: CodeParse, id: "null"},
		{nome: "not UTF-8", body: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", code: CodeParse, id: "null"},
		{nome: "too deep", body: strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), code: CodeParse, id: "null"},
		{nome: "absurdly deep", body: strings.Repeat("[", 1_000_000), code: CodeParse, id: "null"},
		{nome: "html", body: "<html>", code: CodeParse, id: "null"},

		{nome: "null", body: "null", code: CodeInvalidRequest, id: "null"},
		{nome: "empty batch", body: "[]", code: CodeInvalidRequest, id: "null"},
		{nome: "batch", body: `[{"jsonrpc":"2.0","id":1,"method":"m"}]`, code: CodeInvalidRequest, id: "null"},
		{nome: "batch of null", body: "[null]", code: CodeInvalidRequest, id: "null"},
		{nome: "number", body: "1", code: CodeInvalidRequest, id: "null"},
		{nome: "string", body: `"m"`, code: CodeInvalidRequest, id: "null"},
		{nome: "empty object", body: "{}", code: CodeInvalidRequest, id: "null"},
		{nome: "no version", body: `{"id":5,"method":"m"}`, code: CodeInvalidRequest, id: "5"},
		{nome: "version 1", body: `{"jsonrpc":"1.0","id":5,"method":"m"}`, code: CodeInvalidRequest, id: "5"},
		{nome: "no method", body: `{"jsonrpc":"2.0","id":"a"}`, code: CodeInvalidRequest, id: `"a"`},
		{nome: "method number", body: `{"jsonrpc":"2.0","id":5,"method":1}`, code: CodeInvalidRequest, id: "5"},
		{nome: "method null", body: `{"jsonrpc":"2.0","id":5,"method":null}`, code: CodeInvalidRequest, id: "5"},
		{nome: "method empty", body: `{"jsonrpc":"2.0","id":5,"method":""}`, code: CodeInvalidRequest, id: "5"},
		{nome: "id object", body: `{"jsonrpc":"2.0","id":{},"method":"m"}`, code: CodeInvalidRequest, id: "null"},
		{nome: "id list", body: `{"jsonrpc":"2.0","id":[],"method":"m"}`, code: CodeInvalidRequest, id: "null"},
		{nome: "id true", body: `{"jsonrpc":"2.0","id":true,"method":"m"}`, code: CodeInvalidRequest, id: "null"},
		{nome: "params string", body: `{"jsonrpc":"2.0","id":5,"method":"m","params":"x"}`, code: CodeInvalidParams, id: "5"},
		{nome: "a response", body: `{"jsonrpc":"2.0","id":5,"result":{}}`, code: CodeInvalidRequest, id: "5"},
		{nome: "member twice", body: `{"jsonrpc":"2.0","id":5,"method":"m","method":"n"}`, code: CodeInvalidRequest, id: "null"},
		{nome: "other case", body: `{"jsonrpc":"2.0","ID":5,"Method":"m"}`, code: CodeInvalidRequest, id: "null"},
	} {
		t.Run(c.nome, func(t *testing.T) {
			got, err := Parse([]byte(c.body), maxDepth)
			if c.code != 0 {
				var e *Error
				if !errors.As(err, &e) || e.Code != c.code {
					t.Fatalf("want code %d, got %v", c.code, err)
				}
				if string(got.ID) != c.id {
					t.Errorf("want id %s beside the error, got %q", c.id, got.ID)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got.ID) != string(c.want.ID) || (got.ID == nil) != (c.want.ID == nil) || got.Method != c.want.Method || string(got.Params) != string(c.want.Params) {
				t.Errorf("want %s %s %s, got %s %s %s", c.want.ID, c.want.Method, c.want.Params, got.ID, got.Method, got.Params)
			}
		})
	}
}

func TestMembrosNaOrdem(t *testing.T) {
	ms, err := Members([]byte(`{"b":1,"a":{"c":[]},"B":null}`))
	if err != nil || len(ms) != 3 || ms[0].Name != "b" || ms[1].Name != "a" || ms[2].Name != "B" || string(ms[1].Value) != `{"c":[]}` {
		t.Errorf("want b, a, B in this order, got %v, %v", ms, err)
	}
	for _, bad := range []string{"", "[]", "null", `{"a":1,"a":2}`, `{"a":1`, `{"a":1}x`} {
		if _, err := Object([]byte(bad)); err == nil {
			t.Errorf("%q: want an error", bad)
		}
	}
}

func TestRespostas(t *testing.T) {
	if got := string(Result(json.RawMessage("12345678901234567890"), json.RawMessage(`{"a":"<"}`))); got != `{"jsonrpc":"2.0","id":12345678901234567890,"result":{"a":"<"}}` {
		t.Errorf("result: %s", got)
	}
	if got := string(Failure(nil, &Error{Code: -1, Message: "a<b", Data: json.RawMessage(`[1]`)})); got != `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"a<b","data":[1]}}` {
		t.Errorf("failure: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "null", "[null]", `{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, `{"jsonrpc":"2.0","id":"\ud800","method":"m"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := Parse(body, maxDepth)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error of another type: %v", err)
		}
		if err != nil && !json.Valid(Failure(req.ID, e)) {
			t.Fatalf("the answer to %q is not JSON", body)
		}
		if err == nil && (req.Method == "" || req.ID != nil && !json.Valid(req.ID)) {
			t.Fatalf("%q parsed to %+v", body, req)
		}
	})
}
