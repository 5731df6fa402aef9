package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"hillvalley.example/ponte/internal/dupla"
)

// gravador stands between the agent and the server and keeps what the agent
// sends.
type gravador struct {
	mu      sync.Mutex
	pedidos []recebido
}

type recebido struct {
	header http.Header
	body   any
}

func (g *gravador) anotar(r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	v, err := lerJSON(raw)
	if err != nil {
		v = "not JSON: " + string(raw)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pedidos = append(g.pedidos, recebido{r.Header.Clone(), v})
}

// tomar returns what has come since the last time.
func (g *gravador) tomar() []recebido {
	g.mu.Lock()
	defer g.mu.Unlock()
	vistos := g.pedidos
	g.pedidos = nil
	return vistos
}

// agenteGravado starts the two processes with a recorder between them.
func agenteGravado(t *testing.T) (base string, g *gravador) {
	t.Helper()
	bins := construidos(t)
	iniciar := func(nome string, args []string) *dupla.Processo {
		p, err := dupla.Iniciar(t.Context(), bins[nome], append(args, portaLivre...), isolado(novoSegredo()), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Parar(limiteParada) })
		return p
	}
	alvo, err := url.Parse(iniciar(dupla.Servidor, nil).URL)
	if err != nil {
		t.Fatal(err)
	}
	g = &gravador{}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		g.anotar(r.Out)
		r.Out.URL, r.Out.Host = alvo, alvo.Host
	}})
	t.Cleanup(proxy.Close)
	return iniciar(dupla.Agente, []string{"-mcp", proxy.URL + alvo.Path}).URL, g
}

// TestAgentePedeComoOsExemplos: what the agent sends to the MCP server is what
// the recordings of that border show, but for ids, traces and states.
func TestAgentePedeComoOsExemplos(t *testing.T) {
	base, g := agenteGravado(t)
	cliente := novoCliente()
	t.Cleanup(cliente.CloseIdleConnections)
	dizer := func(id int, task, texto string) *tarefa {
		t.Helper()
		_, body, err := enviar(t.Context(), cliente, pedidoA2A(base+caminhoA2A, id, "SendMessage", mensagemA2A(texto, task, texto), traceparent(id)))
		if err != nil {
			t.Fatal(err)
		}
		tarefa, err := lerTarefa(body, id)
		if err != nil {
			t.Fatalf("%q: %v", texto, err)
		}
		return tarefa
	}
	argumentosDe := func(arquivo string) objeto {
		p, _, _ := gravadoDe(t, arquivo)
		argumentos, _ := em(p.body, "params", "arguments").(objeto)
		return argumentos
	}

	var ids []string
	conferir := func(vistos []recebido, traceID string, arquivos ...string) {
		t.Helper()
		if len(vistos) != len(arquivos) {
			t.Fatalf("%d requests for %v: %v", len(vistos), arquivos, vistos)
		}
		for i, arquivo := range arquivos {
			compararPedido(t, arquivo, vistos[i])
			ids = append(ids, em(vistos[i].body, "id").(json.Number).String())
			if tp, _ := em(vistos[i].body, "params", "_meta", "traceparent").(string); !strings.Contains(tp, "-"+traceID+"-") {
				t.Errorf("%s: traceparent %q, want the trace %s of the message", arquivo, tp, traceID)
			}
		}
	}
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736" // of traceparent()

	dizer(1, "", textoDoPedido(argumentosDe("02-tools-call-livre.json")))
	vistos := g.tomar()
	if len(vistos) == 0 || em(vistos[0].body, "method") != "server/discover" {
		t.Fatalf("the first request should be server/discover: %v", vistos)
	}
	conferir(vistos[1:], traceID, "01-tools-list.json", "05-resources-read-politica.json", "02-tools-call-livre.json")
	ids = append(ids, em(vistos[0].body, "id").(json.Number).String())

	pausa := dizer(2, "", textoDoPedido(argumentosDe("03-tools-call-conflito-input-required.json")))
	conferir(g.tomar(), traceID, "03-tools-call-conflito-input-required.json")
	if pausa.fala() != "alternativas: sala-fusca, sala-mirante" {
		t.Fatalf("the Task did not pause: %q", pausa.fala())
	}
	dizer(3, pausa.ID, "escolha=sala-fusca")
	conferir(g.tomar(), traceID, "04-tools-call-retry.json")

	segunda := dizer(4, "", textoDoPedido(argumentosDe("11-tools-call-retry-recusa.json")))
	g.tomar()
	if dizer(5, segunda.ID, "escolha=recusar").Status.State != cancelada {
		t.Error("the refusal did not cancel the Task")
	}
	conferir(g.tomar(), traceID, "11-tools-call-retry-recusa.json")

	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("a JSON-RPC id was used twice: %v", ids)
	}
}

// compararPedido holds a request of the agent's to a recorded one: the body
// whole, and every header that the transport gives a meaning.
func compararPedido(t *testing.T, arquivo string, veio recebido) {
	t.Helper()
	quer, _, _ := gravadoDe(t, arquivo)
	var a, b mascara
	if d := diferenca(a.texto(t, semID(quer.body)), b.texto(t, semID(veio.body))); d != "" {
		t.Errorf("the agent's request is not that of %s\n%s", arquivo, d)
	}
	gravados := http.Header{}
	for _, h := range quer.headers {
		gravados.Set(h.nome, h.valor.(string))
	}
	for nome := range veio.header {
		if _, ok := gravados[nome]; !ok && !slices.Contains(doTransporte, nome) {
			t.Errorf("%s: the agent sends the header %s: %s", arquivo, nome, veio.header.Get(nome))
		}
	}
	for nome := range gravados {
		if got, want := veio.header.Values(nome), gravados.Values(nome); !slices.Equal(got, want) {
			t.Errorf("%s: header %s is %q, want %q", arquivo, nome, got, want)
		}
	}
}

// doTransporte are headers that Go's HTTP client and the proxy add.
var doTransporte = []string{"Accept-Encoding", "Content-Length", "User-Agent"}

// semID masks the JSON-RPC id and sorts the arguments, which the agent writes
// in an order of its own.
func semID(body any) any {
	o, _ := body.(objeto)
	return ordenado(o.com("id", "<id>"))
}

func ordenado(v any) any {
	o, ok := v.(objeto)
	if !ok {
		return v
	}
	o = slices.Clone(o)
	for i := range o {
		o[i].valor = ordenado(o[i].valor)
	}
	slices.SortFunc(o, func(a, b membro) int { return strings.Compare(a.nome, b.nome) })
	return o
}
