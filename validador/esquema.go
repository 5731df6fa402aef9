package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// esquema checks values against the part of JSON Schema 2020-12 that schema
// generators emit for plain data: type, properties, required, items,
// additionalProperties, enum, const, local $ref, allOf, anyOf, oneOf. Other
// keywords are let pass. The schema comes from a server, so passos bounds the
// work that references to itself can cause.
type esquema struct {
	raiz   any
	passos int
}

var errEsquemaPesado = errors.New("outputSchema complexo demais para conferir")

// conformeEsquema says where valor breaks raw, if it does.
func conformeEsquema(raw, valor json.RawMessage) error {
	var raiz, v any
	if json.Unmarshal(raw, &raiz) != nil || json.Unmarshal(valor, &v) != nil {
		return errors.New("JSON invalido")
	}
	e := &esquema{raiz: raiz, passos: 10_000}
	return e.conferir(raiz, v, "structuredContent")
}

func (e *esquema) conferir(esq, v any, onde string) error {
	if e.passos--; e.passos < 0 {
		return errEsquemaPesado
	}
	if b, ok := esq.(bool); ok {
		if !b {
			return fmt.Errorf("%s: nao permitido pelo esquema", onde)
		}
		return nil
	}
	m, ok := esq.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: o esquema nao e um objeto", onde)
	}
	if ref, ok := m["$ref"].(string); ok {
		alvo, err := e.resolver(ref)
		if err != nil {
			return err
		}
		if err := e.conferir(alvo, v, onde); err != nil {
			return err
		}
	}
	if t, ok := m["type"]; ok && !tipoAceita(t, v) {
		return fmt.Errorf("%s: tipo fora do esquema (esperado %v)", onde, t)
	}
	if c, ok := m["const"]; ok && !reflect.DeepEqual(c, v) {
		return fmt.Errorf("%s: valor diferente do const", onde)
	}
	if en, ok := m["enum"].([]any); ok && !slices.ContainsFunc(en, func(c any) bool { return reflect.DeepEqual(c, v) }) {
		return fmt.Errorf("%s: valor fora do enum", onde)
	}
	if err := e.combinacoes(m, v, onde); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		return e.membros(m, v, onde)
	case []any:
		if itens, ok := m["items"]; ok {
			for i, item := range v {
				if err := e.conferir(itens, item, dentro(onde, fmt.Sprintf("[%d]", i))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// membros checks an object's required, properties and additionalProperties.
func (e *esquema) membros(m, v map[string]any, onde string) error {
	exigidas, _ := m["required"].([]any)
	for _, r := range exigidas {
		if nome, ok := r.(string); ok {
			if _, tem := v[nome]; !tem {
				return fmt.Errorf("%s: falta %s, que o esquema exige", onde, nome)
			}
		}
	}
	props, _ := m["properties"].(map[string]any)
	extra, temExtra := m["additionalProperties"]
	nomes := make([]string, 0, len(v))
	for nome := range v {
		nomes = append(nomes, nome)
	}
	slices.Sort(nomes)
	for _, nome := range nomes {
		sub, conhecida := props[nome]
		if !conhecida {
			if !temExtra {
				continue
			}
			sub = extra
		}
		if err := e.conferir(sub, v[nome], dentro(onde, "."+nome)); err != nil {
			return err
		}
	}
	return nil
}

// dentro extends a path, up to a length that is still worth printing.
func dentro(onde, passo string) string {
	if len(onde)+len(passo) > 120 {
		return onde
	}
	return onde + passo
}

// combinacoes checks allOf, anyOf and oneOf.
func (e *esquema) combinacoes(m map[string]any, v any, onde string) error {
	for _, palavra := range []string{"allOf", "anyOf", "oneOf"} {
		lista, ok := m[palavra].([]any)
		if !ok {
			continue
		}
		aceitos := 0
		for _, sub := range lista {
			err := e.conferir(sub, v, onde)
			if errors.Is(err, errEsquemaPesado) {
				return err
			}
			if err == nil {
				aceitos++
			}
		}
		bom := aceitos > 0
		switch palavra {
		case "allOf":
			bom = aceitos == len(lista)
		case "oneOf":
			bom = aceitos == 1
		}
		if !bom {
			return fmt.Errorf("%s: nao satisfaz %s", onde, palavra)
		}
	}
	return nil
}

// desescapar undoes the escapes of a JSON pointer.
var desescapar = strings.NewReplacer("~1", "/", "~0", "~")

// resolver follows a reference inside the schema. References to the network
// are never followed (specification, JSON Schema Usage).
func (e *esquema) resolver(ref string) (any, error) {
	caminho, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, fmt.Errorf("outputSchema com $ref externo %q", ref)
	}
	atual := e.raiz
	for _, passo := range strings.Split(caminho, "/")[1:] {
		passo = desescapar.Replace(passo)
		m, _ := atual.(map[string]any)
		proximo, ok := m[passo]
		if !ok {
			return nil, fmt.Errorf("outputSchema com $ref quebrado %q", ref)
		}
		atual = proximo
	}
	return atual, nil
}

// tipoAceita applies the keyword type, a name or a list of names.
func tipoAceita(t, v any) bool {
	if lista, ok := t.([]any); ok {
		return slices.ContainsFunc(lista, func(um any) bool { return tipoAceita(um, v) })
	}
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v)
	}
	return false
}
