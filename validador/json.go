package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// objeto is a JSON object whose values are still unread. encoding/json matches
// struct fields without regard to case; a map does not, and a key of the wrong
// case is a fault of the server that must be seen.
type objeto map[string]json.RawMessage

// comoObjeto reads raw as a JSON object; null, lists and the rest are errors
// that say what came instead.
func comoObjeto(raw []byte) (objeto, error) {
	if t := tipoJSON(raw); t != "objeto" {
		return nil, fmt.Errorf("esperado um objeto JSON, veio %s", t)
	}
	var o objeto
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, fmt.Errorf("JSON invalido: %s", trecho(raw))
	}
	return o, nil
}

// tipoJSON names the kind of a JSON text by its first byte.
func tipoJSON(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nada"
	}
	switch c := raw[0]; {
	case c == '{':
		return "objeto"
	case c == '[':
		return "lista"
	case c == '"':
		return "texto"
	case string(raw) == "null":
		return "null"
	case string(raw) == "true", string(raw) == "false":
		return "booleano"
	case c == '-', c >= '0' && c <= '9':
		return "numero"
	}
	return "algo que nao e JSON: " + trecho(raw)
}

// trecho quotes the beginning of a foreign text.
func trecho(raw []byte) string {
	const max = 80
	if len(raw) > max {
		return fmt.Sprintf("%q...", raw[:max])
	}
	return fmt.Sprintf("%q", raw)
}

func (o objeto) tem(chave string) bool {
	_, ok := o[chave]
	return ok
}

// valor gives the value of a key; null counts as missing.
func (o objeto) valor(chave string) (json.RawMessage, error) {
	raw, ok := o[chave]
	if !ok || tipoJSON(raw) == "null" {
		return nil, fmt.Errorf("falta %s", chave)
	}
	return raw, nil
}

func (o objeto) objeto(chave string) (objeto, error) {
	raw, err := o.valor(chave)
	if err != nil {
		return nil, err
	}
	dentro, err := comoObjeto(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", chave, err)
	}
	return dentro, nil
}

// texto gives a string that is not empty.
func (o objeto) texto(chave string) (string, error) {
	raw, err := o.valor(chave)
	if err != nil {
		return "", err
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("%s: esperado um texto, veio %s", chave, tipoJSON(raw))
	}
	if s == "" {
		return "", fmt.Errorf("%s: texto vazio", chave)
	}
	return s, nil
}

func (o objeto) booleano(chave string) (bool, error) {
	raw, err := o.valor(chave)
	if err != nil {
		return false, err
	}
	var b bool
	if json.Unmarshal(raw, &b) != nil {
		return false, fmt.Errorf("%s: esperado um booleano, veio %s", chave, tipoJSON(raw))
	}
	return b, nil
}

func (o objeto) lista(chave string) ([]json.RawMessage, error) {
	raw, err := o.valor(chave)
	if err != nil {
		return nil, err
	}
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil {
		return nil, fmt.Errorf("%s: esperada uma lista, veio %s", chave, tipoJSON(raw))
	}
	return l, nil
}

// textos gives a list of strings.
func (o objeto) textos(chave string) ([]string, error) {
	l, err := o.lista(chave)
	if err != nil {
		return nil, err
	}
	var textos []string
	for i, raw := range l {
		var s string
		if tipoJSON(raw) != "texto" || json.Unmarshal(raw, &s) != nil {
			return nil, fmt.Errorf("%s[%d]: esperado um texto, veio %s", chave, i, tipoJSON(raw))
		}
		textos = append(textos, s)
	}
	return textos, nil
}

// objetos gives a list of objects.
func (o objeto) objetos(chave string) ([]objeto, error) {
	l, err := o.lista(chave)
	if err != nil {
		return nil, err
	}
	var objetos []objeto
	for i, raw := range l {
		dentro, err := comoObjeto(raw)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", chave, i, err)
		}
		objetos = append(objetos, dentro)
	}
	return objetos, nil
}

// chaves gives the keys in order, so that two runs say the same.
func (o objeto) chaves() []string {
	var c []string
	for k := range o {
		c = append(c, k)
	}
	slices.Sort(c)
	return c
}

// mesmoJSON compares two JSON texts by value.
func mesmoJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
