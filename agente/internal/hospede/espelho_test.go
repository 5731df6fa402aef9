package hospede

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// A mark is found however deep it may lie, and none is looked for below that: a
// schema that nests without end costs no more than one look.
func TestEspelhosTemFundo(t *testing.T) {
	fundo := func(n int, dentro string) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"type":"object","properties":{"p":`, n) + dentro + strings.Repeat("}}", n))
	}
	const marcado = `{"type":"string","x-mcp-header":"Fundo"}`
	if es, err := espelhosDe(fundo(maxCaminho, marcado)); err != nil || len(es) != 1 || len(es[0].caminho) != maxCaminho {
		t.Errorf("a mark %d deep: want it found, got %v, %v", maxCaminho, es, err)
	}
	if es, err := espelhosDe(fundo(maxCaminho+1, marcado)); !errors.Is(err, errEspelho) {
		t.Errorf("a mark %d deep: want the tool left out, got %v, %v", maxCaminho+1, es, err)
	}
	largo := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	antes := time.Now()
	if es, err := espelhosDe(fundo(490, largo)); err != nil || len(es) != 0 {
		t.Errorf("no mark: got %v, %v", es, err)
	}
	if _, err := espelhosDe(fundo(490, `{"x-mcp-header":"`+strings.Repeat("x", 1<<20)+`"}`)); !errors.Is(err, errEspelho) {
		t.Errorf("a mark without end, far down: want the tool left out, got %v", err)
	}
	t.Logf("two schemas of a megabyte, 490 deep: %s", time.Since(antes))
}
