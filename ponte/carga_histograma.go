package main

import (
	"math"
	"math/bits"
	"time"
)

// bitsFaixa makes 128 buckets of each power of two: a value that is read back
// is at most 1/256 away from one that was counted.
const bitsFaixa = 7

// maxHistograma is the longest time that is told apart from longer ones.
const maxHistograma = time.Duration(1) << 42 // 73 minutes

// histograma counts times in buckets that grow with the time, in constant
// memory. The zero value is empty. It is not safe for concurrent use: each
// connection has its own, and they are added up at the end.
type histograma struct {
	faixas [(42-bitsFaixa+1)<<bitsFaixa + 1<<bitsFaixa]uint64
	n      uint64
	maior  time.Duration
}

// anotar counts d. Negative times count as none.
func (h *histograma) anotar(d time.Duration) {
	d = max(d, 0)
	h.n++
	h.maior = max(h.maior, d)
	h.faixas[faixaDe(uint64(min(d, maxHistograma)))]++
}

// faixaDe is the bucket of a number: the number itself while it is small, then
// its first bitsFaixa+1 binary digits.
func faixaDe(v uint64) int {
	e := max(bits.Len64(v)-bitsFaixa-1, 0)
	return e<<bitsFaixa + int(v>>e)
}

// meioDa is the middle of a bucket.
func meioDa(faixa int) uint64 {
	e := max(faixa>>bitsFaixa-1, 0)
	menor := uint64(faixa-e<<bitsFaixa) << e
	return menor + (uint64(1)<<e)/2
}

// somar adds the counts of another.
func (h *histograma) somar(o *histograma) {
	for i, n := range o.faixas {
		h.faixas[i] += n
	}
	h.n += o.n
	h.maior = max(h.maior, o.maior)
}

// quantil is the time that the fraction q of all counted ones does not exceed,
// to within 1 %; q is in (0, 1]. Of none it is 0.
func (h *histograma) quantil(q float64) time.Duration {
	ate := max(uint64(math.Ceil(q*float64(h.n)-1e-9)), 1)
	if h.n == 0 {
		return 0
	}
	if ate >= h.n {
		return h.maior
	}
	var vistos uint64
	for i, n := range h.faixas {
		if vistos += n; vistos >= ate {
			return min(time.Duration(meioDa(i)), h.maior)
		}
	}
	return h.maior
}
