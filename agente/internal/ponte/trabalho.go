package ponte

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime/debug"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/tarefa"
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
	Store    tarefa.Store
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
	store         tarefa.Store
	espera        time.Duration
	validadePausa time.Duration
	guarda        time.Duration
	agora         func() time.Time
	log           *slog.Logger

	ctx    context.Context // of the work that outlives its request
	cancel context.CancelFunc
	work   sync.WaitGroup
	mu     sync.Mutex
	active map[string]context.CancelFunc // by Task id
}

// Nova makes a bridge, settles what an earlier process left unfinished, and
// starts its sweep. Close it with Fechar.
func Nova(cfg Config) *Ponte {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Ponte{
		perfil:        cfg.Perfil,
		servidor:      cfg.Servidor,
		store:         cfg.Store,
		espera:        cfg.Espera,
		validadePausa: cfg.ValidadePausa,
		guarda:        cfg.Guarda,
		agora:         cfg.Agora,
		log:           cfg.Log,
		ctx:           ctx,
		cancel:        cancel,
		active:        make(map[string]context.CancelFunc),
	}
	p.varrerUmaVez()
	go p.varrer()
	return p
}

// Fechar waits until the work under way has ended, at most until ctx does, and
// gives up what is left.
func (p *Ponte) Fechar(ctx context.Context) error {
	defer p.cancel()
	done := make(chan struct{})
	go func() { p.work.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// trabalhar runs f for a Task apart from the request that caused it: a caller
// that leaves stops nothing. The channel is closed when f has ended.
func (p *Ponte) trabalhar(t *tarefa.Tarefa, r rastro.Rastro, f func(context.Context)) <-chan struct{} {
	done := make(chan struct{})
	ctx, cancel := context.WithTimeout(rastro.ComContexto(p.ctx, r), p.espera)
	p.mu.Lock()
	p.active[t.ID] = cancel
	p.mu.Unlock()
	p.work.Go(func() {
		defer close(done)
		defer func() {
			p.mu.Lock()
			delete(p.active, t.ID)
			p.mu.Unlock()
			cancel()
		}()
		defer func() {
			if v := recover(); v != nil {
				p.log.Error("panic", "task_id", t.ID, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				p.socorrer(ctx, t)
			}
		}()
		f(ctx)
	})
	return done
}

// socorrer settles a Task whose work broke down: it fails, or goes back to the
// pause that it was answering.
func (p *Ponte) socorrer(ctx context.Context, t *tarefa.Tarefa) {
	agora, err := p.store.Ler(context.WithoutCancel(ctx), t.ID)
	if err != nil || tarefa.Parada(agora.Estado) {
		return
	}
	s := situacao{perfil: p.perfil, pausa: agora.Pausa}
	p.assentar(ctx, agora, s.semResposta("Erro interno do agente."))
}

// interromper gives up the call that is under way for a Task, if any.
func (p *Ponte) interromper(id string) {
	p.mu.Lock()
	cancel := p.active[id]
	p.mu.Unlock()
	if cancel != nil {
		cancel()
	}
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
		falas := make([]string, len(s.falas))
		for i, fala := range s.falas {
			falas[i] = calar(fala, t.Pausa, s.pausa)
		}
		novo = novo.Dizendo(falas...)
	}
	if s.artefato != nil {
		for _, parte := range s.artefato.Parts {
			parte.Content = a2a.Text(calar(parte.Text(), t.Pausa, s.pausa))
		}
		novo = novo.Produzindo(s.artefato)
	}
	return p.store.Trocar(ctx, novo)
}

// assentar stores a step of the work on a claimed Task, also when the time for
// the work is over. Whoever changed the Task meanwhile (a cancel) wins: the
// step is dropped and the result is nil.
func (p *Ponte) assentar(ctx context.Context, t *tarefa.Tarefa, s passo) *tarefa.Tarefa {
	stored, err := p.mudar(context.WithoutCancel(ctx), t, s)
	attrs := []any{"task_id", t.ID, "context_id", t.Contexto, "traceparent", t.Rastro, "event", s.evento.String()}
	switch {
	case errors.Is(err, tarefa.ErrConflito):
		p.log.Info("task changed meanwhile, step dropped", attrs...)
		return nil
	case err != nil:
		p.log.Error("task not stored", append(attrs, "err", err)...)
		return nil
	}
	p.log.Info("task", append(attrs, "state", string(stored.Estado))...)
	return stored
}

// desfechar translates the outcome of an exchange, stores what it does to the
// Task, and says in the log why there was no usable answer.
func (p *Ponte) desfechar(ctx context.Context, t *tarefa.Tarefa, d hospede.Desfecho, s situacao) {
	switch d := d.(type) {
	case hospede.Inacessivel:
		p.log.Warn("MCP server gave no usable answer", "task_id", t.ID, "traceparent", t.Rastro, "err", paraLog(d.Error()))
	case hospede.ErroDeProtocolo:
		p.log.Warn("MCP server refused", "task_id", t.ID, "traceparent", t.Rastro, "code", d.Codigo, "err", paraLog(d.Mensagem))
	}
	p.assentar(ctx, t, traduzir(d, s))
}

// insistir repeats the line of a pause to somebody who did not answer it.
func (p *Ponte) insistir(ctx context.Context, t *tarefa.Tarefa) (*tarefa.Tarefa, error) {
	falas, err := mostrar(p.perfil.Pausa, t.Pausa.Perguntas)
	if err != nil {
		return nil, err
	}
	return p.mudar(ctx, t, passo{evento: tarefa.Insistir, falas: falas, pausa: t.Pausa})
}

// longo matches what could be a requestState or another secret in the text of
// an error.
var longo = regexp.MustCompile(`[A-Za-z0-9_\-+/=.]{40,}`)

// paraLog bounds what a failed exchange says of itself, and takes out anything
// that could be a secret.
func paraLog(s string) string {
	const limite = 300
	s = longo.ReplaceAllString(s, "[...]")
	if len(s) > limite {
		s = s[:limite] + "..."
	}
	return s
}
