package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// membersOf is Members by way of encoding/json, to compare with.
func membersOf(raw []byte) ([]Member, error) {
	if !json.Valid(raw) {
		return nil, errNotJSON
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, _ := dec.Token(); tok != json.Delim('{') {
		return nil, errNotObject
	}
	var members []Member
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name := tok.(string)
		if seen[name] {
			return nil, errors.New("twice")
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, Member{name, value})
	}
	return members, nil
}

func many(n int, twice string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":%d,`, i, i)
	}
	return "{" + b.String() + `"` + twice + `":null}`
}

var objects = []string{
	`{}`, " {\t}\r\n", `{"a":1}`, `{ "a" : 1 , "b":[1,{"x":"}]"},[]] , "c":"\"}" }`, `{"a":{"a":{"a":0}}}`,
	`{"":0}`, `{"\u0061":1}`, `{"a":1,"\u0061":2}`, `{"a":1,"a":2}`, `{"a":"\\"}`, `{"a\\":"\\\\\""}`, `{"a\"b":-1.5e+3}`,
	`{"a":true,"b":false,"c":null}`, `{"ção":"é","` + "\u2028" + `":1}`, "{\"\xff\":1}", "{\"\xff\":1,\"\xfe\":2}",
	`[]`, `null`, `"{}"`, `1`, ``, ` `, `{`, `{"a"}`, `{"a":1,}`, `{"a":1}}`, `{"a":1} {}`, `{a:1}`, `{"a":01}`, `{"a":"` + "\n" + `"}`,
	many(20, "m3"), many(20, "M3"), many(400, "m399"), many(400, "z"),
}

func TestMembros(t *testing.T) {
	for _, raw := range objects {
		for i := range len(raw) + 1 { // and whatever is cut off
			checkMembers(t, []byte(raw[:len(raw)-i]))
		}
	}
}

func checkMembers(t *testing.T, raw []byte) {
	t.Helper()
	want, wantErr := membersOf(raw)
	got, err := Members(raw)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("Members(%q): got %v, encoding/json says %v", raw, err, wantErr)
	}
	if err == nil && len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("Members(%q):\n got %q\nwant %q", raw, got, want)
	}
	if !json.Valid(raw) {
		// Whoever says that it is gets an error or parts, and no panic.
		_, _ = Split(nil, raw)
		_, _ = Elements(nil, raw)
		return
	}
	for _, m := range got { // whatever depth
		checkMembers(t, m.Value)
	}
	var list []json.RawMessage
	isList := bytes.HasPrefix(bytes.TrimSpace(raw), []byte("["))
	elements, err := Elements(nil, raw)
	if isList != (err == nil) {
		t.Fatalf("Elements(%q): %v", raw, err)
	}
	if !isList {
		return
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	if len(list)+len(elements) > 0 && !reflect.DeepEqual(elements, list) {
		t.Fatalf("Elements(%q):\n got %q\nwant %q", raw, elements, list)
	}
}

func TestTextos(t *testing.T) {
	for _, s := range []string{"", "a b", `"`, `\`, "<>&", "é", "\u2028", "\xff", "\x00\x1f\x7f", "~", strings.Repeat("x", 300)} {
		want, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendString([]byte("x"), s); string(got) != "x"+string(want) {
			t.Errorf("AppendString(%q): got %s, Marshal gives %s", s, got, want)
		}
		if got, ok := String(want); !ok || got != strings.ToValidUTF8(s, "\ufffd") {
			t.Errorf("String(%s): got %q, %v", want, got, ok)
		}
	}
	for _, raw := range []string{"", "1", "null", `"`, `"a`, `{"a":""}`} {
		if s, ok := String(json.RawMessage(raw)); ok {
			t.Errorf("String(%s): got %q, want no string", raw, s)
		}
	}
}

func FuzzMembros(f *testing.F) {
	for _, raw := range objects {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkMembers(t, raw) })
}

const chamada = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"reservar_sala","arguments":{"sala":"sala-garagem","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"agente-central-de-salas","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba90203-01"}}}`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse([]byte(chamada), 64); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMembros compares with encoding/json: the same object, both ways.
func BenchmarkMembros(b *testing.B) {
	for _, way := range []struct {
		name string
		f    func([]byte) ([]Member, error)
	}{{"Members", Members}, {"encoding-json", membersOf}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := way.f([]byte(chamada)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
