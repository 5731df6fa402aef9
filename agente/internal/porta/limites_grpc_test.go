package porta

import (
	"math"
	"strings"
	"testing"
	"time"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Calls that are opened and say nothing take no place from anybody, and end.
func TestChamadasCaladas(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.Limites.Leitura = 500 * time.Millisecond })
	conn, _ := a.ligar(t)
	var caladas []grpc.ClientStream
	for range 20 { // more than the requests that may be in flight
		st, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, a2apb.A2AService_SubscribeToTask_FullMethodName)
		if err != nil {
			t.Fatal(err)
		}
		caladas = append(caladas, st)
	}
	if r := a.chamar(t, "ListTasks", `{}`); r.status != 200 {
		t.Errorf("everybody else is served: %d %s", r.status, r.raw)
	}
	for _, st := range caladas {
		if err := st.RecvMsg(&a2apb.StreamResponse{}); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("want the call ended in time, got %v", err)
		}
	}
}

// A caller that does not read its stream is dropped, and its place is free.
func TestQuemNaoLeEmGRPC(t *testing.T) {
	a := novoAgente(t, tudoDeclarado, func(c *Config) { c.MaxFluxos, c.MaxMensagem, c.Limites.Escrita = 1, 1<<20, 200*time.Millisecond })
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	for range 3 { // the history grows beyond what flow control lets through unread
		a.chamar(t, "SendMessage", mensagem("escolha="+strings.Repeat("x", 80<<10), `"taskId":"`+tk.ID+`"`, ""))
	}
	c, _ := a.grpc(t)
	if _, err := c.SubscribeToTask(t.Context(), &a2apb.SubscribeToTaskRequest{Id: tk.ID}); err != nil {
		t.Fatal(err)
	}
	for fim := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		a.chamar(t, "SendMessage", mensagem("escolha=z", `"taskId":"`+tk.ID+`"`, ""))
		a.log.mu.Lock()
		log := a.log.b.String()
		a.log.mu.Unlock()
		if strings.Contains(log, "caller does not read") {
			break
		}
		if time.Now().After(fim) {
			t.Fatal("the caller was not dropped")
		}
	}
	outra := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	a.seguir(t, "SubscribeToTask", `{"id":"`+outra.ID+`"}`).quer("task INPUT_REQUIRED")
}

// What JSON refuses, or has not, is refused over gRPC too, and not stored.
func TestMensagensQueSoGRPCTem(t *testing.T) {
	a := novoAgente(t, tudoDeclarado)
	c, _ := a.grpc(t)
	fundo := structpb.NewNumberValue(1)
	for range 100 {
		fundo = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{fundo}})
	}
	meta := func(v *structpb.Value) *structpb.Struct {
		return &structpb.Struct{Fields: map[string]*structpb.Value{"k": v}}
	}
	dado := func(v *structpb.Value) *a2apb.SendMessageRequest {
		m := pb("", "")
		m.Message.Parts = []*a2apb.Part{{Content: &a2apb.Part_Data{Data: v}}}
		return m
	}
	com := func(f func(*a2apb.SendMessageRequest)) *a2apb.SendMessageRequest {
		m := pb("pintar cor=azul", "")
		f(m)
		return m
	}
	nan := structpb.NewNumberValue(math.NaN())
	for nome, m := range map[string]*a2apb.SendMessageRequest{
		"deep metadata":         com(func(m *a2apb.SendMessageRequest) { m.Message.Metadata = meta(fundo) }),
		"deep request metadata": com(func(m *a2apb.SendMessageRequest) { m.Metadata = meta(fundo) }),
		"deep part metadata":    com(func(m *a2apb.SendMessageRequest) { m.Message.Parts[0].Metadata = meta(fundo) }),
		"not a number":          com(func(m *a2apb.SendMessageRequest) { m.Message.Metadata = meta(nan) }),
		"infinite data":         dado(structpb.NewStructValue(meta(structpb.NewNumberValue(math.Inf(1))))),
		"data that is text":     dado(structpb.NewStringValue("x")),
		"data that is null":     dado(structpb.NewNullValue()),
		"data without a value":  dado(&structpb.Value{}),
		"negative history": com(func(m *a2apb.SendMessageRequest) {
			m.Configuration = &a2apb.SendMessageConfiguration{HistoryLength: inteiro(-1)}
		}),
	} {
		if _, err := c.SendMessage(t.Context(), m); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: want InvalidArgument, got %v", nome, err)
		}
	}
	if _, err := c.GetTask(t.Context(), &a2apb.GetTaskRequest{Id: "x", HistoryLength: inteiro(-1)}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("negative history of GetTask: %v", err)
	}
	for nome, m := range map[string]*a2apb.ListTasksRequest{
		"page 101": {PageSize: inteiro(101)}, "negative page": {PageSize: inteiro(-1)}, "unknown state": {Status: 77}, "negative history": {HistoryLength: inteiro(-1)},
	} {
		if _, err := c.ListTasks(t.Context(), m); status.Code(err) != codes.InvalidArgument {
			t.Errorf("ListTasks, %s: want InvalidArgument, got %v", nome, err)
		}
	}
	// The official Go client says 0 for no size.
	if l, err := c.ListTasks(t.Context(), &a2apb.ListTasksRequest{PageSize: inteiro(0)}); err != nil || l.TotalSize != 0 || l.PageSize != paginaPadrao {
		t.Errorf("nothing was stored: %v, %v", l, err)
	}
}
