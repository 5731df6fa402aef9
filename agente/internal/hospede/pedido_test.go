package hospede

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/rastro"
)

// gravador is a server that keeps the last tools/call as it came.
type gravador struct {
	*httptest.Server
	linha     string // method, path and protocol
	cabecalho http.Header
	corpo     string
}

func novoGravador(t *testing.T, tools string) *gravador {
	t.Helper()
	g := &gravador{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		corpo, _ := io.ReadAll(r.Body)
		var p struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(corpo, &p); err != nil {
			t.Errorf("%v: %s", err, corpo)
		}
		result := `{"resultType":"complete","structuredContent":{"a":1}}`
		switch p.Method {
		case "server/discover":
			result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
		case "tools/list":
			result = `{"resultType":"complete","ttlMs":60000,"tools":` + tools + `}`
		case "tools/call":
			g.linha, g.cabecalho, g.corpo = r.Method+" "+r.RequestURI+" "+r.Proto, r.Header, string(corpo)
			delete(g.cabecalho, "Content-Length") // ids are not all of one length
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, p.ID, result)
	}))
	t.Cleanup(g.Close)
	return g
}

var (
	umID   = regexp.MustCompile(`"id":[0-9]+`)
	umSpan = regexp.MustCompile(`("traceparent":"00-[0-9a-f]{32}-)[0-9a-f]{16}`)
)

func semIDeSpan(corpo string) string {
	return umSpan.ReplaceAllString(umID.ReplaceAllString(corpo, `"id":0`), "${1}span")
}

// A call of the host's is the one that the SDK would have sent: the same line,
// the same headers, the same bytes, but for its id and its span.
func TestChamadaComoADoSDK(t *testing.T) {
	nomes := []string{"boa", "olá", " borda", "duas\nlinhas", "=?base64?eA==?=", `as"pas\`, "<&>"}
	var tools []json.RawMessage
	for _, nome := range nomes {
		raw, _ := json.Marshal(map[string]any{"name": nome, "inputSchema": json.RawMessage(`{"type":"object","properties":{
			"s":{"type":"string","x-mcp-header":"Texto"},"t":{"type":"string","x-mcp-header":"x-outro_TEXTO"},
			"n":{"type":"integer","x-mcp-header":"Numero"},"b":{"type":"boolean","x-mcp-header":"Sim"},
			"livre":{"type":"string"},
			"o":{"type":"object","properties":{"s":{"type":"string","x-mcp-header":"Dentro"},"o":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"Fundo"}}}}}}}`)})
		tools = append(tools, raw)
	}
	lista, _ := json.Marshal(tools)
	g := novoGravador(t, string(lista))
	h := novoHospede(t, g.URL+"/mcp?a=b")
	sessao, err := h.client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.URL + "/mcp?a=b", HTTPClient: h.http, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sessao.Close() })
	if _, err := sessao.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	type caso struct {
		nome, args string
		retomada   *Retomada
		rastro     rastro.Rastro
	}
	var casos []caso
	for _, nome := range nomes {
		casos = append(casos, caso{nome: nome, args: `{"s":"x"}`})
	}
	for _, args := range []string{
		`{}`, `{"livre":"x"}`, `{"s":null,"n":null,"b":null,"o":null}`, `{"S":"x","o":{"S":"x"}}`,
		`{"s":"us-west1","t":"um, dois; \"tres\""}`, `{"s":"","t":" "}`, `{"s":"Olá, 世界","t":"\t"}`, `{"s":"a\nb\u0000","t":"😀\u007f"}`,
		`{"s":"=?base64?eA==?=","t":"=?base64?"}`, `{"s":"=?BASE64?eA==?=","t":"?="}`, `{"s":"<b>&\u2028","t":"\u00e1\/"}`,
		`{"n":0,"b":true}`, `{"n":-7,"b":false}`, `{"n":-0}`, `{"n":1e3}`, `{"n":7.0}`, `{"n":7.5}`, `{"n":"7"}`,
		`{"n":9007199254740991}`, `{"n":-9007199254740991}`, `{"n":9007199254740992}`, `{"n":12345678901234567890}`,
		`{"s":7,"n":true,"b":"true"}`, `{"s":["x"],"n":{"x":1},"b":[]}`,
		`{"o":{"s":"x","o":{"n":7}}}`, `{"o":{"o":null}}`, `{"o":"x"}`, `{"o":[{"s":"x"}]}`, `{"o":{"o":{"n":null}}}`, `{"o.s":"x"}`,
	} {
		casos = append(casos, caso{nome: "boa", args: args})
	}
	de := rastro.Novo()
	for _, r := range []rastro.Rastro{de, de.Com("a=b", ""), de.Com("", "k=v"), de.Com(`a="<b>"`, "k=ç")} {
		casos = append(casos, caso{nome: "boa", args: `{}`, rastro: r})
	}
	for _, r := range []Retomada{
		{}, {RequestState: "v1.abc"}, {RequestState: "v9.çã \" \\ \u2028 <&> =="},
		{Respostas: map[string]Resposta{"z": {Acao: "decline"}, "a": {Acao: "accept", Conteudo: map[string]any{"z": "<x>", "a": int64(7), "b": true, "l": []string{"é"}}}, `"`: {Acao: "cancel", Conteudo: map[string]any{}}}},
		{RequestState: "s", Respostas: map[string]Resposta{}},
	} {
		casos = append(casos, caso{nome: "boa", args: `{"s":"x","livre":"<&>"}`, retomada: &r})
	}
	for _, c := range casos {
		ctx := rastro.ComContexto(t.Context(), c.rastro)
		params := &mcp.CallToolParams{Name: c.nome, Arguments: json.RawMessage(c.args)}
		if c.retomada != nil {
			params.RequestState, params.InputResponses = c.retomada.RequestState, mcp.InputResponseMap{}
			for chave, r := range c.retomada.Respostas {
				params.InputResponses[chave] = &mcp.ElicitResult{Action: r.Acao, Content: r.Conteudo}
			}
		}
		if _, err := sessao.CallTool(ctx, params); err != nil {
			t.Fatalf("%s: the SDK: %v", c.args, err)
		}
		linha, cabecalho, corpo := g.linha, g.cabecalho, g.corpo
		if d := ver(h.Chamar(ctx, c.nome, []byte(c.args), c.retomada)); d != `Concluido {"a":1}` {
			t.Fatalf("%s: %s", c.args, d)
		}
		if g.linha != linha {
			t.Errorf("%s: want %s, got %s", c.args, linha, g.linha)
		}
		if !reflect.DeepEqual(g.cabecalho, cabecalho) {
			t.Errorf("%q %s:\nwant %v\ngot  %v", c.nome, c.args, cabecalho, g.cabecalho)
		}
		if got, want := semIDeSpan(g.corpo), semIDeSpan(corpo); got != want {
			t.Errorf("%q %s:\nwant %s\ngot  %s", c.nome, c.args, want, got)
		}
	}
}

// What the SDK would not see beside a property whose type is a list is mirrored,
// and looked at, all the same.
func TestEspelhosAoLadoDeTiposVarios(t *testing.T) {
	g := novoGravador(t, `[{"name":"boa","inputSchema":{"type":"object","properties":{"s":{"type":"string","x-mcp-header":"Texto"},"u":{"type":["string","null"]},"v":true}}},
		{"name":"ruim","inputSchema":{"type":"object","properties":{"s":{"type":"string","x-mcp-header":"A B"},"u":{"type":["string","null"]}}}}]`)
	h := novoHospede(t, g.URL)
	h.Chamar(t.Context(), "boa", []byte(`{"s":"x","u":null}`), nil)
	if got := g.cabecalho.Get("Mcp-Param-Texto"); got != "x" {
		t.Errorf("want x in the header, got %q", got)
	}
	if d := h.Chamar(t.Context(), "ruim", []byte(`{}`), nil); d != SemFerramenta {
		t.Errorf("want no such tool, got %v", d)
	}
}

// What net/http's client does for a URL with a user is done for a call as well.
func TestUsuarioNaURL(t *testing.T) {
	g := novoGravador(t, `[{"name":"boa","inputSchema":{"type":"object"}}]`)
	h := novoHospede(t, strings.Replace(g.URL, "http://", "http://eu:senha@", 1))
	h.Chamar(t.Context(), "boa", []byte(`{}`), nil)
	if got := g.cabecalho.Get("Authorization"); got != "Basic ZXU6c2VuaGE=" {
		t.Errorf("got %q", got)
	}
}
