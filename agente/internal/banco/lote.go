package banco

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// emLote bounds how many calls share a transaction.
const emLote = 64

// pedido is a call that waits for its turn.
type pedido struct {
	ctx   context.Context
	f     func(context.Context, consultas) error
	feito chan error // takes one value without a reader
}

// fazer implements motor. Calls are done in the order in which they come, one
// after the other.
func (m *motorSQLite) fazer(ctx context.Context, f func(context.Context, consultas) error) error {
	p := &pedido{ctx: ctx, f: f, feito: make(chan error, 1)}
	select {
	case m.pedidos <- p:
	case <-ctx.Done():
		return ctx.Err()
	case <-m.fechando:
		return errFechado
	}
	select {
	case err := <-p.feito:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// escrivao does what is asked until the database is closed.
func (m *motorSQLite) escrivao() {
	defer close(m.fechado)
	lote := make([]*pedido, 0, emLote)
	for {
		select {
		case <-m.fechando:
			return
		case p := <-m.pedidos:
			lote = append(lote[:0], p)
		}
	encher:
		for len(lote) < emLote {
			select {
			case p := <-m.pedidos:
				lote = append(lote, p)
			default:
				break encher
			}
		}
		m.fazerLote(lote)
	}
}

// fazerLote does several calls as one transaction. A call that fails leaves the
// others alone, unless it is the database that fails: then nothing is stored,
// and all of them fail.
func (m *motorSQLite) fazerLote(lote []*pedido) {
	// Never ended in the middle: a caller that leaves does not take the
	// others' transaction with it.
	ctx := context.Background()
	erros := make([]error, len(lote))
	_, err := m.ExecContext(ctx, "BEGIN IMMEDIATE")
	for i, p := range lote {
		if err != nil {
			break
		}
		if erros[i] = p.ctx.Err(); erros[i] != nil {
			continue
		}
		erros[i] = p.f(ctx, m)
		if desfez(erros[i]) {
			err = erros[i]
		}
	}
	if err == nil {
		_, err = m.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = m.ExecContext(ctx, "ROLLBACK") // it may have been done already
	}
	for i, p := range lote {
		if err != nil {
			erros[i] = err // whatever a call saw, it may have been another's, undone now
		}
		p.feito <- erros[i]
	}
}

// desfez reports whether an error may have undone the whole transaction
// (https://www.sqlite.org/lang_transaction.html, 3.2).
func desfez(err error) bool {
	switch codigo(err) {
	case 0, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG:
		return false
	}
	return true
}

// codigo is the primary result code of SQLite's, 0 for another error.
func codigo(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// stmt prepares a statement once. Only escrivao calls it.
func (m *motorSQLite) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := m.stmts[query]; ok {
		return s, nil
	}
	s, err := m.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	m.stmts[query] = s
	return s, nil
}

// ExecContext implements consultas.
func (m *motorSQLite) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := m.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext implements consultas.
func (m *motorSQLite) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := m.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}
