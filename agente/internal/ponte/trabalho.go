package ponte

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/internal/rastro"
)

// Servidor is the MCP server as the bridge needs it. A Desfecho that is not
// nil, where one stands beside a value, says why there is no value.
type Servidor interface {
	Ferramenta(ctx context.Context, nome string) (hospede.Ferramenta, bool, hospede.Desfecho)
	Recurso(ctx context.Context, uri string) (string, hospede.Desfecho)
	Chamar(ctx context.Context, ferramenta string, argumentos []byte, r *hospede.Retomada) hospede.Desfecho
}

// Config is what a bridge is made of.
type Config struct {
	Perfil   *perfil.Perfil
	Servidor Servidor
	Store    *tarefa.Difusao
	// Avisos keeps where callers want to be told of changes.
	Avisos tarefa.Avisos
	// Espera bounds one exchange with the MCP server, discovery included.
	Espera time.Duration
	// ValidadePausa is how long a Task may stay paused without a change.
	ValidadePausa time.Duration
	// Guarda is how long a Task is kept after it has ended.
	Guarda time.Duration
	// Agora is the clock; time.Now outside tests.
	Agora func() time.Time
	Log   *slog.Logger
}

// Ponte carries exchanges between A2A callers and one MCP server. It is safe
// for concurrent use.
type Ponte struct {
	perfil        *perfil.Perfil
	servidor      Servidor
	store         *tarefa.Difusao
	avisos        tarefa.Avisos
	espera        time.Duration
	validadePausa time.Duration
	guarda        time.Duration
	agora         func() time.Time
	log           *slog.Logger

	ctx    context.Context // of the work that outlives its request
	cancel context.CancelFunc
	work   sync.WaitGroup
	// closing is closed when no more work is taken.
	closing      chan struct{}
	fecharUmaVez sync.Once
	mu           sync.Mutex
	active       map[*trabalho]struct{}
}

// Nova makes a bridge, settles work whose claim is over, and starts its sweep.
// Close it with Fechar.
func Nova(cfg Config) *Ponte {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Ponte{
		perfil:        cfg.Perfil,
		servidor:      cfg.Servidor,
		store:         cfg.Store,
		avisos:        cfg.Avisos,
		espera:        cfg.Espera,
		validadePausa: cfg.ValidadePausa,
		guarda:        cfg.Guarda,
		agora:         cfg.Agora,
		log:           cfg.Log,
		ctx:           ctx,
		cancel:        cancel,
		closing:       make(chan struct{}),
		active:        make(map[*trabalho]struct{}),
	}
	p.varrerUmaVez()
	p.work.Go(p.varrer)
	return p
}

// desistencia is how long work that is given up may take to settle its Task.
const desistencia = 500 * time.Millisecond

// Fechar takes no more work and waits until what is under way has ended, at most
// until ctx does. What is left then is given up: an answer goes back to its
// pause. The error is ctx's. Afterwards nobody uses the Store any more, unless
// work does not even end when it is given up.
func (p *Ponte) Fechar(ctx context.Context) error {
	defer p.cancel()
	p.fecharUmaVez.Do(func() { close(p.closing) })
	done := make(chan struct{})
	go func() { p.work.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done: // both at once: nothing is left
		return nil
	default:
	}
	p.cancel()
	select {
	case <-done:
	case <-time.After(desistencia):
	}
	return ctx.Err()
}

// trabalho is one stretch of work on a Task, from before it is claimed until it
// is settled.
type trabalho struct {
	ponte  *Ponte
	taskID string
	ctx    context.Context
	cancel context.CancelFunc
}

// inscrever announces work on a Task before the Task says so: whoever cancels
// the Task finds it. It ends with desistir or trabalhar.
func (p *Ponte) inscrever(taskID string, r rastro.Rastro) *trabalho {
	w := &trabalho{ponte: p, taskID: taskID}
	w.ctx, w.cancel = context.WithTimeout(rastro.ComContexto(p.ctx, r), p.espera)
	p.mu.Lock()
	p.active[w] = struct{}{}
	p.mu.Unlock()
	return w
}

// desistir takes announced work back.
func (w *trabalho) desistir() {
	w.ponte.mu.Lock()
	delete(w.ponte.active, w)
	w.ponte.mu.Unlock()
	w.cancel()
}

// trabalhar runs f for a Task apart from the request that caused it: a caller
// that leaves stops nothing. With esperar it returns when f has. The channel gives what f returns, once: the Task
// as f stored it last, or nil when somebody else changed it or it could not be
// stored.
func (w *trabalho) trabalhar(t *tarefa.Tarefa, esperar bool, f func(context.Context) *tarefa.Tarefa) <-chan *tarefa.Tarefa {
	done := make(chan *tarefa.Tarefa, 1)
	fazer := func() {
		var fim *tarefa.Tarefa
		defer func() { done <- fim }()
		defer w.desistir()
		defer func() {
			if v := recover(); v != nil {
				w.ponte.log.Error("panic", "task_id", t.ID, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				fim = w.ponte.socorrer(w.ctx, t)
			}
		}()
		fim = f(w.ctx)
	}
	if !esperar {
		w.ponte.work.Go(fazer)
		return done
	}
	w.ponte.work.Add(1)
	defer w.ponte.work.Done()
	fazer()
	return done
}

// socorrer settles a Task whose work broke down: it fails, or goes back to the
// pause that it was answering.
func (p *Ponte) socorrer(ctx context.Context, t *tarefa.Tarefa) *tarefa.Tarefa {
	agora, err := p.store.Ler(context.WithoutCancel(ctx), t.ID)
	if err != nil || tarefa.Parada(agora.Estado) {
		return nil
	}
	s := situacao{perfil: p.perfil, pausa: agora.Pausa}
	return p.assentar(ctx, agora, s.semResposta("Erro interno do agente."))
}

// interromper gives up the calls that are under way for a Task.
func (p *Ponte) interromper(taskID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.active {
		if w.taskID == taskID {
			w.cancel()
		}
	}
}

// trabalhando reports whether this process is at work on a Task.
func (p *Ponte) trabalhando(taskID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.active {
		if w.taskID == taskID {
			return true
		}
	}
	return false
}

// mudar applies a step to the version of the Task that t was made from.
func (p *Ponte) mudar(ctx context.Context, t *tarefa.Tarefa, s passo) (*tarefa.Tarefa, error) {
	novo, err := t.Com(s.evento, p.agora())
	if err != nil {
		return nil, err
	}
	if !novo.Estado.Terminal() {
		novo = novo.Pausando(s.pausa)
	}
	if novo.Estado == a2a.TaskStateWorking {
		novo = novo.AtePrazo(p.prazo())
	}
	if len(s.falas) > 0 {
		estados := t.Estados
		if s.pausa != nil {
			estados = append(slices.Clip(estados), s.pausa.RequestState)
		}
		falas := make([]string, len(s.falas))
		for i, fala := range s.falas {
			falas[i] = hospede.Calar(fala, estados)
		}
		novo = novo.Dizendo(falas...)
	}
	if s.artefato != nil {
		novo = novo.Produzindo(s.artefato)
	}
	return p.store.Trocar(ctx, novo)
}

// assentar stores a step of the work on a claimed Task, also when the time for
// the work is over. Whoever changed the Task meanwhile (a cancel) wins: the
// step is dropped and the result is nil.
func (p *Ponte) assentar(ctx context.Context, t *tarefa.Tarefa, s passo) *tarefa.Tarefa {
	stored, err := p.mudar(context.WithoutCancel(ctx), t, s)
	texto := "task"
	switch {
	case errors.Is(err, tarefa.ErrConflito), errors.Is(err, tarefa.ErrNaoExiste):
		texto = "task changed meanwhile, step dropped" // or was cancelled, and forgotten
	case err != nil:
		p.log.Error("task not stored", "task_id", t.ID, "context_id", t.Contexto, "traceparent", t.Rastro, "event", s.evento.String(), "err", err)
		return nil
	case s.evento == tarefa.Iniciar:
		return stored // what comes of it has a line
	}
	estado := t.Estado
	if err == nil {
		estado = stored.Estado
	}
	processo.Anotar(ctx, p.log, texto,
		slog.String("task_id", t.ID),
		slog.String("context_id", t.Contexto),
		slog.String("traceparent", t.Rastro),
		slog.String("event", s.evento.String()),
		slog.String("state", string(estado)))
	return stored
}

// desfechar translates the outcome of an exchange, stores what it does to the
// Task, and says in the log why there was no usable answer.
func (p *Ponte) desfechar(ctx context.Context, t *tarefa.Tarefa, d hospede.Desfecho, s situacao) *tarefa.Tarefa {
	switch d := d.(type) {
	case hospede.Inacessivel:
		p.log.Warn("MCP server gave no usable answer", "task_id", t.ID, "traceparent", t.Rastro, "err", d.Causa)
	case hospede.ErroDeProtocolo:
		p.log.Warn("MCP server refused", "task_id", t.ID, "traceparent", t.Rastro, "code", d.Codigo)
	}
	return p.assentar(ctx, t, traduzir(d, s))
}

// insistir repeats the line of a pause to somebody who did not answer it.
func (p *Ponte) insistir(ctx context.Context, t *tarefa.Tarefa) (*tarefa.Tarefa, error) {
	falas, err := mostrar(p.perfil.Pausa, t.Pausa.Perguntas)
	if err != nil {
		return nil, err
	}
	return p.mudar(ctx, t, passo{evento: tarefa.Insistir, falas: falas, pausa: t.Pausa})
}
