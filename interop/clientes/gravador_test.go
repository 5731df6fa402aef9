package clientes

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

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
