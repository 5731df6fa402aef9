// Package processo is what the two processes share as processes: reading the
// configuration, listening, serving, draining, logging, and the checks of
// Origin and Host that stand before both HTTP fronts. It knows no protocol and
// no domain.
package processo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// Escutar binds addr, a "host:port". The host "localhost", or none at all, binds
// every loopback address that the machine has, 127.0.0.1 and ::1, on one
// port. To listen on every interface, name 0.0.0.0 or [::]. Port 0 lets the
// system choose. The first listener's address is the one
// to show.
//
// The error is one line that names the address and the remedy.
func Escutar(ctx context.Context, addr string) ([]net.Listener, error) {
	return EscutarEm(ctx, "-addr", addr)
}

// EscutarEm is [Escutar] for an address that another option gives: the remedy
// names it.
func EscutarEm(ctx context.Context, opcao, addr string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("endereco invalido %q: use host:porta, por exemplo localhost:7300", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return nil, fmt.Errorf("porta invalida em %q: use um numero de 0 a 65535", addr)
	}
	if host != "" && !strings.EqualFold(host, "localhost") {
		l, err := listen(ctx, addr)
		if err != nil {
			return nil, explain(opcao, addr, err)
		}
		return []net.Listener{l}, nil
	}
	// With port 0 the second family may find the first one's choice taken:
	// then both are given back and another port is tried.
	for try := 0; ; try++ {
		ls, err := listenLoopback(ctx, port)
		if err == nil {
			return ls, nil
		}
		if port != "0" || try == 20 || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, explain(opcao, addr, err)
		}
	}
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", addr)
}

// listenLoopback binds 127.0.0.1 and ::1. A family that the host lacks is
// passed over as long as the other one is there.
func listenLoopback(ctx context.Context, port string) ([]net.Listener, error) {
	var ls []net.Listener
	var absent error
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := listen(ctx, net.JoinHostPort(host, port))
		switch {
		case err == nil:
			ls = append(ls, l)
			port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		case missingFamily(err):
			absent = err
		default:
			for _, open := range ls {
				_ = open.Close()
			}
			return nil, err
		}
	}
	if len(ls) == 0 {
		return nil, absent
	}
	return ls, nil
}

func missingFamily(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.EPROTONOSUPPORT)
}

func explain(opcao, addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("endereco %s ja esta em uso: encerre o outro processo ou escolha outro com %s", addr, opcao)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("sem permissao para escutar em %s: escolha uma porta acima de 1023 com %s", addr, opcao)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("endereco %s nao pertence a esta maquina: escolha outro com %s", addr, opcao)
	}
	return fmt.Errorf("nao foi possivel escutar em %s: %w; escolha outro com %s", addr, err, opcao)
}
