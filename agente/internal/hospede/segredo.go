package hospede

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"hillvalley.example/ponte/internal/envelope"
)

// minEstado is the shortest requestState, in bytes, that is looked for in what
// a server says. A shorter one could keep nothing secret, and hiding it would
// mangle ordinary words.
const minEstado = 8

// Calar removes requestStates from a text that came from the server's side.
// They are the server's secret with itself: not even a server that repeats one
// in a message may carry it out through the agent.
func Calar(texto string, estados []string) string {
	for _, e := range estados {
		if len(e) >= minEstado {
			texto = strings.ReplaceAll(texto, e, "[...]")
		}
	}
	return texto
}

// CalarJSON is [Calar] for the strings inside a JSON value. A value in which
// there is nothing to hide comes back as it was.
func CalarJSON(raw json.RawMessage, estados []string) json.RawMessage {
	if !mostraAlgum(raw, estados) {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	achou := false
	if v = calarValor(v, estados, &achou); !achou {
		return raw
	}
	out, err := envelope.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// mostraAlgum reports whether a state may stand in a JSON value. It looks at the
// bytes: only a text with escapes, or one that is not UTF-8, can spell one in
// another way.
func mostraAlgum(raw json.RawMessage, estados []string) bool {
	if len(estados) == 0 {
		return false
	}
	if bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return true
	}
	return slices.ContainsFunc(estados, func(e string) bool {
		return len(e) >= minEstado && bytes.Contains(raw, []byte(e))
	})
}

func calarValor(v any, estados []string, achou *bool) any {
	switch v := v.(type) {
	case string:
		s := Calar(v, estados)
		*achou = *achou || s != v
		return s
	case []any:
		for i := range v {
			v[i] = calarValor(v[i], estados, achou)
		}
	case map[string]any:
		limpo := make(map[string]any, len(v))
		for nome, valor := range v {
			limpo[calarValor(nome, estados, achou).(string)] = calarValor(valor, estados, achou)
		}
		return limpo
	}
	return v
}

// Ocultar removes requestStates from what an outcome shows.
func Ocultar(d Desfecho, estados []string) Desfecho {
	switch d := d.(type) {
	case Recusado:
		return Recusado{Calar(d.Mensagem, estados)}
	case Concluido:
		return Concluido{CalarJSON(d.Estruturado, estados)}
	}
	return d
}
