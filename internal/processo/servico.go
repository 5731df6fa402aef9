package processo

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Drenagem is how long calls in flight may take to finish after the signal to
// stop.
const Drenagem = 5 * time.Second

// Servir serves h on all listeners, within the limits of a connection, until
// ctx ends, then stops accepting and waits for calls in flight, at most [Drenagem]. esperar, when not nil, waits
// for work that outlives its request, within the same bound.
//
// It returns nil after an orderly stop, also when the bound was reached (a
// line in the log says so), and an error when serving itself failed.
func Servir(ctx context.Context, ls []net.Listener, h http.Handler, l Limites, log *slog.Logger, esperar func(context.Context) error) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: l.Leitura,
		ReadTimeout:       l.Leitura,
		IdleTimeout:       l.Ociosa,
		MaxHeaderBytes:    l.Cabecalho,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, len(ls))
	for _, l := range ls {
		go func() { failed <- srv.Serve(l) }()
	}
	select {
	case err := <-failed:
		_ = srv.Close()
		return err
	case <-ctx.Done():
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), Drenagem)
	defer cancel()
	err := srv.Shutdown(bound)
	if esperar != nil {
		// Also when the bound is reached: what is left is given up there.
		err = errors.Join(err, esperar(bound))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("parada forcada: ainda havia chamadas em curso", "limite", Drenagem)
		_ = srv.Close()
		return nil
	}
	return err
}
