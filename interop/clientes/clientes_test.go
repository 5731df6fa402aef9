// Package clientes runs the Go client of a2a-go against a running agent, over
// every binding. It is a module of its own, so that what the client needs is no
// dependency of the agent's; PONTE_AGENTE_URL says where the agent is, and
// without it nothing runs.
package clientes

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

const (
	alternativas = "alternativas: sala-fusca, sala-mirante"
	extensao     = "https://hillvalley.example/a2a/ext/elicitation/v1"
	prazo        = 20 * time.Second
)

// base is where the agent is.
func base(t *testing.T) string {
	t.Helper()
	url := os.Getenv("PONTE_AGENTE_URL")
	if url == "" {
		t.Skip("PONTE_AGENTE_URL is not set")
	}
	return url
}

func TestCliente(t *testing.T) {
	for _, ligacao := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON, a2a.TransportProtocolGRPC} {
		t.Run(string(ligacao), func(t *testing.T) {
			c := conectar(t, ligacao)
			for _, v := range verificacoes {
				t.Run(v.nome, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), prazo)
					defer cancel()
					v.f(ctx, t, c)
				})
			}
			t.Run("requestState stays inside", func(t *testing.T) { c.semSegredo(t) })
		})
	}
}

var verificacoes = []struct {
	nome string
	f    func(context.Context, *testing.T, *cliente)
}{
	{"discovers", descobrir}, {"books a free room", livre}, {"completes a pause", completar}, {"declines", declinar},
	{"sees a tool error and a rejection", falhas}, {"gets", obter}, {"lists", listar}, {"cancels once", cancelar},
	{"knows an unknown Task", desconhecida}, {"streams a booking", transmitir}, {"streams to a pause and on", transmitirPausa},
	{"subscribes through a pause", assinar}, {"keeps push configs and has a webhook told", avisos},
	{"speaks the elicitation extension", elicitar},
}

func descobrir(_ context.Context, t *testing.T, c *cliente) {
	if c.cartao.Name != "Central de Salas" || !c.cartao.Capabilities.Streaming || !c.cartao.Capabilities.PushNotifications {
		t.Errorf("card: %q, %+v", c.cartao.Name, c.cartao.Capabilities)
	}
	if len(c.cartao.Skills) != 1 || c.cartao.Skills[0].ID != "reservar-sala" {
		t.Errorf("skills: %+v", c.cartao.Skills)
	}
	if !slices.ContainsFunc(c.cartao.SupportedInterfaces, func(i *a2a.AgentInterface) bool {
		return i.ProtocolBinding == c.ligacao && i.ProtocolVersion == a2a.Version
	}) {
		t.Errorf("%s %s is not in the card", c.ligacao, a2a.Version)
	}
}

func livre(ctx context.Context, t *testing.T, c *cliente) {
	q := outroDia()
	conferirReserva(t, c.enviar(ctx, t, pedido(reservar(q, "sala-garagem"), nil)), "sala-garagem", q)
}

func completar(ctx context.Context, t *testing.T, c *cliente) {
	q := outroDia()
	p := c.pausa(ctx, t, q)
	conferirEstado(t, c.enviar(ctx, t, pedido("escolha=sala-porao", p)), a2a.TaskStateInputRequired, alternativas)
	feita := c.enviar(ctx, t, pedido("escolha=sala-mirante", p))
	if feita.ID != p.ID || feita.ContextID != p.ContextID {
		t.Errorf("Task %s of %s, want %s of %s", feita.ID, feita.ContextID, p.ID, p.ContextID)
	}
	conferirReserva(t, feita, "sala-mirante", q)
}

func declinar(ctx context.Context, t *testing.T, c *cliente) {
	conferirEstado(t, c.enviar(ctx, t, pedido("escolha=recusar", c.pausa(ctx, t, outroDia()))), a2a.TaskStateCanceled, "Reserva recusada.")
}

func falhas(ctx context.Context, t *testing.T, c *cliente) {
	f := c.enviar(ctx, t, pedido(reservar(outroDia(), "sala-inexistente"), nil))
	conferirEstado(t, f, a2a.TaskStateFailed, "Sala inexistente: sala-inexistente")
	if ultima := f.History[len(f.History)-1]; ultima.Role != a2a.MessageRoleAgent || textos(ultima)[0] != "Sala inexistente: sala-inexistente" {
		t.Errorf("the history ends with %s %q", ultima.Role, textos(ultima))
	}
	conferirEstado(t, c.enviar(ctx, t, pedido("bom dia", nil)), a2a.TaskStateRejected)
}

func obter(ctx context.Context, t *testing.T, c *cliente) {
	p := c.pausa(ctx, t, outroDia())
	for _, n := range []int{-1, 0, 1} {
		req, want := &a2a.GetTaskRequest{ID: p.ID, HistoryLength: &n}, n
		if n < 0 {
			req.HistoryLength, want = nil, 2
		}
		got, err := c.GetTask(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		conferirEstado(t, got, a2a.TaskStateInputRequired, alternativas)
		if len(got.History) != want {
			t.Errorf("history of %d, want %d", len(got.History), want)
		}
	}
}

func listar(ctx context.Context, t *testing.T, c *cliente) {
	contexto := fmt.Sprintf("ctx-go-%s-%d", c.ligacao, time.Now().UnixNano())
	q := outroDia()
	var ids []a2a.TaskID // newest first
	for range 2 {
		req := pedido(reservar(q, "sala-garagem"), nil)
		req.Message.ContextID = contexto
		ids = slices.Insert(ids, 0, c.enviar(ctx, t, req).ID)
	}
	lista := func(req a2a.ListTasksRequest, want ...a2a.TaskID) *a2a.ListTasksResponse {
		t.Helper()
		req.ContextID = contexto
		res, err := c.ListTasks(ctx, &req)
		if err != nil {
			t.Fatal(err)
		}
		var got []a2a.TaskID
		for _, task := range res.Tasks {
			got = append(got, task.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v gives %q, want %q", req, got, want)
		}
		return res
	}
	todas := lista(a2a.ListTasksRequest{}, ids...)
	if todas.NextPageToken != "" || todas.TotalSize != 2 || len(todas.Tasks[1].Artifacts) != 0 {
		t.Errorf("token %q, total %d, artifacts %v; want none, 2, none", todas.NextPageToken, todas.TotalSize, todas.Tasks[1].Artifacts)
	}
	uma := lista(a2a.ListTasksRequest{PageSize: 1}, ids[0])
	outra := lista(a2a.ListTasksRequest{PageSize: 1, PageToken: uma.NextPageToken, IncludeArtifacts: true}, ids[1])
	if outra.NextPageToken != "" {
		t.Error("a page after the last")
	}
	conferirArtefato(t, outra.Tasks[0].Artifacts[0], "sala-garagem", q)
	lista(a2a.ListTasksRequest{Status: a2a.TaskStateInputRequired}, ids[0])

	futuro := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	if c.ligacao == a2a.TransportProtocolHTTPJSON {
		// a2a-go 2.4.0 calls this parameter lastUpdatedAfter over HTTP+JSON
		// (a2aclient/rest.go, ListTasks), a name that the specification does not
		// have; nothing is filtered.
		return
	}
	lista(a2a.ListTasksRequest{StatusTimestampAfter: &futuro})
}

func cancelar(ctx context.Context, t *testing.T, c *cliente) {
	p := c.pausa(ctx, t, outroDia())
	got, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: p.ID})
	if err != nil {
		t.Fatal(err)
	}
	conferirEstado(t, got, a2a.TaskStateCanceled)
	_, err = c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: p.ID})
	conferirErro(t, err, a2a.ErrTaskNotCancelable)
	_, err = c.SendMessage(ctx, pedido("escolha=sala-mirante", p))
	conferirErro(t, err, a2a.ErrUnsupportedOperation)
}

func desconhecida(ctx context.Context, t *testing.T, c *cliente) {
	_, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "nao-existe"})
	conferirErro(t, err, a2a.ErrTaskNotFound)
	_, err = c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: "nao-existe"})
	conferirErro(t, err, a2a.ErrTaskNotFound)
	_, err = c.SendMessage(ctx, pedido("escolha=sala-mirante", &a2a.Task{ID: "nao-existe"}))
	conferirErro(t, err, a2a.ErrTaskNotFound)
	c.conferirSemFluxo(ctx, t, "nao-existe", a2a.ErrTaskNotFound, -32001)
}

func elicitar(ctx context.Context, t *testing.T, c *cliente) {
	ctx = a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{a2a.SvcParamExtensions: {extensao}})
	q := outroDia()
	p := c.pausa(ctx, t, q)
	pergunta, _ := p.Status.Message.Metadata[extensao].(map[string]any)
	esquema, _ := pergunta["requestedSchema"].(map[string]any)
	propriedades, _ := esquema["properties"].(map[string]any)
	if pergunta["message"] == nil || len(propriedades) != 1 {
		t.Fatalf("metadata %v", p.Status.Message.Metadata)
	}
	for campo := range propriedades {
		resposta := func(sala string) *a2a.SendMessageRequest {
			return pedidoDe(p, a2a.NewDataPart(map[string]any{"action": "accept", "content": map[string]any{campo: sala}}))
		}
		conferirEstado(t, c.enviar(ctx, t, resposta("sala-porao")), a2a.TaskStateInputRequired, alternativas)
		conferirReserva(t, c.enviar(ctx, t, resposta("sala-fusca")), "sala-fusca", q)
	}
	p = c.pausa(ctx, t, outroDia())
	conferirEstado(t, c.enviar(ctx, t, pedidoDe(p, a2a.NewDataPart(map[string]any{"action": "decline"}))), a2a.TaskStateCanceled, "Reserva recusada.")
}

// TestClienteAntigo is the Go client on the card and the methods of A2A v0.3.
func TestClienteAntigo(t *testing.T) {
	var g gravador
	h := &http.Client{Transport: &g}
	r := agentcard.NewResolver(h)
	r.CardParser = a2av0.NewAgentCardParser()
	cartao, err := r.Resolve(t.Context(), base(t), agentcard.WithPath("/.well-known/agent.json"))
	if err != nil {
		t.Fatal(err)
	}
	sdk, err := a2aclient.NewFromCard(t.Context(), cartao, a2aclient.WithDefaultsDisabled(), a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: h}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), prazo)
	defer cancel()
	c := &cliente{Client: sdk, ligacao: "v0.3", cartao: cartao}
	t.Run("completes a pause", func(t *testing.T) { completar(ctx, t, c) })
	t.Run("declines", func(t *testing.T) { declinar(ctx, t, c) })
	t.Run("gets", func(t *testing.T) {
		p := c.pausa(ctx, t, outroDia())
		got, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: p.ID})
		if err != nil {
			t.Fatal(err)
		}
		conferirEstado(t, got, a2a.TaskStateInputRequired, alternativas)
	})
	t.Run("cancels once", func(t *testing.T) { cancelar(ctx, t, c) })
	t.Run("streams a booking", func(t *testing.T) { transmitir(ctx, t, c) })
	t.Run("streams to a pause and on", func(t *testing.T) { transmitirPausa(ctx, t, c) })
	t.Run("requestState stays inside", func(t *testing.T) { g.semSegredo(t) })
}
