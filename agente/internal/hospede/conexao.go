package hospede

import (
	"context"
	"net"
	"os"
	"syscall"
)

// conexao is a connection that does not write to a side that has closed it. When a
// server ends, or closes a connection that it has kept long enough, a request may
// find that connection before net/http has noticed, and would be lost: it may have
// got through for all that net/http knows, and a call is not sent twice. Here
// nothing is written, and net/http, which sees that too, takes another connection.
// What a server does from then on is still a lost answer, as anywhere. Under TLS the
// end of a connection comes behind other bytes, and is not seen here.
type conexao struct {
	net.Conn
	raw syscall.RawConn
}

// Write implements [net.Conn].
func (c conexao) Write(b []byte) (int, error) {
	if fechada(c.raw) {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	}
	return c.Conn.Write(b)
}

type discar func(ctx context.Context, network, addr string) (net.Conn, error)

// vigiar makes every connection one that is looked at before it is written to.
func vigiar(dial discar) discar {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if s, ok := c.(syscall.Conn); ok {
			if raw, err := s.SyscallConn(); err == nil {
				return conexao{c, raw}, nil
			}
		}
		return c, nil
	}
}
