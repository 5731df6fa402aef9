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
