package conforme

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Of many that claim at once each config falls to one, also when each takes a
// few at a time and some look for some Tasks only.
func avisosUmSoReivindica(t *testing.T, as agentes) {
	const tasks, cada = 30, 4
	s := as.um()
	var todas []string
	for range tasks {
		tk := nova(t, s, "")
		for i := range cada {
			avisar(t, s, umAviso(tk, fmt.Sprint(i)))
		}
		todas = append(todas, andar(t, s, tk).ID)
	}
	for rodada := range 3 {
		quando := agora.Add(time.Duration(rodada) * time.Hour)
		var mu sync.Mutex
		vistas := map[string]int{}
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				var so []string
				if i%3 == 0 {
					so = todas[:tasks/2]
				}
				vazias := 0
				for vazias < 3 { // others may hold what they are about to claim
					ps, err := as[i%len(as)].ReivindicarAvisos(context.Background(), so, quando, quando.Add(time.Hour), 1+i%7)
					if err != nil {
						t.Error(err)
						return
					}
					if len(ps) == 0 {
						vazias++
					}
					if len(ps) > 1+i%7 {
						t.Errorf("want at most %d, got %d", 1+i%7, len(ps))
					}
					mu.Lock()
					for _, p := range ps {
						vistas[p.TaskID+p.ID]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for _, p := range reivindicar(t, s, nil, quando, quando.Add(time.Hour), tasks*cada) {
			vistas[p.TaskID+p.ID]++
		}
		for id, n := range vistas {
			if n != 1 {
				t.Errorf("%s: want it claimed once, got %d times", id, n)
			}
		}
		if len(vistas) != tasks*cada {
			t.Errorf("want %d claimed, got %d", tasks*cada, len(vistas))
		}
	}
}

// A change while the config is stored is either what it begins with or told.
func avisosGuardarEnquantoMuda(t *testing.T, as agentes) {
	s := as.um()
	for i := range 30 {
		tk := nova(t, s, "")
		var wg sync.WaitGroup
		largada := make(chan struct{})
		wg.Go(func() {
			<-largada
			if err := as.outro().GuardarAviso(t.Context(), umAviso(tk, "a")); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			<-largada
			novo, _ := tk.Com(tarefa.Cancelar, agora)
			if _, err := s.Trocar(t.Context(), novo); err != nil {
				t.Error(err)
			}
		})
		close(largada)
		wg.Wait()
		ps := reivindicar(t, s, nil, agora, agora.Add(time.Hour), 9)
		if a := avisosDe(t, s, tk.ID)[0]; a.Entregue != 2 && len(ps) != 1 {
			t.Fatalf("round %d: knows version %d of 2 and has nothing to tell", i, a.Entregue)
		}
	}
}

// Tasks change while several agents tell of it and some attempts fail: at the
// end every receiver knows the last version, none heard an older one after a
// newer, and no config was in two hands at once.
func avisosTudoEContado(t *testing.T, as agentes) {
	const tasks, cada, passos = 6, 2, 15
	s := as.um()
	var mu sync.Mutex
	emMaos := map[string]bool{}
	ouviu := map[string]int64{}
	ultima := map[string]int64{}
	parar := make(chan struct{})
	var entregadores, escritores sync.WaitGroup
	for i := range 6 {
		entregadores.Go(func() {
			s := as[i%len(as)]
			for n := 0; ; n++ {
				ps, err := s.ReivindicarAvisos(context.Background(), nil, agora, agora.Add(time.Hour), 3)
				if err != nil {
					t.Error(err)
					return
				}
				for k, p := range ps {
					id := p.TaskID + p.ID
					mu.Lock()
					if emMaos[id] {
						t.Errorf("%s is in two hands", id)
					}
					emMaos[id] = true
					mu.Unlock()
					nota := entregue(p)
					if (n+k)%4 == 0 {
						nota = falhou(p, agora)
					}
					mu.Lock()
					if nota.Tentativas == 0 {
						if p.Tarefa.Versao <= ouviu[id] {
							t.Errorf("%s hears version %d after %d", id, p.Tarefa.Versao, ouviu[id])
						}
						ouviu[id] = p.Tarefa.Versao
					}
					delete(emMaos, id)
					mu.Unlock()
					if err := s.AnotarAviso(context.Background(), nota); err != nil {
						t.Error(err)
					}
				}
				if len(ps) == 0 {
					select {
					case <-parar:
						return
					case <-time.After(time.Millisecond):
					}
				}
			}
		})
	}
	for range tasks {
		tk := nova(t, s, "")
		for i := range cada {
			avisar(t, s, umAviso(tk, fmt.Sprint(i)))
		}
		escritores.Go(func() {
			var err error
			for range passos {
				if tk, err = s.Trocar(context.Background(), tk.Ouvindo(mensagem("", "x"), "")); err != nil {
					t.Error(err)
					return
				}
			}
			if fim, errCom := tk.Com(tarefa.Cancelar, agora); errCom == nil {
				tk, err = s.Trocar(context.Background(), fim)
			}
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			for i := range cada {
				ultima[tk.ID+fmt.Sprint(i)] = tk.Versao
			}
			mu.Unlock()
		})
	}
	escritores.Wait()
	close(parar)
	entregadores.Wait()
	// What the last ones did not see.
	for {
		ps := reivindicar(t, s, nil, agora, agora.Add(time.Hour), 99)
		if len(ps) == 0 {
			break
		}
		for _, p := range ps {
			ouviu[p.TaskID+p.ID] = p.Tarefa.Versao
			anotar(t, s, entregue(p))
		}
	}
	for id, versao := range ultima {
		if ouviu[id] != versao {
			t.Errorf("%s heard of version %d, the Task is at %d", id, ouviu[id], versao)
		}
	}
	if len(ultima) != tasks*cada {
		t.Errorf("want %d, got %d", tasks*cada, len(ultima))
	}
}

// A call whose context has ended either took effect and says so, or did not and
// says why.
func avisosContextoCancelado(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	andar(t, s, tk)
	p := reivindicado(t, s, agora, agora.Add(time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conferir := func(o string, err error, aconteceu bool) {
		t.Helper()
		if err != nil && !errors.Is(err, context.Canceled) || (err == nil) != aconteceu {
			t.Errorf("%s: error %v, took effect: %v", o, err, aconteceu)
		}
	}
	err := s.AnotarAviso(ctx, falhou(p, time.Time{}))
	conferir("AnotarAviso", err, avisosDe(t, s, tk.ID)[0].Tentativas == 1)
	err = s.GuardarAviso(ctx, umAviso(tk, "b"))
	conferir("GuardarAviso", err, len(avisosDe(t, s, tk.ID)) == 2)
	ps, err := s.ReivindicarAvisos(ctx, nil, agora.Add(time.Hour), agora.Add(2*time.Hour), 9)
	conferir("ReivindicarAvisos", err, len(ps) == 1)
	antes := len(avisosDe(t, s, tk.ID))
	err = s.ApagarAviso(ctx, tk.ID, "a")
	conferir("ApagarAviso", err, len(avisosDe(t, s, tk.ID)) == antes-1)
	if _, err := s.ListarAvisos(ctx, tk.ID); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
