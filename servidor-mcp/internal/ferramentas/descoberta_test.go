package ferramentas

import (
	"encoding/json"
	"testing"
)

// What the server declares it answers, with the hints that a client may cache
// by (MCP 2026-07-28, Tools, Resources and Prompts, "Capabilities"; Caching,
// "Cacheable Results").
func TestDescoberta(t *testing.T) {
	c := novaCentral(t)
	ler := func(method string, params obj, v any) {
		t.Helper()
		r := c.chamar(t, method, obj{}, params)
		var a struct {
			Result struct {
				ResultType string
				TTLMs      *int `json:"ttlMs"`
				CacheScope string
			}
		}
		if err := json.Unmarshal([]byte(r.Raw), &a); err != nil || r.Status != 200 || a.Result.ResultType != "complete" {
			t.Fatalf("%s: want a complete result, got %d %s", method, r.Status, r.Raw)
		}
		if a.Result.TTLMs == nil || *a.Result.TTLMs < 0 || a.Result.CacheScope != "public" {
			t.Errorf("%s: want ttlMs and cacheScope, got %s", method, r.Raw)
		}
		if err := json.Unmarshal([]byte(r.Raw), &struct{ Result any }{v}); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	var d struct {
		Capabilities map[string]json.RawMessage
	}
	ler("server/discover", nil, &d)
	for _, nome := range []string{"tools", "resources", "prompts"} {
		if string(d.Capabilities[nome]) != "{}" {
			t.Errorf("want %s declared, without more, got %s", nome, d.Capabilities[nome])
		}
	}
	if len(d.Capabilities) != 3 {
		t.Errorf("want nothing else declared, got %v", d.Capabilities)
	}
	var l struct {
		Tools, Prompts, ResourceTemplates *[]any
		Resources                         *[]struct{ URI string }
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		ler(method, nil, &l)
	}
	ler("resources/read", obj{"uri": URIPolitica}, &struct{}{})
	if l.Tools == nil || len(*l.Tools) != 3 || l.Resources == nil || len(*l.Resources) != 1 || (*l.Resources)[0].URI != URIPolitica {
		t.Errorf("want three tools and the policy, got %+v", l)
	}
	if l.Prompts == nil || len(*l.Prompts) != 0 || l.ResourceTemplates == nil || len(*l.ResourceTemplates) != 0 {
		t.Errorf("want empty lists, not null, got %+v", l)
	}
	for _, method := range []string{"logging/setLevel", "resources/subscribe", "ping", "tasks/get"} {
		if r := c.chamar(t, method, obj{}, nil); r.Status != 404 || r.Error == nil || r.Error.Code != -32601 {
			t.Errorf("%s: want 404 and -32601, got %d %s", method, r.Status, r.Raw)
		}
	}
}

// Only the booking asks, and only as a tool call: whatever else is requested,
// with a state or answers or without, is not answered with a question (MCP
// 2026-07-28, MRTR, "Supported Requests").
func TestSoReservarPergunta(t *testing.T) {
	c := novaCentral(t)
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	for _, p := range []struct {
		method string
		params obj
	}{
		{"server/discover", obj{}}, {"tools/list", obj{}}, {"resources/list", obj{}}, {"resources/templates/list", obj{}}, {"prompts/list", obj{}},
		{"resources/read", obj{"uri": URIPolitica}},
		{"tools/call", obj{"name": "listar_salas", "arguments": obj{}}},
		{"tools/call", obj{"name": "consultar_disponibilidade", "arguments": obj{"sala": "sala-garagem", "inicio": ocupada()["inicio"], "fim": ocupada()["fim"]}}},
	} {
		for _, com := range []obj{{}, {"requestState": estado}, {"inputResponses": obj{chavePergunta: aceitar("sala-fusca")}}} {
			params := obj{}
			for _, m := range []obj{p.params, com} {
				for k, v := range m {
					params[k] = v
				}
			}
			r := c.chamar(t, p.method, comFormulario, params)
			if r.Error == nil && r.Result.ResultType != "complete" {
				t.Errorf("%s %v: want no question, got %s", p.method, com, r.Raw)
			}
		}
	}
}
