package main

// What the checks know of the domain: the fixed data of the statement, written
// here a second time on purpose. The validator reads neither dados/ nor any
// code of the two processes, so a change on their side has to show as a FAIL.

// sala is one room as listar_salas must give it.
type sala struct {
	id, nome   string
	capacidade int
	recursos   []string
}

var salasFixas = []sala{
	{"sala-aquario", "Aquario", 4, []string{"tv"}},
	{"sala-porao", "Porao", 6, []string{"quadro"}},
	{"sala-garagem", "Garagem", 12, []string{"tv", "quadro"}},
	{"sala-fusca", "Fusca", 12, []string{"tv"}},
	{"sala-mirante", "Mirante", 20, []string{"tv", "quadro", "camera"}},
}

const (
	aquario = "sala-aquario"
	porao   = "sala-porao"
	garagem = "sala-garagem"
	fusca   = "sala-fusca"
	mirante = "sala-mirante"
)

const (
	uriPolitica    = "politica://uso"
	versaoPolitica = "2026-11-01"
	textoPolitica  = `versao: 2026-11-01

- Reservas somente entre 08:00 e 20:00, horario de Sao Paulo (-03:00).
- Duracao maxima de 2 horas por reserva.
- Uma sala nao pode ter duas reservas sobrepostas.`
)

// The tool errors of the statement, to the letter.
const (
	msgSalaInexistente = "Sala inexistente: " // followed by the id asked for
	msgForaDaJanela    = "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"
	msgDuracao         = "Duracao acima do limite: a politica permite no maximo 2 horas"
	msgIntervalo       = "Intervalo invalido: fim deve ser posterior a inicio"
	msgSemAlternativas = "Sem alternativas disponiveis no intervalo"
)

const (
	toolListar    = "listar_salas"
	toolConsultar = "consultar_disponibilidade"
	toolReservar  = "reservar_sala"
)
