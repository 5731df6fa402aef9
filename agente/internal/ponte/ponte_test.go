package ponte

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/rastro"
)

const perfilDeTeste = `{
  "cartao": {"name":"Oficina","description":"Pinta coisas","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
    "skills":[{"id":"pintar","name":"Pintar","description":"Pinta","tags":["cor"]}]},
  "cliente": {"nome":"oficina","versao":"1"},
  "pedidos": [{"verbo":"pintar","skill":"pintar","ferramenta":"pinta","forma":"pintar peca=<id> cor=<cor>","sucesso":"Pintada {peca} de {cor} x{n}.","recusa":"Sem pintura.",
    "artefato":{"nome":"pintura","campos":[{"nome":"peca"},{"nome":"cor"},{"nome":"n"},{"nome":"falta"},{"nome":"norma","recurso":"norma"}]}}],
  "pausa": {"chave":"escolha","recusar":"recusar","aceitar":"aceitar","linha":"alternativas: ","formulario":"informe: ","mensagem":false},
  "recursos": {"norma":{"uri":"norma://x","linha":1,"prefixo":"v:"}}
}`

// oficina is an MCP server that answers as a test tells it to.
type oficina struct {
	mu       sync.Mutex
	chamadas []chamada
	traces   []string
	sem      hospede.Desfecho // what keeps discovery from working
	semNorma hospede.Desfecho
	responde func(context.Context, chamada) hospede.Desfecho
}

type chamada struct {
	ferramenta string
	argumentos string
	retomada   *hospede.Retomada
}

func (o *oficina) Ferramenta(ctx context.Context, nome string) (hospede.Ferramenta, bool, hospede.Desfecho) {
	o.trace(ctx)
	if o.sem != nil {
		return hospede.Ferramenta{}, false, o.sem
	}
	f, err := hospede.LerFerramenta("pinta", json.RawMessage(`{"type":"object","properties":{"peca":{"type":"string"},"cor":{"type":"string"},"n":{"type":"integer"}},"required":["peca","cor"]}`))
	if err != nil {
		panic(err)
	}
	return f, nome == "pinta", nil
}

func (o *oficina) Recurso(ctx context.Context, uri string) (string, hospede.Desfecho) {
	o.trace(ctx)
	return "v: 7\nresto", o.semNorma
}

func (o *oficina) Chamar(ctx context.Context, ferramenta string, argumentos []byte, r *hospede.Retomada) hospede.Desfecho {
	o.trace(ctx)
	c := chamada{ferramenta, string(argumentos), r}
	o.mu.Lock()
	o.chamadas = append(o.chamadas, c)
	o.mu.Unlock()
	return o.responde(ctx, c)
}

func (o *oficina) trace(ctx context.Context) {
	r, _ := rastro.DoContexto(ctx)
	o.mu.Lock()
	o.traces = append(o.traces, r.TraceID)
	o.mu.Unlock()
}

func (o *oficina) vezes() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.chamadas)
}

const estadoSecreto = "estado-secreto-do-servidor"

var pede = hospede.PedeEntrada{
	RequestState: estadoSecreto,
	Perguntas: []tarefa.Pergunta{{Chave: "k", Mensagem: "Qual?", Esquema: json.RawMessage(
		`{"type":"object","properties":{"tinta":{"type":"string","enum":["azul","verde claro"]}},"required":["tinta"]}`)}},
}

var feita = hospede.Concluido{Estruturado: json.RawMessage(`{"n": 12345678901234567890, "cor":"azul","peca":"p<1>","extra":true}`)}

// roteiro asks at the first call and finishes at the retry.
func roteiro(_ context.Context, c chamada) hospede.Desfecho {
	if c.retomada == nil {
		return pede
	}
	return feita
}

func nova(t *testing.T, o *oficina, muda ...func(*Config)) *Ponte {
	t.Helper()
	perf, err := perfil.Carregar([]byte(perfilDeTeste), "teste")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Perfil: perf, Servidor: o, Store: tarefa.NovaMemoria(100, 1<<30), Espera: 10 * time.Second,
		ValidadePausa: 24 * time.Hour, Guarda: 720 * time.Hour, Agora: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	for _, m := range muda {
		m(&cfg)
	}
	p := Nova(cfg)
	t.Cleanup(func() { _ = p.Fechar(context.Background()) })
	return p
}

var contador int
var contadorMu sync.Mutex

func mensagem(texto string, tk *tarefa.Tarefa) *a2a.Message {
	contadorMu.Lock()
	contador++
	id := fmt.Sprint("m", contador)
	contadorMu.Unlock()
	m := &a2a.Message{ID: id, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(texto)}}
	if tk != nil {
		m.TaskID = a2a.TaskID(tk.ID)
	}
	return m
}

// dizer sends a message and waits for the Task to stop.
func dizer(t *testing.T, p *Ponte, m *a2a.Message) *tarefa.Tarefa {
	t.Helper()
	tk, feito, err := p.Receber(t.Context(), m)
	if err != nil {
		t.Fatalf("%q: %v", textoDe(m), err)
	}
	if feito != nil {
		<-feito
		if tk, err = p.Ler(t.Context(), tk.ID); err != nil {
			t.Fatal(err)
		}
	}
	return tk
}

func quer(t *testing.T, tk *tarefa.Tarefa, estado a2a.TaskState, textos ...string) {
	t.Helper()
	var got []string
	if tk.Palavra != nil {
		for _, part := range tk.Palavra.Parts {
			got = append(got, part.Text())
		}
	}
	if tk.Estado != estado || strings.Join(got, "|") != strings.Join(textos, "|") {
		t.Errorf("want %s saying %q, got %s saying %q", estado, textos, tk.Estado, got)
	}
}

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

func TestMensagensQueNenhumaTaskAceita(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	m := mensagem("escolha=azul", tk)
	m.ContextID = "outro"
	if _, _, err := p.Receber(t.Context(), m); !errors.Is(err, ErrContexto) {
		t.Errorf("another context: want ErrContexto, got %v", err)
	}
	if depois, _ := p.Ler(t.Context(), tk.ID); depois.Versao != tk.Versao {
		t.Error("a refused message was stored")
	}
	m = mensagem("x", nil)
	m.TaskID = "nao-existe"
	if _, _, err := p.Receber(t.Context(), m); !errors.Is(err, tarefa.ErrNaoExiste) {
		t.Errorf("unknown task: %v", err)
	}
	m = mensagem("escolha=azul", tk)
	m.ContextID = tk.Contexto
	tk = dizer(t, p, m)
	quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
	if _, _, err := p.Receber(t.Context(), mensagem("escolha=azul", tk)); !errors.Is(err, ErrNaoAceita) {
		t.Errorf("a terminal task: want ErrNaoAceita, got %v", err)
	}
	if igual := dizer(t, p, m); igual.Versao != tk.Versao || o.vezes() != 2 {
		t.Error("the same message again: want the task as it stands, and nothing run")
	}
	m = mensagem("pintar peca=p cor=rosa", nil)
	m.ContextID = "do-cliente"
	if tk := dizer(t, p, m); tk.Contexto != "do-cliente" {
		t.Errorf("a client's context is kept, got %q", tk.Contexto)
	}
}

// Of many answers at once exactly one goes to the server.
func TestUmaSoRespostaPassa(t *testing.T) {
	solta := make(chan struct{})
	o := &oficina{}
	o.responde = func(ctx context.Context, c chamada) hospede.Desfecho {
		if c.retomada != nil {
			<-solta
		}
		return roteiro(ctx, c)
	}
	p := nova(t, o)
	for _, mesma := range []bool{false, true} {
		tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		antes := o.vezes()
		m := mensagem("escolha=azul", tk)
		var wg sync.WaitGroup
		aceitas := make(chan bool, 32)
		for range 32 {
			wg.Go(func() {
				n := m
				if !mesma {
					n = mensagem("escolha=azul", tk)
				}
				_, feito, err := p.Receber(context.Background(), n)
				if err != nil && !errors.Is(err, ErrNaoAceita) || mesma && err != nil {
					t.Errorf("same message %v: %v", mesma, err)
				}
				aceitas <- feito != nil
			})
		}
		wg.Wait()
		close(aceitas)
		n := 0
		for a := range aceitas {
			if a {
				n++
			}
		}
		solta <- struct{}{}
		if n != 1 || o.vezes() != antes+1 {
			t.Errorf("same message %v: want one to pass, got %d and %d calls", mesma, n, o.vezes()-antes)
		}
	}
	close(solta)
}

func TestCancelar(t *testing.T) {
	chegou := make(chan struct{}, 1)
	o := &oficina{}
	o.responde = func(ctx context.Context, c chamada) hospede.Desfecho {
		if strings.Contains(c.argumentos, "lenta") {
			chegou <- struct{}{}
			<-ctx.Done() // cancelled with the task; the answer comes all the same
			return feita
		}
		return pede
	}
	p := nova(t, o)
	tk, feito, err := p.Receber(t.Context(), mensagem("pintar peca=lenta cor=azul", nil))
	if err != nil {
		t.Fatal(err)
	}
	<-chegou
	tk, err = p.Cancelar(t.Context(), tk.ID)
	if err != nil {
		t.Fatal(err)
	}
	quer(t, tk, a2a.TaskStateCanceled, "Cancelada a pedido de quem chamou.")
	<-feito
	if depois, _ := p.Ler(t.Context(), tk.ID); depois.Estado != a2a.TaskStateCanceled || len(depois.Artefatos) != 0 {
		t.Errorf("an answer that came late changed a cancelled task: %s", depois.Estado)
	}
	if _, err := p.Cancelar(t.Context(), tk.ID); !errors.Is(err, ErrNaoCancelavel) {
		t.Errorf("terminal: want ErrNaoCancelavel, got %v", err)
	}
	if _, err := p.Cancelar(t.Context(), "x"); !errors.Is(err, tarefa.ErrNaoExiste) {
		t.Errorf("unknown: %v", err)
	}
	pausada := dizer(t, p, mensagem("pintar peca=p cor=azul", nil))
	if tk, err := p.Cancelar(t.Context(), pausada.ID); err != nil || tk.Estado != a2a.TaskStateCanceled || tk.Pausa != nil {
		t.Errorf("paused: %+v, %v", tk, err)
	}
}

func TestRastroDaConversa(t *testing.T) {
	o := &oficina{responde: roteiro}
	p := nova(t, o)
	r := rastro.Novo()
	ctx := rastro.ComContexto(t.Context(), r)
	tk, feito, _ := p.Receber(ctx, mensagem("pintar peca=p cor=rosa", nil))
	<-feito
	dizer(t, p, mensagem("escolha=azul", tk)) // without a trace of its own
	for i, id := range o.traces {
		if id != r.TraceID {
			t.Errorf("request %d: want the caller's trace %s, got %s", i, r.TraceID, id)
		}
	}
	n := len(o.traces)
	outro := rastro.Novo()
	tk, feito, _ = p.Receber(ctx, mensagem("pintar peca=p cor=rosa", nil))
	<-feito
	_, feito, _ = p.Receber(rastro.ComContexto(t.Context(), outro), mensagem("escolha=azul", tk))
	<-feito
	if last := o.traces[len(o.traces)-1]; last != outro.TraceID || len(o.traces) == n {
		t.Errorf("a continuation with its own trace: want %s, got %s", outro.TraceID, last)
	}
	dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
	if last := o.traces[len(o.traces)-1]; len(last) != 32 || last == outro.TraceID {
		t.Errorf("no trace came: want a new one, got %q", last)
	}
}

func TestLimiteDeEspera(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &oficina{}
		o.responde = func(ctx context.Context, c chamada) hospede.Desfecho {
			<-ctx.Done()
			return hospede.Inacessivel{Motivo: "Servidor MCP nao respondeu a tempo.", Causa: "deadline"}
		}
		p := nova(t, o)
		inicio := time.Now()
		tk := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		quer(t, tk, a2a.TaskStateFailed, "Servidor MCP nao respondeu a tempo.")
		if d := time.Since(inicio); d != 10*time.Second {
			t.Errorf("want the limit of 10s, took %s", d)
		}
		_ = p.Fechar(t.Context())
	})
}

func TestPausaExpira(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &oficina{responde: roteiro}
		p := nova(t, o)
		varrida := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		time.Sleep(23*time.Hour + 59*time.Minute + 30*time.Second)
		viva := dizer(t, p, mensagem("pintar peca=p cor=rosa", nil))
		if tk, _ := p.Ler(t.Context(), varrida.ID); tk.Estado != a2a.TaskStateInputRequired {
			t.Errorf("before 24h: %s", tk.Estado)
		}
		time.Sleep(30 * time.Second)
		tk, err := p.Ler(t.Context(), varrida.ID) // before the sweep comes by
		if err != nil {
			t.Fatal(err)
		}
		quer(t, tk, a2a.TaskStateFailed, "Pausa expirada.")
		if _, _, err := p.Receber(t.Context(), mensagem("escolha=azul", tk)); !errors.Is(err, ErrNaoAceita) {
			t.Errorf("an expired pause takes no answer, got %v", err)
		}
		time.Sleep(24*time.Hour + time.Minute)
		pagina, _ := p.Listar(t.Context(), tarefa.Filtro{Estado: a2a.TaskStateFailed, Limite: 10})
		if pagina.Total != 2 || pagina.Tarefas[0].ID != viva.ID {
			t.Errorf("the sweep must end what nobody looks at: %+v", pagina)
		}
		_ = p.Fechar(t.Context())
	})
}

// What a dead agent left at work is settled once its claim is over, by whoever
// shares the store: nothing stays WORKING for ever, no pause is lost.
func TestRecuperacao(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, fim := tarefa.NovaMemoria(10, 1<<30), make(chan struct{})
		presa := &oficina{responde: func(_ context.Context, c chamada) hospede.Desfecho {
			if c.retomada == nil && strings.Contains(c.argumentos, "rosa") {
				return pede
			}
			<-fim // the agent dies here, and comes back from the dead too late
			return feita
		}}
		morta := nova(t, presa, func(c *Config) { c.Store = store })
		pausada := dizer(t, morta, mensagem("pintar peca=p cor=rosa", nil))
		primeira, _, err := morta.Receber(t.Context(), mensagem("pintar peca=p cor=azul", nil))
		if err != nil {
			t.Fatal(err)
		}
		continuada, _, err := morta.Receber(t.Context(), mensagem("escolha=azul", pausada))
		if err != nil {
			t.Fatal(err)
		}
		so, err := store.Criar(t.Context(), tarefa.Nova(mensagem("x", nil), "", time.Now()).AtePrazo(time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		morta.cancel()
		morta.fecharUmaVez.Do(func() { close(morta.closing) }) // its sweep is gone with it

		viva := nova(t, &oficina{responde: roteiro}, func(c *Config) { c.Store = store })
		if tk, _ := viva.Ler(t.Context(), continuada.ID); tk.Estado != a2a.TaskStateWorking {
			t.Errorf("a claim that still holds was taken over: %s", tk.Estado)
		}
		time.Sleep(20*time.Second + varredura)
		synctest.Wait()
		tk, _ := viva.Ler(t.Context(), primeira.ID)
		quer(t, tk, a2a.TaskStateFailed, "O agente foi interrompido durante o pedido, que pode ter tido efeito no servidor MCP.")
		tk, _ = viva.Ler(t.Context(), so.ID)
		quer(t, tk, a2a.TaskStateFailed, "O agente foi interrompido antes de comecar o pedido.")
		tk, _ = viva.Ler(t.Context(), continuada.ID)
		quer(t, tk, a2a.TaskStateInputRequired, "alternativas: azul, verde claro", "O agente foi interrompido antes de concluir a resposta. Responda de novo.")
		tk = dizer(t, viva, mensagem("escolha=azul", tk))
		quer(t, tk, a2a.TaskStateCompleted, "Pintada p<1> de azul x12345678901234567890.")
		close(fim)
		synctest.Wait()
		if depois, _ := viva.Ler(t.Context(), primeira.ID); depois.Estado != a2a.TaskStateFailed {
			t.Errorf("the dead agent's result was stored over the settlement: %s", depois.Estado)
		}
		time.Sleep(720*time.Hour + varredura)
		synctest.Wait()
		if _, err := viva.Ler(t.Context(), primeira.ID); !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("what ended long ago is forgotten, got %v", err)
		}
		_ = viva.Fechar(t.Context())
	})
}

func TestFecharEspera(t *testing.T) {
	solta := make(chan struct{})
	o := &oficina{responde: func(context.Context, chamada) hospede.Desfecho { <-solta; return feita }}
	p := nova(t, o)
	tk, feito, _ := p.Receber(t.Context(), mensagem("pintar peca=p cor=rosa", nil))
	curto, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.Fechar(curto); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("work under way: want the bound to be reached, got %v", err)
	}
	close(solta)
	<-feito
	if err := p.Fechar(t.Context()); err != nil {
		t.Error(err)
	}
	if tk, _ = p.Ler(t.Context(), tk.ID); tk.Estado != a2a.TaskStateCompleted {
		t.Errorf("work that ended is stored: %s", tk.Estado)
	}
}
