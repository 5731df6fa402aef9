package porta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/processo"
)

const perfilDeTeste = `{
  "cartao": {"name":"Oficina","description":"Pinta coisas","version":"1","capabilities":{"streaming":false},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
    "skills":[{"id":"pintar","name":"Pintar","description":"Pinta","tags":["cor"]}]},
  "cliente": {"nome":"oficina","versao":"1"},
  "pedidos": [{"verbo":"pintar","skill":"pintar","ferramenta":"pinta","forma":"pintar cor=<cor>","sucesso":"Pintada de {cor}.","recusa":"Sem pintura.",
    "artefato":{"nome":"pintura","campos":[{"nome":"cor"}]}}],
  "pausa": {"chave":"escolha","recusar":"recusar","aceitar":"aceitar","linha":"alternativas: ","formulario":"informe: ","mensagem":false},
  "recursos": {}
}`

// oficina paints in blue at once, in grey after the test lets it, and asks for
// anything else.
type oficina struct{ solta, chegou chan struct{} }

func (o oficina) Ferramenta(context.Context, string) (hospede.Ferramenta, bool, hospede.Desfecho) {
	f, _ := hospede.LerFerramenta("pinta", json.RawMessage(`{"properties":{"cor":{"type":"string"}},"required":["cor"]}`))
	return f, true, nil
}

func (o oficina) Recurso(context.Context, string) (string, hospede.Desfecho) { return "", nil }

func (o oficina) Chamar(ctx context.Context, _ string, args []byte, r *hospede.Retomada) hospede.Desfecho {
	switch {
	case strings.Contains(string(args), "cinza"):
		o.chegou <- struct{}{}
		select {
		case <-o.solta:
		case <-ctx.Done():
		}
	case strings.Contains(string(args), "azul") || r != nil:
	default:
		return hospede.PedeEntrada{RequestState: "estado-secreto-da-oficina", Perguntas: []tarefa.Pergunta{{Chave: "k", Esquema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","enum":["a","b"]}},"required":["q"]}`)}}}
	}
	return hospede.Concluido{Estruturado: json.RawMessage(`{"cor":"azul"}`)}
}

type agente struct {
	*httptest.Server
	store         *tarefa.Difusao
	solta, chegou chan struct{}
	porta         *Porta
	log           *registroSeguro
}

type registroSeguro struct {
	mu   sync.Mutex
	b    strings.Builder
	mudo bool
}

func (r *registroSeguro) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mudo {
		return len(b), nil
	}
	return r.b.Write(b)
}

// tudoDeclarado turns on all that is optional.
func tudoDeclarado(c *Config) {
	c.Capacidades = Capacidades{Fluxo: true, Avisos: true, Elicitacao: true}
	c.HTTPJSON, c.GRPC = true, "grpc.example:443"
}

func novoAgente(t testing.TB, muda ...func(*Config)) *agente {
	t.Helper()
	perf, err := perfil.Carregar([]byte(perfilDeTeste), "teste")
	if err != nil {
		t.Fatal(err)
	}
	memoria := tarefa.NovaMemoria(50, 1<<30)
	a := &agente{store: tarefa.NovaDifusao(memoria, nil), solta: make(chan struct{}), chegou: make(chan struct{}, 100), log: &registroSeguro{}}
	log := slog.New(slog.NewTextHandler(a.log, nil))
	p := ponte.Nova(ponte.Config{
		Perfil: perf, Servidor: oficina{a.solta, a.chegou}, Store: a.store, Avisos: memoria, Espera: time.Minute,
		ValidadePausa: time.Hour, Guarda: time.Hour, Agora: time.Now, Log: log,
	})
	limites := processo.LimitesPadrao
	limites.EmCurso = 8
	cfg := Config{
		Ponte: p, Cartao: perf.Cartao.JSON, Base: "https://agentes.example/oficina/", Porteiro: processo.Porteiro{HostPublico: "agentes.example"},
		Limites: limites, MaxMensagem: 4 << 10, MaxFluxos: 4, Log: log,
		ConferirDestino: func(v tarefa.Aviso) error {
			if !strings.HasPrefix(v.URL, "https://") {
				return errors.New("not a webhook")
			}
			return nil
		},
	}
	for _, m := range muda {
		m(&cfg)
	}
	h, err := Nova(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a.porta = h
	a.Server = httptest.NewServer(h)
	t.Cleanup(func() { a.Close(); _ = p.Fechar(context.Background()) })
	return a
}

// answer is a JSON-RPC answer, read as far as the tests need it.
type answer struct {
	status int
	header http.Header
	raw    string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    []map[string]any
	}
}

// pedir sends a request, with header as names and values in turn.
func (a *agente) pedir(t testing.TB, method, path, body string, header ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, a.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	return res, raw
}

func (a *agente) post(t testing.TB, body string, header ...string) answer {
	t.Helper()
	res, raw := a.pedir(t, "POST", CaminhoRPC, body, header...)
	out := answer{status: res.StatusCode, header: res.Header, raw: string(raw)}
	if err := json.Unmarshal(raw, &out); err != nil || res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("want a JSON-RPC answer, got %d %v %s", res.StatusCode, res.Header, raw)
	}
	return out
}

func (a *agente) chamar(t testing.TB, method, params string) answer {
	t.Helper()
	return a.post(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
}

var mensagens int

// mensagem is a SendMessage's params; extra goes into the message.
func mensagem(texto, extra, config string) string {
	mensagens++
	if extra != "" {
		extra = "," + extra
	}
	if config != "" {
		config = `,"configuration":` + config
	}
	raw, _ := json.Marshal(texto)
	return fmt.Sprintf(`{"message":{"messageId":"m%d","role":"ROLE_USER","parts":[{"text":%s}]%s}%s}`, mensagens, raw, extra, config)
}

type task struct {
	ID, ContextID string
	Status        struct {
		State     string
		Timestamp string
		Message   *struct{ Parts []struct{ Text string } }
	}
	History   []struct{ MessageID string }
	Artifacts []struct{ Name string }
}

func (r answer) task(t testing.TB) task {
	t.Helper()
	var w struct{ Task *task }
	if r.Error != nil {
		t.Fatalf("want a task, got %s", r.raw)
	}
	if err := json.Unmarshal(r.Result, &w); err == nil && w.Task != nil {
		return *w.Task
	}
	var tk task
	if err := json.Unmarshal(r.Result, &tk); err != nil || tk.ID == "" {
		t.Fatalf("want a task, got %s", r.raw)
	}
	return tk
}

func (r answer) quer(t testing.TB, code int) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code || r.status != 200 {
		t.Errorf("want error %d with status 200, got %d %s", code, r.status, r.raw)
		return
	}
	if n := len(r.Error.Data); n == 0 || r.Error.Data[n-1]["@type"] != "type.googleapis.com/google.rpc.ErrorInfo" || r.Error.Data[n-1]["domain"] != "a2a-protocol.org" {
		t.Errorf("want google.rpc.ErrorInfo in the data, got %s", r.raw)
	}
}
