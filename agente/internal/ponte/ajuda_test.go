package ponte

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
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
	memoria := tarefa.NovaMemoria(100, 1<<30)
	cfg := Config{
		Perfil: perf, Servidor: o, Store: tarefa.NovaDifusao(memoria, nil), Avisos: memoria, Espera: 10 * time.Second,
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

// receber sends a message as most callers do.
func receber(ctx context.Context, p *Ponte, m *a2a.Message) (*tarefa.Tarefa, <-chan *tarefa.Tarefa, error) {
	r, err := p.Receber(ctx, Envio{Mensagem: m})
	return r.Tarefa, r.Feito, err
}

// dizer sends a message and waits for the Task to stop.
func dizer(t *testing.T, p *Ponte, m *a2a.Message) *tarefa.Tarefa {
	t.Helper()
	tk, feito, err := receber(t.Context(), p, m)
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
