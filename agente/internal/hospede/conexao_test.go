//go:build unix

package hospede

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// surda is a connection of whose end nobody is told: any connection is, for the
// moment until net/http wakes up.
type surda struct {
	*net.TCPConn
	surda *atomic.Bool
}

func (c surda) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	for err != nil && c.surda.Load() {
		time.Sleep(time.Millisecond)
	}
	return n, err
}

// A kept connection that the server has closed costs no call, and no call is sent
// twice.
func TestConexaoQueMorreuParada(t *testing.T) {
	f := novoFingido(t, normal(60_000, func(http.ResponseWriter, pedido) string { return `{"structuredContent":{"a":1}}` }))
	h := novoHospede(t, f.URL)
	var nada atomic.Bool
	t.Cleanup(func() { nada.Store(false) })
	h.transporte.DialContext = vigiar(func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return surda{c.(*net.TCPConn), &nada}, nil
	})
	if got := ver(h.Chamar(t.Context(), "pinta", []byte(`{}`), nil)); got != `Concluido {"a":1}` {
		t.Fatal(got)
	}
	nada.Store(true)
	f.CloseClientConnections()
	time.Sleep(20 * time.Millisecond) // the end has to arrive
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if got := ver(h.Chamar(ctx, "pinta", []byte(`{}`), nil)); got != `Concluido {"a":1}` {
		t.Errorf("after the server closed a kept connection: got %s", got)
	}
	if n := len(f.de("tools/call")); n != 2 {
		t.Errorf("want each call once, got %d", n)
	}
}
