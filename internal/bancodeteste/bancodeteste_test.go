package bancodeteste

import (
	"errors"
	"net"
	"os"
	"strconv"
	"testing"
	"time"
)

// A server starts, stays the same through a crash, and leaves nothing behind.
func TestServidor(t *testing.T) {
	s, err := Iniciar()
	if errors.Is(err, ErrNaoEncontrado) && os.Getenv(Exige) != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Parar()
	if _, err := s.NovoBanco(); err != nil {
		t.Error(err)
	}
	s.Derrubar()
	if atende(s) {
		t.Error("the server still listens after Derrubar")
	}
	if err := s.Levantar(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.NovoBanco(); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	s.Parar()
	if _, err := os.Stat(s.pasta); !errors.Is(err, os.ErrNotExist) || atende(s) {
		t.Errorf("something is left: %v", err)
	}
}

// A server whose test died ends by itself.
func TestServidorOrfao(t *testing.T) {
	s, err := Iniciar()
	if errors.Is(err, ErrNaoEncontrado) && os.Getenv(Exige) != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Parar()
	if err := s.solta.Close(); err != nil { // as the system does for the dead
		t.Fatal(err)
	}
	for limite := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := os.Stat(s.pasta)
		if errors.Is(err, os.ErrNotExist) && !atende(s) {
			return
		}
		if time.Now().After(limite) {
			t.Fatalf("the server is still there: %v", err)
		}
	}
}

func atende(s *Servidor) bool {
	c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Porta)))
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}
