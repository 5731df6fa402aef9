// Package bancodeteste starts a PostgreSQL server of a test's own: in a folder
// of its own, on a free port of 127.0.0.1, gone with the test. It is for tests
// alone; no process of this module uses it.
//
// The server keeps its promises of durability towards processes that die, not
// towards a machine that does (fsync=off): it is for tests of what is above it.
package bancodeteste

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Exige is the environment variable that, set to 1, makes [Exigir] fail a test
// where it would skip it.
const Exige = "PONTE_EXIGE_POSTGRES"

// ErrNaoEncontrado: there is no PostgreSQL server on this machine.
var ErrNaoEncontrado = errors.New("PostgreSQL nao encontrado: instale-o (no Debian, o pacote postgresql), ou ponha initdb e postgres no PATH")

const (
	usuario = "ponte"
	// prazoPartida bounds how long a server may take to answer, recovery after
	// a crash included.
	prazoPartida = 30 * time.Second
)

// Servidor is a running server. Its methods are safe for concurrent use, but
// for Derrubar and Levantar.
type Servidor struct {
	// Senha is the password of the one user, "ponte", who may do everything.
	Senha string
	// Porta is where it listens on 127.0.0.1; it stays through a restart.
	Porta int

	bin, pasta string
	bancos     atomic.Int64
	postgres   *exec.Cmd
	terminou   chan struct{} // closed when postgres has ended
	vigia      *exec.Cmd
	solta      io.Closer // the watcher's input
}

var compartilhado struct {
	sync.Once
	s   *Servidor
	err error
}

// Exigir returns the server that the tests of one binary share, and starts it
// for the first of them. Without a PostgreSQL on the machine it skips the test,
// and says so; with PONTE_EXIGE_POSTGRES=1 it fails it. The server ends with the
// test binary, at the latest; a TestMain may end it sooner with [Encerrar].
func Exigir(t testing.TB) *Servidor {
	t.Helper()
	compartilhado.Do(func() { compartilhado.s, compartilhado.err = Iniciar() })
	switch err := compartilhado.err; {
	case errors.Is(err, ErrNaoEncontrado) && os.Getenv(Exige) != "1":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return compartilhado.s
}

// Encerrar ends the server that [Exigir] started, if it did, and waits until it
// is gone.
func Encerrar() {
	compartilhado.Do(func() { compartilhado.err = ErrNaoEncontrado })
	if compartilhado.s != nil {
		compartilhado.s.Parar()
	}
}

// Iniciar starts a server. It fails with [ErrNaoEncontrado]. End it with Parar;
// should this process die before, it ends by itself.
func Iniciar() (*Servidor, error) {
	bin, err := binarios()
	if err != nil {
		return nil, err
	}
	pasta, err := os.MkdirTemp("", "ponte-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Servidor{Senha: "senha-de-teste", bin: bin, pasta: pasta}
	if err := s.criar(); err != nil {
		_ = os.RemoveAll(pasta)
		return nil, err
	}
	// Between choosing a port and listening on it somebody else may take it.
	for range 5 {
		if s.Porta, err = portaLivre(); err != nil {
			break
		}
		if err = s.Levantar(); err == nil {
			return s, nil
		}
	}
	_ = os.RemoveAll(pasta)
	return nil, err
}

// criar makes the folder of the server's data.
func (s *Servidor) criar() error {
	if err := entregar(s.pasta); err != nil {
		return err
	}
	senha := filepath.Join(s.pasta, "senha")
	if err := os.WriteFile(senha, []byte(s.Senha+"\n"), 0o644); err != nil {
		return err
	}
	cmd := s.comando("initdb", "-D", s.dados(), "-U", usuario, "-A", "scram-sha-256",
		"--pwfile", senha, "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	conf, err := os.OpenFile(filepath.Join(s.dados(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = conf.WriteString(configuracao)
	return errors.Join(err, conf.Close())
}

const configuracao = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
max_connections = 200
shared_buffers = 32MB
`

// comando is a program of PostgreSQL's, run as its unprivileged user.
func (s *Servidor) comando(nome string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, nome), args...)
	cmd.Dir = s.pasta
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PGPASSWORD="+s.Senha)
	semPrivilegios(cmd)
	return cmd
}

// Levantar starts the server, and returns when it answers. It is for use after
// Derrubar.
func (s *Servidor) Levantar() error {
	cmd := s.comando("postgres", "-D", s.dados(), "-p", fmt.Sprint(s.Porta))
	log, err := os.OpenFile(s.registro(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	terminou := make(chan struct{})
	go func() { _ = cmd.Wait(); close(terminou) }()
	s.postgres, s.terminou = cmd, terminou
	if err := s.vigiar(); err != nil {
		s.Derrubar()
		return err
	}
	for limite := time.Now().Add(prazoPartida); !s.responde(); {
		select {
		case <-terminou:
			err = errors.New("ended at its start")
		case <-time.After(10 * time.Millisecond):
			if time.Now().After(limite) {
				err = fmt.Errorf("does not answer after %s", prazoPartida)
			}
		}
		if err != nil {
			s.Derrubar()
			said, _ := os.ReadFile(s.registro())
			return fmt.Errorf("postgres: %w\n%s", err, said)
		}
	}
	return nil
}

// vigiar starts a process that ends the server, and removes its folder, when
// this process dies in whatever way: its input ends then.
func (s *Servidor) vigiar() error {
	const vigia = `trap '' INT TERM; read -r _; kill -QUIT "$1"; sleep 1; kill -KILL "$1"; rm -rf "$2"`
	cmd := exec.Command("/bin/sh", "-c", vigia, "sh", fmt.Sprint(s.postgres.Process.Pid), s.pasta)
	cmd.Env = []string{"PATH=/usr/bin:/bin"} // whatever the tests' own is
	solta, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("watcher of postgres: %w", err)
	}
	s.vigia, s.solta = cmd, solta
	return nil
}

// responde reports whether this server, and not another one on its port, takes
// connections: it says so in its lock file.
func (s *Servidor) responde() bool {
	raw, _ := os.ReadFile(filepath.Join(s.dados(), "postmaster.pid"))
	linhas := strings.Split(string(raw), "\n")
	return len(linhas) > 7 && linhas[0] == fmt.Sprint(s.postgres.Process.Pid) && strings.HasPrefix(linhas[7], "ready")
}

// Derrubar ends the server at once, as a crash does: connections break, and
// what was not committed is lost. It returns when the server is gone.
func (s *Servidor) Derrubar() {
	if s.postgres == nil {
		return
	}
	if s.vigia != nil { // first: it must not kill a process that gets the same id
		_ = s.vigia.Process.Kill()
		_ = s.vigia.Wait()
		s.vigia = nil
	}
	_ = s.postgres.Process.Signal(syscall.SIGQUIT)
	select {
	case <-s.terminou:
	case <-time.After(10 * time.Second):
		_ = s.postgres.Process.Kill()
		<-s.terminou
	}
	s.postgres = nil
}

// Parar ends the server for good.
func (s *Servidor) Parar() {
	s.Derrubar()
	_ = os.RemoveAll(s.pasta)
}

func (s *Servidor) dados() string { return filepath.Join(s.pasta, "dados") }

func (s *Servidor) registro() string { return filepath.Join(s.pasta, "registro") }

// URL is where a client reaches a database of the server's.
func (s *Servidor) URL(banco string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s?sslmode=disable", usuario, s.Senha, s.Porta, banco)
}

// NovoBanco makes an empty database and returns its URL.
func (s *Servidor) NovoBanco() (string, error) {
	nome := fmt.Sprintf("teste%d", s.bancos.Add(1))
	cmd := s.comando("createdb", "-h", "127.0.0.1", "-p", fmt.Sprint(s.Porta), "-U", usuario, "-T", "template0", nome)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("createdb: %w\n%s", err, out)
	}
	return s.URL(nome), nil
}

// programas are those of PostgreSQL that are needed.
var programas = []string{"initdb", "postgres", "createdb"}

// binarios is the folder of PostgreSQL's programs.
func binarios() (string, error) {
	var pastas []string
	if achado, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(achado); err == nil {
			pastas = append(pastas, filepath.Dir(achado), filepath.Dir(real))
		}
	}
	// Debian keeps them out of the PATH; the newest comes last.
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(debian)
	for _, pasta := range append(pastas, debian...) {
		if !slices.ContainsFunc(programas, func(nome string) bool {
			_, err := exec.LookPath(filepath.Join(pasta, nome))
			return err != nil
		}) {
			return pasta, nil
		}
	}
	return "", ErrNaoEncontrado
}

func portaLivre() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
