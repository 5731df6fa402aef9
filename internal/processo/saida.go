package processo

import (
	"io"
	"sync"
	"time"
)

const (
	// atrasoDaSaida is how long a line may wait for others to be written with.
	atrasoDaSaida = 20 * time.Millisecond
	// maxSaida is how many bytes may wait.
	maxSaida = 32 << 10
)

// Saida gathers what is written to it and passes it on in larger pieces, each of
// whole writes, in their order: a system call for each line of a log costs more
// than the line. What waits is written after [atrasoDaSaida], when it is more
// than [maxSaida], and at Descarregar; a process that ends must call it last.
// Whoever writes waits when w does: nothing is dropped, but for a piece that w
// refuses. It is safe for concurrent use.
type Saida struct {
	w io.Writer

	mu      sync.Mutex
	espera  []byte
	relogio *time.Timer
	armado  bool
}

// NovaSaida makes a Saida before w.
func NovaSaida(w io.Writer) *Saida { return &Saida{w: w} }

// Write implements [io.Writer]. It fails only when writing what waited fails.
func (s *Saida) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.espera = append(s.espera, b...)
	if len(s.espera) > maxSaida {
		return len(b), s.escrever()
	}
	if !s.armado {
		s.armado = true
		if s.relogio == nil {
			s.relogio = time.AfterFunc(atrasoDaSaida, func() { _ = s.Descarregar() })
		} else {
			s.relogio.Reset(atrasoDaSaida)
		}
	}
	return len(b), nil
}

// Descarregar writes what waits.
func (s *Saida) Descarregar() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.escrever()
}

func (s *Saida) escrever() error {
	s.armado = false
	if len(s.espera) == 0 {
		return nil
	}
	_, err := s.w.Write(s.espera)
	if s.espera = s.espera[:0]; cap(s.espera) > 2*maxSaida {
		s.espera = nil // one large line is no reason to keep its room
	}
	return err
}
