package processo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// Perfilador serves profiles (net/http/pprof) on addr until ctx ends, apart from
// the process's own address. An empty addr serves none. Only loopback addresses
// are taken: a profile shows what is in memory.
func Perfilador(ctx context.Context, addr string) error {
	if addr == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !isLoopback(host) {
		return fmt.Errorf("-pprof %q nao serve: use um endereco de loopback, por exemplo localhost:6060", addr)
	}
	ls, err := Escutar(ctx, addr)
	if err != nil {
		return fmt.Errorf("-pprof: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	for _, l := range ls {
		go func() { _ = srv.Serve(l) }()
	}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	return nil
}
