package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// objeto is a JSON object whose members keep their order, so that a recorded
// exchange reads as it was written. Values are objeto, []any, string,
// json.Number, bool, nil, and in what this program writes itself also int.
type objeto []membro

// membro is one name and value.
type membro struct {
	nome  string
	valor any
}

// MarshalJSON implements [json.Marshaler].
func (o objeto) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		nome, err := codificar(m.nome)
		if err != nil {
			return nil, err
		}
		valor, err := codificar(m.valor)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, nome...), ':'), valor...)
	}
	return append(b, '}'), nil
}

// em returns the value at a path of names, or nil where there is none.
func em(v any, caminho ...string) any {
	for _, nome := range caminho {
		o, _ := v.(objeto)
		i := slices.IndexFunc(o, func(m membro) bool { return m.nome == nome })
		if i < 0 {
			return nil
		}
		v = o[i].valor
	}
	return v
}

// com returns the object with one member set: in its place when it is there
// already, else at the end.
func (o objeto) com(nome string, valor any) objeto {
	o = slices.Clone(o)
	if i := slices.IndexFunc(o, func(m membro) bool { return m.nome == nome }); i >= 0 {
		o[i].valor = valor
		return o
	}
	return append(o, membro{nome, valor})
}

// sem returns the object without the named members.
func (o objeto) sem(nomes ...string) objeto {
	return slices.DeleteFunc(slices.Clone(o), func(m membro) bool { return slices.Contains(nomes, m.nome) })
}

// codificar encodes a value compactly, leaving <, > and & as they are.
func codificar(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// legivel encodes a value for people: two spaces a level, a line break at the
// end.
func legivel(v any) ([]byte, error) {
	raw, err := codificar(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// lerJSON reads one JSON value, keeping the order of members and the digits of
// numbers.
func lerJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := lerValor(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("data after the value")
	}
	return v, nil
}

func lerValor(dec *json.Decoder) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('['):
		lista := []any{}
		for dec.More() {
			v, err := lerValor(dec)
			if err != nil {
				return nil, err
			}
			lista = append(lista, v)
		}
		_, err = dec.Token()
		return lista, err
	case json.Delim('{'):
		o := objeto{}
		for dec.More() {
			nome, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := lerValor(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, membro{nome.(string), v})
		}
		_, err = dec.Token()
		return o, err
	}
	return tok, nil
}
