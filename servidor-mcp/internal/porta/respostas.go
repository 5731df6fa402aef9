package porta

import (
	"encoding/json"

	"hillvalley.example/ponte/internal/envelope"
)

// semRespostasVazias returns params without the input responses that answer
// nothing: null, an object without any member that a result has, or no object
// at all. To the tool they are missing, and it may ask again (MCP 2026-07-28,
// MRTR, "Error Handling"); the SDK would refuse the whole request for one of
// them, also for one under a key that nobody asked for.
//
// inputResponses that are no object are an error where they come with a state;
// without one nobody has asked, and they are left out.
func semRespostasVazias(params, respostas json.RawMessage, comEstado bool) (json.RawMessage, error) {
	var ficam []envelope.Member
	if string(respostas) != "null" {
		todas, err := envelope.Split(nil, respostas)
		if err != nil && comEstado {
			return nil, err
		}
		for _, m := range todas {
			if respondeAlgo(m.Value) {
				ficam = append(ficam, m)
			}
		}
	}
	members, err := envelope.Split(nil, params)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		if m.Name == "inputResponses" {
			members[i].Value = envelope.Encode(ficam)
		}
	}
	return envelope.Encode(members), nil
}

// respondeAlgo reports whether a value looks like the result of one of the
// requests that a server may make: an elicitation, sampling or roots.
func respondeAlgo(raw json.RawMessage) bool {
	m, err := envelope.Split(nil, raw)
	return err == nil && (envelope.Find(m, "action") != nil || envelope.Find(m, "role") != nil || envelope.Find(m, "roots") != nil)
}
