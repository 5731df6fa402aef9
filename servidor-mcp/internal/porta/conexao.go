package porta

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// conexao is the SDK's transport behind our HTTP front: one long-lived
// connection that every HTTP request feeds. Ids are replaced on the way in and
// forgotten on the way out, so that two callers may use the same one, and any
// id comes back byte for byte.
//
// The SDK's own HTTP handler would build a session per request and leaves open
// what [Porta] closes; see the package comment. One connection is no session
// of the protocol's: each request carries its own version and capabilities,
// and the tools read nothing else.
type conexao struct {
	incoming chan jsonrpc.Message
	done     chan struct{}
	close    sync.Once

	next    atomic.Int64
	mu      sync.Mutex
	pending map[int64]chan *jsonrpc.Response
}

func novaConexao() *conexao {
	return &conexao{
		incoming: make(chan jsonrpc.Message),
		done:     make(chan struct{}),
		pending:  make(map[int64]chan *jsonrpc.Response),
	}
}

// Connect implements [mcp.Transport].
func (c *conexao) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection]: there is no session.
func (c *conexao) SessionID() string { return "" }

// Read implements [mcp.Connection].
func (c *conexao) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection]: it hands an answer to whoever waits for
// it. Answers to callers that left are dropped, and so are notifications,
// which a single JSON answer has no place for.
func (c *conexao) Write(_ context.Context, m jsonrpc.Message) error {
	res, ok := m.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	n, ok := res.ID.Raw().(int64)
	if !ok {
		return nil
	}
	c.mu.Lock()
	answer := c.pending[n]
	delete(c.pending, n)
	c.mu.Unlock()
	if answer != nil {
		answer <- res // has room for the one answer
	}
	return nil
}

// Close implements [mcp.Connection].
func (c *conexao) Close() error {
	c.close.Do(func() { close(c.done) })
	return nil
}

var errFechada = errors.New("server is closing")

// chamar passes one request to the SDK and waits for its answer. When ctx ends
// first the handler is cancelled and ctx's error returned.
func (c *conexao) chamar(ctx context.Context, method string, params json.RawMessage, header http.Header) (*jsonrpc.Response, error) {
	n := c.next.Add(1)
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return nil, err
	}
	answer := make(chan *jsonrpc.Response, 1)
	c.mu.Lock()
	c.pending[n] = answer
	c.mu.Unlock()

	req := &jsonrpc.Request{ID: id, Method: method, Params: params, Extra: &mcp.RequestExtra{Header: header}}
	if err := c.enviar(ctx, req); err != nil {
		c.esquecer(n)
		return nil, err
	}
	select {
	case res := <-answer:
		return res, nil
	case <-c.done:
		c.esquecer(n)
		return nil, errFechada
	case <-ctx.Done():
		c.esquecer(n)
		// The caller left: its answer has nowhere to go (MCP 2026-07-28,
		// Streamable HTTP, "Cancellation").
		raw, _ := json.Marshal(mcp.CancelledParams{RequestID: float64(n)})
		_ = c.enviar(context.WithoutCancel(ctx), &jsonrpc.Request{Method: "notifications/cancelled", Params: raw})
		return nil, ctx.Err()
	}
}

func (c *conexao) enviar(ctx context.Context, m jsonrpc.Message) error {
	select {
	case c.incoming <- m:
		return nil
	case <-c.done:
		return errFechada
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *conexao) esquecer(n int64) {
	c.mu.Lock()
	delete(c.pending, n)
	c.mu.Unlock()
}
