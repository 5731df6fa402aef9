package porta

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// conexao is the SDK's transport behind our HTTP front: one long-lived
// connection that every request feeds which is not answered directly (see
// direta.go), and one more for each subscription
// (see assinatura.go). Ids are replaced on the way in and forgotten on the way
// out, so that two callers may use the same one, and any id comes back byte for
// byte.
//
// The SDK's own HTTP handler would build a session per request and leaves open
// what [Porta] closes; see the package comment. One connection is no session
// of the protocol's: each request carries its own version and capabilities,
// and the tools read nothing else.
type conexao struct {
	incoming chan jsonrpc.Message
	done     chan struct{}
	close    sync.Once
	// unica is the only call of a connection that serves a subscription: what
	// the server notifies there is for it, whatever caused it.
	unica bool

	next    atomic.Int64
	mu      sync.Mutex
	pending map[int64]*espera
	// ouvindo are the calls that take notifications, by the only thing of ours
	// that the SDK shows to a handler.
	ouvindo map[*mcp.RequestExtra]*espera
}

// espera is a request that has not been answered.
type espera struct {
	n      int64
	extra  *mcp.RequestExtra
	answer chan *jsonrpc.Response // has room for the one answer
	// sinal says that there is something in avisos, which mu of the connection
	// guards. It is nil when nobody takes notifications.
	sinal  chan struct{}
	avisos []*jsonrpc.Request
}

// maxAvisos bounds the notifications that wait for a caller to read them.
const maxAvisos = 64

// ouvinte takes what a handler notifies while its request is served. Its
// functions run in the goroutine that waits for the answer, one at a time; an
// error of theirs ends the call.
type ouvinte struct {
	aviso func(method string, params json.RawMessage) error
	// pulso ticks when it is time for bater, which keeps a quiet stream alive.
	pulso <-chan time.Time
	bater func() error
	// fim is closed to make the handler end and give its answer; nil for never.
	fim <-chan struct{}
}

func novaConexao() *conexao {
	return &conexao{
		incoming: make(chan jsonrpc.Message),
		done:     make(chan struct{}),
		pending:  make(map[int64]*espera),
		ouvindo:  make(map[*mcp.RequestExtra]*espera),
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

// Write implements [mcp.Connection]: it hands an answer, or a notification, to
// whoever waits for the answer. What is for callers that left is dropped, and
// so is what no caller's request has caused. It never waits: one connection
// carries everybody's answers.
func (c *conexao) Write(ctx context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		if n, ok := m.ID.Raw().(int64); ok {
			if e := c.retirar(n); e != nil {
				e.answer <- m
			}
		}
	case *jsonrpc.Request:
		if !m.IsCall() { // this revision has no requests of the server's
			c.avisar(ctx, m)
		}
	}
	return nil
}

// avisar passes a notification on. The caller's answer is worth more than news
// of it: of a call, those too many are dropped. A subscription that lost one
// would be worth nothing, and is broken off instead: the client subscribes and
// lists anew.
func (c *conexao) avisar(ctx context.Context, m *jsonrpc.Request) {
	extra, _ := ctx.Value(chaveChamada{}).(*mcp.RequestExtra)
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.ouvindo[extra]
	if c.unica {
		for _, e = range c.ouvindo { // the one that there is
			break
		}
	}
	switch {
	case e == nil:
	case len(e.avisos) < maxAvisos:
		e.avisos = append(e.avisos, m)
		select {
		case e.sinal <- struct{}{}:
		default:
		}
	case c.unica:
		_ = c.Close()
	}
}

// avisos takes what was notified to a call.
func (c *conexao) avisos(e *espera) []*jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	ms := e.avisos
	e.avisos = nil
	return ms
}

// chaveChamada is where [associar] puts a call into the context of its handler.
type chaveChamada struct{}

// associar is a receiving middleware: it lets [conexao.Write] see which of our
// requests a handler's notification belongs to.
func associar(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if extra := req.GetExtra(); extra != nil {
			ctx = context.WithValue(ctx, chaveChamada{}, extra)
		}
		return next(ctx, method, req)
	}
}

// Close implements [mcp.Connection].
func (c *conexao) Close() error {
	c.close.Do(func() { close(c.done) })
	return nil
}

var errFechada = errors.New("server is closing")

// chamar passes one request to the SDK and waits for its answer. When ctx ends
// first the handler is cancelled and ctx's error returned; so it is with the
// error of o, which takes the notifications and may be nil.
func (c *conexao) chamar(ctx context.Context, method string, params json.RawMessage, header http.Header, o *ouvinte) (*jsonrpc.Response, error) {
	e := &espera{
		n:      c.next.Add(1),
		extra:  &mcp.RequestExtra{Header: header},
		answer: make(chan *jsonrpc.Response, 1),
	}
	id, err := jsonrpc.MakeID(float64(e.n))
	if err != nil {
		return nil, err
	}
	if o != nil {
		e.sinal = make(chan struct{}, 1)
	} else {
		o = &ouvinte{}
	}
	c.guardar(e)
	defer c.retirar(e.n)

	if err := c.enviar(ctx, &jsonrpc.Request{ID: id, Method: method, Params: params, Extra: e.extra}); err != nil {
		return nil, err
	}
	fim := o.fim
	for {
		select {
		case <-e.sinal:
			err = c.repassar(e, o)
		case <-o.pulso:
			err = o.bater()
		case <-fim:
			fim = nil
			c.cancelar(ctx, e)
		case res := <-e.answer:
			// What was notified before the answer comes before it.
			return res, c.repassar(e, o)
		case <-c.done:
			return nil, errFechada
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			// The caller left: its answer has nowhere to go (MCP 2026-07-28,
			// Streamable HTTP, "Cancellation").
			c.retirar(e.n)
			c.cancelar(ctx, e)
			return nil, err
		}
	}
}

// repassar gives to o what was notified to a call.
func (c *conexao) repassar(e *espera, o *ouvinte) error {
	for _, m := range c.avisos(e) {
		if err := o.aviso(m.Method, m.Params); err != nil {
			return err
		}
	}
	return nil
}

// cancelar cancels the handler of a call.
func (c *conexao) cancelar(ctx context.Context, e *espera) {
	raw, _ := json.Marshal(mcp.CancelledParams{RequestID: float64(e.n)})
	_ = c.enviar(context.WithoutCancel(ctx), &jsonrpc.Request{Method: "notifications/cancelled", Params: raw})
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

func (c *conexao) guardar(e *espera) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[e.n] = e
	if e.sinal != nil {
		c.ouvindo[e.extra] = e
	}
}

// retirar forgets a call, and returns it unless it was forgotten before.
func (c *conexao) retirar(n int64) *espera {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pending[n]
	if e != nil {
		delete(c.pending, n)
		delete(c.ouvindo, e.extra)
	}
	return e
}
