package main

import (
	"bytes"
	"io"
	"sync"
)

// maxLinha bounds a line that is still waiting for its end, in bytes. A longer
// one is handed on in pieces.
const maxLinha = 64 << 10

// linhas is a writer that hands on whole lines, however the writes cut them.
// It is safe for concurrent use; emitir is called for one line at a time,
// without its line break, and must not keep the slice.
type linhas struct {
	emitir func(linha []byte)

	mu    sync.Mutex
	resto []byte
}

// Write implements [io.Writer]. It never fails.
func (l *linhas) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(b)
	for {
		linha, depois, inteira := bytes.Cut(b, []byte("\n"))
		l.resto = append(l.resto, linha...)
		if !inteira && len(l.resto) <= maxLinha {
			return n, nil
		}
		l.emitir(l.resto)
		l.resto = l.resto[:0]
		if !inteira {
			return n, nil
		}
		b = depois
	}
}

// fechar hands on what is left of a last line without a line break.
func (l *linhas) fechar() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.resto) > 0 {
		l.emitir(l.resto)
		l.resto = nil
	}
}

// vez is a destination that several writers share: each Write goes through
// whole before the next one begins.
type vez struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (v *vez) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.w.Write(b)
}

// comPrefixo returns a writer that puts prefixo before each line on its way to
// w. Each line reaches w in one Write, so that writers which share a w that
// serialises writes never mix their lines.
func comPrefixo(w io.Writer, prefixo string) *linhas {
	return &linhas{emitir: func(linha []byte) {
		inteira := make([]byte, 0, len(prefixo)+len(linha)+1)
		inteira = append(append(append(inteira, prefixo...), linha...), '\n')
		_, _ = w.Write(inteira) // a log that cannot be shown stops nothing
	}}
}
