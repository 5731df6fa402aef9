package hospede

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// capturando wraps the SDK's transport to keep results as they came. The
// SDK's types lose what matters at this border: the order of a form's
// properties, the digits of large numbers, and a resultType that it does not
// know, which the specification wants treated as invalid and the SDK takes for
// complete.
type capturando struct{ mcp.Transport }

func (t capturando) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conexao{Connection: c, waiting: make(map[jsonrpc.ID]*captura)}, nil
}

type conexao struct {
	mcp.Connection

	mu      sync.Mutex
	waiting map[jsonrpc.ID]*captura
}

// captura receives the raw result of the one call whose context carries it.
type captura struct{ result json.RawMessage }

type chaveCaptura struct{}

// Write implements [mcp.Connection]. ctx is that of the call.
func (c *conexao) Write(ctx context.Context, m jsonrpc.Message) error {
	req, isRequest := m.(*jsonrpc.Request)
	cap, wanted := ctx.Value(chaveCaptura{}).(*captura)
	if !isRequest || !wanted || !req.IsCall() {
		return c.Connection.Write(ctx, m)
	}
	c.mu.Lock()
	c.waiting[req.ID] = cap
	c.mu.Unlock()
	// A call that its caller gave up is never answered: forget it then.
	context.AfterFunc(ctx, func() { c.take(req.ID) })
	err := c.Connection.Write(ctx, m)
	if err != nil {
		c.take(req.ID)
	}
	return err
}

func (c *conexao) take(id jsonrpc.ID) *captura {
	c.mu.Lock()
	defer c.mu.Unlock()
	cap := c.waiting[id]
	delete(c.waiting, id)
	return cap
}

// Read implements [mcp.Connection].
func (c *conexao) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	res, ok := m.(*jsonrpc.Response)
	if err != nil || !ok || res.Error != nil {
		return m, err
	}
	cap := c.take(res.ID)
	var head struct {
		ResultType string `json:"resultType"`
	}
	if json.Unmarshal(res.Result, &head) == nil {
		switch head.ResultType {
		case "", "complete", "input_required":
		default:
			return &jsonrpc.Response{ID: res.ID, Error: fmt.Errorf("unknown resultType %q", head.ResultType)}, nil
		}
	}
	if cap != nil {
		// The reader of the call is woken after this returns.
		cap.result = res.Result
	}
	return m, nil
}
