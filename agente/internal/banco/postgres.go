package banco

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	nomePostgres = "PostgreSQL"
	// conexoes bounds the connections of one agent. A server's default limit is
	// 100 for all.
	conexoes = 10
	// travaDeEsquema is the advisory lock of whoever changes the schema.
	travaDeEsquema = 0x706f6e7465 // "ponte"
	// The pauses between attempts when the server is not there.
	primeiraPausa, maiorPausa = 20 * time.Millisecond, 500 * time.Millisecond
)

var dialetoPostgres = &dialeto{
	nome:  nomePostgres,
	tipos: strings.NewReplacer("INTEGER", "BIGINT", "BLOB", "BYTEA", "TEXT", `TEXT COLLATE "C"`),
	// Not to_regclass: it may remember, from before the wait for the lock, that
	// there is none.
	temEsquema: "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'ponte_esquema' AND pg_table_is_visible(oid))",
	ordem:      "nextval('ponte_ordem')",
	// Two agents that sweep at once take different Tasks, instead of waiting for
	// each other in different orders.
	travar:       "FOR UPDATE SKIP LOCKED",
	travarTarefa: "FOR NO KEY UPDATE",
	entre:        "%s = ANY (ARRAY(SELECT json_array_elements_text(%s::json)))",
}

// motorPostgres is a pool of connections to a server. It goes through
// database/sql, so that both databases run the same code; pgx below it keeps
// the statements prepared.
type motorPostgres struct {
	db  *sql.DB
	log *slog.Logger
}

func abrirPostgres(ctx context.Context, o origem, log *slog.Logger) (motor, error) {
	cfg, err := pgx.ParseConfig(o.url)
	if err != nil {
		// What pgx says of a malformed URL may hold the password.
		return nil, o.erro("url invalida: use postgres://usuario:senha@host:5432/banco, com %%XX no lugar de caracteres especiais na senha")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = prazoPadrao
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "ponte-agente"
	}
	m := &motorPostgres{db: stdlib.OpenDB(*cfg), log: log}
	m.db.SetMaxOpenConns(conexoes)
	m.db.SetMaxIdleConns(conexoes)
	m.db.SetConnMaxIdleTime(5 * time.Minute)
	m.db.SetConnMaxLifetime(time.Hour)
	if err := m.db.PingContext(ctx); err != nil {
		_ = m.db.Close()
		return nil, o.erro("%s", m.explicar(err))
	}
	return m, nil
}

// fazer implements motor. While the server cannot be reached it tries again,
// until ctx ends: a restart of the server is a pause, not an error.
func (m *motorPostgres) fazer(ctx context.Context, f func(context.Context, consultas) error) error {
	for espera := primeiraPausa; ; espera = min(2*espera, maiorPausa) {
		err := f(ctx, m.db)
		if err == nil || !passageiro(err) {
			return err
		}
		if espera == primeiraPausa {
			m.log.Warn("task database unreachable, trying again", "err", umaLinha(err))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(espera):
		}
	}
}

// passageiro reports whether an error is of the connection, or of a server that
// stops or starts, and the same statement may succeed in a moment.
func passageiro(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var doServidor *pgconn.PgError
	if errors.As(err, &doServidor) {
		switch doServidor.Code {
		case "57P01", "57P02", "57P03", // it stops, it crashed, it starts
			"53300",          // too many connections
			"40001", "40P01": // serialization failure, deadlock
			return true
		}
		return strings.HasPrefix(doServidor.Code, "08") // connection exception
	}
	var rede net.Error
	return errors.As(err, &rede) || pgconn.SafeToRetry(err) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ENOENT) // the server's socket
}

// transacao implements motor.
func (m *motorPostgres) transacao(ctx context.Context, f func(context.Context, consultas) error) error {
	return m.fazer(ctx, func(ctx context.Context, _ consultas) error { return m.umaTransacao(ctx, f) })
}

func (m *motorPostgres) umaTransacao(ctx context.Context, f func(context.Context, consultas) error) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing after a commit
	if err := f(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (m *motorPostgres) migrar(ctx context.Context, f func(context.Context, consultas) error) error {
	return m.umaTransacao(ctx, func(ctx context.Context, q consultas) error {
		if _, err := q.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(travaDeEsquema)); err != nil {
			return err
		}
		return f(ctx, q)
	})
}

// soltarPrazos leaves the claims to their end: other agents may be at work.
func (m *motorPostgres) soltarPrazos(context.Context) (int64, error) { return 0, nil }

func (m *motorPostgres) dialeto() *dialeto { return dialetoPostgres }

func (m *motorPostgres) explicar(err error) string {
	var doServidor *pgconn.PgError
	if errors.As(err, &doServidor) {
		switch doServidor.Code {
		case "28P01", "28000":
			return "o servidor PostgreSQL recusou o usuario ou a senha; corrija-os na url"
		case "3D000":
			return "o banco de dados nao existe no servidor PostgreSQL; crie-o com createdb"
		case "42501":
			return fmt.Sprintf("o usuario nao tem permissao no banco PostgreSQL (%s); de-lhe CREATE no esquema, ou o uso das tabelas ponte_*", umaLinha(err))
		case "53300":
			return "o servidor PostgreSQL nao aceita mais conexoes; aumente max_connections ou encerre outros clientes"
		case "57P03":
			return "o servidor PostgreSQL ainda esta iniciando; tente de novo em instantes"
		}
		return fmt.Sprintf("o servidor PostgreSQL recusou (%s); confira a url e o servidor", umaLinha(err))
	}
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return "nenhum servidor PostgreSQL atende ali (conexao recusada); inicie-o ou corrija host e porta"
	case errors.As(err, &dns):
		return fmt.Sprintf("o host %q nao foi encontrado; corrija-o na url", dns.Name)
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return "o servidor PostgreSQL nao respondeu a tempo; confira host, porta e rede"
	}
	return fmt.Sprintf("nao foi possivel falar com o servidor PostgreSQL (%s); confira a url e o servidor", umaLinha(err))
}

func (m *motorPostgres) fechar() error { return m.db.Close() }
