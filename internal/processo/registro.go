package processo

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// NovoLog returns the process's logger: text lines on w, times in UTC. Values
// are quoted where needed, so that no input can forge a line. Where w lets lines
// wait, as [*Saida] does, warnings and errors do not.
func NovoLog(w io.Writer) *slog.Logger {
	saida, _ := w.(descarregador)
	return slog.New(linhas{slog.NewTextHandler(w, nil), saida})
}

// descarregador is a writer that lets lines wait.
type descarregador interface{ Descarregar() error }

// linhas is the text handler with times in UTC.
type linhas struct {
	slog.Handler
	saida descarregador // nil where nothing waits
}

// Handle implements [slog.Handler].
func (l linhas) Handle(ctx context.Context, r slog.Record) error {
	r.Time = r.Time.UTC()
	err := l.Handler.Handle(ctx, r)
	if l.saida != nil && r.Level >= slog.LevelWarn {
		_ = l.saida.Descarregar()
	}
	return err
}

// WithAttrs implements [slog.Handler].
func (l linhas) WithAttrs(attrs []slog.Attr) slog.Handler {
	return linhas{l.Handler.WithAttrs(attrs), l.saida}
}

// WithGroup implements [slog.Handler].
func (l linhas) WithGroup(name string) slog.Handler {
	return linhas{l.Handler.WithGroup(name), l.saida}
}

// Anotar writes an everyday line. It is [slog.Logger.LogAttrs] without the place in
// the source, which the lines do not show and which costs more than the line.
func Anotar(ctx context.Context, log *slog.Logger, msg string, attrs ...slog.Attr) {
	h := log.Handler()
	if !h.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := slog.NewRecord(time.Now(), slog.LevelInfo, msg, 0)
	r.AddAttrs(attrs...)
	_ = h.Handle(ctx, r) // there is nowhere to say that a log cannot be written
}
