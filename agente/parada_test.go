package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"hillvalley.example/ponte/internal/processo"
)

// However long the rest takes, what tells of it has time to give back what it has
// in hand, within the bound of the process.
func TestParada(t *testing.T) {
	for _, c := range []struct {
		nome         string
		demora       time.Duration // of the bridge
		avisos, fim  time.Duration // when the last one is asked to end, and all has
		comErro      bool
		chamadas     int
		semServir    bool
		semAvisos    bool
		grpcNaoAcaba bool
	}{
		{nome: "in good order", demora: time.Second, avisos: time.Second, fim: time.Second, chamadas: 1},
		{nome: "the bridge takes all of the time", demora: time.Hour, avisos: processo.Drenagem - paraAvisos, fim: processo.Drenagem, comErro: true, chamadas: 1},
		{nome: "gRPC takes all of the time", grpcNaoAcaba: true, demora: time.Hour, avisos: processo.Drenagem - paraAvisos, fim: processo.Drenagem, comErro: true, chamadas: 1},
		{nome: "nothing to tell", demora: time.Second, fim: time.Second, semAvisos: true},
		{nome: "it never served", demora: time.Millisecond, avisos: time.Millisecond, fim: time.Millisecond, semServir: true, chamadas: 1},
	} {
		t.Run(c.nome, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inicio, chamadas, quando := time.Now(), 0, time.Duration(-1)
				grpc := make(chan struct{})
				if !c.grpcNaoAcaba {
					close(grpc)
				}
				p := &parada{
					grpc: grpc,
					ponte: func(ctx context.Context) error {
						select {
						case <-time.After(c.demora):
							return nil
						case <-ctx.Done():
							return ctx.Err()
						}
					},
				}
				if !c.semAvisos {
					p.avisos = func(ctx context.Context) error {
						chamadas++
						quando = time.Since(inicio)
						if fim, ok := ctx.Deadline(); !ok || time.Until(fim) < time.Second {
							t.Errorf("want time to give back what is in hand, got until %v", fim)
						}
						return nil
					}
				}
				if c.semServir {
					p.agora()
				} else {
					ctx, sinal := context.WithCancel(t.Context())
					p.quando(ctx)
					sinal()
					bound, cancel := context.WithTimeout(context.Background(), processo.Drenagem)
					defer cancel()
					if err := p.esperar(bound); (err != nil) != c.comErro || err != nil && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("error %v", err)
					}
					p.agora() // has nothing left to do
				}
				if d := time.Since(inicio); d != c.fim || chamadas != c.chamadas || !c.semAvisos && quando != c.avisos {
					t.Errorf("want it over after %v and the telling ended at %v, once; got %v, %v, %d times", c.fim, c.avisos, d, quando, chamadas)
				}
			})
		})
	}
}
