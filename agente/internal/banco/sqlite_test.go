package banco

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
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

// varAjudante makes this test binary another agent: see ajudar.
const varAjudante = "BANCO_AJUDANTE"

// ajudar is what another process does with a database:
//
//   - abrir says whether it could open it;
//   - segurar opens it and keeps it open until its input ends;
//   - gravar creates Tasks and says each id once it is acknowledged, until it is
//     killed.
func ajudar(modo, url string) int {
	b, err := Abrir(context.Background(), url, "", mudo)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("aberto")
	switch modo {
	case "segurar":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "gravar":
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 8 {
			wg.Go(func() {
				for {
					tk, err := b.Criar(context.Background(), nova().AtePrazo(agora.Add(time.Hour)))
					if err == nil {
						tk, err = b.Trocar(context.Background(), tk.Ouvindo(dizer("y"), ""))
					}
					if err != nil {
						fmt.Println(err)
						return
					}
					mu.Lock()
					fmt.Println(tk.ID)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}
	if err := b.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// outroProcesso runs ajudar in a process of its own, and returns its output.
func outroProcesso(t *testing.T, modo, url string) (cmd *exec.Cmd, entrada io.WriteCloser, saida *bufio.Scanner) {
	t.Helper()
	eu, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(eu, url)
	cmd.Env = append(os.Environ(), varAjudante+"="+modo)
	if entrada, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	saida = bufio.NewScanner(out)
	if !saida.Scan() {
		t.Fatalf("the other process says nothing: %v", saida.Err())
	}
	return cmd, entrada, saida
}

func TestUmAgentePorArquivo(t *testing.T) {
	url := arquivo(t)
	// A second one in this process.
	b := aberto(t, url, "")
	tk := criada(t, b, nova())
	recusa(t, url, "", "TAREFAS", "outro processo esta com o arquivo aberto", "postgres://")
	// Other code of this process that opens and closes the file does not undo
	// the lock.
	if runtime.GOOS == "linux" {
		if _, err := os.ReadFile(caminhoDe(url)); err != nil {
			t.Fatal(err)
		}
	}
	// A second process.
	_, _, saida := outroProcesso(t, "abrir", url)
	if !strings.Contains(saida.Text(), "outro processo esta com o arquivo aberto") {
		t.Errorf("want the other process refused, it says %q", saida.Text())
	}
	if _, err := b.Ler(t.Context(), tk.ID); err != nil {
		t.Errorf("the first one: %v", err)
	}
	fechar(t, b)
	// Now another process has it.
	_, entrada, saida := outroProcesso(t, "segurar", url)
	if saida.Text() != "aberto" {
		t.Fatalf("after Close: want it open, it says %q", saida.Text())
	}
	recusa(t, url, "", "outro processo esta com o arquivo aberto")
	// It ends while this one waits.
	time.AfterFunc(200*time.Millisecond, func() { _ = entrada.Close() })
	b = aberto(t, url, "")
	if _, err := b.Ler(t.Context(), tk.ID); err != nil {
		t.Error(err)
	}
}

// kill -9 loses nothing that was acknowledged, and frees the file.
func TestMorteSubita(t *testing.T) {
	url := arquivo(t)
	var todas []string
	for range 3 {
		cmd, _, saida := outroProcesso(t, "gravar", url)
		for n := 0; n < 50 && saida.Scan(); n++ {
			todas = append(todas, saida.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for saida.Scan() { // what it said before it died
			if id := saida.Text(); len(id) == 36 {
				todas = append(todas, id)
			}
		}
	}
	b := aberto(t, url, "")
	for _, id := range todas {
		tk, err := b.Ler(t.Context(), id)
		if err != nil || tk.Versao != 2 {
			t.Fatalf("acknowledged and lost: %s (%+v, %v)", id, tk, err)
		}
	}
	if len(todas) < 150 {
		t.Errorf("want at least 150 tasks, got %d", len(todas))
	}
	integro := ""
	if err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
		_, err := uma(ctx, q, []any{&integro}, "PRAGMA integrity_check")
		return err
	}); err != nil || integro != "ok" {
		t.Errorf("integrity: %s, %v", integro, err)
	}
	// Their claims have ended: the dead cannot hold any.
	p, err := b.Listar(t.Context(), tarefa.Filtro{Abandonadas: time.Now(), Limite: 1})
	if err != nil || p.Total < len(todas) {
		t.Errorf("want all %d claims ended, got %d, %v", len(todas), p.Total, err)
	}
}

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
