package ponte

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

const (
	// varredura is how often the store is looked through for what time has
	// overtaken.
	varredura = 10 * time.Second
	// folga is how much longer than an exchange may take its claim lasts. It
	// covers a slow store and clocks that differ between agents.
	folga = 10 * time.Second
	// porVez is how many Tasks a sweep takes at a time.
	porVez = 100
)

// prazo is until when work that begins now is claimed. An exchange is bounded,
// so its claim needs no renewal.
func (p *Ponte) prazo() time.Time { return p.agora().Add(p.espera + folga) }

func (p *Ponte) expirou(t *tarefa.Tarefa) bool {
	return t.Estado == a2a.TaskStateInputRequired && p.agora().Sub(t.Mudada) >= p.validadePausa
}

func (p *Ponte) expirar(ctx context.Context, t *tarefa.Tarefa) (*tarefa.Tarefa, error) {
	return p.mudar(ctx, t, passo{evento: tarefa.Falhar, falas: []string{"Pausa expirada."}})
}

// varrer sweeps until the bridge is closed.
func (p *Ponte) varrer() {
	tick := time.NewTicker(varredura)
	defer tick.Stop()
	for {
		select {
		case <-p.closing:
			return
		case <-tick.C:
			p.varrerUmaVez()
		}
	}
}

// varrerUmaVez settles the Tasks whose agent died at work, ends the pauses that
// nobody answers, and forgets what ended long ago. Several agents on one store
// may sweep at once: each change is made over the version that was read.
func (p *Ponte) varrerUmaVez() {
	p.paraCada(tarefa.Filtro{Abandonadas: p.agora()}, p.recuperar)
	p.paraCada(tarefa.Filtro{Estado: a2a.TaskStateInputRequired, Ate: p.agora().Add(-p.validadePausa)}, func(ctx context.Context, t *tarefa.Tarefa) error {
		_, err := p.expirar(ctx, t)
		return err
	})
	if _, err := p.store.Esquecer(p.ctx, p.agora().Add(-p.guarda)); err != nil && p.ctx.Err() == nil {
		p.log.Error("sweep of ended tasks", "err", err)
	}
}

// paraCada applies fazer to the Tasks that a filter chooses, a page at a time. A
// Task that changes leaves the filter; one that could not be changed is passed
// over until the next sweep.
func (p *Ponte) paraCada(f tarefa.Filtro, fazer func(context.Context, *tarefa.Tarefa) error) {
	f.Limite = porVez
	for p.ctx.Err() == nil {
		pagina, err := p.store.Listar(p.ctx, f)
		if err != nil {
			if p.ctx.Err() == nil {
				p.log.Error("sweep", "err", err)
			}
			return
		}
		for _, t := range pagina.Tarefas {
			// Whatever keeps one from changing (another agent, mostly) shows in
			// the next sweep.
			_ = fazer(p.ctx, t)
		}
		if f.Marcador = pagina.Marcador; f.Marcador == "" {
			return
		}
	}
}

var errTrabalhando = errors.New("at work here")

// recuperar settles a Task whose agent is gone. An interrupted answer goes back
// to its pause: the server's state serves the same choice again without doing
// it twice. An interrupted first call fails, since nobody can know whether it
// took effect.
func (p *Ponte) recuperar(ctx context.Context, t *tarefa.Tarefa) error {
	if p.trabalhando(t.ID) {
		return errTrabalhando // a clock that jumped ended the claim, not the work
	}
	s := situacao{perfil: p.perfil, pausa: t.Pausa}
	motivo := "O agente foi interrompido durante o pedido, que pode ter tido efeito no servidor MCP."
	switch {
	case t.Pausa != nil:
		motivo = "O agente foi interrompido antes de concluir a resposta. Responda de novo."
	case t.Estado == a2a.TaskStateSubmitted:
		motivo = "O agente foi interrompido antes de comecar o pedido."
	}
	novo, err := p.mudar(ctx, t, s.semResposta(motivo))
	if err != nil {
		return err
	}
	p.log.Warn("task settled after an interruption", "task_id", t.ID, "context_id", t.Contexto, "state", string(novo.Estado))
	return nil
}
