package formulario

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

func TestLer(t *testing.T) {
	f, err := Ler(json.RawMessage(`{"type":"object","properties":{
		"z":{"type":"string","enum":["b","a"]},
		"um":{"type":"string","const":"so"},
		"titulos":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},
		"varias":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y","w"]}},
		"titulosVarias":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"}]}},
		"n":{"type":"number","minimum":0.5,"maximum":9},
		"i":{"type":"integer"},
		"b":{"type":"boolean","default":true},
		"s":{"type":"string","minLength":2,"maxLength":3},
		"mail":{"type":"string","format":"email"}},"required":["z","n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range f {
		got += fmt.Sprintf("%s:%d%v%s ", c.Nome, c.Tipo, c.Opcoes, map[bool]string{true: "!"}[c.Obrigatorio])
	}
	const want = "z:4[b a]! um:4[so] titulos:4[r g] varias:5[x y w] titulosVarias:5[1] n:1[]! i:2[] b:3[] s:0[] mail:0[] "
	if got != want {
		t.Errorf("fields in the schema's order:\nwant %s\ngot  %s", want, got)
	}
}

func TestEsquemasRuins(t *testing.T) {
	for _, s := range []string{
		``, `null`, `7`, `{}`, `{"type":"array"}`, `{"type":"object","properties":[]}`,
		`{"type":"object","properties":{"a":{"type":"object"}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`,
		`{"type":"object","properties":{"a":{"type":"array"}}}`,
		`{"type":"object","properties":{"a":{"oneOf":[{"title":"x"}]}}}`,
		`{"type":"object","properties":{"a":7}}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`,
		`{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}`,
		`{"type":"object","properties":{},"required":["a"]}`,
	} {
		if f, err := Ler(json.RawMessage(s)); !errors.Is(err, ErrEsquema) {
			t.Errorf("%s: want ErrEsquema, got %v, %v", s, f, err)
		}
	}
	if f, err := Ler(json.RawMessage(`{"type":"object"}`)); err != nil || len(f) != 0 {
		t.Errorf("a form without fields is one: %v, %v", f, err)
	}
}

func TestValor(t *testing.T) {
	campo := func(schema string) Campo {
		f, err := Ler(json.RawMessage(`{"type":"object","properties":{"c":` + schema + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		return f[0]
	}
	for _, c := range []struct{ schema, texto, want string }{
		{`{"type":"string","enum":["a","b c"]}`, "b c", `b c`},
		{`{"type":"string","enum":["a"]}`, "A", ""},
		{`{"type":"boolean"}`, "sim", "true"},
		{`{"type":"boolean"}`, "false", "false"},
		{`{"type":"boolean"}`, "talvez", ""},
		{`{"type":"integer","minimum":1,"maximum":3}`, "3", "3"},
		{`{"type":"integer","minimum":1,"maximum":3}`, "4", ""},
		{`{"type":"integer"}`, "3.0", ""},
		{`{"type":"number"}`, "2.5", "2.5"},
		{`{"type":"number"}`, "NaN", ""},
		{`{"type":"number"}`, "1_0", ""},
		{`{"type":"number"}`, "0x10", ""},
		{`{"type":"integer"}`, "+3", ""},
		{`{"type":"string","minLength":2.0}`, "a", ""},
		{`{"type":"number"}`, "1e999", ""},
		{`{"type":"number","minimum":0}`, "-1", ""},
		{`{"type":"string","minLength":2,"maxLength":3}`, "éã", "éã"},
		{`{"type":"string","minLength":2,"maxLength":3}`, "abcd", ""},
		{`{"type":"string","format":"email"}`, "doc@hillvalley.example", "doc@hillvalley.example"},
		{`{"type":"string","format":"email"}`, "Doc <doc@hillvalley.example>", ""},
		{`{"type":"string","format":"uri"}`, "https://x/y", "https://x/y"},
		{`{"type":"string","format":"uri"}`, "x/y", ""},
		{`{"type":"string","format":"date"}`, "2026-02-29", ""},
		{`{"type":"string","format":"date"}`, "2026-02-28", "2026-02-28"},
		{`{"type":"string","format":"date-time"}`, "2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"},
		{`{"type":"string","format":"date-time"}`, "2026-02-28 10:00", ""},
		{`{"type":"array","items":{"enum":["a","b"]}}`, "b, a", "[b a]"},
		{`{"type":"array","items":{"enum":["a","b"]}}`, "a,a", ""},
		{`{"type":"array","items":{"enum":["a","b"]}}`, "a,c", ""},
		{`{"type":"array","items":{"enum":["a","b"]}}`, "", "[]"},
		{`{"type":"array","minItems":1,"items":{"enum":["a","b"]}}`, "", ""},
		{`{"type":"array","maxItems":1,"items":{"enum":["a","b"]}}`, "a,b", ""},
	} {
		v, err := campo(c.schema).Valor(c.texto)
		if c.want == "" {
			if !errors.Is(err, ErrValor) {
				t.Errorf("%s %q: want ErrValor, got %v, %v", c.schema, c.texto, v, err)
			}
		} else if err != nil || fmt.Sprint(v) != c.want {
			t.Errorf("%s %q: want %s, got %v, %v", c.schema, c.texto, c.want, v, err)
		}
	}
}

// A value that comes as JSON has the JSON type of its field, and fits it.
func TestConferir(t *testing.T) {
	for _, c := range []struct{ schema, valor, want string }{
		{`{"type":"string","enum":["a","b c"]}`, `"b c"`, `string b c`},
		{`{"type":"string","enum":["a"]}`, `"A"`, ""},
		{`{"type":"string","enum":["a"]}`, `["a"]`, ""},
		{`{"type":"boolean"}`, `true`, "bool true"},
		{`{"type":"boolean"}`, `"true"`, ""},
		{`{"type":"integer","minimum":1,"maximum":3}`, `3`, "int64 3"},
		{`{"type":"integer"}`, `3.0`, "int64 3"},
		{`{"type":"integer"}`, `3.5`, ""},
		{`{"type":"integer"}`, `1e300`, ""},
		{`{"type":"integer","maximum":3}`, `4`, ""},
		{`{"type":"integer"}`, `"3"`, ""},
		{`{"type":"number"}`, `2.5`, "float64 2.5"},
		{`{"type":"number","minimum":3}`, `2.5`, ""},
		{`{"type":"string","maxLength":3}`, `"abcd"`, ""},
		{`{"type":"string"}`, `null`, ""},
		{`{"type":"string","format":"date"}`, `"2026-02-29"`, ""},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `["b","a"]`, "[]string [b a]"},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `["a","a"]`, ""},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `["a",7]`, ""},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `"a,b"`, ""},
		{`{"type":"array","minItems":1,"items":{"enum":["a","b"]}}`, `[]`, ""},
	} {
		f, err := Ler(json.RawMessage(`{"type":"object","properties":{"c":` + c.schema + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal([]byte(c.valor), &v); err != nil {
			t.Fatal(err)
		}
		got, err := f[0].Conferir(v)
		if c.want == "" {
			if !errors.Is(err, ErrValor) {
				t.Errorf("%s %s: want ErrValor, got %v, %v", c.schema, c.valor, got, err)
			}
		} else if err != nil || fmt.Sprintf("%T %v", got, got) != c.want {
			t.Errorf("%s %s: want %s, got %T %v, %v", c.schema, c.valor, c.want, got, got, err)
		}
	}
}

func FuzzLer(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}},"required":["a"]}`), "x")
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"array","items":null}}}`), "")
	f.Fuzz(func(t *testing.T, schema []byte, texto string) {
		form, err := Ler(schema)
		if err != nil {
			return
		}
		for _, c := range form {
			_, _ = c.Valor(texto)
			_ = c.Dica()
		}
	})
}
