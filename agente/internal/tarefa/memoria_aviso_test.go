package tarefa

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Configs count into the bound of the Tasks: what ended makes room for them, not
// the Task that they are for, and what is dropped counts no more.
func TestAvisosTemLimite(t *testing.T) {
	s := NovaMemoria(1000, 100<<10)
	vazia := s.bytes
	grande := strings.Repeat("x", 9<<10)
	tk, velha := criar(t, s, ""), terminar(t, s, criar(t, s, ""))
	por := func(tk *Tarefa, id, url string) error {
		return s.GuardarAviso(t.Context(), Aviso{TaskID: tk.ID, ID: id, URL: url})
	}
	for i := range MaxAvisos {
		if err := por(tk, fmt.Sprint(i), grande); err != nil {
			t.Fatal(err)
		}
	}
	if s.bytes < 90<<10 {
		t.Fatalf("want them counted, got %d bytes", s.bytes)
	}
	if _, err := s.Ler(t.Context(), velha.ID); err != nil {
		t.Error("there was room for what ended")
	}
	outra := criar(t, s, "")
	cheia := s.bytes
	if err := por(outra, "a", grande); !errors.Is(err, ErrCheia) || s.bytes > cheia {
		t.Errorf("want ErrCheia, and nothing stored, got %v and %d bytes more", err, s.bytes-cheia)
	}
	if _, err := s.Ler(t.Context(), velha.ID); err == nil {
		t.Error("what ended should have made room")
	}
	if avisos, err := s.ListarAvisos(t.Context(), outra.ID); err != nil || len(avisos) != 0 {
		t.Errorf("want none, got %d, %v", len(avisos), err)
	}
	// Smaller ones, and none, give room back. A Task that ended is not pushed out
	// by its own config.
	if err := por(tk, "0", "u"); err != nil {
		t.Error(err)
	}
	outra = terminar(t, s, outra)
	if err := por(outra, "a", grande[:8<<10]); err != nil {
		t.Errorf("there is room now: %v", err)
	}
	if err := por(outra, "b", grande); !errors.Is(err, ErrCheia) {
		t.Errorf("want ErrCheia, got %v", err)
	}
	if err := s.ApagarAviso(t.Context(), outra.ID, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Trocar(t.Context(), tk.AtePrazo(agora)); err != nil {
		t.Fatal(err)
	}
	tk, _ = s.Ler(t.Context(), tk.ID)
	terminar(t, s, tk)
	if _, err := s.Esquecer(t.Context(), agora.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if s.bytes != vazia || len(s.pendentes) != 0 {
		t.Errorf("something is left over: %d bytes, %d to tell", s.bytes-vazia, len(s.pendentes))
	}
}

// A claim that finds nothing costs the same with many Tasks as with few.
func BenchmarkReivindicarNada(b *testing.B) {
	s := NovaMemoria(200_000, 1<<40)
	for i := range 100_000 {
		tk, err := s.Criar(b.Context(), Nova(mensagem("m", "x"), "", agora))
		if err == nil && i%10 == 0 {
			err = s.GuardarAviso(b.Context(), Aviso{TaskID: tk.ID, ID: "a"})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if ps, _ := s.ReivindicarAvisos(b.Context(), nil, agora, agora, 64); len(ps) != 0 {
			b.Fatal("nothing has changed")
		}
	}
}
