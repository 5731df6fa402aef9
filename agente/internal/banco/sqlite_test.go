package banco

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	sqlite3 "modernc.org/sqlite/lib"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// At the start all claims of a SQLite file have ended; those in PostgreSQL are
// perhaps another agent's.
func TestPrazosAoAbrir(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		comPrazo := criada(t, b, nova().AtePrazo(time.Now().Add(time.Hour)))
		semPrazo := criada(t, b, nova())
		fechar(t, b)
		b = aberto(t, url, "")
		p, err := b.Listar(t.Context(), tarefa.Filtro{Abandonadas: time.Now(), Limite: 5})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if strings.HasPrefix(url, "sqlite:") {
			want = []string{comPrazo.ID}
		}
		var got []string
		for _, tk := range p.Tarefas {
			got = append(got, tk.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("want %v, got %v", want, got)
		}
		if tk, err := b.Ler(t.Context(), semPrazo.ID); err != nil || !tk.Prazo.IsZero() || tk.Versao != 1 {
			t.Errorf("a task without a claim: %+v, %v", tk, err)
		}
		// The sweep settles it over the version that it read.
		if tk, err := b.Ler(t.Context(), comPrazo.ID); err != nil {
			t.Error(err)
		} else if tk, err = tk.Com(tarefa.Falhar, agora); err != nil {
			t.Error(err)
		} else if _, err := b.Trocar(t.Context(), tk); err != nil {
			t.Error(err)
		}
	})
}

func TestArquivoSoDoDono(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of unix")
	}
	// Whatever the path has in it: it is a path, not a URI.
	pasta := filepath.Join(t.TempDir(), "a?b%20c#d&mode=memory é'\"")
	if err := os.Mkdir(pasta, 0o755); err != nil {
		t.Fatal(err)
	}
	url := "sqlite:" + filepath.Join(pasta, "t.db")
	b := aberto(t, url, "")
	tk := criada(t, b, nova())
	nomes, err := os.ReadDir(pasta)
	if err != nil {
		t.Fatal(err)
	}
	var vistos []string
	for _, n := range nomes {
		info, err := n.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: want mode 0600, got %o", n.Name(), info.Mode().Perm())
		}
		vistos = append(vistos, n.Name())
	}
	if !slices.Equal(vistos, []string{"t.db", "t.db-wal"}) {
		t.Errorf("want the file and its log, got %v", vistos)
	}
	fechar(t, b)
	if _, err := aberto(t, url, "").Ler(t.Context(), tk.ID); err != nil {
		t.Error(err)
	}
}

// A file that others may read is used as it is, and said.
func TestArquivoAbertoAOutros(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of unix")
	}
	url := arquivo(t)
	if err := os.WriteFile(caminhoDe(url), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	b, err := Abrir(t.Context(), url, "", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	fechar(t, b)
	if !strings.Contains(log.String(), "open to other users") || !strings.Contains(log.String(), "mode=0644") {
		t.Errorf("want a warning, got %s", log.String())
	}
}

// A relative path, and what the settings are.
func TestModoDoArquivo(t *testing.T) {
	t.Chdir(t.TempDir())
	b := aberto(t, "sqlite:t.db", "")
	for pragma, want := range map[string]string{"journal_mode": "wal", "locking_mode": "exclusive", "synchronous": "2"} {
		got := ""
		if err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
			_, err := uma(ctx, q, []any{&got}, "PRAGMA "+pragma)
			return err
		}); err != nil || got != want {
			t.Errorf("%s: want %s, got %s, %v", pragma, want, got, err)
		}
	}
	if _, err := os.Stat("t.db"); err != nil {
		t.Error(err)
	}
}

// Damage shows as a clear error, at the start or when it is met.
func TestArquivoCorrompido(t *testing.T) {
	url := arquivo(t)
	b := aberto(t, url, "")
	var ids []string
	for i := range 200 {
		ids = append(ids, criada(t, b, tarefa.Nova(dizer(strings.Repeat("x", 2000)), fmt.Sprint(i), agora)).ID)
	}
	fechar(t, b)
	inteiro, err := os.ReadFile(caminhoDe(url))
	if err != nil {
		t.Fatal(err)
	}
	gravar := func(raw []byte) {
		t.Helper()
		if err := os.WriteFile(caminhoDe(url), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gravar(inteiro[:len(inteiro)/2])
	recusa(t, url, "", "TAREFAS", "o banco SQLite esta corrompido", "restaure")
	gravar(append([]byte("lixo lixo lixo lixo lixo"), inteiro[24:]...))
	recusa(t, url, "", "TAREFAS", "nao e um banco SQLite, ou esta corrompido")
	comLixo := slices.Clone(inteiro)
	copy(comLixo[4096:], make([]byte, 8*4096))
	gravar(comLixo)
	recusa(t, url, "", "TAREFAS", "corrompido")
	comLixo = slices.Clone(inteiro)
	for i := len(comLixo) / 2; i < len(comLixo); i++ {
		comLixo[i] = 0xa5
	}
	gravar(comLixo)
	if b, err := Abrir(t.Context(), url, "", mudo); err != nil {
		conferirLinha(t, err, "corrompido")
	} else {
		falhas := 0
		for _, id := range ids {
			if _, err := b.Ler(t.Context(), id); err != nil && !errors.Is(err, tarefa.ErrNaoExiste) {
				falhas++
			}
		}
		if falhas == 0 {
			t.Error("want errors of a file that is half garbage")
		}
		_ = b.Close()
	}
	gravar(inteiro)
	if _, err := aberto(t, url, "").Ler(t.Context(), ids[0]); err != nil {
		t.Errorf("the file restored: %v", err)
	}
}

// When the disk is full, what fails is told and nothing of it is stored; when
// there is room again the store goes on.
func TestDiscoCheio(t *testing.T) {
	b := aberto(t, arquivo(t), "")
	limitar := func(paginas int) {
		t.Helper()
		if err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
			var n int
			_, err := uma(ctx, q, []any{&n}, fmt.Sprint("PRAGMA max_page_count = ", paginas))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	limitar(60)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var guardadas []string
	var falhas atomic.Int32
	for range 16 {
		wg.Go(func() {
			for range 20 {
				tk, err := b.Criar(t.Context(), tarefa.Nova(dizer(strings.Repeat("x", 3000)), "", agora))
				switch {
				case err == nil:
					mu.Lock()
					guardadas = append(guardadas, tk.ID)
					mu.Unlock()
				case codigo(err) == sqlite3.SQLITE_FULL:
					falhas.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if falhas.Load() == 0 || len(guardadas) == 0 {
		t.Fatalf("want some stored and some refused, got %d and %d", len(guardadas), falhas.Load())
	}
	limitar(1 << 30)
	p, err := b.Listar(t.Context(), tarefa.Filtro{Limite: 1})
	if err != nil || p.Total != len(guardadas) {
		t.Errorf("want the %d acknowledged, got %d, %v", len(guardadas), p.Total, err)
	}
	for _, id := range guardadas {
		if _, err := b.Ler(t.Context(), id); err != nil {
			t.Errorf("acknowledged and lost: %v", err)
		}
	}
	criada(t, b, nova())
}

// A call that fails in a transaction with others takes none of them with it.
func TestLoteComFalha(t *testing.T) {
	b := aberto(t, arquivo(t), "")
	m := b.motor.(*motorSQLite)
	tk := criada(t, b, nova())
	segura, solta := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // fills the time while the others gather
		_ = m.fazer(t.Context(), func(ctxT, consultas) error { close(segura); <-solta; return nil })
	})
	<-segura
	const n = 10
	var conflitos, criadas atomic.Int32
	for i := range n {
		wg.Go(func() {
			if _, err := b.Criar(t.Context(), nova()); err == nil {
				criadas.Add(1)
			}
		})
		wg.Go(func() {
			if _, err := b.Trocar(t.Context(), tk.Ouvindo(dizer(fmt.Sprint(i)), "")); errors.Is(err, tarefa.ErrConflito) {
				conflitos.Add(1)
			}
		})
		wg.Go(func() {
			_ = m.fazer(t.Context(), func(ctx ctxT, q consultas) error {
				_, err := q.ExecContext(ctx, "INSERT INTO ponte_tarefas SELECT * FROM ponte_tarefas")
				if codigo(err) != sqlite3.SQLITE_CONSTRAINT {
					t.Errorf("want a constraint, got %v", err)
				}
				return err
			})
		})
	}
	time.Sleep(50 * time.Millisecond)
	close(solta)
	wg.Wait()
	p, err := b.Listar(t.Context(), tarefa.Filtro{Estado: a2a.TaskStateSubmitted, Limite: 50})
	if err != nil || criadas.Load() != n || conflitos.Load() != n-1 || p.Total != n+1 {
		t.Errorf("want %d created and %d conflicts, got %d and %d, with %d stored, %v", n, n-1, criadas.Load(), conflitos.Load(), p.Total, err)
	}
}
