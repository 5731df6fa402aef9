package processo

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"
)

// BenchmarkAnotar is one request line, as both processes write them.
func BenchmarkAnotar(b *testing.B) {
	log := NovoLog(NovaSaida(io.Discard))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		Anotar(ctx, log, "request",
			slog.String("method", "SendMessage"),
			slog.String("id", "1234567"),
			slog.String("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba90203-01"),
			slog.String("task_id", "6f1c2c7e-3f0d-4f5e-9a9c-5a3a4f1f2b10"),
			slog.String("context_id", "0c6f6a7e-6a0b-4f7e-8d1e-0f4f5e9a9c5a"),
			slog.String("outcome", "ok"),
			slog.Int("status", 200),
			slog.Duration("dur", 1234567*time.Nanosecond))
	}
}
