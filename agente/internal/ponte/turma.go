package ponte

import (
	"sync"
	"time"
)

// turma runs work in goroutines that, once done, wait a moment for more: a new one
// begins with a small stack, and growing it costs more than much of the work. It
// never makes work wait, and keeps nobody longer than ocio, or than fim is closed.
type turma struct {
	emCurso   sync.WaitGroup
	trabalhos chan func() // only somebody free takes from it
	fim       <-chan struct{}
}

// ocio is how long a goroutine waits for more work.
const ocio = time.Second

func novaTurma(fim <-chan struct{}) *turma { return &turma{trabalhos: make(chan func()), fim: fim} }

// fazer runs f in a goroutine of its own.
func (t *turma) fazer(f func()) {
	t.emCurso.Add(1)
	select {
	case t.trabalhos <- f:
	default:
		go t.rodar(f)
	}
}

// fazerAqui runs f in the goroutine that calls.
func (t *turma) fazerAqui(f func()) {
	t.emCurso.Add(1)
	t.uma(f)
}

func (t *turma) rodar(f func()) {
	relogio := time.NewTimer(ocio)
	defer relogio.Stop()
	for {
		t.uma(f)
		relogio.Reset(ocio)
		select {
		case f = <-t.trabalhos:
		case <-relogio.C:
			return
		case <-t.fim:
			return
		}
	}
}

func (t *turma) uma(f func()) {
	defer t.emCurso.Done()
	f()
}

// esperar waits until nobody is at work.
func (t *turma) esperar() { t.emCurso.Wait() }
