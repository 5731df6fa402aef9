package reserva

import "time"

// fuso is the policy's clock: -03:00 all year round, wherever the process
// runs. Every instant in an Agenda is held in it.
var fuso = time.FixedZone("-03:00", -3*60*60)

// LerInstante reads an instant in ISO 8601 with an offset:
//
//	YYYY-MM-DDThh:mm[:ss[.fraction]](Z|+hh:mm|-hh:mm)
//
// Nothing else is accepted: T and Z are upper case, there are no spaces, the
// date exists in the calendar, hours go to 23, minutes and seconds to 59 (no
// leap second, no 24:00), a fraction has 1 to 9 digits, an offset goes to
// 23:59. Seen at -03:00 the year must be within 0001 and 9999, so that
// FormatarInstante can always write it.
//
// The result is held at -03:00 whatever offset was given. An error satisfies
// errors.Is(err, ErrDataInvalida) and names campo.
func LerInstante(campo, texto string) (time.Time, error) {
	t, ok := lerInstante(texto)
	if !ok {
		return time.Time{}, dataInvalida(campo)
	}
	return t, nil
}

// FormatarInstante writes t at -03:00, always with seconds and with a
// fraction only when there is one: 2026-11-03T14:00:00-03:00.
func FormatarInstante(t time.Time) string { return string(AnexarInstante(nil, t)) }

// AnexarInstante appends to b what FormatarInstante writes.
func AnexarInstante(b []byte, t time.Time) []byte {
	return t.In(fuso).AppendFormat(b, "2006-01-02T15:04:05.999999999-07:00")
}

func lerInstante(texto string) (time.Time, bool) {
	l := leitor{resto: texto}
	ano := l.numero(4)
	l.sinal("-")
	mes := l.numero(2)
	l.sinal("-")
	dia := l.numero(2)
	l.sinal("T")
	hora := l.numero(2)
	l.sinal(":")
	minuto := l.numero(2)
	segundo, nanos := 0, 0
	if l.tem(':') {
		l.sinal(":")
		segundo = l.numero(2)
		if l.tem('.') {
			l.sinal(".")
			nanos = l.fracao()
		}
	}
	deslocamento := l.deslocamento()
	if l.falhou || l.resto != "" || hora > 23 || minuto > 59 || segundo > 59 {
		return time.Time{}, false
	}
	t := time.Date(ano, time.Month(mes), dia, hora, minuto, segundo, nanos, time.UTC)
	if t.Month() != time.Month(mes) || t.Day() != dia {
		return time.Time{}, false // time.Date moved a day that does not exist
	}
	t = t.Add(-deslocamento).In(fuso)
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

// leitor takes fixed pieces off the front of a text. After the first piece
// that is not there it has failed, and what it returns no longer matters.
type leitor struct {
	resto  string
	falhou bool
}

func (l *leitor) tem(c byte) bool { return l.resto != "" && l.resto[0] == c }

// sinal takes one byte that must be one of aceitos, and returns it.
func (l *leitor) sinal(aceitos string) byte {
	for i := range len(aceitos) {
		if l.tem(aceitos[i]) {
			l.resto = l.resto[1:]
			return aceitos[i]
		}
	}
	l.falhou = true
	return 0
}

// numero takes exactly n decimal digits.
func (l *leitor) numero(n int) int {
	if len(l.resto) < n {
		l.falhou = true
		return 0
	}
	valor := 0
	for i := range n {
		c := l.resto[i]
		if c < '0' || c > '9' {
			l.falhou = true
			return 0
		}
		valor = valor*10 + int(c-'0')
	}
	l.resto = l.resto[n:]
	return valor
}

// fracao takes 1 to 9 decimal digits after the point, as nanoseconds.
func (l *leitor) fracao() int {
	n := 0
	for n < len(l.resto) && l.resto[n] >= '0' && l.resto[n] <= '9' {
		n++
	}
	if n < 1 || n > 9 {
		l.falhou = true
		return 0
	}
	nanos := l.numero(n)
	for range 9 - n {
		nanos *= 10
	}
	return nanos
}

// deslocamento takes Z or an offset from UTC of at most 23:59.
func (l *leitor) deslocamento() time.Duration {
	s := l.sinal("Z+-")
	if s == 'Z' {
		return 0
	}
	horas := l.numero(2)
	l.sinal(":")
	minutos := l.numero(2)
	if horas > 23 || minutos > 59 {
		l.falhou = true
	}
	d := time.Duration(horas)*time.Hour + time.Duration(minutos)*time.Minute
	if s == '-' {
		return -d
	}
	return d
}
