package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// progresso is the line that shows how far a run is. The zero value shows
// nothing.
type progresso struct {
	w io.Writer
	// terminal is set where a line may be written over the one before.
	terminal bool
	cada     time.Duration
}

// novoProgresso shows it on a terminal, or wherever it is wanted.
func novoProgresso(w io.Writer, sempre bool) progresso {
	p := progresso{cada: time.Second}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if p.terminal {
		p.cada = 250 * time.Millisecond
	}
	if p.terminal || sempre {
		p.w = w
	}
	return p
}

// mostrar writes, every moment until the function that it returns is called,
// what texto says of the time since it began.
func (p progresso) mostrar(texto func(passou time.Duration) string) (parar func()) {
	if p.w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	acabou := make(chan struct{})
	go func() {
		defer close(acabou)
		inicio := time.Now()
		for {
			select {
			case <-time.After(p.cada):
				p.escrever(texto(time.Since(inicio)))
			case <-ctx.Done():
				if p.terminal {
					p.escrever("") // what follows begins on an empty line
				}
				return
			}
		}
	}()
	return func() { cancel(); <-acabou }
}

func (p progresso) escrever(texto string) {
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", texto)
		return
	}
	fmt.Fprintln(p.w, texto)
}

// daCorrida is the text of a run.
func daCorrida(rotulo string, c corrida, p *placar) func(time.Duration) string {
	var antes int64
	var quando time.Duration
	return func(passou time.Duration) string {
		feitos := p.feitos.Load()
		taxa := float64(feitos-antes) / (passou - quando).Seconds()
		antes, quando = feitos, passou
		ate := (c.aquecimento + c.duracao).String()
		if c.ciclos > 0 {
			ate = fmt.Sprintf("%d ciclos", c.ciclos)
		}
		return fmt.Sprintf("%s, %d conexoes: %.0f s de %s, %d ciclos, %.0f/s, %d erros", rotulo, c.conexoes, passou.Seconds(), ate, feitos, taxa, p.erros.Load())
	}
}
