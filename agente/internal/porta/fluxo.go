package porta

import (
	"context"
	"encoding/json"
	"errors"
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
	defer parar()
	itens := make(chan item)
	go p.produzir(ctx, op, params, itens)
	saida := processo.NovosEventos(w, p.Limites.Escrita)
	fim := p.enviarTodos(ctx, saida, itens, g)
	parar()
	for range itens { // until the producer has ended: the record is ours then
	}
	switch {
	case errors.Is(fim, errNaoLe):
		reg.outcome = errNaoLe.Error()
	case errors.Is(fim, context.Canceled):
		reg.status, reg.outcome = 0, desfechoCancelado
	case fim != nil && !saida.Aberto():
		g.falhar(fim)
	case fim != nil:
		_ = saida.Enviar(g.erro(recusar(ctx, fim))) // it is over either way
	}
}

// errNaoLe: the caller takes nothing any more.
var errNaoLe = errors.New("caller does not read")

// enviarTodos sends events until the last one. The error is what ended the
// stream before, context.Canceled when its caller left.
func (p *Porta) enviarTodos(ctx context.Context, saida *processo.Eventos, itens <-chan item, g grafia) error {
	batida := time.NewTicker(processo.Batida)
	defer batida.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Canceled
		case <-batida.C:
			err = saida.Bater()
		case i, mais := <-itens:
			switch {
			case !mais && (ctx.Err() != nil || !saida.Aberto()):
				return context.Canceled // it ended because nobody is there
			case !mais:
				return nil
			case i.err != nil:
				return i.err
			}
			corpo, ruim := g.evento(i.evento)
			if ruim != nil {
				return ruim
			}
			err = saida.Enviar(corpo)
		}
		if err != nil {
			return errNaoLe
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
