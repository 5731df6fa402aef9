package hospede

import (
	"context"
	"sync/atomic"
	"time"
)

// maxTTL bounds how long a server's ttlMs is believed.
const maxTTL = time.Hour

// guardado is a value that is fetched once and kept for as long as the server
// allows. Only one caller fetches at a time; the others wait for it, each no
// longer than its own context.
type guardado[T any] struct {
	turn chan struct{} // capacity 1: holds a token while somebody fetches
	kept atomic.Pointer[validade[T]]
}

type validade[T any] struct {
	value T
	until time.Time
}

func novoGuardado[T any]() *guardado[T] {
	return &guardado[T]{turn: make(chan struct{}, 1)}
}

// obter returns the kept value, or the one that fetch gets. A failed fetch
// keeps nothing.
func (g *guardado[T]) obter(ctx context.Context, now func() time.Time, fetch func(context.Context) (T, time.Duration, error)) (T, error) {
	if v, ok := g.valido(now()); ok {
		return v, nil
	}
	var zero T
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return zero, ctx.Err()
	}
	defer func() { <-g.turn }()
	if v, ok := g.valido(now()); ok {
		return v, nil
	}
	v, ttl, err := fetch(ctx)
	if err != nil {
		return zero, err
	}
	g.kept.Store(&validade[T]{v, now().Add(min(ttl, maxTTL))})
	return v, nil
}

func (g *guardado[T]) valido(now time.Time) (T, bool) {
	if k := g.kept.Load(); k != nil && now.Before(k.until) {
		return k.value, true
	}
	var zero T
	return zero, false
}
