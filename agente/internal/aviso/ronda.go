package aviso

import (
	"maps"
	"slices"
	"time"
)

// rodar is the loop. It alone claims.
func (e *Entregador) rodar() {
	ronda := time.NewTicker(e.tempos.ronda)
	defer ronda.Stop()
	despertador := time.NewTimer(0)
	defer despertador.Stop()
	for {
		despertador.Reset(e.passo())
		select {
		case <-e.fechando:
			return
		case <-e.sinal:
		case <-despertador.C:
		case <-ronda.C:
			e.mu.Lock()
			e.todas = true
			e.mu.Unlock()
		}
	}
}

// passo claims what there is to tell, as much as there are places for, and
// returns how long the next one may wait.
func (e *Entregador) passo() time.Duration {
	for {
		so, vagas, espera := e.proximoPedido()
		if vagas == 0 || e.encerrando() {
			return espera
		}
		agora := e.agora()
		ate := agora.Add(e.tempos.prazo + e.tempos.fila + e.tempos.folga)
		ps, err := e.avisos.ReivindicarAvisos(e.deNota, so, agora, ate, vagas)
		if err != nil && e.deNota.Err() == nil {
			e.log.Error("claim of push notifications", "err", err)
		}
		e.mu.Lock()
		// Where there were as many as places there may be more. After an error the
		// next round looks through all.
		if len(ps) == vagas {
			for _, id := range so {
				e.lembrar(id)
			}
			e.todas = e.todas || so == nil
		}
		for _, p := range ps {
			e.emMaos++
			e.admitir(&entrega{Pendente: p, host: hostDe(p.URL)})
		}
		e.mu.Unlock()
	}
}

func (e *Entregador) encerrando() bool {
	select {
	case <-e.fechando:
		return true
	default:
		return false
	}
}

// lembrarVencidos remembers the Tasks whose time to be looked at has come, and returns
// how long it is to the next one, at most a round. It is called with the lock.
func (e *Entregador) lembrarVencidos(agora time.Time) time.Duration {
	if len(e.despertar) == 0 {
		return e.tempos.ronda
	}
	if d := e.maisCedo.Sub(agora); d > 0 {
		return min(d, e.tempos.ronda)
	}
	e.maisCedo = agora.Add(e.tempos.ronda) // then, at the latest, all are looked at again
	for qual, quando := range e.despertar {
		if quando.After(agora) {
			e.adiantar(quando)
			continue
		}
		delete(e.despertar, qual)
		e.lembrar(qual.tarefa)
	}
	return e.maisCedo.Sub(agora)
}

// adiantar notes an instant of despertar.
func (e *Entregador) adiantar(quando time.Time) {
	if quando.Before(e.maisCedo) {
		e.maisCedo = quando
	}
}

// proximoPedido decides what to ask the store for: the Tasks, nil for any, and
// how many notifications, 0 for none. espera is how long it may be until the next
// wait is over.
func (e *Entregador) proximoPedido() (so []string, vagas int, espera time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	agora := e.agora()
	espera = e.lembrarVencidos(agora)
	if !e.todas && len(e.mudadas) == 0 {
		return nil, 0, espera
	}
	if vagas = emMaosAoTodo - e.emMaos; vagas == 0 {
		if vagas = e.soltarTravados(agora); vagas == 0 {
			return nil, 0, min(espera, vigia)
		}
	}
	// By name first: that is cheap, and what has just happened.
	if len(e.mudadas) > 0 {
		so = slices.Collect(maps.Keys(e.mudadas))
		so = so[:min(len(so), porPergunta)]
		for _, id := range so {
			delete(e.mudadas, id)
		}
		return so, vagas, espera
	}
	e.todas = false
	return nil, vagas, espera
}
