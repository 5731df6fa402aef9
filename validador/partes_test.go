package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestEsquema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		esquema, valor string
		motivo         string // "" for valid
	}{
		{`{}`, `1`, ""},
		{`true`, `1`, ""},
		{`false`, `1`, "nao permitido"},
		{`3`, `1`, "o esquema nao e um objeto"},
		{`{"type":"integer"}`, `4`, ""},
		{`{"type":"integer"}`, `4.5`, "tipo fora do esquema"},
		{`{"type":["string","null"]}`, `null`, ""},
		{`{"type":["string","null"]}`, `false`, "tipo fora do esquema"},
		{`{"enum":["a",1]}`, `1`, ""},
		{`{"enum":["a",1]}`, `2`, "fora do enum"},
		{`{"const":{"a":[1]}}`, `{"a":[1]}`, ""},
		{`{"const":"a"}`, `"b"`, "diferente do const"},
		{`{"required":["a"]}`, `{}`, "falta a"},
		{`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, `{"a":["x",2]}`, "structuredContent.a[1]: tipo"},
		{`{"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1,"b":2}`, "structuredContent.b: nao permitido"},
		{`{"additionalProperties":{"type":"string"}}`, `{"b":2}`, "structuredContent.b: tipo"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `null`, ""},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, "nao satisfaz anyOf"},
		{`{"oneOf":[{"type":"string"},{}]}`, `"a"`, "nao satisfaz oneOf"},
		{`{"allOf":[{"type":"string"},{"enum":["b"]}]}`, `"a"`, "nao satisfaz allOf"},
		{`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"string"}}}`, `1`, "tipo fora do esquema"},
		{`{"$ref":"#/$defs/x"}`, `1`, "$ref quebrado"},
		{`{"$ref":"https://x.example/e.json"}`, `1`, "$ref externo"},
		{`{"$ref":"#"}`, `1`, "complexo demais"},
		{`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `1`, "complexo demais"},
	} {
		err := conformeEsquema(json.RawMessage(c.esquema), json.RawMessage(c.valor))
		if (err == nil) != (c.motivo == "") || err != nil && !strings.Contains(err.Error(), c.motivo) {
			t.Errorf("%s contra %s: %v, esperado %q", c.valor, c.esquema, err, c.motivo)
		}
	}
}

func TestAlterar(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a", "v1.abc", "....", "AAAA", "a+/b", "\u00e9\u00e9\u00e9", "MTIzNA=="} {
		a, b := []rune(s), []rune(alterar(s))
		diferencas := 0
		for i := range a {
			if a[i] != b[i] {
				diferencas++
			}
		}
		if len(a) != len(b) || diferencas != 1 || a[len(a)/2] == b[len(b)/2] {
			t.Errorf("alterar(%q) = %q, esperado um caractere trocado no meio", s, string(b))
		}
	}
}

type estadosFixos []string

func (e estadosFixos) estadosVistos() []string { return e }

func TestVigia(t *testing.T) {
	t.Parallel()
	estado := "v1.c2VsYWRvLW5vLW1jcA"
	longo := strings.Repeat("aB3_", 20)
	for _, c := range []struct {
		corpo  string
		tokens bool
		achado string
	}{
		{`{"result":{"task":{"id":"a"}}}`, true, ""},
		{`{"text":"requestState e uma palavra"}`, true, ""},
		{`{"requestState":null}`, false, "a chave requestState"},
		{`{"a":[{"REQUEST_STATE":1}]}`, true, "a chave requestState"},
		{`{"text":"{\"a\":{\"request-state\":1}}"}`, true, "a chave requestState"},
		{`{"text":"\"{\\\"\\u0072equestState\\\":1}\""}`, true, "a chave requestState"},
		{`{"requestState":1,`, true, "a chave requestState"},
		{`<html>"requestState": 1`, true, "a chave requestState"},
		{`{"text":"fim: ` + estado + `."}`, true, "um requestState visto"},
		{`<html>` + estado, false, "um requestState visto"},
		{`{"text":"v1\u002ec2VsYWRvLW5vLW1jcA"}`, true, "um requestState visto"},
		{`{"id":"` + longo + `"}`, true, "um token opaco"},
		{`{"` + longo + `":1}`, true, "um token opaco"},
		{`{"id":"` + longo[:79] + `"}`, true, ""},
		{`{"id":"` + longo + `"}`, false, ""},
	} {
		v := vigia{estados: estadosFixos{"curto", estado}}
		v.examinar("GetTask", []byte(c.corpo), c.tokens)
		if (v.achado == "") != (c.achado == "") || !strings.HasPrefix(v.achado, c.achado) {
			t.Errorf("%s: %q, esperado %q", c.corpo, v.achado, c.achado)
		}
	}
}

func TestSSE(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ corrente, dados, motivo string }{
		{"data: {\"id\":1}\n\n", `{"id":1}`, ""},
		{"data:{\"id\":\r\ndata:1}\r\n\r\nlixo", "{\"id\":\n1}", ""},
		{": oi\n\nid: 3\nevent: x\ndata: {\"id\":1}", `{"id":1}`, ""},
		{"data:\n\ndata: {\"method\":\"n\"}\n\ndata: {\"id\":2}\n\n", `{"id":2}`, ""},
		{"data: {\"method\":\"n\",\"id\":1}\n\n", "", "enviou um request"},
		{"data: []\n\n", "", "esperado um objeto JSON"},
		{"", "", "terminou sem a resposta"},
	} {
		dados, err := lerSSE(strings.NewReader(c.corrente))
		if c.motivo == "" && (err != nil || string(dados) != c.dados) || c.motivo != "" && (err == nil || !strings.Contains(err.Error(), c.motivo)) {
			t.Errorf("%q: %q, %v; esperado %q %q", c.corrente, dados, err, c.dados, c.motivo)
		}
	}
}

// TestHorarios: every hour drawn lies in the policy's window, on a day of its
// own, between 2030 and 2090.
func TestHorarios(t *testing.T) {
	t.Parallel()
	s := novoSorteador(nil)
	dias := map[string]bool{}
	for range 5000 {
		h := s.sortear()
		dia := h.inicio.Format(time.DateOnly)
		if dias[dia] || h.inicio.Hour() < 8 || h.fim.Hour() > 20 || h.fim.Sub(h.inicio) != time.Hour ||
			h.inicio.Year() < 2030 || h.fim.Year() > 2090 || h.fim.Format(time.DateOnly) != dia {
			t.Fatalf("horario %s a %s", h.inicio, h.fim)
		}
		dias[dia] = true
	}
	p := pedido{porao, s.sortear().das(9, 30, 10, 0), "Doc"}
	if l := p.linha(); !strings.Contains(l, "T09:30:00-03:00 fim=") || !strings.HasSuffix(l, "T10:00:00-03:00 responsavel=Doc") {
		t.Errorf("linha %q", l)
	}
}

// FuzzRespostas: no answer makes the readers panic.
func FuzzRespostas(f *testing.F) {
	for _, s := range []string{
		`null`, `[]`, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"sala":{"type":"string","enum":["a"]}}}}}},"requestState":"s"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"a","contextId":"b","status":{"state":"TASK_STATE_COMPLETED","message":{"parts":[{"text":"x"}]}},"artifacts":[{"name":"reserva","parts":[{"text":"{}"}]}],"history":[{"parts":[]}]}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"x","data":{"requiredCapabilities":{"elicitation":{}}}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","structuredContent":{"salas":[{}]},"content":[{"type":"text","text":"{}"}],"requestState":"\u0000"}}`,
		"data: {\"id\":1}\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, corpo []byte) {
		m := &clienteMCP{}
		v := vigia{estados: m}
		v.examinar("x", corpo, true)
		lerSSE(strings.NewReader(string(corpo)))
		conformeEsquema(corpo, corpo)
		r, err := lerRPC(respostaHTTP{200, corpo}, "1")
		if err != nil {
			if l := umaLinha(err.Error()); len(l) > limiteMotivo || strings.ContainsAny(l, "\r\n") {
				t.Fatalf("linha %q", l)
			}
			return
		}
		m.anotar(r)
		if r.erro != nil {
			listaFormulario(r.erro)
		}
		if tool, err := lerTool(r); err == nil {
			tool.reservada()
			tool.falha("x")
			conferirSalas(tool.estruturado)
			if p, err := lerPausa(tool); err == nil {
				p.alternativas()
				alterar(p.estado)
			}
		}
		if ta, err := tarefaDe(r); err == nil {
			ta.alternativas()
			ta.reservou(pedido{}, "")
		}
	})
}
