// Package aviso delivers push notifications (A2A v1.0, 4.3 and 13.2): it posts
// the Task as it stands to whoever asked to be told of its changes.
//
// The store is the queue. What is to be told, to whom, after how many failures
// and when, stands there; an Entregador claims it, posts it, and notes what came
// of it. So several agents on one store share the work, and what a dead one had
// in hand is told by another: at least once, and as a rule once.
package aviso

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

const (
	// emMaosAoTodo is how many notifications an agent has claimed at once.
	emMaosAoTodo = 64
	// lembradas is how many changed Tasks are remembered by name, and how many
	// waits; with more than that the store is looked through.
	lembradas = 1024
	// porPergunta is how many Tasks are asked for by name at once.
	porPergunta = 256
	// vigia is how often slow receivers are looked for when every place is taken.
	vigia = 250 * time.Millisecond
)

// Config is what an Entregador is made of.
type Config struct {
	// Avisos are the configs, and so the queue.
	Avisos tarefa.Avisos
	// Corpo makes the body, JSON of a StreamResponse (A2A v1.0, 3.2.3), of a Task. A
	// notification of which it can make none is given up.
	Corpo func(*tarefa.Tarefa) ([]byte, error)
	// Privados lets notifications go to addresses that are not public. Else
	// connections to these are refused, whatever name stands for them.
	Privados bool
	// Agora is the clock; time.Now when it is nil.
	Agora func() time.Time
	// Agente is the User-Agent; "ponte-agente" when it is empty.
	Agente string
	Log    *slog.Logger
}

// Entregador delivers notifications. It is safe for concurrent use.
type Entregador struct {
	avisos     tarefa.Avisos
	corpo      func(*tarefa.Tarefa) ([]byte, error)
	agora      func() time.Time
	agente     string
	log        *slog.Logger
	transporte http.RoundTripper
	tempos     tempos

	sinal    chan struct{} // one place: there is something to do
	fechando chan struct{} // closed when nothing more is taken
	fechar   sync.Once
	acabou   chan struct{} // closed when all is done

	ronda    sync.WaitGroup // the loop
	trabalho sync.WaitGroup // what is in hand
	// deEntrega ends the attempts, deNota what is told to the store.
	deEntrega, deNota              context.Context
	cancelarEntregas, cancelarNota context.CancelFunc

	mu sync.Mutex
	// todas says that the store is to be looked through; mudadas are the Tasks to
	// look at else, and despertar the configs whose Tasks to look at later, of
	// which the first not before maisCedo.
	todas     bool
	mudadas   map[string]struct{}
	despertar map[nome]time.Time
	maisCedo  time.Time
	emMaos    int
	// receptores are by host.
	receptores map[string]*receptor
}

// Novo makes an Entregador and starts it. It begins with what is left to tell
// since the agent, or another one, was last at it.
func Novo(cfg Config) *Entregador {
	return novo(cfg, padrao, novoTransporte(cfg.Privados, padrao.prazo))
}

func novo(cfg Config, t tempos, transporte http.RoundTripper) *Entregador {
	e := &Entregador{
		avisos:     cfg.Avisos,
		corpo:      cfg.Corpo,
		agora:      cfg.Agora,
		agente:     cfg.Agente,
		log:        cfg.Log,
		transporte: transporte,
		tempos:     t,
		sinal:      make(chan struct{}, 1),
		fechando:   make(chan struct{}),
		acabou:     make(chan struct{}),
		todas:      true,
		mudadas:    make(map[string]struct{}),
		despertar:  make(map[nome]time.Time),
		receptores: make(map[string]*receptor),
	}
	if e.agora == nil {
		e.agora = time.Now
	}
	if e.agente == "" {
		e.agente = "ponte-agente"
	}
	e.deEntrega, e.cancelarEntregas = context.WithCancel(context.Background())
	e.deNota, e.cancelarNota = context.WithCancel(context.Background())
	e.ronda.Go(e.rodar)
	return e
}

// Acordar says that a Task has changed, so that whoever is to be told is told
// soon; empty for any Task, which costs more. It never blocks, and calls that come
// together count as one. Without it the change is told some seconds later.
func (e *Entregador) Acordar(taskID string) {
	e.mu.Lock()
	e.lembrar(taskID)
	e.mu.Unlock()
	e.acenar()
}

// lembrar notes a Task to look at, or that there are too many of them.
func (e *Entregador) lembrar(taskID string) {
	if taskID == "" || len(e.mudadas) >= lembradas {
		e.todas = true
		return
	}
	e.mudadas[taskID] = struct{}{}
}

func (e *Entregador) acenar() {
	select {
	case e.sinal <- struct{}{}:
	default:
	}
}

// Fechar stops it: nothing more is claimed, and what is under way may end until a
// second before ctx does. What has not ended then is broken off and given back, for
// another agent to send it at once. After Fechar nothing of it runs any more. It
// returns ctx's error when there was no time to give all of it back: then it is
// sent when its claim has ended. It may be called more than once.
func (e *Entregador) Fechar(ctx context.Context) error {
	e.fechar.Do(func() {
		close(e.fechando)
		go func() {
			e.ronda.Wait()
			e.soltarFilas()
			e.trabalho.Wait()
			close(e.acabou)
		}()
	})
	const paraNotar = time.Second
	cedo := ctx
	if fim, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		cedo, cancel = context.WithDeadline(ctx, fim.Add(-paraNotar))
		defer cancel()
	}
	defer e.fecharConexoes()
	if e.acabouAntes(cedo) {
		return nil
	}
	e.cancelarEntregas()
	if e.acabouAntes(ctx) {
		return nil
	}
	e.cancelarNota()
	<-e.acabou
	return ctx.Err()
}

// acabouAntes waits for the end of all, or of ctx; all is preferred.
func (e *Entregador) acabouAntes(ctx context.Context) bool {
	select {
	case <-e.acabou:
	case <-ctx.Done():
	}
	select {
	case <-e.acabou:
		return true
	default:
		return false
	}
}

func (e *Entregador) fecharConexoes() {
	e.cancelarEntregas()
	e.cancelarNota()
	if t, ok := e.transporte.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}
