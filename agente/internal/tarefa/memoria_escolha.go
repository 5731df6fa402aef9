package tarefa

import (
	"math"
	"time"
)

// escolha is a [Filtro] over vagas: all that it asks is there, so that no Task is
// read to be passed over.
type escolha struct {
	comContexto bool
	contexto    chave
	comEstado   bool
	estado      int32
	desde, ate  int64 // of vaga.mudada, ate not included
	comPrazo    bool
	prazo       int64 // what vaga.prazo is before
}

// semPrazo is the vaga.prazo of a Task that nobody works on.
const semPrazo = math.MinInt64

// escolhaDe leaves the estado to be filled in.
func escolhaDe(f Filtro) escolha {
	e := escolha{
		comContexto: f.Contexto != "", contexto: chaveDe(f.Contexto),
		comEstado: f.Estado != "",
		desde:     math.MinInt64, ate: math.MaxInt64,
		comPrazo: !f.Abandonadas.IsZero(), prazo: limiar(f.Abandonadas),
	}
	if !f.Desde.IsZero() {
		e.desde = limiar(f.Desde)
	}
	if !f.Ate.IsZero() {
		e.ate = limiar(f.Ate)
	}
	return e
}

func (e *escolha) escolhe(v *vaga) bool {
	return v.mudada >= e.desde && v.mudada < e.ate &&
		(!e.comEstado || v.estado == e.estado) &&
		(!e.comContexto || v.contexto == e.contexto) &&
		(!e.comPrazo || v.prazo != semPrazo && v.prazo < e.prazo)
}

// limiar is the first whole millisecond that is not before t: what is kept to the
// millisecond is before t when it is before that.
func limiar(t time.Time) int64 {
	ms := t.UnixMilli()
	if time.UnixMilli(ms).Before(t) {
		ms++
	}
	return ms
}

func prazoEmMilis(t time.Time) int64 {
	if t.IsZero() {
		return semPrazo
	}
	return t.UnixMilli()
}
