package banco

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSemSenha(t *testing.T) {
	const segredo = "hunter2"
	for url, want := range map[string]string{
		"postgres://u:hunter2@h:5432/b?sslmode=disable": "postgres://u:***@h:5432/b?sslmode=disable",
		"postgres://u@h/b":                       "postgres://u@h/b",
		"postgres://h1:1,h2:2/b":                 "postgres://h1:1,h2:2/b",
		"postgres://u:hunter2@h1:1,h2:2/b":       "postgres://u:***@h1:1,h2:2/b",
		"postgresql://:hunter2@h":                "postgresql://:***@h",
		"postgres://u:hun/hunter2@h/b":           "postgres://u:***@h/b",
		"postgres://u:hun@hunter2@h/b":           "postgres://u:***@h/b",
		"postgres://u:hun?x=hunter2@h/b":         "postgres://u:***@h/b",
		"postgres://u:a:hunter2@h/b":             "postgres://u:***@h/b",
		"postgres://h/b?user=u&password=hunter2": "postgres://h/b?user=u&password=***",
		"postgres://h/b?PASSWORD=hunter2&x=1":    "postgres://h/b?PASSWORD=***&x=1",
		"postgres://h/b?sslpassword=hunter2":     "postgres://h/b?sslpassword=***",
		"postgres://h/b?pass%77ord=hunter2&x=y":  "postgres://h/b?pass%77ord=***&x=y",
		"mysql://u:hunter2@h/b":                  "mysql://u:***@h/b",
		"u:hunter2@h":                            "u:***@h",
		"hunter2@h":                              "***@h",
		"postgres:u:hunter2@h":                   "postgres:***@h",
		"host=h password=hunter2 user=u":         "host=h password=*** user=u",
		"host=h password = 'hun hunter2' user=u": "host=h password = *** user=u",
		"sqlite:/tmp/a:b@c?password=x":           "sqlite:/tmp/a:b@c?password=x",
		"":                                       "",
	} {
		got := semSenha(url)
		if got != want || strings.Contains(got, segredo) {
			t.Errorf("%q: want %q, got %q", url, want, got)
		}
	}
}

// What cannot be opened is refused with one line that names TAREFAS, the value
// without its password, and what to do.
func TestAbrirRecusa(t *testing.T) {
	pasta := t.TempDir()
	texto := filepath.Join(pasta, "texto.db")
	if err := os.WriteFile(texto, []byte(strings.Repeat("isto nao e um banco\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	curto := filepath.Join(pasta, "curto.db")
	if err := os.WriteFile(curto, []byte("xy"), 0o600); err != nil {
		t.Fatal(err)
	}
	alheio := "sqlite:" + filepath.Join(pasta, "alheio.db")
	executar(t, cru(t, alheio), "CREATE TABLE favoritos (n)")
	for nome, c := range map[string]struct {
		url    string
		contem []string
	}{
		"nothing":          {"", []string{`TAREFAS invalido ""`, "use memoria, sqlite:CAMINHO ou postgres://"}},
		"unknown scheme":   {"mysql://u:hunter2@h/b", []string{`TAREFAS invalido "mysql://u:***@h/b"`, "use memoria"}},
		"no scheme":        {"tarefas.db", []string{"TAREFAS invalido", "use memoria"}},
		"libpq's notation": {"host=h password=hunter2", []string{"TAREFAS invalido", "use memoria"}},
		"no path":          {"sqlite:", []string{"TAREFAS", "falta o caminho", "use sqlite:CAMINHO"}},
		"no folder":        {"sqlite:" + pasta + "/nao/existe/t.db", []string{"TAREFAS", "a pasta", "nao existe", "crie-a"}},
		"a folder":         {"sqlite:" + pasta, []string{"TAREFAS", "nao e um arquivo"}},
		"a file as folder": {"sqlite:" + texto + "/t.db", []string{"TAREFAS", "nao foi possivel criar o arquivo"}},
		"not a database":   {"sqlite:" + texto, []string{"TAREFAS", "nao e um banco SQLite"}},
		"two bytes":        {"sqlite:" + curto, []string{"TAREFAS", "nao e um banco SQLite"}},
		"of somebody else": {alheio, []string{"TAREFAS", `banco de outro programa (tem a tabela "favoritos")`, "indique outro arquivo"}},
		"malformed":        {"postgres://u:hunter2@h:porta/b", []string{"TAREFAS", "postgres://u:***@h:porta/b", "url invalida", "%XX"}},
		"password with /":  {"postgres://u:hun/hunter2@h/b", []string{"TAREFAS", "postgres://u:***@h/b"}},
		"no such option":   {"postgres://u:hunter2@h/b?sslmode=talvez", []string{"TAREFAS", "url invalida"}},
		"nobody listens":   {"postgres://u:hunter2@127.0.0.1:1/b", []string{"TAREFAS", "conexao recusada", "inicie-o"}},
		"no socket":        {"postgres:///b?host=" + pasta + "&password=hunter2", []string{"TAREFAS", "conexao recusada"}},
	} {
		t.Run(nome, func(t *testing.T) {
			b, err := Abrir(t.Context(), c.url, "", mudo)
			if err == nil {
				_ = b.Close()
				t.Fatal("it opened")
			}
			conferirLinha(t, err, c.contem...)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the password is in the error: %v", err)
			}
		})
	}
	if raw, _ := os.ReadFile(texto); !strings.HasPrefix(string(raw), "isto nao") || len(raw) != 10_000 {
		t.Error("a file that is not a database was changed")
	}
	if n := valor[int](t, cru(t, alheio), "SELECT count(*) FROM sqlite_schema"); n != 1 {
		t.Errorf("the database of somebody else has %d objects, want 1", n)
	}
	if m := valor[string](t, cru(t, alheio), "PRAGMA journal_mode"); m != "delete" {
		t.Errorf("the database of somebody else is in mode %s now", m)
	}
}

func TestSemPermissao(t *testing.T) {
	pasta := t.TempDir()
	if got := explicarArquivo(filepath.Join(pasta, "t.db"), &fs.PathError{Op: "open", Err: fs.ErrPermission}); !strings.Contains(got, "sem permissao de escrita") {
		t.Errorf("got %s", got)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	url := "sqlite:" + filepath.Join(pasta, "t.db")
	fechar(t, aberto(t, url, ""))
	if err := os.Chmod(caminhoDe(url), 0o400); err != nil {
		t.Fatal(err)
	}
	recusa(t, url, "", "TAREFAS", "sem permissao de leitura e escrita")
	if err := os.Chmod(pasta, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(pasta, 0o700) })
	recusa(t, "sqlite:"+filepath.Join(pasta, "outro.db"), "", "TAREFAS", "sem permissao de escrita")
}

// A write whose answer got lost is not done twice, and not taken for somebody
// else's.
func TestRespostaPerdida(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		repete := *b
		repete.motor = motorQueRepete{b.motor}
		tk := nova()
		criada, err := repete.Criar(t.Context(), tk)
		if err != nil || criada.Versao != 1 {
			t.Fatalf("Criar: want version 1, got %+v, %v", criada, err)
		}
		trocada, err := repete.Trocar(t.Context(), criada.AtePrazo(agora))
		if err != nil || trocada.Versao != 2 {
			t.Fatalf("Trocar: want version 2, got %+v, %v", trocada, err)
		}
		if got, err := b.Ler(t.Context(), tk.ID); err != nil || got.Versao != 2 {
			t.Errorf("want version 2 stored, got %+v, %v", got, err)
		}
		// The same change by somebody else is a conflict all the same.
		if _, err := repete.Trocar(t.Context(), criada.AtePrazo(agora)); err == nil {
			t.Error("want a conflict")
		}
		if _, err := repete.Criar(t.Context(), tk); err == nil {
			t.Error("want an error for an id that exists")
		}
		if got, err := b.Ler(t.Context(), tk.ID); err != nil || got.Versao != 2 {
			t.Errorf("want version 2 still, got %+v, %v", got, err)
		}
	})
}

// motorQueRepete loses the first answer of everything.
type motorQueRepete struct{ motor }

func (m motorQueRepete) fazer(ctx ctxT, f func(ctxT, consultas) error) error {
	if err := m.motor.fazer(ctx, f); err != nil {
		return err
	}
	return m.motor.fazer(ctx, f)
}

func TestDepoisDeFechar(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		tk := criada(t, b, nova())
		fechar(t, b)
		fechar(t, b)
		if _, err := b.Ler(t.Context(), tk.ID); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("want an error, got %v", err)
		}
		if _, err := b.Criar(t.Context(), nova()); err == nil {
			t.Error("want an error")
		}
	})
}
