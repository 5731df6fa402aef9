package banco

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var dialetoSQLite = &dialeto{
	nome:       "SQLite",
	tipos:      strings.NewReplacer(),
	temEsquema: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'ponte_esquema')",
	ordem:      "(SELECT 1 + max(piso, coalesce((SELECT max(ordem) FROM ponte_tarefas), 0)) FROM ponte_ordem)",
	entre:      "%s IN (SELECT value FROM json_each(%s))",
}

// motorSQLite is a file and the one connection to it.
//
// The file is locked for as long as it is open (locking_mode=EXCLUSIVE): the
// second agent on it is refused, and SQLite needs no shared memory beside it.
// Commits go to a write-ahead log that is synced before they are acknowledged
// (journal_mode=WAL, synchronous=FULL): one sync for each, where the rollback
// journals need several. Measured, a commit took 1 to 2 ms instead of 3 to 12.
//
// Nearly all of that is the sync. So whatever arrives during a commit goes into
// the next one together, as one transaction; with 64 callers that was five times
// as many changes.
type motorSQLite struct {
	db      *sql.DB
	conn    *sql.Conn // its only one
	stmts   map[string]*sql.Stmt
	pedidos chan *pedido

	fechando  chan struct{} // closed to end escrivao
	fechado   chan struct{} // closed when it has ended
	fecharUma sync.Once
	errFechar error
}

var errFechado = errors.New("the task database is closed")

// processoInteiro holds the switches of the driver that are the process's.
var processoInteiro = sync.OnceFunc(func() {
	// Locks that stay when other code of this process opens and closes the
	// file. Where they are not to be had, the usual ones serve.
	_, _ = sqlite.OFDLocking(true)
	// A commit need not wait for the file's timestamps.
	_, _ = sqlite.Fdatasync(true)
})

func abrirSQLite(ctx context.Context, o origem, caminho string, log *slog.Logger) (motor, error) {
	processoInteiro()
	if caminho == "" {
		return nil, o.erro("falta o caminho do arquivo; use sqlite:CAMINHO, por exemplo sqlite:tarefas.db")
	}
	caminho, err := filepath.Abs(caminho)
	if err != nil {
		return nil, o.erro("caminho invalido (%s); use sqlite:CAMINHO", umaLinha(err))
	}
	if err := criarArquivo(caminho, log); err != nil {
		return nil, o.erro("%s", explicarArquivo(caminho, err))
	}
	m := &motorSQLite{
		stmts:    make(map[string]*sql.Stmt),
		pedidos:  make(chan *pedido),
		fechando: make(chan struct{}),
		fechado:  make(chan struct{}),
	}
	if err := m.conectar(ctx, caminho); err != nil {
		// SQLite has several ways to say that it may not write.
		if f, errAbrir := os.OpenFile(caminho, os.O_RDWR, 0); errAbrir != nil {
			err = errAbrir
		} else {
			_ = f.Close()
		}
		return nil, o.erro("%s", m.explicar(err))
	}
	go m.escrivao()
	return m, nil
}

// criarArquivo makes the database's file, for its owner alone, when it does not
// exist. SQLite gives the files beside it the same mode. The mode of a file that
// exists is its owner's choice.
func criarArquivo(caminho string, log *slog.Logger) error {
	f, err := os.OpenFile(caminho, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		info, err := os.Stat(caminho)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return errNaoEArquivo
		case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
			log.Warn("task file is open to other users", "file", caminho, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
		}
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// The name has to survive a power cut too. Not every system can sync a
	// folder, and those need not.
	if pasta, err := os.Open(filepath.Dir(caminho)); err == nil {
		_ = pasta.Sync()
		_ = pasta.Close()
	}
	return nil
}

var errNaoEArquivo = errors.New("not a regular file")

func explicarArquivo(caminho string, err error) string {
	pasta := filepath.Dir(caminho)
	switch _, errPasta := os.Stat(pasta); {
	case errors.Is(err, errNaoEArquivo):
		return "nao e um arquivo; indique o caminho de um"
	case errors.Is(errPasta, fs.ErrNotExist):
		return fmt.Sprintf("a pasta %q nao existe; crie-a ou indique outra", pasta)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("sem permissao de escrita em %q; ajuste as permissoes ou indique outra pasta", pasta)
	}
	return fmt.Sprintf("nao foi possivel criar o arquivo (%s); indique outro caminho", umaLinha(err))
}

// conectar opens the connection and locks the file. It changes nothing in a
// database that is not this package's.
func (m *motorSQLite) conectar(ctx context.Context, caminho string) (err error) {
	// As a URI, so that no character of the path is taken for a parameter.
	uri := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(caminho), "/"), RawQuery: "mode=rw"}
	if m.db, err = sql.Open("sqlite", uri.String()); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = m.desconectar()
		}
	}()
	m.db.SetMaxOpenConns(1)
	if m.conn, err = m.db.Conn(ctx); err != nil {
		return err
	}
	// An agent that is about to end gets a second to do it.
	for _, p := range []string{"busy_timeout = 1000", "locking_mode = EXCLUSIVE"} {
		if _, err := m.conn.ExecContext(ctx, "PRAGMA "+p); err != nil {
			return err
		}
	}
	tabela := ""
	if _, err := uma(ctx, m.conn, []any{&tabela}, `
		SELECT name FROM sqlite_schema
		WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'ponte_esquema')
		LIMIT 1`); err != nil {
		return err
	}
	if tabela != "" {
		return &bancoAlheioError{tabela}
	}
	modo := ""
	if _, err := uma(ctx, m.conn, []any{&modo}, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	if modo != "wal" {
		return fmt.Errorf("journal mode is %s", modo)
	}
	for _, p := range []string{"synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "foreign_keys = ON"} {
		if _, err := m.conn.ExecContext(ctx, "PRAGMA "+p); err != nil {
			return err
		}
	}
	return nil
}

// desconectar gives up the connection, and with it the lock.
func (m *motorSQLite) desconectar() error {
	var errs []error
	for _, s := range m.stmts {
		errs = append(errs, s.Close())
	}
	if m.conn != nil {
		errs = append(errs, m.conn.Close())
	}
	return errors.Join(append(errs, m.db.Close())...)
}

// bancoAlheioError: the file is another program's database.
type bancoAlheioError struct{ tabela string }

func (e *bancoAlheioError) Error() string { return "foreign database, with a table " + e.tabela }

// transacao implements motor: there is no other way.
func (m *motorSQLite) transacao(ctx context.Context, f func(context.Context, consultas) error) error {
	return m.fazer(ctx, f)
}

func (m *motorSQLite) migrar(ctx context.Context, f func(context.Context, consultas) error) error {
	return m.fazer(ctx, f)
}

// soltarPrazos ends every claim: whoever had one had the file open. The sweep
// finds them then, since a millisecond after 1970 is long ago. Claims of configs
// end too; they are not counted, and the waits between attempts end with them.
func (m *motorSQLite) soltarPrazos(ctx context.Context) (int64, error) {
	var soltos int64
	err := m.fazer(ctx, func(ctx context.Context, q consultas) error {
		n, err := afetadas(q.ExecContext(ctx, "UPDATE ponte_tarefas SET prazo = 1 WHERE prazo > 0 AND prazo <> 1"))
		soltos = n
		if err == nil {
			_, err = q.ExecContext(ctx, "UPDATE ponte_avisos SET proxima = 0 WHERE fim = 0 AND proxima > 0")
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return soltos, nil
}

func (m *motorSQLite) dialeto() *dialeto { return dialetoSQLite }

const semAcesso = "sem permissao de leitura e escrita no arquivo e na pasta dele; ajuste as permissoes"

func (m *motorSQLite) explicar(err error) string {
	var alheio *bancoAlheioError
	if errors.As(err, &alheio) {
		return fmt.Sprintf("e o banco de outro programa (tem a tabela %q); indique outro arquivo", alheio.tabela)
	}
	if errors.Is(err, fs.ErrPermission) {
		return semAcesso
	}
	switch codigo(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "outro processo esta com o arquivo aberto; encerre-o, ou use postgres:// para ter varios agentes"
	case sqlite3.SQLITE_NOTADB:
		return "o arquivo nao e um banco SQLite, ou esta corrompido; indique outro arquivo ou restaure uma copia"
	case sqlite3.SQLITE_CORRUPT:
		return "o banco SQLite esta corrompido; restaure uma copia ou indique outro arquivo"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH:
		return semAcesso
	case sqlite3.SQLITE_FULL:
		return "o disco esta cheio; libere espaco"
	}
	return fmt.Sprintf("o banco SQLite nao abriu (%s); confira o arquivo e o disco", umaLinha(err))
}

func (m *motorSQLite) fechar() error {
	m.fecharUma.Do(func() {
		close(m.fechando)
		<-m.fechado
		m.errFechar = m.desconectar()
	})
	return m.errFechar
}
