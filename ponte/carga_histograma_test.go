package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// longe is the relative distance between two times.
func longe(a, b time.Duration) float64 {
	return math.Abs(float64(a-b)) / max(float64(b), 1)
}

func TestFaixas(t *testing.T) {
	anterior := -1
	for v := uint64(0); v <= uint64(maxHistograma); v += v/300 + 1 {
		f := faixaDe(v)
		if f < anterior || f > anterior+1 && v < 256 {
			t.Fatalf("bucket %d of %d comes after bucket %d", f, v, anterior)
		}
		if d := longe(time.Duration(meioDa(f)), time.Duration(v)); d > 0.005 && v >= 256 {
			t.Fatalf("bucket %d of %d stands for %d: %.2f %% away", f, v, meioDa(f), 100*d)
		}
		anterior = f
	}
	if f := faixaDe(uint64(maxHistograma)); f >= len(histograma{}.faixas) {
		t.Errorf("the longest time has bucket %d of %d", f, len(histograma{}.faixas))
	}
}

func TestQuantis(t *testing.T) {
	sorte := rand.New(rand.NewPCG(1, 2))
	casos := map[string]func() time.Duration{
		"all the same":  func() time.Duration { return 3 * time.Millisecond },
		"small":         func() time.Duration { return time.Duration(sorte.IntN(100)) },
		"over decades":  func() time.Duration { return time.Duration(math.Exp(sorte.Float64() * 25)) },
		"one in twenty": func() time.Duration { return time.Millisecond + time.Duration(sorte.IntN(20)/19)*time.Second },
	}
	for nome, proximo := range casos {
		t.Run(nome, func(t *testing.T) {
			var metades [2]histograma
			var todos []time.Duration
			for i := range 20_000 {
				d := proximo()
				todos = append(todos, d)
				metades[i%2].anotar(d)
			}
			h := &histograma{}
			h.somar(&metades[0])
			h.somar(&metades[1])
			slices.Sort(todos)
			if h.n != uint64(len(todos)) || h.maior != todos[len(todos)-1] {
				t.Errorf("n %d, maior %s, want %d, %s", h.n, h.maior, len(todos), todos[len(todos)-1])
			}
			for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 1} {
				certo := todos[int(math.Ceil(q*float64(len(todos))-1e-9))-1]
				if got := h.quantil(q); longe(got, certo) > 0.01 && got != certo {
					t.Errorf("p%g = %s, want %s within 1 %%", 100*q, got, certo)
				}
			}
		})
	}
}

func TestHistogramaNosExtremos(t *testing.T) {
	var h histograma
	if q := h.quantil(0.5); q != 0 {
		t.Errorf("p50 of nothing is %s, want 0", q)
	}
	h.anotar(-time.Second)
	h.anotar(100 * time.Hour)
	if h.quantil(0.5) != 0 || h.quantil(1) != 100*time.Hour {
		t.Errorf("p50 %s, p100 %s, want 0 and 100h", h.quantil(0.5), h.quantil(1))
	}
}
