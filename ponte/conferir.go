package main

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// conferir holds what happened in a step against what was expected, and
// returns every difference as a sentence.
func (p *palco) conferir(s passo, c cena) []string {
	if c.err != nil {
		return []string{c.err.Error()}
	}
	var erros []string
	falta := func(format string, args ...any) { erros = append(erros, fmt.Sprintf(format, args...)) }
	if c.status != 200 {
		falta("HTTP %d, esperado 200", c.status)
	}
	if trecho := vazamento(c.body); trecho != "" {
		falta("a resposta A2A deixa ver um requestState: %s", trecho)
	}
	if s.cartao {
		p.conferirCartao(c, falta)
	} else {
		p.conferirTarefa(s, c, falta)
	}
	p.conferirMCP(s, c, falta)
	return erros
}

func (p *palco) conferirCartao(c cena, falta func(string, ...any)) {
	if nome := em(c.cartao, "name"); nome != "Central de Salas" {
		falta("o cartao e de %v, esperado Central de Salas", nome)
	}
	i := interfaceJSONRPC(c.cartao)
	if versao := em(i, "protocolVersion"); versao != "1.0" {
		falta("a interface JSONRPC fala a versao %v, esperada 1.0", versao)
	}
	if u, _ := em(i, "url").(string); !mesmoEndereco(u, p.agente+caminhoA2A) {
		falta("a interface JSONRPC esta em %q, esperado %s", u, p.agente+caminhoA2A)
	}
	skills, _ := em(c.cartao, "skills").([]any)
	if !slices.ContainsFunc(skills, func(s any) bool { return em(s, "id") == "reservar-sala" }) {
		falta("falta a skill reservar-sala")
	}
}

// mesmoEndereco compares two URLs, localhost being the same as 127.0.0.1.
func mesmoEndereco(a, b string) bool {
	local := func(s string) string {
		u, err := url.Parse(s)
		if err != nil {
			return s
		}
		if u.Hostname() == "localhost" {
			u.Host = "127.0.0.1:" + u.Port()
		}
		return u.String()
	}
	return local(a) == local(b)
}

func (p *palco) conferirTarefa(s passo, c cena, falta func(string, ...any)) {
	t, e := c.tarefa, p.tarefas[s.tarefa]
	if t.Status.State != s.espera.estado {
		falta("estado %s, esperado %s", t.Status.State, s.espera.estado)
	}
	if fala := t.fala(); fala != s.espera.fala {
		falta("mensagem %q, esperada %q", fala, s.espera.fala)
	}
	if t.ID == "" || t.ContextID == "" || t.ID != e.id || t.ContextID != e.contexto {
		falta("veio a Task %q do contexto %q, esperada %q do contexto %q", t.ID, t.ContextID, e.id, e.contexto)
	}
	if n := len(t.History); n < 2 {
		falta("o historico tem %d mensagens", n)
	} else {
		if dito := t.History[0].texto(); dito != e.pedido {
			falta("o historico comeca com %q, esperado o pedido", dito)
		}
		if dito := t.History[n-1].texto(); dito != s.espera.fala {
			falta("o historico termina com %q, esperado %q", dito, s.espera.fala)
		}
	}
	switch texto := t.artefato(); {
	case s.espera.artefato == "" && len(t.Artifacts) > 0:
		falta("veio um artifact que nao devia existir: %s", texto)
	case texto != s.espera.artefato:
		falta("artifact reserva %s, esperado %s", ou(texto, "ausente"), s.espera.artefato)
	}
}

// artefato is the text of the one artifact, which must be called reserva and
// have one part; a remark when it is not so.
func (t *tarefa) artefato() string {
	switch {
	case len(t.Artifacts) == 0:
		return ""
	case len(t.Artifacts) > 1 || t.Artifacts[0].Name != "reserva" || len(t.Artifacts[0].Parts) != 1:
		return fmt.Sprintf("(%d artifacts, o primeiro %q com %d partes)", len(t.Artifacts), t.Artifacts[0].Name, len(t.Artifacts[0].Parts))
	}
	return t.Artifacts[0].Parts[0].Text
}

// conferirMCP looks at the other border: the requests with this step's
// trace-id in the log of the MCP server.
func (p *palco) conferirMCP(s passo, c cena, falta func(string, ...any)) {
	quer := s.espera.mcp
	switch {
	case len(quer) == 0 && len(c.mcp) > 0:
		falta("causou requests MCP sem precisar: %s", metodosDe(c.mcp))
		return
	case len(quer) == 0:
		return
	case !emSequencia(quer, c.mcp):
		falta("o log do servidor MCP mostra com o trace-id %s: %s; esperado %s", c.traceID, ou(metodosDe(c.mcp), "nada"), strings.Join(quer, ", "))
		return
	case contar(c.mcp, "tools/call") != 1:
		falta("causou %d tools/call, esperado 1", contar(c.mcp, "tools/call"))
	}
	if !p.servidor.antesDe("tools/list", "tools/call") {
		falta("houve tools/call antes do primeiro tools/list")
	}
	if id, _ := ultimaChamada(c.mcp); c.anterior != "" && id == c.anterior {
		falta("a retomada repetiu o id %s do primeiro request", id)
	}
}

func metodosDe(vistos []requestVisto) string {
	nomes := make([]string, len(vistos))
	for i, v := range vistos {
		nomes[i] = v.metodo
	}
	return strings.Join(nomes, ", ")
}

func contar(vistos []requestVisto, metodo string) int {
	n := 0
	for _, v := range vistos {
		if v.metodo == metodo {
			n++
		}
	}
	return n
}

func ou(s, vazio string) string {
	if s == "" {
		return vazio
	}
	return s
}

// selado matches what only a sealed state can be: the longest word of an A2A
// answer is a UUID of 36 characters.
var selado = regexp.MustCompile(`(?i)requestState|[A-Za-z0-9_+/=.-]{64,}`)

// vazamento returns the start of a requestState in a body, or "".
func vazamento(body []byte) string {
	trecho := selado.Find(body)
	return string(trecho[:min(len(trecho), 40)])
}
