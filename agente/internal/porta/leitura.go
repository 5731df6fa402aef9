package porta

import (
	"encoding/json"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// lerSimples reads the parameters of a SendMessage that has nothing but ids and
// texts, spelled as JSON spells them, as nearly all are. ok is false for any
// other, which is for [ler] to read: also for one in which something is wrong.
// raw must be valid JSON.
func lerSimples(raw json.RawMessage) (req *a2a.SendMessageRequest, ok bool) {
	var params, message [8]envelope.Member
	ps, err := envelope.Split(params[:0], raw)
	if err != nil || len(ps) != 1 || ps[0].Name != "message" {
		return nil, false
	}
	ms, err := envelope.Split(message[:0], ps[0].Value)
	if err != nil {
		return nil, false
	}
	m := &a2a.Message{}
	for _, membro := range ms {
		if membro.Name == "parts" {
			if m.Parts, ok = lerTextos(membro.Value); !ok {
				return nil, false
			}
			continue
		}
		s, ok := envelope.String(membro.Value)
		if !ok {
			return nil, false
		}
		switch membro.Name {
		case "messageId":
			m.ID = s
		case "role":
			if s != string(a2a.MessageRoleUser) {
				return nil, false
			}
			m.Role = a2a.MessageRoleUser
		case "taskId":
			m.TaskID = a2a.TaskID(s)
		case "contextId":
			m.ContextID = s
		default:
			return nil, false
		}
	}
	return &a2a.SendMessageRequest{Message: m}, true
}

// lerTextos reads parts that have one text each and nothing else.
func lerTextos(raw json.RawMessage) (a2a.ContentParts, bool) {
	var some [4]json.RawMessage
	elements, err := envelope.Elements(some[:0], raw)
	if err != nil || len(elements) == 0 {
		return nil, false
	}
	parts := make(a2a.ContentParts, len(elements))
	for i, e := range elements {
		var one [2]envelope.Member
		ms, err := envelope.Split(one[:0], e)
		if err != nil || len(ms) != 1 || ms[0].Name != "text" {
			return nil, false
		}
		s, ok := envelope.String(ms[0].Value)
		if !ok {
			return nil, false
		}
		parts[i] = a2a.NewTextPart(s)
	}
	return parts, true
}
