package aviso

import (
	"net/http"
	"testing"
	"time"
)

func TestEspera(t *testing.T) {
	for n, want := range map[int]time.Duration{
		1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 9: 256 * time.Second, 10: 5 * time.Minute, 1 << 30: 5 * time.Minute,
	} {
		if got := padrao.espera(n); got != want {
			t.Errorf("after failure %d: want %v, got %v", n, want, got)
		}
	}
	for range 1000 {
		if got := padrao.recuar(3, 0); got < 2*time.Second || got > 4*time.Second {
			t.Fatalf("want 2 to 4 seconds, got %v", got)
		}
		if got := padrao.recuar(1, time.Minute); got != time.Minute {
			t.Fatalf("want what was asked for, got %v", got)
		}
		if got := padrao.recuar(3, time.Second); got < 2*time.Second || got > 4*time.Second {
			t.Fatalf("less was asked for: want 2 to 4 seconds, got %v", got)
		}
		if got := padrao.recuar(1, time.Hour); got != 5*time.Minute {
			t.Fatalf("too much was asked for: want the most there is, got %v", got)
		}
	}
}

func TestEsperaPedida(t *testing.T) {
	agora := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-7": 0, "+7": 0, "1.5": 0, "x": 0,
		"Tue, 03 Nov 2026 12:00:30 GMT":   30 * time.Second,
		"Tue, 03 Nov 2026 11:00:00 GMT":   0,
		"Tuesday, 03-Nov-26 12:01:00 GMT": time.Minute,
	} {
		if got := esperaPedida(http.Header{"Retry-After": {s}}, agora); got != want {
			t.Errorf("%q: want %v, got %v", s, want, got)
		}
	}
	for _, s := range []string{"99999999999", "999999999999999999999999999999"} {
		if got := esperaPedida(http.Header{"Retry-After": {s}}, agora); got < time.Hour {
			t.Errorf("%q: want it long, got %v", s, got)
		}
	}
}
