package porta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"hillvalley.example/ponte/internal/processo"
)

// ligar serves the binding and returns a connection to it, and how to stop.
func (a *agente) ligar(t testing.TB) (*grpc.ClientConn, func()) {
	t.Helper()
	ls, err := processo.Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, parar := context.WithCancel(context.Background())
	terminou := EscutarGRPC(ctx, a.porta.ServidorGRPC(), ls, func(err error) { t.Error(err) })
	conn, err := grpc.NewClient(ls[0].Addr().(*net.TCPAddr).String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	fim := func() { parar(); <-terminou }
	t.Cleanup(func() { conn.Close(); fim() })
	return conn, fim
}

func (a *agente) grpc(t testing.TB) (a2apb.A2AServiceClient, func()) {
	t.Helper()
	conn, fim := a.ligar(t)
	return a2apb.NewA2AServiceClient(conn), fim
}

func pb(texto, taskID string) *a2apb.SendMessageRequest {
	mensagens++
	return &a2apb.SendMessageRequest{Message: &a2apb.Message{
		MessageId: "g" + strings.Repeat("x", mensagens%7) + time.Now().String(), TaskId: taskID, Role: a2apb.Role_ROLE_USER,
		Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: texto}}},
	}}
}

func TestVidaEmGRPC(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	c, _ := a.grpc(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0", "a2a-extensions", URIElicitacao)
	var trailer metadata.MD
	res, err := c.SendMessage(ctx, pb("pintar cor=rosa", ""), grpc.Trailer(&trailer))
	if err != nil {
		t.Fatal(err)
	}
	tk := res.GetTask()
	if tk.GetStatus().GetState() != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || tk.Status.Message.Parts[0].GetText() != "alternativas: a, b" {
		t.Fatalf("pause: %v", tk)
	}
	if e := tk.Status.Message.Metadata.AsMap()[URIElicitacao]; e == nil || trailer.Get("a2a-extensions")[0] != URIElicitacao {
		t.Errorf("the extension: %v, %v", tk.Status.Message.Metadata, trailer)
	}
	sub, err := c.SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Id: tk.Id})
	if err != nil {
		t.Fatal(err)
	}
	proximo := func() string {
		t.Helper()
		e, err := sub.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return "end"
		case err != nil:
			t.Fatal(err)
		case e.GetTask() != nil:
			return "task " + e.GetTask().Status.State.String()
		case e.GetArtifactUpdate() != nil:
			return "artifact"
		}
		return e.GetStatusUpdate().Status.State.String()
	}
	if p := proximo(); p != "task TASK_STATE_INPUT_REQUIRED" {
		t.Errorf("subscription: %s", p)
	}
	st, err := c.SendStreamingMessage(ctx, pb("escolha=a", tk.Id))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; err == nil; n++ {
		_, err = st.Recv()
	}
	if !errors.Is(err, io.EOF) || n != 4 {
		t.Errorf("stream: %d events, %v", n-1, err)
	}
	for _, want := range []string{"TASK_STATE_WORKING", "artifact", "TASK_STATE_COMPLETED", "end"} {
		if p := proximo(); p != want {
			t.Errorf("subscription: want %s, got %s", want, p)
		}
	}
	n0 := int32(0)
	got, err := c.GetTask(ctx, &a2apb.GetTaskRequest{Id: tk.Id, HistoryLength: &n0})
	if err != nil || len(got.Artifacts) != 1 || len(got.History) != 0 {
		t.Errorf("get: %v, %v", got, err)
	}
	l, err := c.ListTasks(ctx, &a2apb.ListTasksRequest{})
	if err != nil || l.TotalSize != 1 {
		t.Errorf("list: %v, %v", l, err)
	}
	if r, err := c.CreateTaskPushNotificationConfig(ctx, &a2apb.TaskPushNotificationConfig{TaskId: tk.Id, Id: "c", Url: "https://example.com"}); err != nil || r.Id != "c" {
		t.Errorf("push: %v, %v", r, err)
	}
	if _, err := c.DeleteTaskPushNotificationConfig(ctx, &a2apb.DeleteTaskPushNotificationConfigRequest{TaskId: tk.Id, Id: "c"}); err != nil {
		t.Error(err)
	}
	// The same Task, in the other bindings.
	if tk := a.chamar(t, "GetTask", `{"id":"`+tk.Id+`"}`).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("over JSON-RPC: %+v", tk)
	}
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	if s := a.log.b.String(); !strings.Contains(s, "method=SubscribeToTask") || !strings.Contains(s, "task_id="+tk.Id) || strings.Contains(s, "estado-secreto") {
		t.Errorf("log: %s", s)
	}
}

// Errors have the code of the protocol's table and google.rpc details (A2A v1.0,
// 5.4 and 10.6).
func TestErrosEmGRPC(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	c, _ := a.grpc(t)
	sem := novoAgente(t)
	semNada, _ := sem.grpc(t)
	ctx := t.Context()
	res, err := c.SendMessage(ctx, pb("pintar cor=azul", ""))
	if err != nil {
		t.Fatal(err)
	}
	fim := res.GetTask().Id
	semID := pb("x", "")
	semID.Message.MessageId = ""
	for _, k := range []struct {
		nome   string
		chamar func() error
		code   codes.Code
		reason string
	}{
		{"no task", func() error { _, err := c.GetTask(ctx, &a2apb.GetTaskRequest{Id: "x"}); return err }, codes.NotFound, "TASK_NOT_FOUND"},
		{"ended", func() error { _, err := c.SendMessage(ctx, pb("escolha=a", fim)); return err }, codes.FailedPrecondition, "UNSUPPORTED_OPERATION"},
		{"cancel ended", func() error { _, err := c.CancelTask(ctx, &a2apb.CancelTaskRequest{Id: fim}); return err }, codes.FailedPrecondition, "TASK_NOT_CANCELABLE"},
		{"no message id", func() error { _, err := c.SendMessage(ctx, semID); return err }, codes.InvalidArgument, "INVALID_PARAMS"},
		{"no message", func() error { _, err := c.SendMessage(ctx, &a2apb.SendMessageRequest{}); return err }, codes.InvalidArgument, "INVALID_PARAMS"},
		{"no part", func() error {
			m := pb("x", "")
			m.Message.Parts = []*a2apb.Part{{}}
			_, err := c.SendMessage(ctx, m)
			return err
		}, codes.InvalidArgument, "INVALID_PARAMS"},
		{"too long", func() error { _, err := c.SendMessage(ctx, pb(strings.Repeat("x", 5000), "")); return err }, codes.InvalidArgument, "INVALID_PARAMS"},
		{"too long a stream", func() error {
			st, err := c.SendStreamingMessage(ctx, pb(strings.Repeat("x", 5000), ""))
			if err == nil {
				_, err = st.Recv()
			}
			return err
		}, codes.InvalidArgument, "INVALID_PARAMS"},
		{"page", func() error { _, err := c.ListTasks(ctx, &a2apb.ListTasksRequest{PageSize: inteiro(101)}); return err }, codes.InvalidArgument, "INVALID_PARAMS"},
		{"version", func() error {
			_, err := c.ListTasks(metadata.AppendToOutgoingContext(ctx, "a2a-version", "0.3"), &a2apb.ListTasksRequest{})
			return err
		}, codes.FailedPrecondition, "VERSION_NOT_SUPPORTED"},
		{"extended card", func() error {
			_, err := c.GetExtendedAgentCard(ctx, &a2apb.GetExtendedAgentCardRequest{})
			return err
		}, codes.FailedPrecondition, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"},
		{"streaming undeclared", func() error {
			st, err := semNada.SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Id: "x"})
			if err == nil {
				_, err = st.Recv()
			}
			return err
		}, codes.FailedPrecondition, "UNSUPPORTED_OPERATION"},
		{"push undeclared", func() error {
			_, err := semNada.ListTaskPushNotificationConfigs(ctx, &a2apb.ListTaskPushNotificationConfigsRequest{TaskId: "x"})
			return err
		}, codes.FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED"},
	} {
		st := status.Convert(k.chamar())
		var info *errdetails.ErrorInfo
		var bad *errdetails.BadRequest
		for _, d := range st.Details() {
			switch d := d.(type) {
			case *errdetails.ErrorInfo:
				info = d
			case *errdetails.BadRequest:
				bad = d
			}
		}
		if st.Code() != k.code || info == nil || info.Reason != k.reason || info.Domain != "a2a-protocol.org" {
			t.Errorf("%s: want %s %s, got %v %v", k.nome, k.code, k.reason, st, st.Details())
		}
		if k.reason == "INVALID_PARAMS" && (bad == nil || len(bad.FieldViolations) == 0) {
			t.Errorf("%s: want the fields at fault, got %v", k.nome, st.Details())
		}
	}
}

// Whatever a Task has in its history, it can be read over every binding.
func TestDadosQueNaoSaoObjetoEmGRPC(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	c, _ := a.grpc(t)
	for _, d := range []string{`[1]`, `"x"`, `7`, `{"a":1}`} {
		mensagens++
		tk := a.chamar(t, "SendMessage", fmt.Sprintf(`{"message":{"messageId":"d%d","role":"ROLE_USER","parts":[{"data":%s,"metadata":{"k":1}}]}}`, mensagens, d)).task(t)
		got, err := c.GetTask(t.Context(), &a2apb.GetTaskRequest{Id: tk.ID})
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		raw, _ := json.Marshal(got.History[0].Parts[0].GetData().AsInterface())
		if want := map[bool]string{true: d, false: `{"value":` + d + `}`}[d[0] == '{']; string(raw) != want {
			t.Errorf("%s: want %s, got %s", d, want, raw)
		}
	}
	if l, err := c.ListTasks(t.Context(), &a2apb.ListTasksRequest{}); err != nil || l.TotalSize != 4 {
		t.Errorf("list: %v, %v", l, err)
	}
}

func inteiro(n int32) *int32 { return &n }

// The end of the process lets calls at work finish and ends the streams that
// wait.
func TestFimEmGRPC(t *testing.T) {
	encerrando := make(chan struct{})
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.Encerrando = encerrando })
	c, fim := a.grpc(t)
	res, err := c.SendMessage(t.Context(), pb("pintar cor=rosa", ""))
	if err != nil {
		t.Fatal(err)
	}
	sub, err := c.SubscribeToTask(t.Context(), &a2apb.SubscribeToTaskRequest{Id: res.GetTask().Id})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Recv(); err != nil {
		t.Fatal(err)
	}
	feito := make(chan error, 1)
	go func() {
		r, err := c.SendMessage(context.Background(), pb("pintar cor=cinza", ""))
		if err == nil && r.GetTask().GetStatus().GetState() != a2apb.TaskState_TASK_STATE_COMPLETED {
			raw, _ := json.Marshal(r)
			err = errors.New(string(raw))
		}
		feito <- err
	}()
	<-a.chegou
	close(encerrando)
	if _, err := sub.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("want the stream to end, got %v", err)
	}
	parou := make(chan struct{})
	go func() { fim(); close(parou) }()
	close(a.solta)
	if err := <-feito; err != nil {
		t.Errorf("the call at work: %v", err)
	}
	select {
	case <-parou:
	case <-time.After(3 * time.Second):
		t.Error("the server does not stop")
	}
}
