package main

import (
	"context"
	"errors"
	"time"

	"hillvalley.example/ponte/internal/processo"
)

// parada is the order in which what works besides the HTTP front stops: gRPC, whose
// calls are work too, the bridge, and last who tells of what it did. All of it
// shares the bound of the process, [processo.Drenagem].
type parada struct {
	// grpc is closed when nothing is served there any more; nil when nothing is.
	grpc <-chan struct{}
	// ponte and avisos end their work, and may be called more than once; nil when
	// there is none.
	ponte, avisos func(context.Context) error

	feita     bool
	avisosFim chan error
	semPonte  chan struct{} // closed when the bridge has ended
}

// paraAvisos is what of the bound is kept for notifications in hand: however long
// the rest takes, they are given back and not left claimed.
const paraAvisos = 1500 * time.Millisecond

// quando prepares the stop at the end of ctx.
func (p *parada) quando(ctx context.Context) {
	p.avisosFim, p.semPonte = make(chan error, 1), make(chan struct{})
	if p.avisos == nil {
		p.avisosFim <- nil
		return
	}
	go func() {
		<-ctx.Done()
		limite, cancelar := context.WithTimeout(context.Background(), processo.Drenagem)
		defer cancelar()
		select {
		case <-p.semPonte:
		case <-time.After(processo.Drenagem - paraAvisos):
		}
		p.avisosFim <- p.avisos(limite)
	}()
}

// esperar waits for the end of it all, at most until ctx ends.
func (p *parada) esperar(ctx context.Context) error {
	if p.grpc != nil {
		select {
		case <-p.grpc:
		case <-ctx.Done():
		}
	}
	p.feita = true
	err := p.ponte(ctx)
	close(p.semPonte)
	return errors.Join(err, <-p.avisosFim)
}

// agora stops what has begun, for a process that does not get to serve, or whose
// serving failed. After an orderly stop there is nothing left to do.
func (p *parada) agora() {
	if p.feita {
		return
	}
	ctx, cancelar := context.WithTimeout(context.Background(), paraAvisos)
	defer cancelar()
	if p.grpc != nil {
		select {
		case <-p.grpc:
		case <-ctx.Done():
		}
	}
	for _, fechar := range []func(context.Context) error{p.ponte, p.avisos} {
		if fechar != nil {
			_ = fechar(ctx) // the error of the process is another one
		}
	}
}
