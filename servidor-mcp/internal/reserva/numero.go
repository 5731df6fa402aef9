package reserva

import (
	"fmt"
	"strings"
)

const (
	prefixoID = "res-"

	// digitosMaximo keeps the number of an id, and all that follow it, far
	// from the end of uint64.
	digitosMaximo = 18
)

// numeroDoID returns the numeric suffix of a reserva id, and whether id has
// the form: prefixoID and 1 to digitosMaximo decimal digits.
func numeroDoID(id string) (uint64, bool) {
	digitos, ok := strings.CutPrefix(id, prefixoID)
	if !ok || digitos == "" || len(digitos) > digitosMaximo {
		return 0, false
	}
	var n uint64
	for i := range len(digitos) {
		c := digitos[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// proximoID counts one further than the highest id so far, with at least four
// digits. The caller holds the lock.
func (a *Agenda) proximoID() string {
	a.ultima++
	return fmt.Sprintf("%s%04d", prefixoID, a.ultima)
}
