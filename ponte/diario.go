package main

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxDiario bounds the lines that are kept of a process's stderr; the oldest
// are forgotten first.
const maxDiario = 2000

// requestVisto is a request as its receiver logged it.
type requestVisto struct {
	metodo, id, traceparent, desfecho string
}

// diario keeps the stderr of a process and reads the requests out of it. The
// zero value is ready for use.
type diario struct {
	mu     sync.Mutex
	linhas []string
	vistos []requestVisto
	mudou  chan struct{} // closed at the next line; nil while nobody waits
}

// saida is the writer that feeds the diary.
func (d *diario) saida() *linhas { return &linhas{emitir: d.anotar} }

func (d *diario) anotar(linha []byte) {
	texto := string(linha)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.linhas) == maxDiario {
		d.linhas = d.linhas[1:]
	}
	d.linhas = append(d.linhas, texto)
	if c := camposDe(texto); c["msg"] == "request" {
		d.vistos = append(d.vistos, requestVisto{c["method"], c["id"], c["traceparent"], c["outcome"]})
	}
	if d.mudou != nil {
		close(d.mudou)
		d.mudou = nil
	}
}

// camposDe reads a line of name=value pairs, values quoted where needed. What
// is no such line has no fields.
func camposDe(linha string) map[string]string {
	campos := make(map[string]string)
	for linha != "" {
		nome, resto, ok := strings.Cut(linha, "=")
		if !ok {
			return campos
		}
		valor, depois, _ := strings.Cut(resto, " ")
		if citado, err := strconv.QuotedPrefix(resto); err == nil {
			valor, _ = strconv.Unquote(citado)
			depois = strings.TrimPrefix(resto[len(citado):], " ")
		}
		campos[nome], linha = valor, depois
	}
	return campos
}

// doRastro are the requests of one trace, in the order of the log.
func (d *diario) doRastro(traceID string) []requestVisto {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.filtrar(traceID)
}

func (d *diario) filtrar(traceID string) []requestVisto {
	var vistos []requestVisto
	for _, v := range d.vistos {
		if strings.Contains(v.traceparent, "-"+traceID+"-") {
			vistos = append(vistos, v)
		}
	}
	return vistos
}

// esperar waits until the requests of a trace are enough, at most limite, and
// returns them. A line is written after its answer was sent, so whoever has
// just got the answer may be a little early.
func (d *diario) esperar(ctx context.Context, traceID string, limite time.Duration, basta func([]requestVisto) bool) []requestVisto {
	ctx, cancel := context.WithTimeout(ctx, limite)
	defer cancel()
	for {
		d.mu.Lock()
		vistos := d.filtrar(traceID)
		if d.mudou == nil {
			d.mudou = make(chan struct{})
		}
		mudou := d.mudou
		d.mu.Unlock()
		if basta(vistos) {
			return vistos
		}
		select {
		case <-mudou:
		case <-ctx.Done():
			return vistos
		}
	}
}

// antesDe reports whether a request of one method was seen before the first of
// another, whatever their traces.
func (d *diario) antesDe(primeiro, segundo string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, v := range d.vistos {
		switch v.metodo {
		case primeiro:
			return true
		case segundo:
			return false
		}
	}
	return false
}

// ultimas returns the last n lines.
func (d *diario) ultimas(n int) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.linhas[max(0, len(d.linhas)-n):]...)
}
