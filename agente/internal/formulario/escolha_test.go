package formulario

import (
	"encoding/json"
	"reflect"
	"testing"
)

var esquemas = []string{
	`{"type":"object","properties":{"sala":{"type":"string","enum":["a","b"]}},"required":["sala"]}`,
	` {"required" : [ "a\u0062" ] , "properties" : {"ab":{"enum":["x \"","é"],"title":"T","type":"string"}} ,"type":"object"} `,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"title":7}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"Enum":["y"]}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"enum":["y"]}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"const":"y"}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x",null]}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":[]}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":null}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"array","enum":["x"]}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}},"required":["b"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}},"required":["a","a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`,
	`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
	`{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"string"}},"required":["a"]}`,
	`{"type":"array","properties":{"a":{"type":"string","enum":["x"]}},"required":["a"]}`,
	`{"$schema":"s","type":"object","properties":{"a":{"type":"string","enum":["x"]}},"required":["a"]}`,
	``, `null`, `[]`, `{}`, `{"type":"object"`, `{"type":"object","properties":7,"required":7}`,
}

// What the short way reads is what the long one reads.
func conferirEscolha(t *testing.T, esquema []byte) bool {
	t.Helper()
	c, ok := lerEscolha(esquema)
	if !ok {
		return false
	}
	quer, err := lerQualquer(esquema)
	if err != nil || !reflect.DeepEqual(Formulario{c}, quer) {
		t.Fatalf("%s is read differently:\n got %+v\nwant %+v, %v", esquema, c, quer, err)
	}
	return true
}

func TestEscolhaIgualAQualquer(t *testing.T) {
	lidos := 0
	for _, e := range esquemas {
		if conferirEscolha(t, []byte(e)) {
			lidos++
		}
	}
	if lidos != 3 {
		t.Errorf("want the short way for 3 of the schemas, got %d", lidos)
	}
}

func FuzzEscolha(f *testing.F) {
	for _, e := range esquemas {
		f.Add([]byte(e))
	}
	f.Fuzz(func(t *testing.T, esquema []byte) { conferirEscolha(t, esquema) })
}

// BenchmarkLer compares both ways on the same schema.
func BenchmarkLer(b *testing.B) {
	esquema := json.RawMessage(esquemas[0])
	b.Run("lerEscolha", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := lerEscolha(esquema); !ok {
				b.Fatal("not read")
			}
		}
	})
	b.Run("lerQualquer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := lerQualquer(esquema); err != nil {
				b.Fatal(err)
			}
		}
	})
}
