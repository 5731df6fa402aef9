package processo

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercentual(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		vivos, raizes uint64
		quer          int
	}{
		{0, 0, percentualMaximo},
		{pisoDoHeap / 64, 0, percentualMaximo},
		{pisoDoHeap / 4, 0, 300},
		{pisoDoHeap / 8, pisoDoHeap / 8, 350},
		{pisoDoHeap / 2, 0, 100},
		{pisoDoHeap / 2, 10 * mib, 100},
		{pisoDoHeap, 0, 100},
		{1 << 40, 0, 100},
	} {
		if got := percentual(c.vivos, c.raizes); got != c.quer {
			t.Errorf("%d alive, %d of roots: want GOGC %d, got %d", c.vivos, c.raizes, c.quer, got)
		}
	}
}

// gogc is the setting at work.
func gogc() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

var retido []byte

func TestColetorSegueOQueVive(t *testing.T) {
	antes := gogc()
	AjustarColetor(func(string) string { return "50" })
	if got := gogc(); got != antes {
		t.Errorf("with GOGC set nothing is to change, got %d after %d", got, antes)
	}

	// It stays at work in this process, and does the other tests no harm.
	AjustarColetor(func(string) string { return "" })
	chegaA := func(quer func(int) bool, texto string) {
		t.Helper()
		for range 200 {
			runtime.GC()
			if quer(gogc()) {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%s: GOGC is %d", texto, gogc())
	}
	chegaA(func(n int) bool { return n > 100 }, "a small heap is to be collected less often")
	retido = make([]byte, 2*pisoDoHeap)
	chegaA(func(n int) bool { return n == 100 }, "a large heap is to be collected as always")
	retido = nil
	chegaA(func(n int) bool { return n > 100 }, "and less often when it is small again")
}
