// Package clientes runs the Go client of a2a-go against a running agent, over
// every binding. It is a module of its own, so that what the client needs is no
// dependency of the agent's; PONTE_AGENTE_URL says where the agent is, and
// without it nothing runs.
package clientes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
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

// gravador keeps what a client received.
type gravador struct {
	mu     sync.Mutex
	textos []*bytes.Buffer
}

func (g *gravador) novo() *bytes.Buffer {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := new(bytes.Buffer)
	g.textos = append(g.textos, b)
	return b
}

// RoundTrip implements [http.RoundTripper].
func (g *gravador) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(res.Body, g.novo()), res.Body}
	}
	return res, err
}

// Before implements [a2aclient.CallInterceptor].
func (g *gravador) Before(ctx context.Context, _ *a2aclient.Request) (context.Context, any, error) {
	return ctx, nil, nil
}

// After implements [a2aclient.CallInterceptor]: it sees what comes by gRPC.
func (g *gravador) After(_ context.Context, r *a2aclient.Response) error {
	raw, err := json.Marshal(r.Payload)
	if err == nil {
		g.novo().Write(raw)
	}
	return err
}

// recebido is the last answer.
func (g *gravador) recebido() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.textos[len(g.textos)-1].String()
}

var segredo = regexp.MustCompile(`(?i:request_?state)|v1\.[A-Za-z0-9_-]{40,}`)

func (g *gravador) semSegredo(t *testing.T) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.textos) == 0 {
		t.Error("nothing was recorded")
	}
	for _, b := range g.textos {
		if m := segredo.FindString(b.String()); m != "" {
			t.Errorf("%q left the agent in %s", m, b)
		}
	}
}

// cliente is the SDK's client over one binding.
type cliente struct {
	*a2aclient.Client
	ligacao a2a.TransportProtocol
	cartao  *a2a.AgentCard
	gravador
}

func conectar(t *testing.T, ligacao a2a.TransportProtocol) *cliente {
	t.Helper()
	c := &cliente{ligacao: ligacao}
	h := &http.Client{Transport: &c.gravador}
	var err error
	if c.cartao, err = agentcard.NewResolver(h).Resolve(t.Context(), base(t)); err != nil {
		t.Fatal(err)
	}
	transporte := map[a2a.TransportProtocol]a2aclient.FactoryOption{
		a2a.TransportProtocolJSONRPC:  a2aclient.WithJSONRPCTransport(h),
		a2a.TransportProtocolHTTPJSON: a2aclient.WithRESTTransport(h),
		a2a.TransportProtocolGRPC:     a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
	}[ligacao]
	c.Client, err = a2aclient.NewFromCard(t.Context(), c.cartao, a2aclient.WithDefaultsDisabled(), transporte, a2aclient.WithCallInterceptors(&c.gravador))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Destroy() })
	return c
}

// quando is an hour that no other check asks for.
type quando struct{ inicio, fim string }

var dias atomic.Int64

func outroDia() quando {
	d := time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(dias.Add(1))).Format(time.DateOnly)
	return quando{d + "T14:00:00-03:00", d + "T15:00:00-03:00"}
}

func reservar(q quando, sala string) string {
	return fmt.Sprintf("reservar sala=%s inicio=%s fim=%s responsavel=Emmett Brown", sala, q.inicio, q.fim)
}

func pedido(texto string, t *a2a.Task) *a2a.SendMessageRequest {
	return pedidoDe(t, a2a.NewTextPart(texto))
}

func pedidoDe(t *a2a.Task, parte *a2a.Part) *a2a.SendMessageRequest {
	if t == nil {
		return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, parte)}
	}
	return &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, t, parte)}
}

func (c *cliente) enviar(ctx context.Context, t *testing.T, req *a2a.SendMessageRequest) *a2a.Task {
	t.Helper()
	res, err := c.SendMessage(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	task, ok := res.(*a2a.Task)
	if !ok {
		t.Fatalf("the answer is a %T, want a Task", res)
	}
	return task
}

// pausa leaves a Task of a busy room waiting for a choice.
func (c *cliente) pausa(ctx context.Context, t *testing.T, q quando) *a2a.Task {
	t.Helper()
	conferirEstado(t, c.enviar(ctx, t, pedido(reservar(q, "sala-garagem"), nil)), a2a.TaskStateCompleted)
	p := c.enviar(ctx, t, pedido(reservar(q, "sala-garagem"), nil))
	conferirEstado(t, p, a2a.TaskStateInputRequired, alternativas)
	return p
}

func textos(m *a2a.Message) (ts []string) {
	for _, p := range m.Parts {
		ts = append(ts, p.Text())
	}
	return ts
}

func conferirEstado(t *testing.T, task *a2a.Task, estado a2a.TaskState, falas ...string) {
	t.Helper()
	if task.Status.State != estado {
		t.Fatalf("state %s, want %s", task.Status.State, estado)
	}
	if len(falas) > 0 && !slices.Equal(textos(task.Status.Message), falas) {
		t.Errorf("message %q, want %q", textos(task.Status.Message), falas)
	}
}

func conferirReserva(t *testing.T, task *a2a.Task, sala string, q quando) {
	t.Helper()
	conferirEstado(t, task, a2a.TaskStateCompleted)
	if len(task.Artifacts) != 1 {
		t.Fatalf("%d artifacts, want 1", len(task.Artifacts))
	}
	reserva := conferirArtefato(t, task.Artifacts[0], sala, q)
	conferirEstado(t, task, a2a.TaskStateCompleted, fmt.Sprintf("Reserva %s confirmada na %s.", reserva, sala))
}

func conferirArtefato(t *testing.T, a *a2a.Artifact, sala string, q quando) (reserva string) {
	t.Helper()
	if a.Name != "reserva" || len(a.Parts) != 1 {
		t.Fatalf("artifact %q with %d parts, want reserva with 1", a.Name, len(a.Parts))
	}
	texto := a.Parts[0].Text()
	reserva, _, _ = strings.Cut(strings.TrimPrefix(texto, `{"reserva":"`), `"`)
	want := fmt.Sprintf(`{"reserva":%q,"sala":%q,"inicio":%q,"fim":%q,"responsavel":"Emmett Brown","politica":"2026-11-01"}`, reserva, sala, q.inicio, q.fim)
	if texto != want || !strings.HasPrefix(reserva, "res-") {
		t.Errorf("artifact %s, want %s", texto, want)
	}
	return reserva
}

// resumo tells an event in short.
func resumo(e a2a.Event) string {
	switch e := e.(type) {
	case *a2a.Task:
		return "task " + string(e.Status.State)
	case *a2a.TaskStatusUpdateEvent:
		return "status " + string(e.Status.State)
	case *a2a.TaskArtifactUpdateEvent:
		return "artifact " + e.Artifact.Name
	}
	return fmt.Sprintf("%T", e)
}

// ler reads a stream to its end, which the agent decides.
func ler(t *testing.T, fluxo iter.Seq2[a2a.Event, error]) []a2a.Event {
	t.Helper()
	var es []a2a.Event
	for e, err := range fluxo {
		if err != nil {
			t.Fatalf("after %d events: %v", len(es), err)
		}
		es = append(es, e)
	}
	return es
}

// conferirFluxo expects a Task first, and then exactly this, besides WORKING.
func conferirFluxo(t *testing.T, es []a2a.Event, want ...string) *a2a.Task {
	t.Helper()
	if len(es) == 0 {
		t.Fatal("the stream is empty")
	}
	task, ok := es[0].(*a2a.Task)
	if !ok {
		t.Fatalf("the stream begins with %s, want the Task", resumo(es[0]))
	}
	var got []string
	for _, e := range es[1:] {
		if e.TaskInfo().TaskID != task.ID {
			t.Errorf("%s of Task %s, want %s", resumo(e), e.TaskInfo().TaskID, task.ID)
		}
		if r := resumo(e); r != "status TASK_STATE_WORKING" {
			got = append(got, r)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("events %q, want %q", got, want)
	}
	return task
}

func conferirErro(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
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

// conferirSemFluxo expects that a Task cannot be subscribed to.
//
// Over JSON-RPC a2a-go 2.4.0 does not look at the Content-Type of the answer
// (a2aclient/jsonrpc.go, sendStreamingRequest): an error that is not an event of
// a stream is read as a stream without events. Then the error has to be in what
// was received.
func (c *cliente) conferirSemFluxo(ctx context.Context, t *testing.T, id a2a.TaskID, want error, codigo int) {
	t.Helper()
	for e, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}) {
		if err == nil {
			t.Fatalf("%s, want an error", resumo(e))
		}
		conferirErro(t, err, want)
		return
	}
	if c.ligacao != a2a.TransportProtocolJSONRPC {
		t.Fatal("the stream ended without an error")
	}
	if r := c.recebido(); !strings.Contains(r, fmt.Sprintf(`"code":%d`, codigo)) {
		t.Errorf("received %s, want the error %d", r, codigo)
	}
}

func transmitir(ctx context.Context, t *testing.T, c *cliente) {
	q := outroDia()
	es := ler(t, c.SendStreamingMessage(ctx, pedido(reservar(q, "sala-garagem"), nil)))
	task := conferirFluxo(t, es, "artifact reserva", "status TASK_STATE_COMPLETED")
	for _, e := range es {
		if e, ok := e.(*a2a.TaskArtifactUpdateEvent); ok {
			conferirArtefato(t, e.Artifact, "sala-garagem", q)
		}
	}
	got, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	conferirReserva(t, got, "sala-garagem", q)
}

func transmitirPausa(ctx context.Context, t *testing.T, c *cliente) {
	q := outroDia()
	conferirEstado(t, c.enviar(ctx, t, pedido(reservar(q, "sala-garagem"), nil)), a2a.TaskStateCompleted)
	// A pause ends the stream (A2A v1.0, 11.7).
	task := conferirFluxo(t, ler(t, c.SendStreamingMessage(ctx, pedido(reservar(q, "sala-garagem"), nil))), "status TASK_STATE_INPUT_REQUIRED")
	depois := conferirFluxo(t, ler(t, c.SendStreamingMessage(ctx, pedido("escolha=sala-fusca", task))), "artifact reserva", "status TASK_STATE_COMPLETED")
	if depois.ID != task.ID {
		t.Errorf("Task %s, want %s", depois.ID, task.ID)
	}
}

func assinar(ctx context.Context, t *testing.T, c *cliente) {
	p := c.pausa(ctx, t, outroDia())
	proximo, parar := iter.Pull2(c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: p.ID}))
	defer parar()
	var es []a2a.Event
	for {
		e, err, mais := proximo()
		if err != nil {
			t.Fatal(err)
		}
		if !mais {
			break
		}
		if es = append(es, e); len(es) == 1 {
			conferirFluxo(t, es)
			conferirEstado(t, e.(*a2a.Task), a2a.TaskStateInputRequired, alternativas)
			conferirEstado(t, c.enviar(ctx, t, pedido("escolha=sala-mirante", p)), a2a.TaskStateCompleted)
		}
	}
	conferirFluxo(t, es, "artifact reserva", "status TASK_STATE_COMPLETED")
	c.conferirSemFluxo(ctx, t, p.ID, a2a.ErrUnsupportedOperation, -32004)
}

func avisos(ctx context.Context, t *testing.T, c *cliente) {
	type aviso struct {
		cabecalhos http.Header
		corpo      []byte
	}
	recebidos := make(chan aviso, 100)
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		corpo, _ := io.ReadAll(r.Body)
		recebidos <- aviso{r.Header, corpo}
	}))
	defer webhook.Close()

	p := c.pausa(ctx, t, outroDia())
	feito, err := c.CreateTaskPushConfig(ctx, &a2a.PushConfig{
		TaskID: p.ID, URL: webhook.URL, Token: "senha-do-webhook",
		Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "credencial-do-webhook"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if feito.ID == "" || feito.TaskID != p.ID || feito.URL != webhook.URL {
		t.Errorf("created %+v", feito)
	}
	lido, err := c.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: p.ID, ID: feito.ID})
	if err != nil || lido.URL != webhook.URL {
		t.Errorf("read back %+v, %v", lido, err)
	}
	todos, err := c.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: p.ID})
	if err != nil || len(todos) != 1 || todos[0].ID != feito.ID {
		t.Errorf("listed %+v, %v", todos, err)
	}

	c.enviar(ctx, t, pedido("escolha=sala-mirante", p))
	for {
		select {
		case a := <-recebidos:
			if segredo.Match(a.corpo) {
				t.Errorf("the webhook is told %s", a.corpo)
			}
			if a.cabecalhos.Get("Authorization") != "Bearer credencial-do-webhook" || a.cabecalhos.Get("X-A2A-Notification-Token") != "senha-do-webhook" {
				t.Errorf("headers %v", a.cabecalhos)
			}
			var r a2a.StreamResponse
			if err := json.Unmarshal(a.corpo, &r); err != nil {
				t.Fatalf("%v in %s", err, a.corpo)
			}
			if r.TaskInfo().TaskID != p.ID {
				t.Errorf("told of Task %s, want %s", r.TaskInfo().TaskID, p.ID)
			}
			if !strings.HasSuffix(resumo(r.Event), string(a2a.TaskStateCompleted)) {
				continue
			}
		case <-ctx.Done():
			t.Fatal("the webhook was not told of the end")
		}
		break
	}

	if err := c.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: p.ID, ID: feito.ID}); err != nil {
		t.Errorf("delete: %v", err)
	}
	if todos, err = c.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: p.ID}); err != nil || len(todos) != 0 {
		t.Errorf("listed after delete: %+v, %v", todos, err)
	}
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
