package perfil

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Par is one key and value of a request, as written.
type Par struct{ Chave, Valor string }

// Separar takes the verb off a request's text and returns the rest.
func Separar(texto string) (verbo, resto string) {
	texto = strings.TrimSpace(texto)
	if i := strings.IndexFunc(texto, unicode.IsSpace); i >= 0 {
		return texto[:i], strings.TrimSpace(texto[i:])
	}
	return texto, ""
}

// Pares reads "key=value key=value …" where conhecidas are the keys that
// exist. A value runs to the next known key after a space, or to the end, so
// that it may hold spaces; between double quotes it may hold anything, with \"
// and \\ for these two. Spaces around an unquoted value are dropped.
//
// The error says which key is unknown or stands twice, or what is not closed.
func Pares(texto string, conhecidas []string) ([]Par, error) {
	var pares []Par
	resto := strings.TrimSpace(texto)
	for resto != "" {
		chave, valor, ok := strings.Cut(resto, "=")
		if !ok || strings.ContainsFunc(chave, unicode.IsSpace) || chave == "" {
			return nil, fmt.Errorf("esperava chave=valor em %q", resumo(resto))
		}
		if !slices.Contains(conhecidas, chave) {
			return nil, fmt.Errorf("chave desconhecida: %s", resumo(chave))
		}
		if slices.ContainsFunc(pares, func(p Par) bool { return p.Chave == chave }) {
			return nil, fmt.Errorf("chave repetida: %s", chave)
		}
		var err error
		if valor, resto, err = tomarValor(valor, conhecidas); err != nil {
			return nil, fmt.Errorf("%w em %s", err, chave)
		}
		pares = append(pares, Par{chave, valor})
	}
	return pares, nil
}

// tomarValor splits what follows "key=" into the value and what comes after.
func tomarValor(s string, conhecidas []string) (valor, resto string, err error) {
	if strings.HasPrefix(s, `"`) {
		return entreAspas(s)
	}
	fim := len(s)
	for _, chave := range conhecidas {
		if i := inicioDe(s, chave); i >= 0 && i < fim {
			fim = i
		}
	}
	return strings.TrimSpace(s[:fim]), strings.TrimSpace(s[fim:]), nil
}

// inicioDe finds " key=" in s: a known key after white space.
func inicioDe(s, chave string) int {
	for de := 0; ; {
		i := strings.Index(s[de:], chave+"=")
		if i < 0 {
			return -1
		}
		i += de
		if antes := strings.TrimRightFunc(s[:i], unicode.IsSpace); len(antes) < i {
			return i
		}
		de = i + 1
	}
}

func entreAspas(s string) (valor, resto string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case c == '"':
			resto = s[i+1:]
			depois := strings.TrimLeftFunc(resto, unicode.IsSpace)
			if depois != "" && len(depois) == len(resto) {
				return "", "", fmt.Errorf("falta um espaco depois das aspas")
			}
			return b.String(), depois, nil
		default:
			b.WriteByte(c)
		}
	}
	return "", "", fmt.Errorf("aspas sem fim")
}

// resumo bounds text of the caller's inside a message.
func resumo(s string) string {
	const limite = 60
	r := []rune(s)
	if len(r) <= limite {
		return s
	}
	return string(r[:limite]) + "..."
}
