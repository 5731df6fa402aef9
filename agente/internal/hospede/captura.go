package hospede

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// numerador gives out the JSON-RPC ids of all requests of a host. The SDK
// counts from 1 in every session, and a retry after a reconnection, or after a
// restart of the agent, could have the id of the call that it repeats (MCP
// 2026-07-28, MRTR: it must not).
type numerador struct{ n atomic.Int64 }

// maxID is far below where readers that take numbers for floats lose digits.
const maxID = 1 << 41

// novoNumerador starts at a random number, so that an agent that is started
// again does not count over the same ones.
func novoNumerador() *numerador {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process first
	n := &numerador{}
	n.n.Store(int64(binary.BigEndian.Uint64(b[:]) % (maxID / 2)))
	return n
}

func (n *numerador) proximo() (jsonrpc.ID, error) {
	return jsonrpc.MakeID(float64(n.n.Add(1)))
}

// capturando wraps the SDK's transport. It gives requests their ids, and keeps
// results as they came: the SDK's types lose what matters at this border: the
// order of a form's properties, the digits of large numbers, and a resultType
// that it does not know, which the specification wants treated as invalid and
// the SDK takes for complete.
type capturando struct {
	mcp.Transport
	ids *numerador
}

func (t capturando) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conexao{Connection: c, ids: t.ids, waiting: make(map[jsonrpc.ID]espera)}, nil
}

type conexao struct {
	mcp.Connection
	ids *numerador

	mu      sync.Mutex
	waiting map[jsonrpc.ID]espera // by the id on the wire
}

// espera is a call that has not been answered.
type espera struct {
	id  jsonrpc.ID // the SDK's
	cap *captura   // nil when nobody wants the raw result
}

// captura receives the raw result of the one call whose context carries it.
type captura struct{ result json.RawMessage }

type chaveCaptura struct{}

// Write implements [mcp.Connection]. ctx is that of the call.
func (c *conexao) Write(ctx context.Context, m jsonrpc.Message) error {
	req, ok := m.(*jsonrpc.Request)
	if !ok {
		return c.Connection.Write(ctx, m)
	}
	if !req.IsCall() {
		if req.Method == "notifications/cancelled" {
			// Over HTTP a call is cancelled by its connection, which has closed.
			return nil
		}
		return c.Connection.Write(ctx, m)
	}
	id, err := c.ids.proximo()
	if err != nil {
		return err
	}
	cap, _ := ctx.Value(chaveCaptura{}).(*captura)
	c.mu.Lock()
	c.waiting[id] = espera{req.ID, cap}
	c.mu.Unlock()
	// A call that its caller gave up is never answered: forget it then.
	context.AfterFunc(ctx, func() { c.take(id) })
	wire := *req
	wire.ID = id
	if err := c.Connection.Write(ctx, &wire); err != nil {
		c.take(id)
		return err
	}
	return nil
}

func (c *conexao) take(id jsonrpc.ID) (espera, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.waiting[id]
	delete(c.waiting, id)
	return e, ok
}

// Read implements [mcp.Connection]. Answers to nobody are dropped.
func (c *conexao) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		res, ok := m.(*jsonrpc.Response)
		if err != nil || !ok {
			return m, err
		}
		e, ok := c.take(res.ID)
		if !ok {
			continue
		}
		answer := *res
		answer.ID = e.id
		if res.Error == nil {
			var head struct {
				ResultType string `json:"resultType"`
			}
			if json.Unmarshal(res.Result, &head) == nil {
				switch head.ResultType {
				case "", "complete", "input_required":
				default:
					return &jsonrpc.Response{ID: e.id, Error: fmt.Errorf("unknown resultType %q", head.ResultType)}, nil
				}
			}
			if e.cap != nil {
				// The reader of the call is woken after this returns.
				e.cap.result = res.Result
			}
		}
		return &answer, nil
	}
}
