package selo

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

const (
	segredoA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	segredoB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	tool     = "reservar"
)

var agora = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func chaveiro(t testing.TB, segredos string) *Chaveiro {
	t.Helper()
	c, err := NovoChaveiro(segredos)
	if err != nil {
		t.Fatalf("NovoChaveiro: %v", err)
	}
	return c
}

func selado(t testing.TB, c *Chaveiro) string {
	t.Helper()
	s, err := c.Selar(Novo(tool, json.RawMessage(`{"quem":"Zé"}`), []string{"a", "b"}, agora, 15*time.Minute))
	if err != nil {
		t.Fatalf("Selar: %v", err)
	}
	return s
}

func TestIdaEVolta(t *testing.T) {
	c := chaveiro(t, segredoA)
	e, err := c.Abrir(selado(t, c), tool, agora.Add(14*time.Minute))
	if err != nil {
		t.Fatalf("a fresh state does not open: %v", err)
	}
	if string(e.Argumentos) != `{"quem":"Zé"}` || strings.Join(e.Ofertas, ",") != "a,b" || e.ID == "" || e.Raiz != e.ID {
		t.Errorf("state came back changed: %+v", e)
	}
	n := e.DeNovo([]string{"c"}, agora, time.Minute)
	if n.ID == e.ID || n.Raiz != e.Raiz {
		t.Errorf("asking again: want a new ID and the same Raiz, got %+v after %+v", n, e)
	}
}

func TestSelosDiferemENaoMostramConteudo(t *testing.T) {
	c := chaveiro(t, segredoA)
	a, b := selado(t, c), selado(t, c)
	if a == b {
		t.Error("two seals of the same request are equal: nonce or id is reused")
	}
	if strings.Contains(a, "quem") {
		t.Error("the content can be read in the sealed text")
	}
}

// Every single-bit change of a sealed state, and every truncation, is refused.
func TestAdulteracao(t *testing.T) {
	c := chaveiro(t, segredoA)
	s := selado(t, c)
	for i := range s {
		for bit := range 8 {
			b := []byte(s)
			b[i] ^= 1 << bit
			if _, err := c.Abrir(string(b), tool, agora); !errors.Is(err, ErrInvalido) {
				t.Fatalf("byte %d bit %d flipped: want ErrInvalido, got %v", i, bit, err)
			}
		}
		if _, err := c.Abrir(s[:i], tool, agora); !errors.Is(err, ErrInvalido) {
			t.Fatalf("cut to %d bytes: want ErrInvalido, got %v", i, err)
		}
	}
	for _, mau := range []string{"", "v1.", "v2" + s[2:], s + "A", s + "=", s + "\n", s[:40] + "\r\n" + s[40:], s[3:], " " + s, "v1." + strings.Repeat("A", MaxSelado)} {
		if _, err := c.Abrir(mau, tool, agora); !errors.Is(err, ErrInvalido) {
			t.Errorf("%.60q: want ErrInvalido, got %v", mau, err)
		}
	}
}

func TestValidadeEFerramenta(t *testing.T) {
	c := chaveiro(t, segredoA)
	s := selado(t, c)
	if _, err := c.Abrir(s, tool, agora.Add(15*time.Minute)); !errors.Is(err, ErrInvalido) {
		t.Errorf("at the moment of expiry: want ErrInvalido, got %v", err)
	}
	if _, err := c.Abrir(s, "outra", agora); !errors.Is(err, ErrInvalido) {
		t.Errorf("for another tool: want ErrInvalido, got %v", err)
	}
}

func TestRotacao(t *testing.T) {
	antes, durante, depois := chaveiro(t, segredoA), chaveiro(t, segredoB+", "+segredoA), chaveiro(t, segredoB)
	velho, novo := selado(t, antes), selado(t, durante)
	if _, err := durante.Abrir(velho, tool, agora); err != nil {
		t.Errorf("the old secret must go on opening during rotation: %v", err)
	}
	if _, err := depois.Abrir(novo, tool, agora); err != nil {
		t.Errorf("during rotation the first secret must seal: %v", err)
	}
	if _, err := depois.Abrir(velho, tool, agora); !errors.Is(err, ErrInvalido) {
		t.Errorf("an unknown secret: want ErrInvalido, got %v", err)
	}
}

func TestSegredosRuins(t *testing.T) {
	for _, mau := range []string{"", "  ", "curto", segredoA[:31], segredoA + ",", segredoA + ",curto", "," + segredoA} {
		_, err := NovoChaveiro(mau)
		if err == nil {
			t.Errorf("%q: want an error", mau)
			continue
		}
		if !strings.Contains(err.Error(), "REQUEST_STATE_SECRET") || !strings.Contains(err.Error(), "openssl rand") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error must name the variable and the remedy in one line, got %q", mau, err)
		}
		if mau != "" && strings.Contains(err.Error(), "curto") {
			t.Errorf("the error shows the secret: %q", err)
		}
	}
}

func FuzzAbrir(f *testing.F) {
	c := chaveiro(f, segredoA)
	f.Add(selado(f, c))
	f.Add("v1.")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		e, err := c.Abrir(s, tool, agora)
		if err != nil {
			if !errors.Is(err, ErrInvalido) {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		// A fuzzing process may be given what another one sealed; nothing else opens.
		if e.Ferramenta != tool || !bytes.Equal(e.Argumentos, []byte(`{"quem":"Zé"}`)) {
			t.Fatalf("%q opened to %+v, which was never sealed", s, e)
		}
	})
}

func BenchmarkSelarEAbrir(b *testing.B) {
	c := chaveiro(b, segredoA)
	e := Novo(tool, json.RawMessage(`{"sala":"sala-garagem","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"}`), []string{"sala-fusca", "sala-mirante"}, agora, 15*time.Minute)
	b.ReportAllocs()
	for b.Loop() {
		s, err := c.Selar(e)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Abrir(s, tool, agora); err != nil {
			b.Fatal(err)
		}
	}
}
