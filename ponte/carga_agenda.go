package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"hillvalley.example/ponte/internal/rastro"
)

// agendaDeCarga gives out moments of the agenda that nobody has used, one
// second each and in order, for cycles that book. sala-garagem is taken in
// each of them, by reservations of two hours that the agenda makes ahead.
//
// The moments go from 08:00 to 20:00 of one day after the other. All of them
// lie behind one another, so a reservation is written where the last one was,
// at the same cost for the first cycle as for the last.
type agendaDeCarga struct {
	cliente *http.Client
	url     string
	// primeiro is the first day's midnight in the policy's zone.
	primeiro time.Time

	proximo atomic.Int64 // the next moment
	prontos atomic.Int64 // how many blocks have been booked
	falha   atomic.Pointer[error]
}

const (
	momentosPorBloco = 2 * 60 * 60
	blocosPorDia     = 6
	// blocosAdiante is how far the booking of blocks is ahead.
	blocosAdiante = 6
)

var fusoDaPolitica = time.FixedZone("", -3*60*60)

// novaAgendaDeCarga chooses a first day at random, centuries ahead, so that a
// second command meets nothing of the first.
func novaAgendaDeCarga(urlMCP string) *agendaDeCarga {
	return &agendaDeCarga{
		cliente:  novoCliente(),
		url:      urlMCP,
		primeiro: time.Date(2400, 1, 1+rand.IntN(500*365), 0, 0, 0, 0, fusoDaPolitica),
	}
}

// tomar takes the next moment. It waits where its block is not booked yet.
func (a *agendaDeCarga) tomar(ctx context.Context, v *valores) error {
	i := a.proximo.Add(1) - 1
	for a.prontos.Load() <= i/momentosPorBloco {
		if f := a.falha.Load(); f != nil {
			return *f
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	inicio := a.inicioDoBloco(i / momentosPorBloco).Add(time.Duration(i%momentosPorBloco) * time.Second)
	v[lacunaInicio] = inicio.AppendFormat(v[lacunaInicio][:0], instanteISO)
	v[lacunaFim] = inicio.Add(time.Second).AppendFormat(v[lacunaFim][:0], instanteISO)
	return nil
}

const instanteISO = "2006-01-02T15:04:05-07:00"

func (a *agendaDeCarga) inicioDoBloco(b int64) time.Time {
	return a.primeiro.AddDate(0, 0, int(b/blocosPorDia)).Add(8*time.Hour + time.Duration(b%blocosPorDia)*2*time.Hour)
}

// preparar books the first blocks, and goes on in the background, always a few
// ahead, until ctx ends.
func (a *agendaDeCarga) preparar(ctx context.Context) error {
	if err := a.adiantar(ctx); err != nil {
		return err
	}
	go func() {
		for a.falha.Load() == nil {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return
			}
			if err := a.adiantar(ctx); err != nil {
				a.falha.Store(&err)
			}
		}
	}()
	return nil
}

func (a *agendaDeCarga) adiantar(ctx context.Context) error {
	for a.prontos.Load() < a.proximo.Load()/momentosPorBloco+blocosAdiante {
		b := a.prontos.Load()
		inicio := a.inicioDoBloco(b)
		params := chamada(garagem.com("inicio", inicio.Format(instanteISO)).com("fim", inicio.Add(2*time.Hour).Format(instanteISO)))
		p := pedidoMCP(a.url, int(b)+1, "tools/call", "reservar_sala", params, comFormulario, rastro.Novo().Traceparent())
		status, body, err := enviar(ctx, a.cliente, p)
		if err != nil {
			return fmt.Errorf("reservar a sala dos conflitos: %w", err)
		}
		if f := conferirReserva(status, body); f != nil {
			return fmt.Errorf("reservar a sala dos conflitos em %s: %w", inicio.Format(instanteISO), f)
		}
		a.prontos.Add(1)
	}
	return nil
}

// conferirReserva wants the answer of a tools/call that has booked.
func conferirReserva(status int, body []byte) error {
	if status != http.StatusOK {
		return novaFalha(erroHTTP, body, "HTTP %d", status)
	}
	result := membroDe(body, "result")
	if f := conferirChamada(result); f != nil {
		return novaFalha(f.tipo, body, "nada foi reservado")
	}
	if string(membroDe(result, "structuredContent", "reservado")) != "true" {
		return errors.New("nada foi reservado")
	}
	return nil
}
