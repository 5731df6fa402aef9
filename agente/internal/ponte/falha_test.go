package ponte

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

var fora = hospede.Inacessivel{Motivo: "Servidor MCP inacessivel.", Causa: "connection refused"}

// Without a usable answer the first call fails, and a continuation keeps its
// pause; a server that refuses the state for good ends it.
func TestSemRespostaUtil(t *testing.T) {
	for _, c := range []struct {
		nome          string
		d             hospede.Desfecho
		primeira      string
		continua      bool
		continuaTexto string
	}{
		{"unreachable", fora, "Servidor MCP inacessivel.", true, "Servidor MCP inacessivel."},
		{"tool error", hospede.Recusado{Mensagem: "Tinta seca: <b>"}, "Tinta seca: <b>", false, "Tinta seca: <b>"},
		{"invalid params", hospede.ErroDeProtocolo{Codigo: -32602}, "Servidor MCP recusou a chamada (erro -32602).", false, "A pausa nao vale mais no servidor MCP: venceu, ou uma resposta anterior ja teve efeito. Confira antes de pedir de novo."},
		{"internal error", hospede.ErroDeProtocolo{Codigo: -32603}, "Servidor MCP recusou a chamada (erro -32603).", true, "Servidor MCP recusou a retomada (erro -32603)."},
		{"no object", hospede.Concluido{Estruturado: json.RawMessage(`[]`)}, "Servidor MCP deu uma resposta invalida.", true, "Servidor MCP deu uma resposta invalida."},
		{"a form that is none", hospede.PedeEntrada{RequestState: "x", Perguntas: []tarefa.Pergunta{{Chave: "k", Esquema: json.RawMessage(`{"type":"string"}`)}}}, "Servidor MCP pediu algo que este agente nao sabe perguntar.", true, "Servidor MCP pediu algo que este agente nao sabe perguntar."},
		{"unknown outcome", nil, "Erro interno do agente.", true, "Erro interno do agente."},
	} {
		t.Run(c.nome, func(t *testing.T) {
			o := &oficina{responde: func(context.Context, chamada) hospede.Desfecho { return c.d }}
			p := nova(t, o)
			quer(t, dizer(t, p, mensagem("pintar peca=p cor=rosa", nil)), a2a.TaskStateFailed, c.primeira)

			o.responde = roteiro
			tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
			o.responde = func(context.Context, chamada) hospede.Desfecho { return c.d }
			tk = dizer(t, p, mensagem("escolha=azul", tk))
			if !c.continua {
				quer(t, tk, a2a.TaskStateFailed, c.continuaTexto)
				return
			}
			quer(t, tk, a2a.TaskStateInputRequired, "alternativas: azul, verde claro", c.continuaTexto)
			if tk.Pausa == nil || tk.Pausa.RequestState != estadoSecreto {
				t.Fatal("the pause lost its state")
			}
			o.responde = roteiro
			tk = dizer(t, p, mensagem("escolha=azul", tk))
			quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
		})
	}
}

func TestSemDescoberta(t *testing.T) {
	o := &oficina{responde: roteiro, sem: fora}
	p := nova(t, o)
	quer(t, dizer(t, p, mensagem("pintar peca=p cor=rosa", nil)), a2a.TaskStateFailed, "Servidor MCP inacessivel.")
	o.sem, o.semNorma = nil, fora
	quer(t, dizer(t, p, mensagem("pintar peca=p cor=rosa", nil)), a2a.TaskStateFailed, "Servidor MCP inacessivel.")
	if o.vezes() != 0 {
		t.Error("without what the artifact needs, the tool must not act")
	}
	o.semNorma = nil
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	o.semNorma = fora
	quer(t, dizer(t, p, mensagem("escolha=azul", tk)), a2a.TaskStateInputRequired, "alternativas: azul, verde claro", "Servidor MCP inacessivel.")
	if o.vezes() != 1 {
		t.Error("the retry must wait until nothing after it can fail")
	}
}

func TestPanicoNaConversa(t *testing.T) {
	o := &oficina{responde: func(context.Context, chamada) hospede.Desfecho { panic("!") }}
	p := nova(t, o)
	quer(t, dizer(t, p, mensagem("pintar peca=p cor=rosa", nil)), a2a.TaskStateFailed, "Erro interno do agente.")
	o.responde = roteiro
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	o.responde = func(context.Context, chamada) hospede.Desfecho { panic("!") }
	quer(t, dizer(t, p, mensagem("escolha=azul", tk)), a2a.TaskStateInputRequired, "alternativas: azul, verde claro", "Erro interno do agente.")
}

// A server that echoes its state in what is shown does not get it shown.
func TestEstadoNuncaAparece(t *testing.T) {
	eco := "veja " + estadoSecreto + " aqui"
	for nome, d := range map[string]hospede.Desfecho{
		"tool error": hospede.Recusado{Mensagem: eco},
		"result":     hospede.Concluido{Estruturado: json.RawMessage(`{"peca":"` + eco + `","cor":"` + estadoSecreto + `"}`)},
		"question": hospede.PedeEntrada{RequestState: estadoSecreto + "-novo", Perguntas: []tarefa.Pergunta{{Chave: "k", Esquema: json.RawMessage(
			`{"type":"object","properties":{"x":{"type":"string","enum":["` + estadoSecreto + `-novo","` + estadoSecreto + `"]}}}`)}}},
	} {
		o := &oficina{}
		o.responde = func(_ context.Context, c chamada) hospede.Desfecho {
			if c.retomada == nil {
				return pede
			}
			return d
		}
		p := nova(t, o)
		tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		tk = dizer(t, p, mensagem("escolha=azul", tk))
		raw, _ := json.Marshal(tk.A2A(-1, true))
		if strings.Contains(string(raw), estadoSecreto) || !strings.Contains(string(raw), "[...]") {
			t.Errorf("%s: the state leaves through A2A: %s", nome, raw)
		}
	}
	// Not even one of an earlier round, or one that JSON spells with escapes.
	const primeiro, segundo = "primeiro-estado", `segundo"estado`
	o := &oficina{}
	o.responde = func(_ context.Context, c chamada) hospede.Desfecho {
		switch {
		case c.retomada == nil:
			return hospede.PedeEntrada{RequestState: primeiro, Perguntas: pede.Perguntas}
		case c.retomada.RequestState == primeiro:
			return hospede.PedeEntrada{RequestState: segundo, Perguntas: pede.Perguntas}
		}
		raw, _ := json.Marshal(map[string]string{"peca": primeiro, "cor": segundo})
		return hospede.Concluido{Estruturado: raw}
	}
	p := nova(t, o)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	dizer(t, p, mensagem("escolha=azul", tk))
	tk = dizer(t, p, mensagem("escolha=azul", tk))
	quer(t, tk, a2a.TaskStateCompleted, "Pintada [...] de [...] x.")
	if got := tk.Artefatos[0].Parts[0].Text(); got != `{"peca":"[...]","cor":"[...]","n":null,"falta":null,"norma":"7"}` {
		t.Errorf("artifact: %s", got)
	}
}
