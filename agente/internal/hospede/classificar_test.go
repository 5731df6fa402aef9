package hospede

import (
	"encoding/json"
	"testing"
)

// What a pause keeps is no part of the answer, which may be far larger.
func TestDesfechoNaoGuardaAResposta(t *testing.T) {
	for _, result := range []string{
		`{"resultType":"input_required","requestState":"s","inputRequests":{"z":{"method":"elicitation/create","params":{"message":"M","requestedSchema":{"type":"object"}}}}}`,
		`{"structuredContent":{"a":"b"}}`,
		`{"isError":true,"content":[{"type":"text","text":"nao"}]}`,
	} {
		raw := json.RawMessage(result)
		d, err := classificar(raw)
		if err != nil {
			t.Fatal(err)
		}
		antes := ver(d)
		for i := range raw {
			raw[i] = 'x'
		}
		if got := ver(d); got != antes {
			t.Errorf("the answer is still in %s", got)
		}
	}
}
