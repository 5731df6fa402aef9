package clientes

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

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
