package ponte

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/rastro"
)

func TestSemPausa(t *testing.T) {
	o := &oficina{responde: func(context.Context, chamada) hospede.Desfecho { return feita }}
	p := nova(t, o)
	tk := dizer(t, p, mensagem(`pintar peca=p 1 cor="azul mar" n=3`, nil))
	quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
	if got := tk.Artefatos[0].Parts[0].Text(); tk.Artefatos[0].Name != "pintura" || got != `{"peca":"p<1>","cor":"azul","n":12345678901234567890,"falta":null,"norma":"7"}` {
		t.Errorf("artifact: %s", got)
	}
	if c := o.chamadas[0]; c.ferramenta != "pinta" || c.argumentos != `{"cor":"azul mar","n":3,"peca":"p 1"}` {
		t.Errorf("call: %+v", c)
	}
}

func TestPausaERetomada(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	quer(t, tk, a2a.TaskStateInputRequired, "alternativas: azul, verde claro")
	if tk.Pausa.RequestState != estadoSecreto {
		t.Error("the state is not bound to the task")
	}
	for _, fora := range []string{"escolha=rosa", "escolha=Azul", "azul", "escolha", "escolha=", "sim", "pintar peca=p cor=azul", ""} {
		quer(t, dizer(t, p, mensagem(fora, tk)), a2a.TaskStateInputRequired, "alternativas: azul, verde claro")
	}
	if o.vezes() != 1 {
		t.Errorf("what is no answer must not reach the server: %d calls", o.vezes())
	}
	tk = dizer(t, p, mensagem("  escolha = verde claro \n", tk))
	quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
	r := o.chamadas[1]
	if r.ferramenta != "pinta" || r.argumentos != o.chamadas[0].argumentos || r.retomada.RequestState != estadoSecreto {
		t.Errorf("the retry must repeat the call with the state: %+v", r)
	}
	if a := r.retomada.Respostas["k"]; a.Acao != "accept" || a.Conteudo["tinta"] != "verde claro" || len(r.retomada.Respostas) != 1 {
		t.Errorf("the answer goes under the server's key and the schema's property: %+v", r.retomada.Respostas)
	}
}

func TestRecusa(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	tk = dizer(t, p, mensagem("escolha=recusar", tk))
	quer(t, tk, a2a.TaskStateCanceled, "Sem pintura.")
	if a := o.chamadas[1].retomada.Respostas["k"]; a.Acao != "decline" || a.Conteudo != nil || len(tk.Artefatos) != 0 {
		t.Errorf("a refusal declines and makes nothing: %+v", a)
	}
}

func TestVariasRodadas(t *testing.T) {
	segunda := hospede.PedeEntrada{RequestState: "outro-estado-do-servidor", Perguntas: []tarefa.Pergunta{{Chave: "k2", Esquema: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)}}}
	o := &oficina{}
	o.responde = func(_ context.Context, c chamada) hospede.Desfecho {
		switch {
		case c.retomada == nil:
			return pede
		case c.retomada.RequestState == estadoSecreto:
			return segunda
		}
		return feita
	}
	p := nova(t, o)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	tk = dizer(t, p, mensagem("escolha=azul", tk))
	quer(t, tk, a2a.TaskStateInputRequired, "alternativas: sim, nao")
	tk = dizer(t, p, mensagem("escolha=sim", tk))
	quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
	if r := o.chamadas[2].retomada; r.RequestState != "outro-estado-do-servidor" || r.Respostas["k2"].Conteudo["ok"] != true {
		t.Errorf("the second answer goes with the second state: %+v", r)
	}
}

func TestRejeitados(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	for texto, motivo := range map[string]string{
		"":                                "mensagem sem texto",
		"  ":                              "mensagem sem texto",
		"oi":                              "verbo desconhecido",
		"Pintar peca=p cor=azul":          "verbo desconhecido",
		"pintar":                          "falta a chave peca",
		"pintar peca=p":                   "falta a chave cor",
		"pintar tom=azul":                 "chave desconhecida: tom",
		"pintar peca=p cor=azul peca=q":   "chave repetida: peca",
		"pintar peca=p cor=azul n=muitos": "n deve ser um numero",
		"pintar azul":                     `esperava chave=valor em "azul"`,
	} {
		quer(t, dizer(t, p, mensagem(texto, nil)), a2a.TaskStateRejected, "Pedido nao entendido: "+motivo+". Forma esperada: pintar peca=<id> cor=<cor>")
	}
	if o.vezes() != 0 {
		t.Errorf("a rejected request must not call the tool: %d calls", o.vezes())
	}
	dados := &a2a.Message{ID: "d", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewDataPart(map[string]any{"a": 1})}}
	quer(t, dizer(t, p, dados), a2a.TaskStateRejected, "Pedido nao entendido: mensagem sem texto. Forma esperada: pintar peca=<id> cor=<cor>")
	partes := &a2a.Message{ID: "d2", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart("pintar peca=p"), a2a.NewTextPart("cor=rosa")}}
	quer(t, dizer(t, p, partes), a2a.TaskStateInputRequired, "alternativas: azul, verde claro")
}

func TestRastroDaConversa(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	r := rastro.Novo()
	ctx := rastro.ComContexto(t.Context(), r)
	tk, feito, _ := receber(ctx, p, mensagem("pintar peca=p cor=rosa", nil))
	<-feito
	dizer(t, p, mensagem("escolha=azul", tk)) // without a trace of its own
	for i, id := range o.traces {
		if id != r.TraceID {
			t.Errorf("request %d: want the caller's trace %s, got %s", i, r.TraceID, id)
		}
	}
	n := len(o.traces)
	outro := rastro.Novo()
	tk, feito, _ = receber(ctx, p, mensagem("pintar peca=p cor=rosa", nil))
	<-feito
	_, feito, _ = receber(rastro.ComContexto(t.Context(), outro), p, mensagem("escolha=azul", tk))
	<-feito
	if last := o.traces[len(o.traces)-1]; last != outro.TraceID || len(o.traces) == n {
		t.Errorf("a continuation with its own trace: want %s, got %s", outro.TraceID, last)
	}
	dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	if last := o.traces[len(o.traces)-1]; len(last) != 32 || last == outro.TraceID {
		t.Errorf("no trace came: want a new one, got %q", last)
	}
}
