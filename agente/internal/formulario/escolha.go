package formulario

import (
	"encoding/json"

	"hillvalley.example/ponte/internal/envelope"
)

// lerEscolha reads the form that is asked for most: one property, a string out of a
// list. ok is false for any other, and for one in which anything else stands:
// those are for [Ler] to read.
func lerEscolha(esquema json.RawMessage) (c Campo, ok bool) {
	m, err := envelope.Members(esquema)
	if err != nil || !soTem(m, "type", "properties", "required") || string(envelope.Find(m, "type")) != `"object"` {
		return c, false
	}
	var uma [1]json.RawMessage
	obrigatorias, err := envelope.Elements(uma[:0], envelope.Find(m, "required"))
	if err != nil || len(obrigatorias) != 1 {
		return c, false
	}
	obrigatoria, ok := envelope.String(obrigatorias[0])
	if !ok {
		return c, false
	}
	var prop [1]envelope.Member
	props, err := envelope.Split(prop[:0], envelope.Find(m, "properties"))
	if err != nil || len(props) != 1 || props[0].Name != obrigatoria {
		return c, false
	}
	var membros [4]envelope.Member
	campo, err := envelope.Split(membros[:0], props[0].Value)
	if err != nil || !soTem(campo, "type", "enum", "title") || string(envelope.Find(campo, "type")) != `"string"` {
		return c, false
	}
	var textos [8]json.RawMessage
	opcoes, err := envelope.Elements(textos[:0], envelope.Find(campo, "enum"))
	if err != nil || len(opcoes) == 0 {
		return c, false
	}
	c = Campo{
		Nome: obrigatoria, Tipo: Escolha, Obrigatorio: true,
		MinTamanho: -1, MaxTamanho: -1, MinItens: -1, MaxItens: -1,
		Opcoes: make([]string, len(opcoes)),
	}
	for i, raw := range opcoes {
		if c.Opcoes[i], ok = envelope.String(raw); !ok {
			return Campo{}, false
		}
	}
	return c, true
}

// soTem reports whether an object has no members but these.
func soTem(m []envelope.Member, a, b, c string) bool {
	for i := range m {
		if n := m[i].Name; n != a && n != b && n != c {
			return false
		}
	}
	return true
}
