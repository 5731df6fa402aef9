package processo

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A caller that sends slowly, or nothing, holds its connection for no longer
// than the limits say.
func TestLimitesDaConexao(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	l := LimitesPadrao
	l.Leitura, l.Ociosa, l.Cabecalho = time.Second, time.Second, 4<<10
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Servir(ctx, ls, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
		}), l, slog.New(slog.DiscardHandler), nil)
	}()
	for nome, c := range map[string]struct{ send, want string }{
		"nothing at all":       {"", ""},
		"half a header":        {"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", ""},
		"half a body":          {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc", "400"},
		"idle after a request": {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "200"},
		"header too large":     {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 16<<10) + "\r\n\r\n", "431"},
	} {
		conn, err := net.Dial("tcp", ls[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, c.send)
		raw, err := io.ReadAll(conn) // until the server closes
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Errorf("%s: the connection is still open", nome)
		}
		if c.want != "" && !strings.HasPrefix(string(raw), "HTTP/1.1 "+c.want) {
			t.Errorf("%s: want %s, got %q", nome, c.want, raw)
		}
		conn.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestEmCurso(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	h := EmCurso(NovasVagas(1), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release }), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	first := make(chan struct{})
	go func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)); close(first) }()
	<-arrived
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("one too many: want 503 with Retry-After, got %d %v", w.Code, w.Header())
	}
	close(release)
	<-first
	done := make(chan struct{})
	go func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)); close(done) }()
	select {
	case <-arrived:
	case <-time.After(10 * time.Second):
		t.Fatal("the place was not given back")
	}
	<-done
}

// A caller that asks and does not read holds the writing for no longer than its
// deadline.
func TestPrazoDeEscrita(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	wrote, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- Servir(ctx, ls, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			PrazoDeEscrita(w, 100*time.Millisecond)
			block := make([]byte, 1<<20)
			for {
				if _, err := w.Write(block); err != nil {
					wrote <- err
					return
				}
			}
		}), LimitesPadrao, slog.New(slog.DiscardHandler), nil)
	}()
	conn, err := net.Dial("tcp", ls[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	select {
	case <-wrote:
	case <-time.After(20 * time.Second):
		t.Fatal("the writing goes on although nobody reads")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
