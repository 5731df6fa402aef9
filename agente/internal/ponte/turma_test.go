package ponte

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// alguemLivre hands work to somebody who waits for some, if there is anybody.
func alguemLivre(t *turma) bool {
	t.emCurso.Add(1)
	select {
	case t.trabalhos <- func() {}:
		return true
	default:
		t.emCurso.Done()
		return false
	}
}

// Work never waits for other work, is done once, and leaves nobody behind: a
// goroutine that stayed would fail the test at its end.
func TestTurma(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fim := make(chan struct{})
		turma := novaTurma(fim)
		for range 3 {
			var feitas atomic.Int32
			solta := make(chan struct{})
			for range 100 {
				turma.fazer(func() { feitas.Add(1); <-solta })
			}
			synctest.Wait()
			if n := feitas.Load(); n != 100 {
				t.Fatalf("100 pieces of work that wait for each other: %d have begun", n)
			}
			if alguemLivre(turma) {
				t.Error("nobody is free while all are at work")
			}
			close(solta)
			turma.esperar()
			synctest.Wait()
			if !alguemLivre(turma) {
				t.Error("those who are done are to be at hand for more")
			}
			synctest.Wait()
		}
		aqui := false
		turma.fazerAqui(func() { aqui = true })
		if !aqui {
			t.Error("work done here is to be done when it returns")
		}
		time.Sleep(ocio)
		synctest.Wait()
		if alguemLivre(turma) {
			t.Errorf("somebody waits longer than %s", ocio)
		}
		turma.fazer(func() {})
		close(fim)
		feita := false
		turma.fazer(func() { feita = true })
		turma.esperar()
		if !feita {
			t.Error("work that comes after the end is to be done all the same")
		}
	})
}
