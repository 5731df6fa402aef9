package main

import "hillvalley.example/ponte/internal/envelope"

// The generator looks at a few members of every answer and decodes none: its time
// is taken from those that it measures. Of what is no JSON it sees nothing, which
// it then misses.

// membroDe is the value at a path of names, or nil where there is none.
func membroDe(raw []byte, caminho ...string) []byte {
	var no [8]envelope.Member
	for _, nome := range caminho {
		membros, err := envelope.Split(no[:0], raw)
		if err != nil {
			return nil
		}
		raw = envelope.Find(membros, nome)
	}
	return raw
}

// membrosDe are the members of an object; of anything else there are none.
func membrosDe(raw []byte) []envelope.Member {
	membros, err := envelope.Split(nil, raw)
	if err != nil {
		return nil
	}
	return membros
}

// primeiroDe is the first element of an array, or nil.
func primeiroDe(raw []byte) []byte {
	elementos, err := envelope.Elements(nil, raw)
	if err != nil || len(elementos) == 0 {
		return nil
	}
	return elementos[0]
}

// textoJSON is the text of a JSON string, or "" of anything else.
func textoJSON(raw []byte) string {
	s, _ := envelope.String(raw)
	return s
}

// semAspas is what stands between the quotes of a JSON string, still escaped,
// or nil of anything else.
func semAspas(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}
