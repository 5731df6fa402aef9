package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"
)

// saoPaulo is the policy's clock, fixed at -03:00 whatever the host's zone.
var saoPaulo = time.FixedZone("-03:00", -3*60*60)

const (
	formatoInstante = "2006-01-02T15:04:05-07:00"
	diasPossiveis   = 60 * 365 // from 2030-01-01, up to 2089
	tentativasDia   = 5
)

// horario is a half-open interval on one day.
type horario struct{ inicio, fim time.Time }

// das gives the interval of the same day between two hours and minutes of the
// policy's clock, also one that the policy forbids.
func (h horario) das(hi, mi, hf, mf int) horario {
	a, m, d := h.inicio.Date()
	return horario{
		time.Date(a, m, d, hi, mi, 0, 0, saoPaulo),
		time.Date(a, m, d, hf, mf, 0, 0, saoPaulo),
	}
}

// sorteador draws the hours that the checks use. Each is an hour of a day of
// its own, so that checks do not disturb one another. The days lie in a far
// and wide future because no rule depends on today, and the same two processes
// may be validated again and again.
type sorteador struct {
	n      func(int) int // uniform in [0,n)
	usados map[int]bool
}

// novoSorteador takes the source of chance; nil is the real one.
func novoSorteador(n func(int) int) *sorteador {
	if n == nil {
		n = rand.IntN
	}
	return &sorteador{n: n, usados: map[int]bool{}}
}

func (s *sorteador) sortear() horario {
	dia := s.n(diasPossiveis)
	for s.usados[dia] {
		dia = (dia + 1) % diasPossiveis
	}
	s.usados[dia] = true
	inicio := time.Date(2030, 1, 1+dia, 8+s.n(11), 0, 0, 0, saoPaulo)
	return horario{inicio, inicio.Add(time.Hour)}
}

// horarioLivre draws an hour in which the named rooms are free. Days of an
// earlier run against the same processes are met rarely, but they are met, and
// a check that counts on a free room must not fail for it. The probe is a help
// and no check: an answer that cannot be understood lets the hour pass.
func (e *execucao) horarioLivre(ctx context.Context, salas ...string) horario {
	h := e.horarios.sortear()
	for range tentativasDia {
		if !e.algumaOcupada(ctx, h, salas) {
			break
		}
		h = e.horarios.sortear()
	}
	return h
}

func (e *execucao) algumaOcupada(ctx context.Context, h horario, salas []string) bool {
	for _, s := range salas {
		if e.semSonda {
			return false
		}
		r, err := e.mcp.tool(ctx, toolConsultar, pedido{sala: s, horario: h}.consulta())
		if err != nil {
			e.semSonda = true
			return false
		}
		t, err := lerTool(r)
		if err != nil {
			continue
		}
		var livre *bool
		o, _ := comoObjeto(t.estruturado)
		if json.Unmarshal(o["livre"], &livre) == nil && livre != nil && !*livre {
			return true
		}
	}
	return false
}

// pedido is one booking request, in the words of either border.
type pedido struct {
	sala string
	horario
	responsavel string
}

// novoPedido asks for a room in somebody's name. The name carries a random
// tail: it tells this request's reservation from all others.
func novoPedido(sala, quem string, h horario) pedido {
	return pedido{sala: sala, horario: h, responsavel: quem + "-" + hexAleatorio(3)}
}

// consulta gives the arguments of consultar_disponibilidade.
func (p pedido) consulta() map[string]any {
	return map[string]any{
		"sala":   p.sala,
		"inicio": p.inicio.Format(formatoInstante),
		"fim":    p.fim.Format(formatoInstante),
	}
}

// argumentos gives the arguments of reservar_sala.
func (p pedido) argumentos() map[string]any {
	a := p.consulta()
	a["responsavel"] = p.responsavel
	return a
}

// linha gives the request as the agent's users write it.
func (p pedido) linha() string {
	return "reservar sala=" + p.sala +
		" inicio=" + p.inicio.Format(formatoInstante) +
		" fim=" + p.fim.Format(formatoInstante) +
		" responsavel=" + p.responsavel
}
