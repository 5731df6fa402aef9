package ponte

import (
	"context"
	"errors"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/rastro"
)

// Cancelar ends a Task that has not ended. A call under way is given up; what
// it may still bring is not stored. Errors: [ErrNaoCancelavel],
// [tarefa.ErrNaoExiste], the Store's.
func (p *Ponte) Cancelar(ctx context.Context, id string) (*tarefa.Tarefa, error) {
	for {
		t, err := p.Ler(ctx, id)
		if err != nil {
			return nil, err
		}
		t, err = p.mudar(ctx, t, passo{evento: tarefa.Cancelar, falas: []string{"Cancelada a pedido de quem chamou."}})
		var impossivel *tarefa.TransicaoError
		switch {
		case errors.Is(err, tarefa.ErrConflito):
			continue
		case errors.As(err, &impossivel):
			return nil, ErrNaoCancelavel
		case err != nil:
			return nil, err
		}
		p.interromper(id)
		return t, nil
	}
}

// Ler returns a Task as it stands. A pause that nobody answered in time ends
// here, if the sweep has not come by yet. Errors: [tarefa.ErrNaoExiste], the
// Store's.
func (p *Ponte) Ler(ctx context.Context, id string) (*tarefa.Tarefa, error) {
	for {
		t, err := p.store.Ler(ctx, id)
		if err != nil || !p.expirou(t) {
			return t, err
		}
		if t, err = p.expirar(ctx, t); !errors.Is(err, tarefa.ErrConflito) {
			return t, err
		}
	}
}

// Listar returns a page of Tasks. Errors: [tarefa.ErrMarcador], the Store's.
func (p *Ponte) Listar(ctx context.Context, f tarefa.Filtro) (tarefa.Pagina, error) {
	return p.store.Listar(ctx, f)
}

// doMomento is the trace of a message: the one that came with it, else the
// Task's own, else a new one.
func doMomento(ctx context.Context, daTask string) rastro.Rastro {
	if r, ok := rastro.DoContexto(ctx); ok {
		return r
	}
	if r, ok := rastro.Ler(daTask); ok {
		return r
	}
	return rastro.Novo()
}
