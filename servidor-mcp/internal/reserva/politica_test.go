package reserva

import (
	"errors"
	"strings"
	"testing"
)

const (
	msgIntervalo = "Intervalo invalido: fim deve ser posterior a inicio"
	msgJanela    = "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"
	msgDuracao   = "Duracao acima do limite: a politica permite no maximo 2 horas"
)

func TestVerificar(t *testing.T) {
	data := func(campo string) string {
		return "Data invalida em " + campo + ": use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"
	}
	const garagem = "sala-garagem"
	casos := []struct{ nome, sala, inicio, fim, erro string }{
		{"fine", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00", ""},
		{"in the past", garagem, "1985-10-26T09:00:00-03:00", "1985-10-26T10:00:00-03:00", ""},
		{"shortest", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T14:00:00.000000001-03:00", ""},

		// The room comes first, and its id is shown as it came.
		{"unknown room", "sala-inexistente", "x", "x", "Sala inexistente: sala-inexistente"},
		{"empty room", "", "x", "x", "Sala inexistente: "},
		{"room in another case", "Sala-Garagem", "x", "x", "Sala inexistente: Sala-Garagem"},
		{"room with space", " sala-garagem", "x", "x", "Sala inexistente:  sala-garagem"},
		{"room in Unicode", "sala-poça\u202e\n✨", "x", "x", "Sala inexistente: sala-poça\u202e\n✨"},

		// Then the dates, inicio before fim.
		{"both dates bad", garagem, "x", "x", data("inicio")},
		{"inicio bad", garagem, "2026-11-03T14:00:00", "2026-11-03T15:00:00-03:00", data("inicio")},
		{"fim bad", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00", data("fim")},

		// Then the interval, even outside the window and beyond the limit.
		{"empty interval", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T14:00:00-03:00", msgIntervalo},
		{"empty across zones", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T17:00:00Z", msgIntervalo},
		{"inverted", garagem, "2026-11-03T15:00:00-03:00", "2026-11-03T14:00:00-03:00", msgIntervalo},
		{"inverted at night", garagem, "2026-11-03T23:00:00-03:00", "2026-11-03T03:00:00-03:00", msgIntervalo},
		{"later by the clock, earlier in time", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00+09:00", msgIntervalo},

		// Then the window, ends included, even beyond the limit.
		{"from opening", garagem, "2026-11-03T08:00:00-03:00", "2026-11-03T10:00:00-03:00", ""},
		{"to closing", garagem, "2026-11-03T18:00:00-03:00", "2026-11-03T20:00:00-03:00", ""},
		{"a nanosecond early", garagem, "2026-11-03T07:59:59.999999999-03:00", "2026-11-03T09:00:00-03:00", msgJanela},
		{"a nanosecond late", garagem, "2026-11-03T19:00:00-03:00", "2026-11-03T20:00:00.000000001-03:00", msgJanela},
		{"late end", garagem, "2026-11-03T19:30:00-03:00", "2026-11-03T21:00:00-03:00", msgJanela},
		{"late end in UTC", garagem, "2026-11-03T22:30:00Z", "2026-11-04T00:00:00Z", msgJanela},
		{"evening, whose hours in UTC look like opening", garagem, "2026-11-03T10:00:00Z", "2026-11-03T11:00:00Z", msgJanela},
		{"evening that is fine, next day in UTC+9", garagem, "2026-11-04T06:00:00+09:00", "2026-11-04T07:00:00+09:00", ""},
		{"from closing", garagem, "2026-11-03T20:00:00-03:00", "2026-11-03T20:30:00-03:00", msgJanela},
		{"to opening", garagem, "2026-11-03T07:00:00-03:00", "2026-11-03T08:00:00-03:00", msgJanela},
		{"through the night", garagem, "2026-11-03T19:00:00-03:00", "2026-11-04T09:00:00-03:00", msgJanela},
		{"from closing to opening", garagem, "2026-11-03T20:00:00-03:00", "2026-11-04T08:00:00-03:00", msgJanela},
		{"same hours, a day apart", garagem, "2026-11-03T10:00:00-03:00", "2026-11-04T11:00:00-03:00", msgJanela},
		{"same day of another year", garagem, "2026-11-03T10:00:00-03:00", "2027-11-03T11:00:00-03:00", msgJanela},
		{"all of time", garagem, "0001-01-01T08:00:00-03:00", "9999-12-31T20:00:00-03:00", msgJanela},

		// Then the length.
		{"exactly the limit", garagem, "2026-11-03T10:00:00-03:00", "2026-11-03T12:00:00-03:00", ""},
		{"a nanosecond over", garagem, "2026-11-03T10:00:00-03:00", "2026-11-03T12:00:00.000000001-03:00", msgDuracao},
		{"the whole window", garagem, "2026-11-03T08:00:00-03:00", "2026-11-03T20:00:00-03:00", msgDuracao},
		{"long by the clock, short in time", garagem, "2026-11-03T14:00:00-03:00", "2026-11-03T18:00:00Z", ""},
	}
	noutrosFusos(t, func(t *testing.T) {
		a := agendaDeTeste(t)
		for _, c := range casos {
			p, err := a.Verificar(c.sala, c.inicio, c.fim)
			if c.erro == "" {
				if err != nil || p.vazio() {
					t.Errorf("%s: got %v, %v, want it accepted", c.nome, p, err)
				}
				continue
			}
			if _, ok := errors.AsType[*Recusa](err); !ok || err.Error() != c.erro {
				t.Errorf("%s: got %v, want a *Recusa: %s", c.nome, err, c.erro)
			}
			if p != (Periodo{}) {
				t.Errorf("%s: got %v with an error, want the zero Periodo", c.nome, p)
			}
		}
	})
}

func TestValidarResponsavel(t *testing.T) {
	const vazio = "Responsavel vazio: informe quem reserva"
	const longo = "Responsavel longo demais: no maximo 200 caracteres"
	casos := []struct{ texto, erro string }{
		{"Marty", ""},
		{"Marty McFly Jr", ""},
		{"  Emmett  Brown\t", ""}, // returned untrimmed
		{"Conceição 🚗 \u202e李\x00", ""},
		{strings.Repeat("é", 200), ""},
		{strings.Repeat("🚗", 200), ""},
		{"", vazio},
		{" \t\r\n\u00a0\u3000", vazio},
		{strings.Repeat(" ", 500), vazio},
		{strings.Repeat("é", 201), longo},
		{strings.Repeat(" ", 200) + "M", longo},
	}
	for _, c := range casos {
		texto, err := ValidarResponsavel(c.texto)
		if c.erro == "" {
			if err != nil || texto != c.texto {
				t.Errorf("%q: got %q, %v, want it back as it came", c.texto, texto, err)
			}
			continue
		}
		if err == nil || err.Error() != c.erro || !errors.Is(err, ErrResponsavel) || texto != "" {
			t.Errorf("%q: got %q, %v, want ErrResponsavel: %s", c.texto, texto, err, c.erro)
		}
	}
}
