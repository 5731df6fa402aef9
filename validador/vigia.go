package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// vigia looks through every body that the agent sends for a requestState. The
// agent's own states never pass by the validator, so it goes by three signs: a
// key of that name in any case, also in JSON inside a text; a state that the
// MCP server gave the validator itself; and, in JSON-RPC answers, a token too
// long for any identifier. It looks at once and keeps only the first finding,
// so that no body has to be stored.
type vigia struct {
	estados interface{ estadosVistos() []string }
	corpos  int
	achado  string // the first leak, in words; "" for none
}

// tamanhoToken is the length from which an opaque run of characters of either
// base64 alphabet counts as a sealed state.
const tamanhoToken = 80

// chaveEstado finds the key in a body that is no JSON to walk.
var chaveEstado = regexp.MustCompile(`(?i)"request[_-]?state\\*"\s*:`)

// semTracos makes one of the spellings that a serializer may give the key.
var semTracos = strings.NewReplacer("_", "", "-", "")

// examinar looks through one body. The card is excused from the rule of the
// long token: it may carry signatures.
func (v *vigia) examinar(origem string, corpo []byte, tokens bool) {
	if v.achado != "" || len(corpo) == 0 {
		return
	}
	v.corpos++
	if como := v.procurar(corpo, tokens); como != "" {
		v.achado = fmt.Sprintf("%s em resposta a %s", como, origem)
	}
}

// procurar looks at the bytes as they came, which shows what a decoder drops,
// and then at the decoded value, which shows what escapes hide.
func (v *vigia) procurar(corpo []byte, tokens bool) string {
	if como := v.percorrer(string(corpo), tokens, 0); como != "" {
		return como
	}
	var valor any
	if json.Unmarshal(corpo, &valor) == nil {
		return v.percorrer(valor, tokens, 4)
	}
	if chaveEstado.Match(corpo) {
		return "a chave requestState aparece"
	}
	return ""
}

// temEstado looks for the states seen at the MCP border. One that is too short
// to be told from ordinary text proves nothing.
func (v *vigia) temEstado(s string) bool {
	return slices.ContainsFunc(v.estados.estadosVistos(), func(e string) bool {
		return len(e) >= 16 && strings.Contains(s, e)
	})
}

func temTokenLongo(s string) bool {
	corrida := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_-+/=", c) >= 0:
			if corrida++; corrida == tamanhoToken {
				return true
			}
		default:
			corrida = 0
		}
	}
	return false
}

// percorrer walks a decoded value; aninhado bounds how often a text is itself
// read as JSON.
func (v *vigia) percorrer(valor any, tokens bool, aninhado int) string {
	switch valor := valor.(type) {
	case map[string]any:
		chaves := make([]string, 0, len(valor))
		for k := range valor {
			chaves = append(chaves, k)
		}
		slices.Sort(chaves)
		for _, k := range chaves {
			if strings.EqualFold(semTracos.Replace(k), "requestState") {
				return "a chave requestState aparece"
			}
			for _, parte := range []any{k, valor[k]} {
				if como := v.percorrer(parte, tokens, aninhado); como != "" {
					return como
				}
			}
		}
	case []any:
		for _, item := range valor {
			if como := v.percorrer(item, tokens, aninhado); como != "" {
				return como
			}
		}
	case string:
		if v.temEstado(valor) {
			return "um requestState visto no servidor MCP aparece"
		}
		if tokens && temTokenLongo(valor) {
			return "um token opaco de 80 caracteres ou mais aparece"
		}
		var dentro any
		if s := strings.TrimSpace(valor); aninhado > 0 && s != "" && strings.ContainsRune("{[\"", rune(s[0])) && json.Unmarshal([]byte(s), &dentro) == nil {
			return v.percorrer(dentro, tokens, aninhado-1)
		}
	}
	return ""
}
