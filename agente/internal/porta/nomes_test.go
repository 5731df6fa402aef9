package porta

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestEmCamelCase(t *testing.T) {
	for _, c := range []struct{ raw, want string }{ // want is empty for an error
		{`{}`, `{}`}, {`{ "a" : [ 1 , "x_y", {"task_id":"t\"_"} ] }`, `{ "a" : [ 1 , "x_y", {"taskId":"t\"_"} ] }`},
		{`{"message":{"message_id":"task_id","metadata":{"task_id":1,"task_id":2},"parts":[{"data":[{"page_size":1}],"media_type":"x"}]}}`,
			`{"message":{"messageId":"task_id","metadata":{"task_id":1,"task_id":2},"parts":[{"data":[{"page_size":1}],"mediaType":"x"}]}}`},
		{`{"task\u005fid":"x"}`, `{"taskId":"x"}`}, {`{"other_name":-1.5e3,"b":null,"c":true}`, `{"other_name":-1.5e3,"b":null,"c":true}`},
		{`{"id":1,"id":2}`, ""}, {`{"id":1,"ID":2}`, ""}, {`{"task_id":1,"taskId":2}`, ""}, {`{"a":[{"b":1,"b":1}]}`, ""}, {`{"id":1,"\u0069d":2}`, ""},
		{`{"a":{"id":1},"b":{"id":1}}`, `{"a":{"id":1},"b":{"id":1}}`},
	} {
		got, err := emCamelCase(json.RawMessage(c.raw))
		if (err != nil) != (c.want == "") || string(got) != c.want {
			t.Errorf("%s:\nwant %s\ngot  %s, %v", c.raw, c.want, got, err)
		}
	}
}

// Whatever is valid JSON comes out valid, with the same values; what has no name
// of the protocol's in it comes out as it was.
func FuzzEmCamelCase(f *testing.F) {
	for _, s := range []string{`{"task_id":"x"}`, `[[],{}]`, `"a"`, `-1`, `{"\\":"\"","b":[1,2,{"c_d":null}]}`, ` { "a" : 1 } `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		got, err := emCamelCase(bytes.TrimSpace(raw))
		if err != nil {
			return
		}
		var antes, depois any
		if json.Unmarshal(raw, &antes) != nil {
			return
		}
		if err := json.Unmarshal(got, &depois); err != nil {
			t.Fatalf("%s: %s: %v", raw, got, err)
		}
		if !bytes.ContainsAny(raw, `_\`) && !bytes.Equal(got, bytes.TrimSpace(raw)) {
			t.Fatalf("%s changed to %s", raw, got)
		}
	})
}

// A deep value costs as much as a flat one of its size: the ratio says so.
func BenchmarkEmCamelCase(b *testing.B) {
	const n = 60_000
	enchido := strings.Repeat(`"a_b",`, n/6)
	for nome, raw := range map[string]string{
		"flat": `{"x":[` + enchido + `1]}`,
		"deep": strings.Repeat(`{"x":[`, 28) + enchido + `1` + strings.Repeat(`]}`, 28),
	} {
		b.Run(nome, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := emCamelCase(json.RawMessage(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
