package reserva

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, wherever they run
)

// noutrosFusos runs f with the host's zone set to several; f must not run in
// parallel with anything.
func noutrosFusos(t *testing.T, f func(t *testing.T)) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	for _, nome := range []string{"UTC", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"} {
		zona, err := time.LoadLocation(nome)
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("TZ", nome)
		time.Local = zona
		t.Run(strings.ReplaceAll(nome, "/", "-"), f)
	}
}

func TestLerInstanteAceita(t *testing.T) {
	casos := []struct{ texto, formatado string }{
		{"2026-11-03T14:00:00-03:00", "2026-11-03T14:00:00-03:00"},
		{"2026-11-03T14:00-03:00", "2026-11-03T14:00:00-03:00"},
		{"2026-11-03T17:00:00Z", "2026-11-03T14:00:00-03:00"},
		{"2026-11-03T17:00Z", "2026-11-03T14:00:00-03:00"},
		{"2026-11-03T17:00:00-00:00", "2026-11-03T14:00:00-03:00"},
		{"2026-11-04T02:00:00+09:00", "2026-11-03T14:00:00-03:00"},
		{"2026-11-03T22:45:00+05:45", "2026-11-03T14:00:00-03:00"},
		{"2026-11-04T02:30:00Z", "2026-11-03T23:30:00-03:00"},
		{"2026-11-03T14:00:59-03:00", "2026-11-03T14:00:59-03:00"},
		{"2026-11-03T14:00:00.5-03:00", "2026-11-03T14:00:00.5-03:00"},
		{"2026-11-03T14:00:00.000000001-03:00", "2026-11-03T14:00:00.000000001-03:00"},
		{"2026-11-03T14:00:00.120-03:00", "2026-11-03T14:00:00.12-03:00"},
		{"2026-11-03T14:00:00.000-03:00", "2026-11-03T14:00:00-03:00"},
		{"2028-02-29T12:00:00-03:00", "2028-02-29T12:00:00-03:00"},
		{"2000-02-29T12:00:00-03:00", "2000-02-29T12:00:00-03:00"},
		{"2026-03-08T02:30:00-03:00", "2026-03-08T02:30:00-03:00"}, // an hour that New York skips
		{"2026-11-03T00:00:00-23:59", "2026-11-03T20:59:00-03:00"},
		{"2026-11-03T23:59:59+23:59", "2026-11-02T21:00:59-03:00"},
		{"0001-01-01T00:00:00-03:00", "0001-01-01T00:00:00-03:00"},
		{"0000-12-31T23:00:00-05:00", "0001-01-01T01:00:00-03:00"},
		{"9999-12-31T23:59:59.999999999-03:00", "9999-12-31T23:59:59.999999999-03:00"},
	}
	noutrosFusos(t, func(t *testing.T) {
		for _, c := range casos {
			instante, err := LerInstante("inicio", c.texto)
			if err != nil {
				t.Errorf("%s: want it accepted, got %v", c.texto, err)
			} else if f := FormatarInstante(instante); f != c.formatado {
				t.Errorf("%s: formatted %s, want %s", c.texto, f, c.formatado)
			}
		}
	})
}

func TestLerInstanteRecusa(t *testing.T) {
	textos := []string{
		"", " ", "amanha", "Z", "2026", "2026-11-03", "14:00",
		"2026-11-03T14:00:00", "2026-11-03T14:00", // no offset
		"2026-11-03T14-03:00", "2026-11-03T14:00:-03:00",
		"2026-11-03t14:00:00-03:00", "2026-11-03T14:00:00z", "2026-11-03 14:00:00-03:00",
		" 2026-11-03T14:00:00-03:00", "2026-11-03T14:00:00-03:00 ", "2026-11-03T14:00:00 -03:00", "2026-11-03T14:00:00-03:00\n",
		"2026-11-03T14:00:00-3:00", "2026-11-03T14:00:00-03", "2026-11-03T14:00:00-0300", "2026-11-03T14:00:00-03:0",
		"2026-11-03T14:00:00-03:00Z", "2026-11-03T14:00:00Z-03:00", "2026-11-03T14:00:00ZZ",
		"2026-11-03T14:00:00-24:00", "2026-11-03T14:00:00+03:60", "2026-11-03T14:00:00\u221203:00",
		"2026-11-03T24:00:00-03:00", "2026-11-03T14:60:00-03:00", "2026-11-03T14:00:60-03:00", "2026-12-31T23:59:60Z",
		"2026-11-03T14:00:00.-03:00", "2026-11-03T14:00:00,5-03:00", "2026-11-03T14:00:00.1234567890-03:00", "2026-11-03T14:00.5-03:00",
		"2026-00-03T14:00:00-03:00", "2026-13-03T14:00:00-03:00", "2026-11-00T14:00:00-03:00", "2026-11-31T14:00:00-03:00",
		"2026-02-29T14:00:00-03:00", "1900-02-29T14:00:00-03:00",
		"26-11-03T14:00:00-03:00", "12026-11-03T14:00:00-03:00", "+2026-11-03T14:00:00-03:00", "-026-11-03T14:00:00-03:00",
		"2026-1-03T14:00:00-03:00", "2026-11-3T14:00:00-03:00", "2026-11-03T4:00:00-03:00",
		"20261103T140000-0300", "2026-W45-2T14:00:00-03:00", "2026-307T14:00:00-03:00",
		"2026/11/03T14:00:00-03:00", "2026-11-03T14.00.00-03:00", "2026-11-03T14:00:00-03:00[America/Sao_Paulo]",
		"２０２６-11-03T14:00:00-03:00", "2026-11-03T+4:00:00-03:00", "\x002026-11-03T14:00:00-03:00", "\xff",
		"0000-01-01T00:00:00-03:00", "0001-01-01T00:00:00Z", // the year 0000 at -03:00
		"9999-12-31T23:00:00-05:00", // the year 10000 at -03:00
		"1762189200",
	}
	for _, campo := range []string{"inicio", "fim"} {
		esperado := "Data invalida em " + campo + ": use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"
		for _, texto := range textos {
			_, err := LerInstante(campo, texto)
			if err == nil || err.Error() != esperado || !errors.Is(err, ErrDataInvalida) {
				t.Errorf("%q: got %v, want ErrDataInvalida: %s", texto, err, esperado)
			}
		}
	}
}

func TestFormatarInstanteDeQualquerFuso(t *testing.T) {
	noutrosFusos(t, func(t *testing.T) {
		instante := time.Unix(1_793_725_200, 0) // in the host's zone
		if f := FormatarInstante(instante); f != "2026-11-03T14:00:00-03:00" {
			t.Errorf("got %s, want 2026-11-03T14:00:00-03:00", f)
		}
	})
}

func FuzzLerInstante(f *testing.F) {
	for _, texto := range []string{
		"", "2026-11-03T14:00:00-03:00", "2026-11-03T17:00Z", "2026-11-03T14:00:00.123456789+05:45",
		"2028-02-29T23:59:59Z", "0000-12-31T23:00:00-05:00", "9999-12-31T23:59:59-03:00", "2026-11-03T14:00:00",
	} {
		f.Add(texto)
	}
	f.Fuzz(func(t *testing.T, texto string) {
		instante, err := LerInstante("fim", texto)
		if err != nil {
			if !errors.Is(err, ErrDataInvalida) {
				t.Errorf("%q: got %v, want ErrDataInvalida", texto, err)
			}
			return
		}
		formatado := FormatarInstante(instante)
		if !strings.HasSuffix(formatado, "-03:00") {
			t.Errorf("%q: formatted %s, want it at -03:00", texto, formatado)
		}
		if de, err := LerInstante("fim", formatado); err != nil || !de.Equal(instante) {
			t.Errorf("%q: %s reads back as %v, %v, want the same instant", texto, formatado, de, err)
		}
		// A second reader, of the standard library, agrees.
		layout := time.RFC3339Nano
		if c := texto[len("2006-01-02T15:04")]; c != ':' {
			layout = "2006-01-02T15:04Z07:00"
		}
		if outro, err := time.Parse(layout, texto); err != nil || !outro.Equal(instante) {
			t.Errorf("%q: got %s, package time reads %v, %v", texto, formatado, outro, err)
		}
	})
}
