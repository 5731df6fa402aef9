package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mascara replaces what differs from run to run by its kind and a number: the
// same value gets the same number, so that who is who still counts.
type mascara struct{ numeros map[string]string }

var (
	padraoUUID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	padraoEstado = regexp.MustCompile(`^v1\.[A-Za-z0-9_-]{64,}$`)
	padraoHora   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
	padraoRastro = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
	padraoHost   = regexp.MustCompile(`(localhost|127\.0\.0\.1|\[::1\]):\d+`)
)

func (m *mascara) numero(tipo, valor string) string {
	if m.numeros == nil {
		m.numeros = make(map[string]string)
	}
	chave := tipo + " " + valor
	if _, ok := m.numeros[chave]; !ok {
		n := 1
		for c := range m.numeros {
			if strings.HasPrefix(c, tipo+" ") {
				n++
			}
		}
		m.numeros[chave] = fmt.Sprintf("<%s %d>", tipo, n)
	}
	return m.numeros[chave]
}

// em masks a whole value. nome is the member that it is the value of.
func (m *mascara) em(nome string, v any) any {
	switch v := v.(type) {
	case objeto:
		o := make(objeto, len(v))
		for i, x := range v {
			o[i] = membro{x.nome, m.em(x.nome, x.valor)}
		}
		return o
	case []any:
		lista := make([]any, len(v))
		for i := range v {
			lista[i] = m.em(nome, v[i])
		}
		return lista
	case string:
		switch {
		case nome == "requestState" && padraoEstado.MatchString(v):
			return m.numero("requestState", v)
		case nome == "timestamp" && padraoHora.MatchString(v):
			return "<timestamp>"
		case nome == "traceparent" && padraoRastro.MatchString(v):
			return "<traceparent>"
		}
		v = padraoUUID.ReplaceAllStringFunc(v, func(s string) string { return m.numero("uuid", s) })
		return padraoHost.ReplaceAllString(v, "localhost:<porta>")
	}
	return v
}

// texto renders a value for comparison: members in the recorded order, masked,
// one to a line.
func (m *mascara) texto(t *testing.T, v any) string {
	t.Helper()
	raw, err := legivel(m.em("", emOrdem(v)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// diferenca compares two texts line by line and returns the lines that only
// one of them has, marked, with two lines around them; "" when they are equal.
func diferenca(quer, veio string) string {
	if quer == veio {
		return ""
	}
	a, b := strings.Split(quer, "\n"), strings.Split(veio, "\n")
	// comum[i][j] is the length of the longest common part of a[i:] and b[j:].
	comum := make([][]int, len(a)+1)
	for i := range comum {
		comum[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				comum[i][j] = comum[i+1][j+1] + 1
			} else {
				comum[i][j] = max(comum[i+1][j], comum[i][j+1])
			}
		}
	}
	var linhas []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			linhas = append(linhas, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && comum[i+1][j] >= comum[i][j+1]:
			linhas = append(linhas, "- "+a[i])
			i++
		default:
			linhas = append(linhas, "+ "+b[j])
			j++
		}
	}
	const vizinhas = 2
	perto := make([]bool, len(linhas))
	for n, l := range linhas {
		if l[0] != ' ' {
			for k := max(0, n-vizinhas); k <= min(len(linhas)-1, n+vizinhas); k++ {
				perto[k] = true
			}
		}
	}
	var out strings.Builder
	out.WriteString("(- expected, + came)\n")
	for n, l := range linhas {
		if perto[n] {
			out.WriteString(l + "\n")
		} else if n > 0 && perto[n-1] {
			out.WriteString("  ...\n")
		}
	}
	return out.String()
}

func TestMascara(t *testing.T) {
	const (
		a = "7b55927f-3594-4294-a877-583eed237f19"
		b = "0ac1c69c-47b9-4a84-9f73-962bf3468a80"
	)
	estado := "v1." + strings.Repeat("aB3_-", 20)
	m := &mascara{}
	veio := m.em("", objeto{
		{"id", a}, {"contextId", b}, {"history", []any{objeto{{"taskId", a}}}},
		{"requestState", estado}, {"other", estado},
		{"timestamp", "2026-11-30T01:44:53.362Z"}, {"inicio", "2026-11-03T14:00:00-03:00"},
		{"url", "http://127.0.0.1:40123/a2a"}, {"n", json.Number("1")},
	})
	quer := objeto{
		{"id", "<uuid 1>"}, {"contextId", "<uuid 2>"}, {"history", []any{objeto{{"taskId", "<uuid 1>"}}}},
		{"requestState", "<requestState 1>"}, {"other", estado},
		{"timestamp", "<timestamp>"}, {"inicio", "2026-11-03T14:00:00-03:00"},
		{"url", "http://localhost:<porta>/a2a"}, {"n", json.Number("1")},
	}
	um, _ := legivel(veio)
	dois, _ := legivel(quer)
	if d := diferenca(string(dois), string(um)); d != "" {
		t.Error(d)
	}
}

func TestDiferenca(t *testing.T) {
	linhas := func(s ...string) string { return strings.Join(s, "\n") }
	if d := diferenca("a\nb", "a\nb"); d != "" {
		t.Errorf("equal texts differ: %s", d)
	}
	quer := linhas("1", "2", "3", "4", "5", "6", "7", "8")
	veio := linhas("1", "2", "3", "4", "cinco", "6", "7", "8")
	want := linhas("(- expected, + came)", "  3", "  4", "- 5", "+ cinco", "  6", "  7", "  ...", "")
	if d := diferenca(quer, veio); d != want {
		t.Errorf("got:\n%s\nwant:\n%s", d, want)
	}
	if d := diferenca("a", "a\nb"); !slices.Contains(strings.Split(d, "\n"), "+ b") {
		t.Errorf("an added line is not shown:\n%s", d)
	}
}
