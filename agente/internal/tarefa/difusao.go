package tarefa

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Difusao is a [Store] that tells what it stores, as it is stored, to whoever
// asked: there is one way in which a Task changes, and everybody who follows one
// sees that way. Nobody who listens can hold up who writes.
type Difusao struct {
	Store
	// consulta is how often a follower looks at the Store by itself: for what
	// another agent on the same database stored, and for Tasks that are gone.
	consulta time.Duration
	mudou    func(taskID string)

	mu         sync.RWMutex
	seguidores map[string]map[*Seguidor]struct{}
}

// consulta is what a follower may be behind another agent.
const consulta = time.Second

// NovaDifusao puts a difusao before a Store. mudou, when not nil, is called after
// each change of a Task and must not block.
func NovaDifusao(s Store, mudou func(taskID string)) *Difusao {
	if mudou == nil {
		mudou = func(string) {}
	}
	return &Difusao{Store: s, consulta: consulta, mudou: mudou, seguidores: make(map[string]map[*Seguidor]struct{})}
}

// Criar implements [Store].
func (d *Difusao) Criar(ctx context.Context, t *Tarefa) (*Tarefa, error) {
	t, err := d.Store.Criar(ctx, t)
	if err == nil {
		d.publicar(t)
	}
	return t, err
}

// Trocar implements [Store].
func (d *Difusao) Trocar(ctx context.Context, t *Tarefa) (*Tarefa, error) {
	t, err := d.Store.Trocar(ctx, t)
	if err == nil {
		d.publicar(t)
	}
	return t, err
}

func (d *Difusao) publicar(t *Tarefa) {
	d.mudou(t.ID)
	d.mu.RLock()
	defer d.mu.RUnlock()
	for s := range d.seguidores[t.ID] {
		s.receber(t)
	}
}

// maxAtraso is how many steps a follower may be behind before it is given up.
const maxAtraso = 64

// maxFalhas is how many looks at the Store in a row may fail before a follower is
// told.
const maxFalhas = 30

// ErrAtraso: the follower did not keep up. It can follow the Task anew.
var ErrAtraso = errors.New("follower fell behind")

// Seguidor follows one Task. It is for a single goroutine, and ends with Parar.
type Seguidor struct {
	difusao *Difusao
	id      string
	// visto is the version that was given out last.
	visto int64

	mu     sync.Mutex
	fila   []*Tarefa
	atraso bool
	sinal  chan struct{} // one place: something is new
}

// Seguir follows a Task from the version visto on, which may be 0 for all that
// is stored from now on.
func (d *Difusao) Seguir(id string, visto int64) *Seguidor {
	s := &Seguidor{difusao: d, id: id, visto: visto, sinal: make(chan struct{}, 1)}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.seguidores[id] == nil {
		d.seguidores[id] = make(map[*Seguidor]struct{})
	}
	d.seguidores[id][s] = struct{}{}
	return s
}

// Parar ends it. It may be called more than once.
func (s *Seguidor) Parar() {
	d := s.difusao
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.seguidores[s.id], s)
	if len(d.seguidores[s.id]) == 0 {
		delete(d.seguidores, s.id)
	}
}

// Visto tells the follower that the version was seen already.
func (s *Seguidor) Visto(versao int64) { s.visto = max(s.visto, versao) }

func (s *Seguidor) receber(t *Tarefa) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fila) == maxAtraso {
		s.atraso, s.fila = true, nil
	}
	if !s.atraso {
		s.fila = append(s.fila, t)
	}
	select {
	case s.sinal <- struct{}{}:
	default:
	}
}

// proximo takes the next step out of the queue, if there is one.
func (s *Seguidor) proximo() (*Tarefa, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.atraso {
		return nil, ErrAtraso
	}
	for len(s.fila) > 0 {
		t := s.fila[0]
		s.fila[0] = nil
		s.fila = s.fila[1:]
		// One that was overtaken (two writers, or a look at the Store) is told
		// by what came after it.
		if t.Versao > s.visto {
			s.visto = t.Versao
			return t, nil
		}
	}
	return nil, nil
}

// Proximo waits for the next stored version and returns it; versions never go
// back. soltar, when not nil, ends the wait: the result is then nil without an
// error. Errors: [ErrAtraso], [ErrNaoExiste] when the Task was forgotten, the
// Store's, ctx's.
func (s *Seguidor) Proximo(ctx context.Context, soltar <-chan struct{}) (*Tarefa, error) {
	tick := time.NewTicker(s.difusao.consulta)
	defer tick.Stop()
	falhas := 0
	for {
		if t, err := s.proximo(); t != nil || err != nil {
			return t, err
		}
		select {
		case <-s.sinal:
		case <-tick.C:
			t, err := s.difusao.Ler(ctx, s.id)
			switch {
			case err == nil:
				falhas = 0
			case errors.Is(err, ErrNaoExiste), ctx.Err() != nil:
				return nil, err
			default:
				// A database that starts anew must not end every stream at once.
				if falhas++; falhas == maxFalhas {
					return nil, err
				}
				continue
			}
			if t.Versao > s.visto {
				// What waits in the queue is told first, in its order.
				if antes, err := s.proximo(); antes != nil || err != nil {
					return antes, err
				}
				s.visto = t.Versao
				return t, nil
			}
		case <-soltar:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
