// Package formulario reads the form of an elicitation, the restricted JSON
// Schema of MCP 2026-07-28 (Elicitation, "Requested Schema"), shows it as one
// line of text, and turns a caller's text into the content that the schema
// asks for. It is pure: schema and text in, text and values out.
package formulario

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hillvalley.example/ponte/internal/envelope"
)

// Tipo is the kind of a field.
type Tipo int

// The kinds of fields that the specification allows.
const (
	Texto Tipo = iota
	Numero
	Inteiro
	Booleano
	// Escolha is one value of a list; Varias is several of them.
	Escolha
	Varias
)

// Campo is one property of a form.
type Campo struct {
	Nome        string
	Tipo        Tipo
	Obrigatorio bool
	// Opcoes are the values of Escolha and Varias, in the order of the schema.
	Opcoes []string
	// Formato is email, uri, date, date-time or empty; only for Texto.
	Formato string
	// MinTamanho and MaxTamanho bound a Texto, in characters. Negative for none.
	MinTamanho, MaxTamanho int
	// Minimo and Maximo bound a number; nil for none.
	Minimo, Maximo *float64
	// MinItens and MaxItens bound Varias. Negative for none.
	MinItens, MaxItens int
}

// Formulario is a form's fields, in the order of the schema.
type Formulario []Campo

// ErrEsquema is a schema that the specification does not allow in a form.
var ErrEsquema = errors.New("requestedSchema is not a form")

type esquemaJSON struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
	Required   []string        `json:"required"`
}

type campoJSON struct {
	Type      string          `json:"type"`
	Enum      *[]string       `json:"enum"`
	Const     *string         `json:"const"`
	OneOf     []titulado      `json:"oneOf"`
	AnyOf     []titulado      `json:"anyOf"`
	Items     json.RawMessage `json:"items"`
	Format    string          `json:"format"`
	MinLength *float64        `json:"minLength"`
	MaxLength *float64        `json:"maxLength"`
	MinItems  *float64        `json:"minItems"`
	MaxItems  *float64        `json:"maxItems"`
	Minimum   *float64        `json:"minimum"`
	Maximum   *float64        `json:"maximum"`
}

type titulado struct {
	Const *string `json:"const"`
}

// Ler reads a requestedSchema. Errors match [ErrEsquema].
func Ler(esquema json.RawMessage) (Formulario, error) {
	if c, ok := lerEscolha(esquema); ok {
		return Formulario{c}, nil
	}
	return lerQualquer(esquema)
}

func lerQualquer(esquema json.RawMessage) (Formulario, error) {
	var e esquemaJSON
	if err := json.Unmarshal(esquema, &e); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrEsquema, err)
	}
	if e.Type != "object" {
		return nil, fmt.Errorf("%w: type %q is not object", ErrEsquema, e.Type)
	}
	var f Formulario
	if len(e.Properties) > 0 {
		props, err := envelope.Members(e.Properties)
		if err != nil {
			return nil, fmt.Errorf("%w: properties: %v", ErrEsquema, err)
		}
		for _, p := range props {
			c, err := lerCampo(p.Name, p.Value)
			if err != nil {
				return nil, err
			}
			c.Obrigatorio = slices.Contains(e.Required, p.Name)
			f = append(f, c)
		}
	}
	for _, nome := range e.Required {
		if !slices.ContainsFunc(f, func(c Campo) bool { return c.Nome == nome }) {
			return nil, fmt.Errorf("%w: required property %q is not declared", ErrEsquema, nome)
		}
	}
	return f, nil
}

func lerCampo(nome string, raw json.RawMessage) (Campo, error) {
	var j campoJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return Campo{}, fmt.Errorf("%w: property %q: %v", ErrEsquema, nome, err)
	}
	c := Campo{
		Nome:       nome,
		Formato:    j.Format,
		MinTamanho: ou(j.MinLength, -1), MaxTamanho: ou(j.MaxLength, -1),
		MinItens: ou(j.MinItems, -1), MaxItens: ou(j.MaxItems, -1),
		Minimo: j.Minimum, Maximo: j.Maximum,
	}
	opcoes, err := lerOpcoes(j)
	if err != nil {
		return Campo{}, fmt.Errorf("%w: property %q: %v", ErrEsquema, nome, err)
	}
	switch {
	case j.Type == "array":
		var itens campoJSON
		if err := json.Unmarshal(j.Items, &itens); err != nil {
			return Campo{}, fmt.Errorf("%w: property %q: items: %v", ErrEsquema, nome, err)
		}
		if c.Opcoes, err = lerOpcoes(itens); err != nil || len(c.Opcoes) == 0 {
			return Campo{}, fmt.Errorf("%w: property %q: items must list their values", ErrEsquema, nome)
		}
		c.Tipo = Varias
	case len(opcoes) > 0 && (j.Type == "string" || j.Type == ""):
		c.Tipo, c.Opcoes = Escolha, opcoes
	case j.Type == "string":
		c.Tipo = Texto
	case j.Type == "number":
		c.Tipo = Numero
	case j.Type == "integer":
		c.Tipo = Inteiro
	case j.Type == "boolean":
		c.Tipo = Booleano
	default:
		return Campo{}, fmt.Errorf("%w: property %q has type %q", ErrEsquema, nome, j.Type)
	}
	return c, nil
}

// lerOpcoes finds the values of an enumeration in any of its spellings: enum,
// a single const, or oneOf/anyOf of const with titles.
func lerOpcoes(j campoJSON) ([]string, error) {
	var opcoes []string
	if j.Enum != nil {
		if opcoes = *j.Enum; len(opcoes) == 0 {
			return nil, errors.New("an enumeration without values")
		}
	}
	if j.Const != nil {
		opcoes = []string{*j.Const}
	}
	for _, t := range slices.Concat(j.OneOf, j.AnyOf) {
		if t.Const == nil {
			return nil, errors.New("an option without const")
		}
		opcoes = append(opcoes, *t.Const)
	}
	return opcoes, nil
}

// ou reads a count, which JSON may write as 1 or 1.0.
func ou(p *float64, padrao int) int {
	if p == nil {
		return padrao
	}
	return int(min(*p, 1<<30))
}
