package banco

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/bancodeteste"
)

func TestPostgresRecusa(t *testing.T) {
	s := bancodeteste.Exigir(t)
	url := s.URL("postgres")
	recusa(t, strings.Replace(url, s.Senha, "outra-senha", 1), "", "TAREFAS", "ponte:***@127.0.0.1", "recusou o usuario ou a senha", "corrija-os")
	recusa(t, s.URL("nao_existe"), "", "TAREFAS", "o banco de dados nao existe", "createdb")
	recusa(t, strings.Replace(url, "sslmode=disable", "sslmode=require", 1), "", "TAREFAS", "nao foi possivel falar com o servidor PostgreSQL")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Abrir(ctx, "postgres://u:hunter2@192.0.2.1/b", "", mudo); err == nil {
		t.Error("nobody is there")
	} else {
		conferirLinha(t, err, "TAREFAS", "postgres://u:***@192.0.2.1/b", "PostgreSQL")
	}
}

// Whoever runs the agents need not own the schema: a user that may use the
// tables is enough once they are there.
func TestPostgresSemCreate(t *testing.T) {
	s := bancodeteste.Exigir(t)
	admin := servidor(t)
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	esquema := u.Query().Get("search_path")
	db := cru(t, admin)
	executar(t, db, "CREATE ROLE r_"+esquema+" LOGIN PASSWORD '"+s.Senha+"'", "GRANT USAGE ON SCHEMA "+esquema+" TO r_"+esquema)
	u.User = url.UserPassword("r_"+esquema, s.Senha)
	recusa(t, u.String(), "", "TAREFAS", "o usuario nao tem permissao", "CREATE")
	fechar(t, aberto(t, admin, ""))
	executar(t, db,
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+esquema+" TO r_"+esquema,
		"GRANT USAGE ON ALL SEQUENCES IN SCHEMA "+esquema+" TO r_"+esquema)
	b := aberto(t, u.String(), "")
	criada(t, b, nova())
	if _, err := b.Esquecer(t.Context(), agora); err != nil {
		t.Error(err)
	}
}

// Several agents on one database are one store.
func TestPostgresVariosAgentes(t *testing.T) {
	url := servidor(t)
	agentes := []*Banco{aberto(t, url, chaveA), aberto(t, url, chaveA), aberto(t, url, chaveA)}
	tk := criada(t, agentes[0], pausada("x"))
	var vitorias, conflitos atomic.Int32
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			minha, err := agentes[i%3].Ler(t.Context(), tk.ID)
			if err != nil {
				t.Error(err)
				return
			}
			if minha.Versao > 1 {
				conflitos.Add(1)
				return
			}
			retomada, err := minha.Com(tarefa.Retomar, agora)
			if err != nil {
				t.Error(err)
				return
			}
			switch _, err := agentes[(i+1)%3].Trocar(t.Context(), retomada.Pausando(minha.Pausa)); {
			case err == nil:
				vitorias.Add(1)
			case errors.Is(err, tarefa.ErrConflito):
				conflitos.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if vitorias.Load() != 1 || conflitos.Load() != 59 {
		t.Errorf("want one winner of 60, got %d, and %d conflicts", vitorias.Load(), conflitos.Load())
	}
	for i, b := range agentes {
		if p, err := b.Listar(t.Context(), tarefa.Filtro{Limite: 1}); err != nil || p.Total != 1 || p.Tarefas[0].Versao != 2 {
			t.Errorf("agent %d: %+v, %v", i, p, err)
		}
	}
}

// A call ends with its context, or after the default time, also when the
// database keeps it waiting.
func TestPostgresPrazos(t *testing.T) {
	url := servidor(t)
	b := aberto(t, url, "")
	tk := criada(t, b, nova())
	b.prazo = 300 * time.Millisecond
	tx, err := cru(t, url).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("SELECT 1 FROM ponte_tarefas FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	demorar := func(ctx context.Context, want error) {
		t.Helper()
		inicio := time.Now()
		_, err := b.Trocar(ctx, tk.AtePrazo(agora))
		if d := time.Since(inicio); !errors.Is(err, want) || d > 3*time.Second {
			t.Errorf("want %v soon, got %v after %s", want, err, d)
		}
	}
	demorar(t.Context(), context.DeadlineExceeded)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	demorar(ctx, context.DeadlineExceeded)
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	demorar(ctx, context.Canceled)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	b.prazo = time.Minute
	// What was given up may take effect yet, until the server hears of it.
	for {
		if tk, err = b.Ler(t.Context(), tk.ID); err != nil {
			t.Fatal(err)
		}
		if _, err = b.Trocar(t.Context(), tk.AtePrazo(agora)); !errors.Is(err, tarefa.ErrConflito) {
			break
		}
	}
	if err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// Connections are bounded, and idle ones are used again.
func TestPostgresConexoes(t *testing.T) {
	b := aberto(t, servidor(t), "")
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 5 {
				if _, err := b.Criar(t.Context(), nova()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := b.motor.(*motorPostgres).db.Stats().OpenConnections; n < 1 || n > conexoes {
		t.Errorf("want at most %d connections, got %d", conexoes, n)
	}
}

// The server crashes and comes back under load: callers wait, nothing that was
// acknowledged is lost, no change is done twice.
func TestPostgresReinicio(t *testing.T) {
	bancodeteste.Exigir(t) // or skip
	s, err := bancodeteste.Iniciar()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Parar)
	url := esquemaEm(t, s)
	b := aberto(t, url, chaveA)
	antes := criada(t, b, pausada("x"))

	parar := make(chan struct{})
	var wg sync.WaitGroup
	var feitas atomic.Int64
	for i := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-parar:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				tk, err := b.Criar(ctx, nova())
				for range 5 {
					if err == nil {
						tk, err = b.Trocar(ctx, tk.Ouvindo(dizer(fmt.Sprint(i, n)), ""))
					}
				}
				var lida *tarefa.Tarefa
				if err == nil {
					lida, err = b.Ler(ctx, tk.ID)
				}
				cancel()
				if err != nil {
					t.Errorf("caller %d: %v", i, err)
					return
				}
				if lida.Versao != 6 || len(lida.Historico) != 6 {
					t.Errorf("want 6 changes, got version %d with %d messages", lida.Versao, len(lida.Historico))
				}
				feitas.Add(1)
			}
		})
	}
	for range 3 {
		time.Sleep(200 * time.Millisecond)
		s.Derrubar()
		time.Sleep(100 * time.Millisecond)
		if err := s.Levantar(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	close(parar)
	wg.Wait()
	p, err := b.Listar(t.Context(), tarefa.Filtro{Limite: 1})
	if err != nil || int64(p.Total) != feitas.Load()+1 {
		t.Errorf("want %d tasks, got %d, %v", feitas.Load()+1, p.Total, err)
	}
	if tk, err := b.Ler(t.Context(), antes.ID); err != nil || tk.Pausa.RequestState != "x" {
		t.Errorf("the pause from before: %+v, %v", tk, err)
	}
	// With nobody there a call gives up when its time is over, and says why.
	s.Derrubar()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	inicio := time.Now()
	if _, err := b.Ler(ctx, antes.ID); !errors.Is(err, context.DeadlineExceeded) || time.Since(inicio) > 3*time.Second {
		t.Errorf("without a server: want the deadline, got %v after %s", err, time.Since(inicio))
	}
	recusa(t, url, "", "TAREFAS", "conexao recusada")
}

func TestPassageiro(t *testing.T) {
	for _, err := range []error{tarefa.ErrConflito, tarefa.ErrNaoExiste, context.Canceled, context.DeadlineExceeded, sql.ErrNoRows, errors.New("x")} {
		if passageiro(err) {
			t.Errorf("%v is not of the connection", err)
		}
	}
}
