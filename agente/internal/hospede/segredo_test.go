package hospede

import (
	"encoding/json"
	"testing"
)

func TestCalar(t *testing.T) {
	const estado = `um"estado\opaco`
	if got := Calar("veja "+estado+"!", []string{"curto", estado}); got != "veja [...]!" {
		t.Errorf("got %q", got)
	}
	raw, _ := json.Marshal(map[string]any{"a": []any{estado, 12345678901234567}, estado: 1})
	if got := CalarJSON(raw, []string{estado}); string(got) != `{"[...]":1,"a":["[...]",12345678901234567]}` {
		t.Errorf("got %s", got)
	}
	intacto := json.RawMessage(`{"b": 1, "a":"curto"}`)
	if got := CalarJSON(intacto, []string{"curto", estado}); string(got) != string(intacto) {
		t.Errorf("nothing to hide, and it changed: %s", got)
	}
}

// However a server spells a state inside JSON, it is found.
func TestCalarQualquerGrafia(t *testing.T) {
	for _, c := range []struct{ estado, raw, quer string }{
		{"v1.abcdefgh", `{"a":"v1.abcdefgh"}`, `{"a":"[...]"}`},
		{"v1.abcdefgh", `{"a":"\u00761.abcdefg\u0068"}`, `{"a":"[...]"}`},
		{"v1.abcdefgh", `{"a":"v1.ABCDEFGH"}`, `{"a":"v1.ABCDEFGH"}`},
		{"estação/um", `{"a":"estação\/um"}`, `{"a":"[...]"}`},
		{"estação/um", `{"a":"x estação/um"}`, `{"a":"x [...]"}`},
		{"estado \ufffd um", "{\"a\":\"estado \xff um\"}", `{"a":"[...]"}`},
		{"linha\num dois", `{"linha\num dois":null}`, `{"[...]":null}`},
	} {
		if got := CalarJSON(json.RawMessage(c.raw), []string{"outro estado", c.estado}); string(got) != c.quer {
			t.Errorf("%q in %s: want %s, got %s", c.estado, c.raw, c.quer, got)
		}
	}
}
