package hospede

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxTTL bounds how long a server's ttlMs is believed.
const maxTTL = time.Hour

// ttlDe turns a server's ttlMs into a duration from 0 to maxTTL.
func ttlDe(ms int) time.Duration {
	return time.Duration(min(max(ms, 0), int(maxTTL/time.Millisecond))) * time.Millisecond
}

// guardado is a value that is fetched once and kept for as long as the server
// allows. Only one caller fetches at a time; those who come meanwhile share
// what it gets, also when it may not be kept, and wait for it no longer than
// their own contexts.
type guardado[T any] struct {
	mu    sync.Mutex
	value T
	until time.Time
	voo   *voo[T] // the fetch under way, if any
}

// voo is a fetch. Its result is there when done is closed.
type voo[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func novoGuardado[T any]() *guardado[T] { return &guardado[T]{} }

// obter returns the kept value, or the one that fetch gets. A failed fetch
// keeps nothing.
func (g *guardado[T]) obter(ctx context.Context, now func() time.Time, fetch func(context.Context) (T, time.Duration, error)) (T, error) {
	var zero T
	for {
		g.mu.Lock()
		if now().Before(g.until) {
			defer g.mu.Unlock()
			return g.value, nil
		}
		v := g.voo
		if v == nil {
			v = &voo[T]{done: make(chan struct{})}
			g.voo = v
			g.mu.Unlock()
			return g.buscar(ctx, v, now, fetch)
		}
		g.mu.Unlock()
		select {
		case <-v.done:
		case <-ctx.Done():
			return zero, ctx.Err()
		}
		// A fetch that ended with its own caller's context says nothing to others.
		if v.err == nil || !errors.Is(v.err, errInterrompida) {
			return v.value, v.err
		}
	}
}

// errInterrompida marks a fetch that ended because its caller's context did.
var errInterrompida = errors.New("the fetch was given up")

func (g *guardado[T]) buscar(ctx context.Context, v *voo[T], now func() time.Time, fetch func(context.Context) (T, time.Duration, error)) (T, error) {
	var ttl time.Duration
	v.err = errInterrompida // in case fetch panics
	defer func() {
		g.mu.Lock()
		if g.voo == v { // not forgotten meanwhile
			g.voo = nil
			if v.err == nil {
				g.value, g.until = v.value, now().Add(min(ttl, maxTTL))
			}
		}
		g.mu.Unlock()
		close(v.done)
	}()
	value, ttl, err := fetch(ctx)
	v.value, v.err = value, err
	if err != nil && ctx.Err() != nil {
		v.err = errors.Join(errInterrompida, err)
	}
	return value, err
}

// esquecer drops what is kept, and keeps nothing that is being fetched now.
func (g *guardado[T]) esquecer() {
	g.mu.Lock()
	g.until, g.voo = time.Time{}, nil
	g.mu.Unlock()
}
