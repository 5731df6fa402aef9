package ponte

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Questions and answers as data, one question and several.
func TestEntenderDados(t *testing.T) {
	uma := []tarefa.Pergunta{{Chave: "k", Esquema: json.RawMessage(`{"type":"object","properties":{"cor":{"type":"string","enum":["azul"]},"n":{"type":"integer"}},"required":["cor"]}`)}}
	duas := append(uma, tarefa.Pergunta{Chave: "sim", Esquema: json.RawMessage(`{"type":"object"}`)})
	for _, c := range []struct {
		perguntas []tarefa.Pergunta
		dados     string
		want      map[string]hospede.Resposta // nil when it is no answer
		recusou   bool
	}{
		{uma, `{"action":"accept","content":{"cor":"azul"}}`, map[string]hospede.Resposta{"k": {Acao: "accept", Conteudo: map[string]any{"cor": "azul"}}}, false},
		{uma, `{"action":"accept","content":{"cor":"azul","n":3}}`, map[string]hospede.Resposta{"k": {Acao: "accept", Conteudo: map[string]any{"cor": "azul", "n": int64(3)}}}, false},
		{uma, `{"action":"decline"}`, map[string]hospede.Resposta{"k": {Acao: "decline"}}, true},
		{uma, `{"action":"cancel","content":{}}`, map[string]hospede.Resposta{"k": {Acao: "cancel"}}, true},
		{uma, `{"responses":{"k":{"action":"cancel"}}}`, map[string]hospede.Resposta{"k": {Acao: "cancel"}}, true},
		{uma, `{"action":"accept","content":{"cor":"azul","n":"3"}}`, nil, false},
		{uma, `{"responses":{"k":{"action":"cancel"}},"action":"cancel"}`, nil, false},
		{uma, `{"responses":{"k":{"action":"cancel"},"z":{"action":"cancel"}}}`, nil, false},
		{uma, `{"responses":{"k":"cancel"}}`, nil, false},
		{duas, `{"responses":{"k":{"action":"accept","content":{"cor":"azul"}},"sim":{"action":"accept"}}}`,
			map[string]hospede.Resposta{"k": {Acao: "accept", Conteudo: map[string]any{"cor": "azul"}}, "sim": {Acao: "accept", Conteudo: map[string]any{}}}, false},
		{duas, `{"responses":{"k":{"action":"decline"},"sim":{"action":"accept"}}}`, map[string]hospede.Resposta{"k": {Acao: "decline"}, "sim": {Acao: "accept", Conteudo: map[string]any{}}}, false},
		{duas, `{"responses":{"k":{"action":"decline"},"sim":{"action":"cancel"}}}`, map[string]hospede.Resposta{"k": {Acao: "decline"}, "sim": {Acao: "cancel"}}, true},
		{duas, `{"responses":{"k":{"action":"decline"}}}`, nil, false},
		{duas, `{"action":"decline"}`, nil, false},
	} {
		var dados any
		if err := json.Unmarshal([]byte(c.dados), &dados); err != nil {
			t.Fatal(err)
		}
		a, err := entenderDados(c.perguntas, dados)
		if c.want == nil {
			if err == nil {
				t.Errorf("%s: want no answer, got %+v", c.dados, a)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(a.respostas, c.want) || a.recusou != c.recusou {
			t.Errorf("%s:\nwant %+v %v\ngot  %+v %v, %v", c.dados, c.want, c.recusou, a.respostas, a.recusou, err)
		}
	}
}

// A pause as data has the server's order and words, and no state, wherever the
// server put it.
func TestElicitacao(t *testing.T) {
	const estado = "estado-muito-secreto"
	pausada := &tarefa.Tarefa{Estado: a2a.TaskStateInputRequired, Estados: []string{estado}, Pausa: &tarefa.Pausa{RequestState: estado, Perguntas: []tarefa.Pergunta{
		{Chave: "z", Mensagem: "Qual? " + estado, Esquema: json.RawMessage(`{"type":"object","properties":{"b":{"type":"string","title":"` + estado + `"},"a":{"type":"boolean"}}}`)},
	}}}
	if got := string(Elicitacao(pausada)); got != `{"message":"Qual? [...]","requestedSchema":{"properties":{"a":{"type":"boolean"},"b":{"title":"[...]","type":"string"}},"type":"object"}}` {
		t.Errorf("one question: %s", got)
	}
	limpa := *pausada
	limpa.Estados = nil
	limpa.Pausa = &tarefa.Pausa{Perguntas: []tarefa.Pergunta{{Chave: "z", Mensagem: "<1>", Esquema: json.RawMessage(`{"type": "object", "properties":{"b":{},"a":{}}}`)}, {Chave: "a", Mensagem: "2", Esquema: json.RawMessage(`{}`)}}}
	if got := string(Elicitacao(&limpa)); got != `{"elicitations":{"z":{"message":"<1>","requestedSchema":{"type":"object","properties":{"b":{},"a":{}}}},"a":{"message":"2","requestedSchema":{}}}}` {
		t.Errorf("several, in the server's order: %s", got)
	}
	limpa.Estado = a2a.TaskStateWorking // an answer is under way: nothing is asked
	if got := Elicitacao(&limpa); got != nil {
		t.Errorf("not paused: %s", got)
	}
}

// A message whose push config cannot be stored has no effect at all.
func TestAvisoQueNaoSeGuarda(t *testing.T) {
	p := nova(t, &oficina{responde: roteiro})
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	for i := range tarefa.MaxAvisos {
		if err := p.GuardarAviso(t.Context(), tarefa.Aviso{TaskID: tk.ID, ID: strings.Repeat("x", i+1), URL: "https://x.example"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Receber(t.Context(), Envio{Mensagem: mensagem("escolha=azul", tk), Aviso: &tarefa.Aviso{ID: "demais", URL: "https://x.example"}}); !errors.Is(err, tarefa.ErrMuitosAvisos) {
		t.Errorf("want ErrMuitosAvisos, got %v", err)
	}
	if agora, _ := p.Ler(t.Context(), tk.ID); agora.Versao != tk.Versao {
		t.Errorf("the task changed: %+v", agora)
	}
}
