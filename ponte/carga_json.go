package main

import (
	"encoding/json"
	"iter"
)

// membrosDe goes once over the members of a JSON object, giving each value as
// it stands, without decoding anything: the generator looks at a few members of
// every answer, and its time is taken from those that it measures. It ends at
// the first byte that is not as it should be; of a value that is skipped only
// the nesting is looked at. Names are compared as they are spelled.
func membrosDe(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(nome, valor []byte) bool) {
		i := brancos(raw, 0)
		if i >= len(raw) || raw[i] != '{' {
			return
		}
		for i = brancos(raw, i+1); i < len(raw) && raw[i] == '"'; i = brancos(raw, i+1) {
			fim := fimDaString(raw, i)
			dois := brancos(raw, fim)
			if dois >= len(raw) || raw[dois] != ':' {
				return
			}
			inicio := brancos(raw, dois+1)
			depois := fimDoValor(raw, inicio)
			if depois <= inicio || !yield(raw[i+1:fim-1], raw[inicio:depois]) {
				return
			}
			if i = brancos(raw, depois); i >= len(raw) || raw[i] != ',' {
				return
			}
		}
	}
}

// membroDe is the value at a path of names, or nil where there is none.
func membroDe(raw []byte, caminho ...string) []byte {
	for _, nome := range caminho {
		var achado []byte
		for n, v := range membrosDe(raw) {
			if string(n) == nome {
				achado = v
				break
			}
		}
		raw = achado
	}
	return raw
}

// primeiroDe is the first element of a JSON array, or nil.
func primeiroDe(raw []byte) []byte {
	i := brancos(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil
	}
	i = brancos(raw, i+1)
	return raw[min(i, len(raw)):max(fimDoValor(raw, i), min(i, len(raw)))]
}

// textoJSON is the text of a JSON string, or "" of anything else.
func textoJSON(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
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

func brancos(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

// fimDaString is the index after the string that begins at i.
func fimDaString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(raw)
}

// fimDoValor is the index after the value that begins at i, or i when none
// does or it does not end.
func fimDoValor(raw []byte, i int) int {
	fundo := 0
	for j := i; j < len(raw); j++ {
		switch c := raw[j]; c {
		case '"':
			j = fimDaString(raw, j) - 1
			if fundo == 0 {
				return j + 1
			}
		case '{', '[':
			fundo++
		case '}', ']':
			if fundo--; fundo == 0 {
				return j + 1
			}
			if fundo < 0 {
				return j // the end of what the value stands in
			}
		case ',', ' ', '\n', '\r', '\t':
			if fundo == 0 {
				return j
			}
		}
	}
	if fundo > 0 {
		return i
	}
	return len(raw)
}
