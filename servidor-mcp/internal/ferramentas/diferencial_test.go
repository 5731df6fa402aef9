package ferramentas

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/servidor-mcp/internal/porta"
)

// contador counts the calls that were answered directly.
type contador struct {
	porta.Chamador
	n int
}

func (c *contador) Chamar(p porta.Chamada) (json.RawMessage, error) {
	r, err := c.Chamador.Chamar(p)
	if err != porta.ErrOutraForma {
		c.n++
	}
	return r, err
}

// gemeas are two servers in the same state: one has the direct way, the other
// has not.
type gemeas struct {
	direta, sdk *central
	diretas     *contador
}

// instante is the clock of all twins, so that a state in a fuzz corpus stays good.
var instante = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func novasGemeas(t testing.TB, mudar func(*porta.Config)) gemeas {
	t.Helper()
	if mudar == nil {
		mudar = func(*porta.Config) {}
	}
	var g gemeas
	g.direta = novaCentralCom(t, func(cfg *porta.Config) {
		mudar(cfg)
		g.diretas = &contador{Chamador: cfg.Chamador}
		cfg.Chamador = g.diretas
	})
	g.sdk = novaCentralCom(t, func(cfg *porta.Config) {
		mudar(cfg)
		cfg.Chamador = nil
	})
	g.direta.agora.Store(&instante)
	g.sdk.agora.Store(&instante)
	return g
}

func (c *central) servir(body string, name string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", porta.Caminho, strings.NewReader(body))
	r.Header = http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {VersaoProtocolo},
		"Mcp-Method":           {"tools/call"},
		"Mcp-Name":             {name},
	}
	w := httptest.NewRecorder()
	c.Config.Handler.ServeHTTP(w, r)
	return w
}

var (
	estadoSelado = regexp.MustCompile(`"requestState":"(v1\.[^"]*)"`)
	// Each side has put another state into the request.
	semEstados = func(s string) string { return estadoSelado.ReplaceAllString(s, `"requestState":"v1"`) }
)

// iguais asks both and holds their answers to each other. ESTADO in the body
// stands for the state that each has given out, if any.
func (g gemeas) iguais(t *testing.T, body, name string, estados [2]string) (direta bool, answer string) {
	t.Helper()
	antes := g.diretas.n
	a := g.direta.servir(strings.ReplaceAll(body, "ESTADO", estados[0]), name)
	b := g.sdk.servir(strings.ReplaceAll(body, "ESTADO", estados[1]), name)
	if a.Code != b.Code || semEstados(a.Body.String()) != semEstados(b.Body.String()) || !reflect.DeepEqual(a.Header(), b.Header()) {
		t.Errorf("%s\ndirectly: %d %v %s\nthe SDK:  %d %v %s", body, a.Code, a.Header(), a.Body, b.Code, b.Header(), b.Body)
	}
	return g.diretas.n > antes, a.Body.String()
}

// perguntados makes both ask, and returns their states.
func (g gemeas) perguntados(t testing.TB) (estados [2]string) {
	t.Helper()
	for i, c := range []*central{g.direta, g.sdk} {
		m := estadoSelado.FindStringSubmatch(c.servir(corpo(conflito, metaComum), "reservar_sala").Body.String())
		if m == nil {
			t.Fatal("want a question")
		}
		estados[i] = m[1]
	}
	return estados
}

func corpo(params, meta string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{` + params + `,"_meta":` + meta + `}}`
}

const (
	metaInicio = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	metaComum  = metaInicio + `{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba90202-01"}`

	argsOcupada = `{"sala":"sala-garagem","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"}`
	conflito    = `"name":"reservar_sala","arguments":` + argsOcupada
	retry       = conflito + `,"requestState":"ESTADO"`
)

func reservar(sala, responsavel string) string {
	return `"name":"reservar_sala","arguments":{"sala":` + sala + `,"inicio":"2026-11-03T10:00:00-03:00","fim":"2026-11-03T11:00:00.5-03:00","responsavel":` + responsavel + `}`
}

func consultar(sala, inicio, fim string) string {
	return `"name":"consultar_disponibilidade","arguments":{"sala":"` + sala + `","inicio":"` + inicio + `","fim":"` + fim + `"}`
}

// casoDeChamada is a tools/call; a retry asks first. direta is whether the SDK is
// expected to be passed by.
type casoDeChamada struct {
	params, meta string
	direta       bool
}

func casosDeChamada() []casoDeChamada {
	var cs []casoDeChamada
	add := func(direta bool, params ...string) {
		for _, p := range params {
			cs = append(cs, casoDeChamada{p, metaComum, direta})
		}
	}
	comMeta := func(direta bool, params string, metas ...string) {
		for _, m := range metas {
			cs = append(cs, casoDeChamada{params, m, direta})
		}
	}
	// The tools and their refusals.
	add(true,
		`"name":"listar_salas"`, `"name":"listar_salas","arguments":null`, `"name":"listar_salas","arguments":{}`, `"name":"listar_salas","arguments":{"x":1,"a":2}`,
		`"name":"listar_salas","arguments":[]`, `"name":"listar_salas","arguments":7`, `"arguments":{},"name":"listar_salas"`, `"name" : "listar_salas" , "arguments" : { } `,
		`"name":"listar_salas","arguments":{"":1}`, `"name":"listar_salas","arguments":{"a":1,"a":1}`, `"name":"listar_salas","arguments":{"a":1e999}`,
		`"name":"listar_salas","requestState":"x"`, `"name":"listar_salas","requestState":"ESTADO"`,
		consultar("sala-garagem", "2026-11-03T13:30:00-03:00", "2026-11-03T14:30:00-03:00"),
		consultar("sala-garagem", "2026-11-03T15:00Z", "2026-11-03T16:00:00.25Z"),
		consultar("sala-x<&>", "2026-11-03T15:00Z", "2026-11-03T16:00Z"),
		consultar("sala-garagem", "2026-11-03", "2026-11-03T16:00Z"),
		consultar("sala-garagem", "2026-11-03T15:00Z", ""),
		consultar("sala-garagem", "2026-11-03T15:00Z", "2026-11-03T15:00Z"),
		consultar("sala-garagem", "2026-11-03T19:30:00-03:00", "2026-11-03T21:00:00-03:00"),
		consultar("sala-garagem", "2026-11-03T09:00:00-03:00", "2026-11-03T11:00:01-03:00"),
		`"name":"consultar_disponibilidade"`, `"name":"consultar_disponibilidade","arguments":{"sala":1,"inicio":"","fim":""}`,
		`"name":"consultar_disponibilidade","arguments":{"sala":"a","inicio":null,"fim":""}`, `"name":"consultar_disponibilidade","arguments":{"sala":["a"],"inicio":"","fim":""}`,
		`"name":"consultar_disponibilidade","requestState":"ESTADO"`,
		reservar(`"sala-porao"`, `"Doc"`), reservar(`"sala-x"`, `"Doc"`), reservar(`"sala-porao"`, `"  "`), reservar(`"sala-porao"`, `1`), reservar(`"sala-porao"`, `null`),
		reservar(`"sala-porao"`, `"`+strings.Repeat("é", 200)+`"`), reservar(`"sala-porao"`, `"`+strings.Repeat("é", 201)+`"`),
		reservar(`"sala-porao"`, `"<a href=\"x\">&amp;</a>"`), reservar(`"sala-porao"`, "\"“Doc” \u2028\u2029 \x7f é 𝄞\""), reservar(`"sala-porao"`, `"\u003c\u2028\ud800\ud834\udd1e\u0000\b\f\n\r\t\u001f\/\\"`),
		reservar(`"<\"\\\u0001>"`, `"x"`), reservar("\"a\u2028\"", `"x"`), reservar(`"sala\u002dporao"`, `"x"`),
		`"name":"reservar_sala","arguments":{"Sala":"a"}`, `"name":"reservar_sala","arguments":{"s\u0061la":"sala-x"}`, `"name":"reservar_sala","arguments":`+strings.Repeat("[", 50)+strings.Repeat("]", 50),
		conflito, strings.ReplaceAll(conflito, `,`, " ,\n\t"), strings.ReplaceAll(conflito, "Marty", `M\u00e1r<ty>`),
	)
	// Retries.
	add(true,
		retry, retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-fusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"content":{"sala":"sala-mirante"},"action":"accept"}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala\u002dfusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-garagem"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":""}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{}}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept"}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"decline"}}`, retry+`,"inputResponses":{"alternativa":{"action":"cancel","content":{"sala":"sala-fusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"maybe"}}`, retry+`,"inputResponses":{"alternativa":{"action":""}}`, retry+`,"inputResponses":{"alternativa":{"action":"\ud800"}}`,
		conflito+`,"requestState":"ESTADOx"`, conflito+`,"requestState":"v1.x"`, conflito+`,"requestState":"v2"`, conflito+`,"requestState":"é"`,
		conflito+`,"inputResponses":{"alternativa":{"action":"maybe"}}`,
		`"name":"listar_salas","inputResponses":{"alternativa":{"action":"accept"}}`,
	)
	// What only the SDK knows how to read.
	add(false,
		`"name":"nao_existe"`, `"name":"Listar_salas"`, `"name":"listar\u005fsalas"`, `"name":7`, `"name":null`, `"nome":"x"`, `"Name":"listar_salas"`,
		`"name":"listar_salas","Name":"reservar_sala"`, `"name":"listar_salas","NAME":7`, `"name":"listar_salas","x":1`, `"name":"listar_salas","x":1e999`, `"name":"listar_salas","arguments":{},"Arguments":7`,
		`"name":"listar_salas","requestState":""`, `"name":"listar_salas","requestState":7`, `"name":"listar_salas","requestState":"\u0078"`, `"name":"listar_salas","name":"listar_salas"`,
		retry+`,"inputResponses":null`, retry+`,"inputResponses":{}`, retry+`,"inputResponses":[]`, retry+`,"inputResponses":7`, conflito+`,"inputResponses":7`, conflito+`,"inputResponses":null`,
		retry+`,"inputResponses":{"alternativa":null}`, retry+`,"inputResponses":{"alternativa":{}}`, retry+`,"inputResponses":{"alternativa":7}`, retry+`,"inputResponses":{"alternativa":{"content":{"sala":"sala-fusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":7}}`, retry+`,"inputResponses":{"alternativa":{"action":null}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","Action":"decline"}}`, retry+`,"inputResponses":{"alternativa":{"ACTION":"accept"}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":null}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","content":7}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":7}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-fusca","x":1e999}}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"Sala":"sala-fusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-fusca","sala":"sala-mirante"}}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","_meta":{},"content":{"sala":"sala-fusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","role":"user","content":{"sala":"sala-fusca"}}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","roots":[],"content":{"sala":"sala-fusca"}}}`,
		retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-fusca"}},"outra":{"action":"accept"}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-fusca"}},"lixo":7}`,
		retry+`,"inputResponses":{"outra":{"action":"accept","content":{"sala":"sala-fusca"}}}`, retry+`,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"sala-fusca"}},"alternativa":{"action":"decline"}}`,
	)
	// Who asks, and what it can do.
	comMeta(true, conflito,
		metaInicio+`{}}`, metaInicio+`{"elicitation":{}}}`, metaInicio+`{"elicitation":{"url":{}}}}`, metaInicio+`{"elicitation":{"form":{},"url":{}}}}`, metaInicio+`{"elicitation":{"form":{"x":1}}}}`,
		metaInicio+`{"elicitation":{"form":{}},"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true},"experimental":{"a":{"b":[1,"x",null,{}]}},"extensions":{"b":{}}}}`,
		metaInicio+`{"roots":{}}}`, metaInicio+`{},"x":[1,{"a":true}],"progressToken":1}`, metaInicio+`{},"io.modelcontextprotocol/logLevel":7}`,
		metaInicio+`{},"io.modelcontextprotocol/clientInfo":{"name":"é","title":"t","description":"d","version":"","websiteUrl":"u"}}`, metaInicio+`{},"io.modelcontextprotocol/clientInfo":{}}`,
	)
	comMeta(false, conflito,
		metaInicio+`{"elicitation":7}}`, metaInicio+`{"elicitation":null}}`, metaInicio+`{"elicitation":{"form":7}}}`, metaInicio+`{"elicitation":{"form":null}}}`, metaInicio+`{"elicitation":{"form":null,"url":{}}}}`, metaInicio+`{"elicitation":{"FORM":{},"url":{}}}}`,
		metaInicio+`{"Elicitation":{}}}`, metaInicio+`{"elicitation":{"form":{}},"ELICITATION":7}}`, metaInicio+`{"elicitation":{"x":{}}}}`, metaInicio+`{"elicitation":[]}}`, metaInicio+`{"x":{}}}`,
		metaInicio+`{"sampling":7}}`, metaInicio+`{"sampling":{"tools":7}}}`, metaInicio+`{"roots":null}}`, metaInicio+`{"roots":{"listChanged":1}}}`, metaInicio+`{"experimental":7}}`, metaInicio+`{"extensions":null}}`,
		metaInicio+`{"elicitation":{"form":{},"form":7}}}`, metaInicio+`{"elicitation":{"form":{}},"elicitation":{}}}`, metaInicio+`{"elicitation":{"form":{"a":1e999}}}}`, metaInicio+`[]}`, metaInicio+`null}`,
		metaInicio+`{},"x":1e999}`, metaInicio+`{},"x":`+strings.Repeat("9", 400)+`}`, metaInicio+`{},"x":{"a":1,"a":2}}`, metaInicio+`{},"x":"\u0041"}`, metaInicio+`{},"\u0078":1}`,
		metaInicio+`{},"io.modelcontextprotocol/clientInfo":7}`, metaInicio+`{},"io.modelcontextprotocol/clientInfo":null}`, metaInicio+`{},"io.modelcontextprotocol/clientInfo":[]}`, metaInicio+`{},"io.modelcontextprotocol/clientInfo":{"name":7}}`,
		metaInicio+`{},"io.modelcontextprotocol/clientInfo":{"Name":7}}`, metaInicio+`{},"io.modelcontextprotocol/clientInfo":{"name":"a","icons":[{"src":"x"}]}}`, metaInicio+`{},"io.modelcontextprotocol/clientInfo":{"name":"a","icons":7}}`,
		`{}`, `7`, `{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}`,
	)
	return cs
}

// nomeDe is the tool that the header has to name.
func nomeDe(body string) string {
	var b struct{ Params struct{ Name any } }
	_ = json.Unmarshal([]byte(body), &b)
	name, _ := b.Params.Name.(string)
	return name
}

// With the SDK or without, the same request has the same answer, to the byte, and
// leaves the same behind.
func TestDoisCaminhosUmaResposta(t *testing.T) {
	for _, c := range casosDeChamada() {
		g := novasGemeas(t, nil)
		var estados [2]string
		if strings.Contains(c.params, "ESTADO") {
			estados = g.perguntados(t)
		}
		body := corpo(c.params, c.meta)
		// Twice, because of what the first may have booked; and then as another
		// sees it.
		for range 2 {
			if direta, answer := g.iguais(t, body, nomeDe(body), estados); direta != c.direta {
				t.Errorf("%s\nwant the direct way: %v; got %v and %s", body, c.direta, direta, answer)
			}
		}
		for _, sala := range []string{"sala-porao", "sala-fusca", "sala-mirante"} {
			g.iguais(t, corpo(consultar(sala, "2026-11-03T10:00:00-03:00", "2026-11-03T11:00:00-03:00"), metaComum), "consultar_disponibilidade", estados)
			g.iguais(t, corpo(consultar(sala, "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00"), metaComum), "consultar_disponibilidade", estados)
		}
	}
}

// A whole conversation, in which each answer depends on those before.
func TestDoisCaminhosUmaConversa(t *testing.T) {
	g := novasGemeas(t, nil)
	estados := g.perguntados(t)
	aceite := func(sala string) string {
		return retry + `,"inputResponses":{"alternativa":{"action":"accept","content":{"sala":"` + sala + `"}}}`
	}
	for _, p := range []string{
		aceite("sala-porao"), aceite("sala-fusca"), aceite("sala-fusca"), aceite("sala-mirante"), retry, retry + `,"inputResponses":{"alternativa":{"action":"decline"}}`,
		conflito, strings.Replace(conflito, "sala-garagem", "sala-mirante", 1), conflito,
		strings.Replace(conflito, "Marty", "<b>", 1), `"name":"listar_salas"`, consultar("sala-fusca", "2026-11-03T13:00:00-03:00", "2026-11-03T15:00:00-03:00"),
	} {
		body := corpo(p, metaComum)
		if direta, answer := g.iguais(t, body, nomeDe(body), estados); !direta {
			t.Errorf("want the direct way for %s, got %s", body, answer)
		}
	}
	for _, c := range []*central{g.direta, g.sdk} {
		c.avancar(time.Hour)
	}
	body := corpo(aceite("sala-fusca"), metaComum)
	if _, answer := g.iguais(t, body, "reservar_sala", estados); !strings.Contains(answer, "-32602") {
		t.Errorf("want an expired state refused, got %s", answer)
	}
}

// The SDK has a bound of its own for nesting, below what a front may be told to
// let through.
func TestDoisCaminhosAninhado(t *testing.T) {
	for _, n := range []int{990, 1100} {
		g := novasGemeas(t, func(cfg *porta.Config) { cfg.Limites.Profundidade = 5000 })
		g.iguais(t, corpo(`"name":"listar_salas","arguments":`+strings.Repeat(`[`, n)+strings.Repeat(`]`, n), metaComum), "listar_salas", [2]string{})
	}
}

// Whatever stands in params and _meta.
func FuzzDoisCaminhos(f *testing.F) {
	g := novasGemeas(f, nil)
	// The same state for both: they share the secret and the clock.
	estados := g.perguntados(f)
	for _, c := range casosDeChamada() {
		f.Add(strings.ReplaceAll(c.params, "ESTADO", estados[0]), c.meta)
	}
	f.Fuzz(func(t *testing.T, params, meta string) {
		body := corpo(params, meta)
		g.iguais(t, body, nomeDe(body), estados)
	})
}
