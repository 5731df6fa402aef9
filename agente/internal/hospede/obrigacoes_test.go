package hospede

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// oferecendo answers tools/list with the tools, and every call with a result;
// *chamada is the last call.
func oferecendo(tools string, chamada *pedido) func(http.ResponseWriter, pedido) string {
	return func(w http.ResponseWriter, p pedido) string {
		switch p.Method {
		case "tools/list":
			return `{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":[` + tools + `]}`
		case "tools/call":
			*chamada = p
		}
		return normal(60_000, func(http.ResponseWriter, pedido) string {
			return `{"resultType":"complete","structuredContent":{"a":1}}`
		})(w, p)
	}
}

// Arguments that a tool marks travel in headers as well, encoded where they are
// no plain ASCII, and a tool that marks them wrongly is not there (MCP
// 2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters").
func TestCabecalhosDeParametros(t *testing.T) {
	var p pedido
	ruins := map[string]string{
		"vazio":    `{"a":{"type":"string","x-mcp-header":""}}`,
		"espaco":   `{"a":{"type":"string","x-mcp-header":"A B"}}`,
		"numero":   `{"a":{"type":"number","x-mcp-header":"A"}}`,
		"repetido": `{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}`,
	}
	tools := `{"name":"boa","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Regiao"},"t":{"type":"string","x-mcp-header":"Texto"},"n":{"type":"integer","x-mcp-header":"Numero"},"b":{"type":"boolean","x-mcp-header":"Sim"},"o":{"type":"object","properties":{"d":{"type":"string","x-mcp-header":"Dentro"}}}}}}`
	for nome, props := range ruins {
		tools += `,{"name":"` + nome + `","inputSchema":{"type":"object","properties":` + props + `}}`
	}
	h := novoHospede(t, novoFingido(t, oferecendo(tools, &p)).URL)
	for _, c := range []struct {
		args string
		want map[string]string
	}{
		{`{"r":"us","t":"Olá ","n":-7,"b":true,"o":{"d":"x"}}`, map[string]string{"Regiao": "us", "Texto": "=?base64?T2zDoSA=?=", "Numero": "-7", "Sim": "true", "Dentro": "x"}},
		{`{"r":null,"t":"=?base64?eA==?="}`, map[string]string{"Texto": "=?base64?PT9iYXNlNjQ/ZUE9PT89?="}},
	} {
		if got := ver(h.Chamar(t.Context(), "boa", []byte(c.args), nil)); got != `Concluido {"a":1}` {
			t.Fatalf("%s: %s", c.args, got)
		}
		for _, nome := range []string{"Regiao", "Texto", "Numero", "Sim", "Dentro"} {
			if got := p.header.Get("Mcp-Param-" + nome); got != c.want[nome] {
				t.Errorf("%s: Mcp-Param-%s: want %q, got %q", c.args, nome, c.want[nome], got)
			}
		}
	}
	for nome := range ruins {
		if _, ok, falhou := h.Ferramenta(t.Context(), nome); ok || falhou != nil {
			t.Errorf("%s: want the tool left out, got %v, %v", nome, ok, falhou)
		}
	}
}

// All pages of a list count, whatever their size, each by the cursor of the one
// before (MCP 2026-07-28, Pagination).
func TestPaginas(t *testing.T) {
	var cursores []string
	f := novoFingido(t, nil)
	f.trocar(func(w http.ResponseWriter, p pedido) string {
		if p.Method != "tools/list" {
			return normal(0, nil)(w, p)
		}
		n := len(cursores)
		cursores = append(cursores, p.Params.Cursor)
		tool := func(nome string) string { return `{"name":"` + nome + `","inputSchema":{"type":"object"}}` }
		switch n {
		case 0:
			return `{"ttlMs":60000,"nextCursor":"opaco= 2","tools":[` + tool("um") + `,` + tool("dois") + `]}`
		case 1:
			return `{"ttlMs":60000,"nextCursor":"3","tools":[]}`
		}
		return `{"ttlMs":60000,"tools":[` + tool("tres") + `]}`
	})
	h := novoHospede(t, f.URL)
	for _, nome := range []string{"tres", "um", "dois"} {
		if _, ok, falhou := h.Ferramenta(t.Context(), nome); !ok || falhou != nil {
			t.Errorf("%s: want it found, got %v, %v", nome, ok, falhou)
		}
	}
	if got := strings.Join(cursores, ";"); got != ";opaco= 2;3" {
		t.Errorf("want each cursor as it came, once, got %q", got)
	}
}

// A question that came without a state is answered without one (MCP 2026-07-28,
// MRTR, "Client Requirements").
func TestRetomadaSemEstado(t *testing.T) {
	f := novoFingido(t, normal(0, func(http.ResponseWriter, pedido) string { return `{"resultType":"complete","structuredContent":{}}` }))
	novoHospede(t, f.URL).Chamar(t.Context(), "pinta", []byte(`{}`), &Retomada{Respostas: map[string]Resposta{"a": {Acao: "decline"}}})
	if p := f.de("tools/call")[0].Params; p.RequestState != nil || p.InputResponses == nil {
		t.Errorf("want answers and no state, got %+v", p)
	}
}

// The codes from -32019 to -32000 say nothing to this host, not even those that
// it uses inside; and what comes with them is not repeated (MCP 2026-07-28,
// Overview, "Error Codes").
func TestCodigosLegados(t *testing.T) {
	for code := -32019; code <= -32000; code++ {
		f := novoFingido(t, normal(0, func(w http.ResponseWriter, p pedido) string {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"estado-secreto"}}`, p.ID, code)
			return ""
		}))
		got := ver(novoHospede(t, f.URL).Chamar(t.Context(), "pinta", []byte(`{}`), nil))
		if strings.Contains(got, "estado-secreto") || !strings.HasPrefix(got, "Inacessivel Servidor MCP deu uma resposta invalida.") {
			t.Errorf("%d: got %s", code, got)
		}
	}
}

// Mcp-Name is encoded where it is no plain ASCII, or could be taken for encoded
// (MCP 2026-07-28, Streamable HTTP, "Value Encoding").
func TestMcpName(t *testing.T) {
	for nome, want := range map[string]string{
		"simples":         "simples",
		"olá":             "=?base64?b2zDoQ==?=",
		" borda":          "=?base64?IGJvcmRh?=",
		"=?base64?eA==?=": "=?base64?PT9iYXNlNjQ/ZUE9PT89?=",
	} {
		var p pedido
		h := novoHospede(t, novoFingido(t, oferecendo(`{"name":"`+nome+`","inputSchema":{"type":"object"}}`, &p)).URL)
		h.Chamar(t.Context(), nome, []byte(`{}`), nil)
		if got := p.header.Get("Mcp-Name"); got != want {
			t.Errorf("%q: want %q, got %q", nome, want, got)
		}
	}
}
