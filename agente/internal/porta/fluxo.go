package porta

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/processo"
)

// item is an event of a stream, or what ended it.
type item struct {
	evento a2a.Event
	err    error
}

// fluir serves a stream as server-sent events. An error before the first event
// is an ordinary answer, one after it the last event. A caller that does not
// read is dropped: it holds the one event that is being written, and no Task.
func (p *Porta) fluir(ctx context.Context, w http.ResponseWriter, reg *registro, op operacao, params json.RawMessage, g grafia) {
	ctx, parar := context.WithCancel(ctx)
	itens := make(chan item)
	go p.produzir(ctx, op, params, itens)
	defer func() {
		parar()
		for range itens { // until the producer has ended
		}
	}()
	saida := processo.NovosEventos(w, p.Limites.Escrita)
	batida := time.NewTicker(processo.Batida)
	defer batida.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			reg.status, reg.outcome = 0, desfechoCancelado
			return
		case <-batida.C:
			err = saida.Bater()
		case i, mais := <-itens:
			switch {
			case !mais && (ctx.Err() != nil || !saida.Aberto()):
				reg.status, reg.outcome = 0, desfechoCancelado // it ended because nobody is there
				return
			case !mais:
				return
			case i.err == nil:
				var corpo []byte
				if corpo, i.err = g.evento(i.evento); i.err == nil {
					err = saida.Enviar(corpo)
					break
				}
				fallthrough
			default:
				if !saida.Aberto() {
					g.falhar(i.err)
					return
				}
				_ = saida.Enviar(g.erro(recusar(ctx, i.err))) // it is over either way
				return
			}
		}
		if err != nil {
			reg.outcome = "caller does not read"
			return
		}
	}
}

// produzir runs a stream into itens, and closes it.
func (p *Porta) produzir(ctx context.Context, op operacao, params json.RawMessage, itens chan<- item) {
	defer close(itens)
	entregar := func(i item) bool {
		select {
		case itens <- i:
			return true
		case <-ctx.Done():
			return false
		}
	}
	err := func() (err error) {
		defer p.salvar(ctx, &err)
		eventos, err := op.fluxo(ctx, p, params)
		if err != nil {
			return err
		}
		for e, err := range eventos {
			if err != nil {
				return err
			}
			if !entregar(item{evento: e}) {
				return nil
			}
		}
		return nil
	}()
	if err != nil {
		entregar(item{err: err})
	}
}
