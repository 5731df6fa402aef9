package processo

import (
	"net/http"
	"time"
)

// TipoEventos is the media type of a stream of server-sent events.
const TipoEventos = "text/event-stream"

// Batida is how often a quiet stream should carry a comment: proxies do not take
// it for dead then, and a caller that left without a word is found out.
const Batida = 15 * time.Second

// Eventos is an answer as a stream of server-sent events. Nothing is written
// before the first event, so that a request that fails before it can still be
// answered in the ordinary way. It is for one goroutine.
type Eventos struct {
	w       http.ResponseWriter
	escrita time.Duration
	aberto  bool
}

// NovosEventos makes a stream out of an answer of which nothing is written yet.
// escrita bounds each write: a caller that does not read holds nothing for
// longer.
func NovosEventos(w http.ResponseWriter, escrita time.Duration) *Eventos {
	return &Eventos{w: w, escrita: escrita}
}

// Aberto reports whether an event has been sent.
func (e *Eventos) Aberto() bool { return e.aberto }

// Enviar sends one event. Its data must have no line breaks, which JSON without
// indentation has not. The error is that the caller is gone, or does not read.
func (e *Eventos) Enviar(data []byte) error {
	if !e.aberto {
		e.aberto = true
		h := e.w.Header()
		h.Set("Content-Type", TipoEventos)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // proxies are not to hold events back
		e.w.WriteHeader(http.StatusOK)
	}
	b := make([]byte, 0, len(data)+8)
	b = append(b, "data: "...)
	b = append(b, data...)
	return e.escrever(append(b, "\n\n"...))
}

// Bater sends a comment, once the stream is open.
func (e *Eventos) Bater() error {
	if !e.aberto {
		return nil
	}
	return e.escrever([]byte(":\n\n"))
}

func (e *Eventos) escrever(b []byte) error {
	PrazoDeEscrita(e.w, e.escrita)
	if _, err := e.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}
