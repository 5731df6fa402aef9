package conforme

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Of many changes of one version exactly one takes effect.
func umSoGanha(t *testing.T, s tarefa.Store) {
	const escritores = 64
	tk := nova(t, s, "")
	for rodada := range 5 {
		var wg sync.WaitGroup
		var ganhou atomic.Pointer[tarefa.Tarefa]
		var vitorias atomic.Int32
		largada := make(chan struct{})
		for i := range escritores {
			wg.Go(func() {
				meu := tk.Ouvindo(mensagem("", fmt.Sprint(rodada, i)), "")
				<-largada
				guardada, err := s.Trocar(context.Background(), meu)
				switch {
				case err == nil:
					vitorias.Add(1)
					ganhou.Store(guardada)
				case !errors.Is(err, tarefa.ErrConflito):
					t.Errorf("a loser: want ErrConflito, got %v", err)
				}
			})
		}
		close(largada)
		wg.Wait()
		if n := vitorias.Load(); n != 1 {
			t.Fatalf("want one winner, got %d", n)
		}
		tk = ganhou.Load()
		iguais(t, lida(t, s, tk.ID), tk)
	}
}

// Writers that read again after a conflict all get through, each once.
func nenhumaTrocaSePerde(t *testing.T, s tarefa.Store) {
	const escritores, vezes = 8, 10
	id := nova(t, s, "").ID
	var wg sync.WaitGroup
	for range escritores {
		wg.Go(func() {
			for feitas := 0; feitas < vezes; {
				tk, err := s.Ler(context.Background(), id)
				if err == nil {
					_, err = s.Trocar(context.Background(), tk.Ouvindo(mensagem("", "x"), ""))
				}
				switch {
				case err == nil:
					feitas++
				case !errors.Is(err, tarefa.ErrConflito):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if tk := lida(t, s, id); tk.Versao != 1+escritores*vezes || len(tk.Historico) != 1+escritores*vezes {
		t.Errorf("want %d changes, got version %d with %d messages", escritores*vezes, tk.Versao, len(tk.Historico))
	}
}

// A call whose context has ended either took effect and says so, or did not and
// says why.
func contextoCancelado(t *testing.T, s tarefa.Store) {
	tk := nova(t, s, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conferir := func(o string, err error, aconteceu bool) {
		t.Helper()
		if err != nil && !errors.Is(err, context.Canceled) || (err == nil) != aconteceu {
			t.Errorf("%s: error %v, took effect: %v", o, err, aconteceu)
		}
	}
	outra := tarefa.Nova(mensagem("", "x"), "", agora)
	_, err := s.Criar(ctx, outra)
	_, errLer := s.Ler(t.Context(), outra.ID)
	conferir("Criar", err, errLer == nil)

	mudada, _ := tk.Com(tarefa.Cancelar, agora)
	_, err = s.Trocar(ctx, mudada)
	agoraEsta := lida(t, s, tk.ID)
	conferir("Trocar", err, agoraEsta.Versao == 2)
	if agoraEsta.Versao == 1 {
		passar(t, s, agoraEsta, agora, tarefa.Cancelar)
	}

	n, err := s.Esquecer(ctx, agora.Add(time.Second))
	_, errLer = s.Ler(t.Context(), tk.ID)
	conferir("Esquecer", err, errors.Is(errLer, tarefa.ErrNaoExiste))
	if (n == 1) != (err == nil) {
		t.Errorf("Esquecer: %d, %v", n, err)
	}
	for o, err := range map[string]error{
		"Ler":    func() error { _, err := s.Ler(ctx, outra.ID); return err }(),
		"Listar": func() error { _, err := s.Listar(ctx, tarefa.Filtro{Limite: 1}); return err }(),
	} {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, tarefa.ErrNaoExiste) {
			t.Errorf("%s: %v", o, err)
		}
	}
	// The store goes on.
	passar(t, s, nova(t, s, ""), agora, tarefa.Iniciar)

	// Contexts that end at any moment leave every Task whole.
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 10 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*j)*20*time.Microsecond)
				tk := tarefa.Nova(mensagem("p", "x"), "", agora)
				criada, err := s.Criar(ctx, tk)
				if err == nil {
					_, err = s.Trocar(ctx, criada.Ouvindo(mensagem("p", "y"), ""))
				}
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, tk := range listada(t, s, tarefa.Filtro{Contexto: "p", Limite: 500}).Tarefas {
		if int(tk.Versao) != len(tk.Historico) {
			t.Errorf("version %d with %d messages", tk.Versao, len(tk.Historico))
		}
	}
}

// All methods at once: nothing fails but by the contract, no Task is lost, none
// is stored twice.
func tudoAoMesmoTempo(t *testing.T, s tarefa.Store) {
	const n, vezes = 16, 10
	ctx := context.Background()
	var wg sync.WaitGroup
	var terminadas, esquecidas atomic.Int64
	parar := make(chan struct{})
	var leitores sync.WaitGroup
	for range 4 {
		leitores.Go(func() {
			for {
				select {
				case <-parar:
					return
				default:
				}
				p, err := s.Listar(ctx, tarefa.Filtro{Limite: 10})
				vistas := map[string]bool{}
				for _, tk := range p.Tarefas {
					if vistas[tk.ID] {
						t.Errorf("%s is on a page twice", tk.ID)
					}
					vistas[tk.ID] = true
					if _, err := s.Ler(ctx, tk.ID); err != nil && !errors.Is(err, tarefa.ErrNaoExiste) {
						t.Error(err)
					}
				}
				k, err2 := s.Esquecer(ctx, agora)
				esquecidas.Add(int64(k))
				if err != nil || err2 != nil {
					t.Error(err, err2)
					return
				}
			}
		})
	}
	for i := range n {
		wg.Go(func() {
			for j := range vezes {
				eventos := []tarefa.Evento{tarefa.Iniciar, tarefa.Pausar, tarefa.Retomar, tarefa.Concluir}
				if j%2 == 1 {
					eventos = eventos[:2] // it stays paused
				} else {
					terminadas.Add(1)
				}
				tk, err := s.Criar(ctx, tarefa.Nova(mensagem(fmt.Sprint(i), "x"), "", agora))
				for _, e := range eventos {
					if err != nil {
						t.Error(err)
						return
					}
					novo, errCom := tk.Com(e, agora.Add(-time.Second))
					if errCom != nil {
						t.Error(errCom)
						return
					}
					tk, err = s.Trocar(ctx, novo)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	close(parar)
	leitores.Wait()
	k, err := s.Esquecer(ctx, agora)
	if err != nil {
		t.Fatal(err)
	}
	if got := esquecidas.Load() + int64(k); got != terminadas.Load() {
		t.Errorf("want %d forgotten, each once, got %d", terminadas.Load(), got)
	}
	if p := listada(t, s, tarefa.Filtro{Limite: 1}); p.Total != n*vezes/2 {
		t.Errorf("want %d left, got %d", n*vezes/2, p.Total)
	}
}
