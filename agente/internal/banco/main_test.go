package banco

import (
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/agente/internal/tarefa/conforme"
	"hillvalley.example/ponte/internal/bancodeteste"
)

func TestMain(m *testing.M) {
	if modo := os.Getenv(varAjudante); modo != "" {
		os.Exit(ajudar(modo, os.Args[len(os.Args)-1]))
	}
	processoInteiro() // before a test opens a file past this package
	code := m.Run()
	bancodeteste.Encerrar()
	os.Exit(code)
}

const (
	chaveA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	chaveB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

var (
	agora = time.Date(2026, 11, 3, 12, 0, 0, 123_000_000, time.UTC)
	mudo  = slog.New(slog.DiscardHandler)
)

func dizer(texto string) *a2a.Message {
	return &a2a.Message{ID: "m", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(texto)}}
}

func nova() *tarefa.Tarefa { return tarefa.Nova(dizer("x"), "", agora) }

// pausada is a Task that waits with a requestState.
func pausada(requestState string) *tarefa.Tarefa {
	t := nova()
	t.Estado = a2a.TaskStateInputRequired
	return t.Pausando(&tarefa.Pausa{RequestState: requestState, Perguntas: []tarefa.Pergunta{{Chave: "k", Mensagem: "?"}}})
}

// arquivo is the URL of a SQLite file that does not exist yet.
func arquivo(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "tarefas.db")
}

func caminhoDe(url string) string { return strings.TrimPrefix(url, "sqlite:") }

var esquemas atomic.Int64

// servidor is the URL of an empty schema on the server of the tests.
func servidor(t testing.TB) string {
	t.Helper()
	return esquemaEm(t, bancodeteste.Exigir(t))
}

func esquemaEm(t testing.TB, s *bancodeteste.Servidor) string {
	t.Helper()
	nome := fmt.Sprintf("e%d", esquemas.Add(1))
	executar(t, cru(t, s.URL("postgres")), "CREATE SCHEMA "+nome)
	return s.URL("postgres") + "&search_path=" + url.QueryEscape(nome)
}

// emCada runs a test on both databases.
func emCada(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("SQLite", func(t *testing.T) { f(t, arquivo(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, servidor(t)) })
}

// aberto is closed at the end of the test, if the test did not do it.
func aberto(t testing.TB, url, chave string) *Banco {
	t.Helper()
	b, err := Abrir(t.Context(), url, chave, mudo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fechar(t, b) })
	return b
}

func fechar(t testing.TB, b *Banco) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// cru is the database itself, past this package.
func cru(t testing.TB, url string) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", url
	if strings.HasPrefix(url, "sqlite:") {
		driver, dsn = "sqlite", caminhoDe(url)
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func executar(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// valor is what a query of one row and one column gives.
func valor[T any](t testing.TB, db *sql.DB, query string) T {
	t.Helper()
	var v T
	if err := db.QueryRowContext(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func criada(t testing.TB, s tarefa.Store, tk *tarefa.Tarefa) *tarefa.Tarefa {
	t.Helper()
	tk, err := s.Criar(t.Context(), tk)
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// recusa opens what cannot be opened: the error is one line, with all of it.
func recusa(t *testing.T, url, chave string, contem ...string) {
	t.Helper()
	b, err := Abrir(t.Context(), url, chave, mudo)
	if err == nil {
		fechar(t, b)
		t.Fatalf("%s opened", url)
	}
	conferirLinha(t, err, contem...)
}

func conferirLinha(t *testing.T, err error, contem ...string) {
	t.Helper()
	s := err.Error()
	for _, c := range contem {
		if !strings.Contains(s, c) {
			t.Errorf("want %q in the error, got: %s", c, s)
		}
	}
	if strings.ContainsAny(s, "\n\r") || strings.ContainsFunc(s, func(r rune) bool { return r > 126 }) {
		t.Errorf("want one line of ASCII, got %q", s)
	}
}

// Both databases, encrypted; SQLite also without a key. What a key does does not
// depend on the database.
func TestConforme(t *testing.T) {
	for nome, abrir := range map[string]func(t *testing.T) tarefa.Store{
		"SQLite":           func(t *testing.T) tarefa.Store { return aberto(t, arquivo(t), chaveA) },
		"SQLite sem chave": func(t *testing.T) tarefa.Store { return aberto(t, arquivo(t), "") },
		"PostgreSQL":       func(t *testing.T) tarefa.Store { return aberto(t, servidor(t), chaveA) },
	} {
		t.Run(nome, func(t *testing.T) {
			if nome == "PostgreSQL" {
				bancodeteste.Exigir(t)
			}
			conforme.Testar(t, abrir)
		})
	}
}

func TestAvisosConforme(t *testing.T) {
	for nome, abrir := range map[string]func(t *testing.T) []conforme.Loja{
		"SQLite":           func(t *testing.T) []conforme.Loja { return []conforme.Loja{aberto(t, arquivo(t), chaveA)} },
		"SQLite sem chave": func(t *testing.T) []conforme.Loja { return []conforme.Loja{aberto(t, arquivo(t), "")} },
		"PostgreSQL": func(t *testing.T) []conforme.Loja {
			url := servidor(t)
			return []conforme.Loja{aberto(t, url, chaveA), aberto(t, url, chaveA), aberto(t, url, chaveA)}
		},
	} {
		t.Run(nome, func(t *testing.T) {
			if nome == "PostgreSQL" {
				bancodeteste.Exigir(t)
			}
			conforme.TestarAvisos(t, abrir)
		})
	}
}
