package aviso

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// entrega is a claimed notification.
type entrega struct {
	tarefa.Pendente
	host   string
	inicio time.Time // of the attempt
	// sonda: the receiver is down, and this one finds out whether still.
	sonda bool
}

// nome is what names a config.
type nome struct{ tarefa, id string }

func hostDe(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Host
}

func (e *Entregador) receptor(host string) *receptor {
	r := e.receptores[host]
	if r == nil {
		if len(e.receptores) >= lembradas {
			for outro, r := range e.receptores {
				if r.ocioso() {
					delete(e.receptores, outro)
				}
			}
		}
		r = &receptor{emCurso: make(map[*entrega]struct{})}
		e.receptores[host] = r
	}
	return r
}

// admitir begins a claimed notification, lets it wait, or puts it off. It is
// called with the lock.
func (e *Entregador) admitir(x *entrega) {
	r := e.receptor(x.host)
	agora := e.agora()
	switch d, ate := r.destinar(agora, e.tempos); d {
	case comecar:
		x.inicio, x.sonda = agora, r.caido()
		r.emCurso[x] = struct{}{}
		e.trabalho.Go(func() { e.entregar(x) })
	case esperar:
		r.fila = append(r.fila, x)
	case adiar:
		e.trabalho.Go(func() { e.devolver(x, ate) })
	}
}

// redistribuir decides anew about what waits for a receiver. It is called with
// the lock.
func (e *Entregador) redistribuir(r *receptor) {
	fila := r.fila
	r.fila = nil
	for _, x := range fila {
		e.admitir(x)
	}
}

// soltarTravados takes the places from what waits for receivers that have become
// slow, and returns how many there are now. It is called with the lock.
func (e *Entregador) soltarTravados(agora time.Time) int {
	for _, r := range e.receptores {
		if r.travado(agora) {
			e.redistribuir(r)
		}
	}
	return emMaosAoTodo - e.emMaos
}

// soltarFilas gives back what waits, at the end.
func (e *Entregador) soltarFilas() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.receptores {
		for _, x := range r.fila {
			e.trabalho.Go(func() { e.devolver(x, e.agora()) })
		}
		r.fila = nil
	}
}

// devolver ends a claim without an attempt, until later.
func (e *Entregador) devolver(x *entrega, ate time.Time) {
	a := x.Aviso
	a.Proxima = ate
	e.anotar(x, a)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.largar(x, ate)
}

// largar frees the place of a notification, whose Task is looked at again at an
// instant. It is called with the lock.
func (e *Entregador) largar(x *entrega, quando time.Time) {
	e.emMaos--
	if len(e.despertar) < lembradas { // else the round finds it
		if len(e.despertar) == 0 {
			e.maisCedo = quando
		}
		e.despertar[nome{x.TaskID, x.ID}] = quando
		e.adiantar(quando)
	}
	e.acenar()
}

// entregar makes an attempt, notes what came of it, and makes room for the next.
func (e *Entregador) entregar(x *entrega) {
	proxima, f := e.tentar(x)
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.receptor(x.host)
	r.terminou(x, f, e.agora(), e.tempos)
	e.largar(x, proxima)
	if !e.encerrando() {
		e.redistribuir(r)
	}
	if r.ocioso() && !r.caido() && !r.lento() {
		delete(e.receptores, x.host)
	}
}

// tentar posts a notification and notes what came of it. It returns when to look
// at the Task again, and what the attempt tells of the receiver.
func (e *Entregador) tentar(x *entrega) (proxima time.Time, f fim) {
	a := x.Aviso
	// Nothing is sent when somebody else may be about to: a receiver must not
	// hear an older version after a newer one.
	if e.agora().Add(e.tempos.prazo + e.tempos.folga/2).After(x.Proxima) {
		return x.Proxima, semTentativa
	}
	if !e.vale(x) {
		return x.Proxima, semTentativa
	}
	res := e.postar(e.deEntrega, x)
	agora := e.agora()
	log := e.log.With("task_id", x.TaskID, "context_id", x.Tarefa.Contexto, "config_id", x.ID, "host", x.host,
		"attempt", a.Tentativas+1, "dur", agora.Sub(x.inicio))
	a.Tentativas++
	a.Proxima = agora
	f = comResposta
	if res.status == 0 {
		f = semResposta
	}
	switch {
	case res.aceita():
		a.Entregue, a.Tentativas = x.Tarefa.Versao, 0
		log.Info("push notification", "version", x.Tarefa.Versao)
	case res.status == 0 && errors.Is(e.deEntrega.Err(), context.Canceled):
		a.Tentativas-- // nobody knows what would have come of it
		f = semTentativa
		log.Info("push notification broken off")
	case res.definitiva(), a.Tentativas >= e.tempos.tentativas:
		a.Entregue, a.Tentativas = x.Tarefa.Versao, 0
		log.Warn("push notification given up", "version", x.Tarefa.Versao, "err", res.explicar())
	default:
		espera := e.tempos.recuar(a.Tentativas, res.pedida)
		a.Proxima = agora.Add(espera)
		log.Info("push notification failed", "err", res.explicar(), "wait", espera)
	}
	e.anotar(x, a)
	return a.Proxima, f
}

// vale looks whether a config still is what it was when it was claimed: it may
// have waited here, and after a config was deleted nothing more is sent to it (A2A
// v1.0, 3.1.10). When the store cannot be asked nothing is sent; the claim ends by
// itself.
func (e *Entregador) vale(x *entrega) bool {
	agora, err := e.avisos.ListarAvisos(e.deNota, x.TaskID)
	if err != nil && !errors.Is(err, tarefa.ErrNaoExiste) {
		e.log.Error("push notification config not read", "task_id", x.TaskID, "context_id", x.Tarefa.Contexto, "config_id", x.ID, "err", err)
	}
	return slices.ContainsFunc(agora, func(a tarefa.Aviso) bool { return a.ID == x.ID && a.Vez == x.Vez })
}

// anotar tells the store, which may be away for a moment. When it cannot be told
// the claim ends by itself, and the notification is sent once more.
func (e *Entregador) anotar(x *entrega, a tarefa.Aviso) {
	const vezes, pausa = 3, time.Second
	for n := 1; ; n++ {
		err := e.avisos.AnotarAviso(e.deNota, a)
		if err == nil {
			return
		}
		if n == vezes || e.deNota.Err() != nil {
			e.log.Error("push notification not noted", "task_id", x.TaskID, "context_id", x.Tarefa.Contexto, "config_id", x.ID, "err", err)
			return
		}
		select {
		case <-e.deNota.Done():
		case <-time.After(pausa):
		}
	}
}
