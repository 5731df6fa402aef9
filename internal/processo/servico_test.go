package processo

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestServirDrena(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		_, _ = io.WriteString(w, "feito")
	})
	ctx, stop := context.WithCancel(t.Context())
	ended, waited := make(chan error, 1), false
	go func() {
		ended <- Servir(ctx, ls, h, LimitesPadrao, slog.New(slog.DiscardHandler), func(context.Context) error { waited = true; return nil })
	}()
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + ls[0].Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-arrived
	stop()
	close(release)
	if got := <-answer; got != "feito" {
		t.Errorf("a call in flight must be answered, got %q", got)
	}
	if err := <-ended; err != nil || !waited {
		t.Errorf("want an orderly end after waiting for work, got %v, waited=%v", err, waited)
	}
}

// Work that outlives the bound is given up, and told so.
func TestServirDesiste(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	told := false
	err = Servir(ctx, ls, http.NotFoundHandler(), LimitesPadrao, slog.New(slog.DiscardHandler), func(context.Context) error {
		told = true
		return context.DeadlineExceeded
	})
	if err != nil || !told {
		t.Errorf("want an orderly end after giving up, got %v, told=%v", err, told)
	}
}

func TestUmaLinha(t *testing.T) {
	if got := umaLinha("a\nb\x1b[0m\u0085ç"); got != `a\nb\x1b[0m\u0085ç` {
		t.Errorf("got %q", got)
	}
}

func TestLogNaoSeForja(t *testing.T) {
	var out strings.Builder
	NovoLog(&out).Info("request", "id", "1\ntime=2026 level=INFO msg=forjada")
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("want one line, got %d: %q", n, out.String())
	}
	if !strings.Contains(out.String(), "Z level=INFO") {
		t.Errorf("times are to be in UTC: %q", out.String())
	}
}
