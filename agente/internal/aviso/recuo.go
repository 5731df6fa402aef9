package aviso

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tempos are the bounds of delivery.
type tempos struct {
	// prazo bounds one attempt (A2A v1.0, 4.3.3: 10 to 30 seconds).
	prazo time.Duration
	// fila bounds how long a claimed notification waits for its turn.
	fila time.Duration
	// folga is how much longer than both a claim lasts. It covers a slow store
	// and clocks that differ between agents.
	folga time.Duration
	// ronda is how often the store is looked through for what another agent left
	// behind.
	ronda time.Duration
	// recuo is the wait after the first failure; it doubles with each, up to
	// maiorRecuo.
	recuo, maiorRecuo time.Duration
	// tentativas is how many attempts there are.
	tentativas int
}

var padrao = tempos{
	prazo:      10 * time.Second,
	fila:       20 * time.Second,
	folga:      10 * time.Second,
	ronda:      5 * time.Second,
	recuo:      time.Second,
	maiorRecuo: 5 * time.Minute,
	tentativas: 10,
}

// espera is the wait after the n-th failure, n at least 1, without jitter.
func (t tempos) espera(n int) time.Duration {
	d := t.recuo
	for ; n > 1 && d < t.maiorRecuo; n-- {
		d *= 2
	}
	return min(d, t.maiorRecuo)
}

// recuar is the wait after the n-th failure: between a half and the whole of
// espera, and not less than what the receiver asked for, up to maiorRecuo.
func (t tempos) recuar(n int, pedido time.Duration) time.Duration {
	d := t.espera(n)
	return max(d-sorte(d/2), min(pedido, t.maiorRecuo))
}

// sorte is a random duration from 0 to d.
func sorte(d time.Duration) time.Duration { return rand.N(d + 1) }

// esperaPedida reads Retry-After (RFC 9110, 10.2.3); 0 for none.
func esperaPedida(h http.Header, agora time.Time) time.Duration {
	s := strings.TrimSpace(h.Get("Retry-After"))
	if s != "" && strings.Trim(s, "0123456789") == "" {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			n = 1 << 30 // more than anybody waits
		}
		return time.Duration(n) * time.Second
	}
	if quando, err := http.ParseTime(s); err == nil {
		return max(quando.Sub(agora), 0)
	}
	return 0
}
