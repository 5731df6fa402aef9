package porta

import (
	"encoding/json"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// The JSON of a Task, written without reflection: it is most of what the agent
// writes, and nearly all of it is text and ids. The bytes are those that
// encoding/json makes of the types of forma.go; what is rare in a Task (data,
// files, metadata) is left to it.

// MarshalJSON implements [json.Marshaler], for Tasks inside of something else.
func (t taskJSON) MarshalJSON() ([]byte, error) { return t.append(nil) }

// MarshalJSON implements [json.Marshaler].
func (s statusJSON) MarshalJSON() ([]byte, error) { return s.append(nil) }

func (t taskJSON) append(b []byte) ([]byte, error) {
	var err error
	b = append(b, `{"id":`...)
	b = envelope.AppendString(b, string(t.ID))
	if len(t.Artifacts) > 0 {
		b = append(b, `,"artifacts":`...)
		if b, err = appendLista(b, t.Artifacts, appendArtifact); err != nil {
			return nil, err
		}
	}
	b = append(b, `,"contextId":`...)
	b = envelope.AppendString(b, t.ContextID)
	if len(t.History) > 0 {
		b = append(b, `,"history":`...)
		if b, err = appendLista(b, t.History, appendMessage); err != nil {
			return nil, err
		}
	}
	if len(t.Metadata) > 0 {
		b = append(b, `,"metadata":`...)
		if b, err = appendOutro(b, t.Metadata); err != nil {
			return nil, err
		}
	}
	b = append(b, `,"status":`...)
	if b, err = t.Status.append(b); err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

func (s statusJSON) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	if s.Message != nil {
		var err error
		b = append(b, `"message":`...)
		if b, err = appendMessage(b, s.Message); err != nil {
			return nil, err
		}
		b = append(b, ',')
	}
	b = append(b, `"state":`...)
	b = appendTexto(b, s.State.String())
	if s.Timestamp != "" {
		b = append(b, `,"timestamp":`...)
		b = envelope.AppendString(b, s.Timestamp)
	}
	return append(b, '}'), nil
}

func appendMessage(b []byte, m *a2a.Message) ([]byte, error) {
	if m == nil || len(m.Extensions) > 0 || len(m.Metadata) > 0 || len(m.ReferenceTasks) > 0 || m.Parts == nil {
		return appendOutro(b, m)
	}
	b = append(b, `{"messageId":`...)
	b = envelope.AppendString(b, m.ID)
	if m.ContextID != "" {
		b = append(b, `,"contextId":`...)
		b = envelope.AppendString(b, m.ContextID)
	}
	b = append(b, `,"parts":`...)
	b, err := appendLista(b, m.Parts, appendPart)
	if err != nil {
		return nil, err
	}
	b = append(b, `,"role":`...)
	b = appendTexto(b, m.Role.String())
	if m.TaskID != "" {
		b = append(b, `,"taskId":`...)
		b = envelope.AppendString(b, string(m.TaskID))
	}
	return append(b, '}'), nil
}

func appendArtifact(b []byte, a *a2a.Artifact) ([]byte, error) {
	if a == nil || a.Description != "" || len(a.Extensions) > 0 || len(a.Metadata) > 0 || a.Parts == nil {
		return appendOutro(b, a)
	}
	b = append(b, `{"artifactId":`...)
	b = envelope.AppendString(b, string(a.ID))
	if a.Name != "" {
		b = append(b, `,"name":`...)
		b = envelope.AppendString(b, a.Name)
	}
	b = append(b, `,"parts":`...)
	b, err := appendLista(b, a.Parts, appendPart)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

func appendPart(b []byte, p *a2a.Part) ([]byte, error) {
	if p == nil || p.Filename != "" || p.MediaType != "" || len(p.Metadata) > 0 {
		return appendOutro(b, p)
	}
	texto, ok := p.Content.(a2a.Text)
	if !ok {
		return appendOutro(b, p)
	}
	b = append(b, `{"text":`...)
	b = appendTexto(b, string(texto))
	return append(b, '}'), nil
}

// appendTexto writes a text as the SDK's types write theirs: with <, > and &
// escaped.
func appendTexto(b []byte, s string) []byte {
	if !strings.ContainsAny(s, "<>&") {
		return envelope.AppendString(b, s)
	}
	raw, _ := json.Marshal(s) // a string: cannot fail
	return append(b, raw...)
}

func appendLista[T any](b []byte, todos []T, um func([]byte, T) ([]byte, error)) ([]byte, error) {
	b = append(b, '[')
	for i, v := range todos {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = um(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendOutro(b []byte, v any) ([]byte, error) {
	raw, err := envelope.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(b, raw...), nil
}
