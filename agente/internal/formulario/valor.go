package formulario

import (
	"encoding/json"
	"errors"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Words for the two values of a Booleano, as they are shown. true and false
// are understood as well.
const (
	Sim = "sim"
	Nao = "nao"
)

// ErrValor is a text that is no value of its field.
var ErrValor = errors.New("not a value of the field")

// Valor reads the text of one field and returns what goes into the content: a
// string, float64, int64, bool or []string. The error is [ErrValor].
func (c Campo) Valor(texto string) (any, error) {
	switch c.Tipo {
	case Escolha:
		if slices.Contains(c.Opcoes, texto) {
			return texto, nil
		}
	case Varias:
		return c.varias(texto)
	case Booleano:
		switch texto {
		case Sim, "true":
			return true, nil
		case Nao, "false":
			return false, nil
		}
	case Inteiro:
		if n, err := strconv.ParseInt(texto, 10, 64); err == nil && numeroJSON(texto) && c.cabe(float64(n)) {
			return n, nil
		}
	case Numero:
		if n, err := strconv.ParseFloat(texto, 64); err == nil && numeroJSON(texto) && c.cabe(n) {
			return n, nil
		}
	case Texto:
		if c.temTamanho(texto) && c.temFormato(texto) {
			return texto, nil
		}
	}
	return nil, ErrValor
}

// Conferir checks a value that came as JSON, and returns what goes into the
// content: the same kinds as [Campo.Valor], from values of their own JSON types
// (a number is no text, a text no boolean). The error is [ErrValor].
func (c Campo) Conferir(v any) (any, error) {
	switch c.Tipo {
	case Escolha, Texto:
		if s, ok := v.(string); ok {
			return c.Valor(s)
		}
	case Booleano:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case Numero:
		if n, ok := v.(float64); ok && c.cabe(n) {
			return n, nil
		}
	case Inteiro:
		// Beyond 2^53 a float64 no longer says which integer was meant.
		if n, ok := v.(float64); ok && n == math.Trunc(n) && math.Abs(n) <= 1<<53 && c.cabe(n) {
			return int64(n), nil
		}
	case Varias:
		itens, ok := v.([]any)
		if !ok {
			break
		}
		valores := make([]string, len(itens))
		for i, item := range itens {
			if valores[i], ok = item.(string); !ok {
				return nil, ErrValor
			}
		}
		return c.conferirVarias(valores)
	}
	return nil, ErrValor
}

// numeroJSON reports whether a text is a number as JSON writes it; Go would
// read others as well.
func numeroJSON(texto string) bool {
	return texto != "" && (texto[0] == '-' || texto[0] >= '0' && texto[0] <= '9') && json.Valid([]byte(texto))
}

func (c Campo) cabe(n float64) bool {
	return (c.Minimo == nil || n >= *c.Minimo) && (c.Maximo == nil || n <= *c.Maximo)
}

func (c Campo) temTamanho(s string) bool {
	n := utf8.RuneCountInString(s)
	return (c.MinTamanho < 0 || n >= c.MinTamanho) && (c.MaxTamanho < 0 || n <= c.MaxTamanho)
}

func (c Campo) temFormato(s string) bool {
	switch c.Formato {
	case "email":
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	case "uri":
		u, err := url.Parse(s)
		return err == nil && u.IsAbs()
	case "date":
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	case "date-time":
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	}
	return true
}

// varias reads values separated by commas.
func (c Campo) varias(texto string) (any, error) {
	var valores []string
	if strings.TrimSpace(texto) != "" {
		for v := range strings.SplitSeq(texto, ",") {
			valores = append(valores, strings.TrimSpace(v))
		}
	}
	return c.conferirVarias(valores)
}

// conferirVarias takes each value at most once.
func (c Campo) conferirVarias(valores []string) (any, error) {
	aceitos := make([]string, 0, len(valores))
	for _, v := range valores {
		if !slices.Contains(c.Opcoes, v) || slices.Contains(aceitos, v) {
			return nil, ErrValor
		}
		aceitos = append(aceitos, v)
	}
	if (c.MinItens >= 0 && len(aceitos) < c.MinItens) || (c.MaxItens >= 0 && len(aceitos) > c.MaxItens) {
		return nil, ErrValor
	}
	return aceitos, nil
}

// Enumeravel lists the values of a field of which one is chosen, and nil for a
// field of another kind.
func (c Campo) Enumeravel() []string {
	switch c.Tipo {
	case Escolha:
		return c.Opcoes
	case Booleano:
		return []string{Sim, Nao}
	}
	return nil
}

// Dica shows what a field takes, for a line with several of them.
func (c Campo) Dica() string {
	switch c.Tipo {
	case Escolha, Booleano:
		return strings.Join(c.Enumeravel(), "|")
	case Varias:
		return "<um ou mais de " + strings.Join(c.Opcoes, "|") + ", separados por virgula>"
	case Inteiro:
		return "<inteiro>"
	case Numero:
		return "<numero>"
	}
	if c.Formato != "" {
		return "<" + c.Formato + ">"
	}
	return "<texto>"
}
