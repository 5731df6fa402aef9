package processo

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// atrasoDaSaida is how long a line may wait for others to be written with.
	atrasoDaSaida = 20 * time.Millisecond
	// maxSaida is how many bytes may wait.
	maxSaida = 32 << 10
	// maxPedaco is how many bytes are written at a time, more only of one line: a pipe
	// that several processes write to takes so many without mixing them with those of
	// another (POSIX, PIPE_BUF; 4096 on Linux).
	maxPedaco = 4096
)

// Saida gathers the lines that are written to it and passes them on in larger
// pieces of whole lines, in their order: a system call for each line of a log costs more
// than the line. What waits is written after [atrasoDaSaida], when it is more
// than [maxSaida], and at Descarregar; a process that ends must call it last.
// Whoever writes waits when w does: nothing is dropped, but for what waits when
// w fails. It is safe for concurrent use.
type Saida struct {
	w io.Writer

	mu      sync.Mutex
	espera  []byte
	relogio *time.Timer
	armado  bool
}

// NovaSaida makes a Saida before w.
func NovaSaida(w io.Writer) *Saida { return &Saida{w: w} }

// Write implements [io.Writer] for whole lines. It fails only when writing what
// waited fails.
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
	var err error
	for resto := s.espera; len(resto) > 0 && err == nil; {
		pedaco := pedacoDe(resto)
		_, err = s.w.Write(pedaco)
		resto = resto[len(pedaco):]
	}
	if s.espera = s.espera[:0]; cap(s.espera) > 2*maxSaida {
		s.espera = nil // one large line is no reason to keep its room
	}
	return err
}

// pedacoDe is as many of the lines at the beginning of b as fit into a piece, at
// least one.
func pedacoDe(b []byte) []byte {
	if len(b) <= maxPedaco {
		return b
	}
	if i := bytes.LastIndexByte(b[:maxPedaco], '\n'); i >= 0 {
		return b[:i+1]
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return b
}
