package ferramentas

import (
	"strconv"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

// listarSalas answers with the rooms, which do not change within the life of a
// process.
func (f *Ferramentas) listarSalas(c chamada) (saida, error) {
	if err := argumentos(c.argumentos); err != nil {
		return saida{}, err
	}
	return concluir(f.salas()), nil
}

func salasJSON(salas []reserva.Sala) []byte {
	b := append([]byte{}, `{"salas":[`...)
	for i, s := range salas {
		if i > 0 {
			b = append(b, ',')
		}
		b = anexarTexto(b, `{"id":`, s.ID)
		b = anexarTexto(b, `,"nome":`, s.Nome)
		b = append(b, `,"capacidade":`...)
		b = strconv.AppendInt(b, int64(s.Capacidade), 10)
		b = append(b, `,"recursos":`...)
		b = append(anexarLista(b, s.Recursos), '}')
	}
	return append(b, `]}`...)
}

func (f *Ferramentas) consultarDisponibilidade(c chamada) (saida, error) {
	var sala, inicio, fim string
	if err := argumentos(c.argumentos, argumento{"sala", &sala}, argumento{"inicio", &inicio}, argumento{"fim", &fim}); err != nil {
		return saida{}, err
	}
	periodo, err := f.cfg.Agenda.Verificar(sala, inicio, fim)
	if err != nil {
		return saida{}, err
	}
	return concluir(disponibilidadeJSON(sala, f.cfg.Agenda.Conflitos(sala, periodo))), nil
}

func disponibilidadeJSON(sala string, conflitos []reserva.Reserva) []byte {
	b := anexarTexto(make([]byte, 0, 256), `{"sala":`, sala)
	b = append(b, `,"livre":`...)
	b = strconv.AppendBool(b, len(conflitos) == 0)
	b = append(b, `,"conflitos":[`...)
	for i, r := range conflitos {
		if i > 0 {
			b = append(b, ',')
		}
		b = anexarTexto(b, `{"id":`, r.ID)
		b = anexarPeriodo(b, r.Periodo)
		b = anexarTexto(b, `,"responsavel":`, r.Responsavel)
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

// The results are written by hand, in the order of their output schemas: that is
// the order in which readers of the text see them.

// anexarTexto appends a member that is a string; antes is what stands before it.
func anexarTexto(b []byte, antes, texto string) []byte {
	return envelope.AppendString(append(b, antes...), texto)
}

// anexarPeriodo appends the members inicio and fim, after others.
func anexarPeriodo(b []byte, p reserva.Periodo) []byte {
	b = append(b, `,"inicio":"`...)
	b = reserva.AnexarInstante(b, p.Inicio)
	b = append(b, `","fim":"`...)
	b = reserva.AnexarInstante(b, p.Fim)
	return append(b, '"')
}

// anexarLista appends a list of strings, which is never null.
func anexarLista(b []byte, textos []string) []byte {
	b = append(b, '[')
	for i, t := range textos {
		if i > 0 {
			b = append(b, ',')
		}
		b = envelope.AppendString(b, t)
	}
	return append(b, ']')
}
