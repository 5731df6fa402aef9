package processo

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// pisoDoHeap is the size of the heap below which the garbage collector has no
// reason to run, in bytes (docs/desempenho.md tells how it was chosen). With the
// runtime's own setting a process whose data are small collects each few
// megabytes, and a server under load then spends half of its time on it.
const pisoDoHeap = 32 << 20

// percentualMaximo is the GOGC of an empty heap: the runtime collects none that is
// smaller than 4 MiB at 100 %, and in proportion.
const percentualMaximo = 100 * pisoDoHeap / (4 << 20)

// AjustarColetor lets the heap grow to [pisoDoHeap] before it is collected. Above
// it the runtime's own rule holds: a collection when the heap has doubled. It does
// nothing when GOGC is set; GOMEMLIMIT holds in any case.
func AjustarColetor(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(percentualMaximo)
	depoisDaColeta(&coleta{}, percentualMaximo)
}

// coleta is an object that nobody keeps: the collector finds it each time.
type coleta struct{ _ *byte }

// depoisDaColeta adjusts the setting after each collection.
func depoisDaColeta(c *coleta, atual int) {
	runtime.AddCleanup(c, func(atual int) {
		// Setting it stops the world for a moment: not for nothing.
		if novo := percentual(memoria()); novo < atual*9/10 || novo > atual*11/10 {
			debug.SetGCPercent(novo)
			atual = novo
		}
		depoisDaColeta(&coleta{}, atual)
	}, atual)
}

// percentual is the GOGC with which the next collection comes at [pisoDoHeap], or
// when what is alive has doubled, whichever is later. The runtime applies it to
// what is alive and to the roots, all in bytes.
func percentual(vivos, raizes uint64) int {
	if vivos >= pisoDoHeap {
		return 100
	}
	return int(min(max(100*(pisoDoHeap-vivos)/max(vivos+raizes, 1), 100), percentualMaximo))
}

// memoria is what the last collection found.
func memoria() (vivos, raizes uint64) {
	amostras := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(amostras)
	return amostras[0].Value.Uint64(), amostras[1].Value.Uint64() + amostras[2].Value.Uint64()
}
