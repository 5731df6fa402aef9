package ferramentas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hillvalley.example/ponte"
	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/servidor-mcp/internal/acervo"
	"hillvalley.example/ponte/servidor-mcp/internal/porta"
	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

const segredo = "segredo-de-teste-com-32-bytes-ou-mais"

// central is a whole server in this process: tools, seal and front.
type central struct {
	*httptest.Server
	agenda *reserva.Agenda
	agora  atomic.Pointer[time.Time]
	next   atomic.Int64
}

func (c *central) avancar(d time.Duration) {
	t := c.agora.Load().Add(d)
	c.agora.Store(&t)
}

func novaCentral(t testing.TB) *central { return novaCentralCom(t, nil) }

// novaCentralCom lets a test change what the front is made of.
func novaCentralCom(t testing.TB, mudar func(*porta.Config)) *central {
	t.Helper()
	dados, err := fs.Sub(ponte.Dados, "dados")
	if err != nil {
		t.Fatal(err)
	}
	agenda, err := acervo.Carregar(dados, "teste")
	if err != nil {
		t.Fatal(err)
	}
	chaveiro, err := selo.NovoChaveiro(segredo)
	if err != nil {
		t.Fatal(err)
	}
	c := &central{agenda: agenda}
	now := time.Now()
	c.agora.Store(&now)
	log := slog.New(slog.DiscardHandler)
	f := Novo(Config{Agenda: agenda, Chaveiro: chaveiro, TTL: 15 * time.Minute, Agora: func() time.Time { return *c.agora.Load() }, Log: log})
	cfg := porta.Config{Servidor: f.Servidor(), Chamador: f, Versao: VersaoProtocolo, Limites: processo.LimitesPadrao, Log: log}
	if mudar != nil {
		mudar(&cfg)
	}
	p, err := porta.Nova(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Server = httptest.NewServer(p)
	t.Cleanup(func() { c.Close(); p.Fechar() })
	return c
}

type obj = map[string]any

var comFormulario = obj{"elicitation": obj{"form": obj{}}}

// resposta is an answer, read as far as the tests need it.
type resposta struct {
	Status int
	Result struct {
		ResultType        string
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		RequestState      string
		InputRequests     map[string]struct {
			Method string
			Params struct {
				Mode, Message   string
				RequestedSchema json.RawMessage
			}
		}
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema obj
		}
		Contents []struct{ URI, MimeType, Text string }
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	Raw string
}

func (c *central) chamar(t testing.TB, method string, capabilities obj, params obj) resposta {
	t.Helper()
	if params == nil {
		params = obj{}
	}
	params["_meta"] = obj{
		"io.modelcontextprotocol/protocolVersion":    VersaoProtocolo,
		"io.modelcontextprotocol/clientCapabilities": capabilities,
	}
	body, err := json.Marshal(obj{"jsonrpc": "2.0", "id": c.next.Add(1), "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest("POST", c.URL+porta.Caminho, bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("MCP-Protocol-Version", VersaoProtocolo)
	req.Header.Set("Mcp-Method", method)
	for _, k := range []string{"name", "uri"} {
		if v, ok := params[k].(string); ok {
			req.Header.Set("Mcp-Name", v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var buf bytes.Buffer
	_, _ = buf.ReadFrom(res.Body)
	r := resposta{Status: res.StatusCode, Raw: buf.String()}
	if err := json.Unmarshal(buf.Bytes(), &r); err != nil {
		t.Fatalf("answer is not JSON: %v\n%s", err, r.Raw)
	}
	return r
}

func (c *central) tool(t testing.TB, name string, args any) resposta {
	t.Helper()
	return c.chamar(t, "tools/call", comFormulario, obj{"name": name, "arguments": args})
}

func pedidoDe(sala, inicio, fim string) obj {
	return obj{"sala": sala, "inicio": "2026-11-03T" + inicio + "-03:00", "fim": "2026-11-03T" + fim + "-03:00", "responsavel": "Marty"}
}

// retomar repeats reservar_sala with a state and an answer; nil for no answers.
func (c *central) retomar(t testing.TB, args obj, estado string, resposta any) resposta {
	t.Helper()
	params := obj{"name": "reservar_sala", "arguments": args, "requestState": estado}
	if resposta != nil {
		params["inputResponses"] = obj{chavePergunta: resposta}
	}
	return c.chamar(t, "tools/call", comFormulario, params)
}

func aceitar(sala string) obj { return obj{"action": "accept", "content": obj{"sala": sala}} }

func (r resposta) texto() string {
	if len(r.Result.Content) == 0 {
		return ""
	}
	return r.Result.Content[0].Text
}

func (r resposta) querErro(t testing.TB, code int) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code || r.Status != 400 {
		t.Errorf("want error %d with status 400, got %d %s", code, r.Status, r.Raw)
	}
}

func (r resposta) querRecusa(t testing.TB, mensagem string) {
	t.Helper()
	if r.Status != 200 || !r.Result.IsError || r.Result.ResultType != "complete" || r.texto() != mensagem {
		t.Errorf("want isError %q, got %d %s", mensagem, r.Status, r.Raw)
	}
}

// querPergunta checks an input_required and returns its state.
func (r resposta) querPergunta(t testing.TB, salas ...string) string {
	t.Helper()
	q, ok := r.Result.InputRequests[chavePergunta]
	if r.Result.ResultType != "input_required" || len(r.Result.InputRequests) != 1 || !ok || r.Result.RequestState == "" {
		t.Fatalf("want one input request and a state, got %s", r.Raw)
	}
	want := fmt.Sprintf(`{"type":"object","properties":{"sala":{"type":"string","enum":["%s"]}},"required":["sala"]}`, strings.Join(salas, `","`))
	if q.Method != "elicitation/create" || q.Params.Mode != "form" || q.Params.Message == "" || string(q.Params.RequestedSchema) != want {
		t.Errorf("want a form with schema %s, got %s", want, r.Raw)
	}
	return r.Result.RequestState
}

func (r resposta) querReserva(t testing.TB, id, sala string) {
	t.Helper()
	var got struct{ Reserva, Sala string }
	_ = json.Unmarshal(r.Result.StructuredContent, &got)
	if r.Result.IsError || r.Result.ResultType != "complete" || got.Reserva != id || got.Sala != sala {
		t.Errorf("want %s in %s, got %s", id, sala, r.Raw)
	}
}

func (c *central) conflitos(t testing.TB, args obj) string {
	t.Helper()
	r := c.tool(t, "consultar_disponibilidade", obj{"sala": args["sala"], "inicio": args["inicio"], "fim": args["fim"]})
	return string(r.Result.StructuredContent)
}
