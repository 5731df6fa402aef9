package processo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pedacos keeps each write apart.
type pedacos struct {
	mu    sync.Mutex
	todos []string
	err   error
}

func (p *pedacos) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.todos = append(p.todos, string(b))
	return len(b), p.err
}

func (p *pedacos) quantos() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.todos)
}

func TestSaidaJuntaEEscreveNoPrazo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pedacos
		s := NovaSaida(&p)
		for vez := range 3 {
			fmt.Fprint(s, "a\n")
			fmt.Fprint(s, "b\n")
			if p.quantos() != vez {
				t.Fatalf("round %d: lines must wait for each other, got %q", vez, p.todos)
			}
			time.Sleep(atrasoDaSaida)
			synctest.Wait()
			if p.quantos() != vez+1 || p.todos[vez] != "a\nb\n" {
				t.Fatalf("round %d: want both lines in one write after %s, got %q", vez, atrasoDaSaida, p.todos)
			}
		}
	})
}

func TestSaidaNaoPassaDoTamanho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pedacos
		s := NovaSaida(&p)
		linha := strings.Repeat("x", 999) + "\n"
		for range 100 {
			fmt.Fprint(s, linha)
			if len(s.espera) > maxSaida {
				t.Fatalf("%d bytes wait, want at most %d", len(s.espera), maxSaida)
			}
		}
		fmt.Fprint(s, strings.Repeat("y", 10*maxSaida))
		if cap(s.espera) > 2*maxSaida {
			t.Errorf("the room of one large write is kept: %d bytes", cap(s.espera))
		}
		if err := s.Descarregar(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.todos, ""); got != strings.Repeat(linha, 100)+strings.Repeat("y", 10*maxSaida) {
			t.Error("what came out is not what went in, in its order")
		}
	})
}

// A pipe that other processes write to as well takes pieces of this size whole: a
// piece ends where a line does.
func TestSaidaEscreveLinhasInteiras(t *testing.T) {
	var p pedacos
	s := NovaSaida(&p)
	var quer strings.Builder
	for i := range 60 {
		linha := strings.Repeat("x", i*37%1000) + "\n"
		if i == 30 {
			linha = strings.Repeat("y", 2*maxPedaco) + "\n"
		}
		quer.WriteString(linha)
		fmt.Fprint(s, linha)
	}
	_ = s.Descarregar()
	if strings.Join(p.todos, "") != quer.String() {
		t.Fatal("what came out is not what went in")
	}
	for _, pedaco := range p.todos {
		if !strings.HasSuffix(pedaco, "\n") || len(pedaco) > maxPedaco && strings.Count(pedaco, "\n") > 1 {
			t.Errorf("a piece of %d bytes and %d lines, ending in %q", len(pedaco), strings.Count(pedaco, "\n"), pedaco[len(pedaco)-1:])
		}
	}
	if len(p.todos) > 20 {
		t.Errorf("%d pieces: lines are to be written together", len(p.todos))
	}
}

// Under many writers no line is cut, lost or doubled.
func TestSaidaDeMuitos(t *testing.T) {
	var p pedacos
	s := NovaSaida(&p)
	var g sync.WaitGroup
	for quem := range 8 {
		g.Go(func() {
			for i := range 500 {
				fmt.Fprintf(s, "%d %d\n", quem, i)
				if i%100 == 0 {
					_ = s.Descarregar()
				}
			}
		})
	}
	g.Wait()
	_ = s.Descarregar()
	proxima := map[string]int{}
	for linha := range strings.Lines(strings.Join(p.todos, "")) {
		var quem string
		var i int
		if _, err := fmt.Sscanf(linha, "%s %d", &quem, &i); err != nil || i != proxima[quem] {
			t.Fatalf("writer %s: want line %d, got %q (%v)", quem, proxima[quem], linha, err)
		}
		proxima[quem]++
	}
	if len(proxima) != 8 {
		t.Errorf("want the lines of 8 writers, got %v", proxima)
	}
}

func TestSaidaDizQueNaoEscreveu(t *testing.T) {
	p := pedacos{err: io.ErrClosedPipe}
	s := NovaSaida(&p)
	fmt.Fprint(s, "a\n")
	if err := s.Descarregar(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("want the error of the writer, got %v", err)
	}
	if err := s.Descarregar(); err != nil || len(p.todos) != 1 {
		t.Errorf("a line that could not be written is not written again: %v, %q", err, p.todos)
	}
}

func TestDespedidaSemLeitor(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	s := NovaSaida(w)
	fmt.Fprint(s, "a\n")
	fim := make(chan struct{})
	go func() { despedir(s); close(fim) }()
	select {
	case <-fim:
	case <-time.After(100 * despedida):
		t.Error("a process whose stderr nobody reads does not end")
	}
}

func TestAvisosNaoEsperam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := NovoLog(NovaSaida(&out))
		log.With("a", 1).Info("um")
		if out.Len() > 0 {
			t.Errorf("an everyday line is to wait, got %q", out.String())
		}
		log.WithGroup("g").Warn("dois", "b", 2)
		if s := out.String(); !strings.Contains(s, "msg=um a=1") || !strings.Contains(s, "msg=dois g.b=2") {
			t.Errorf("a warning must be written at once, with what came before it; got %q", s)
		}
	})
}
