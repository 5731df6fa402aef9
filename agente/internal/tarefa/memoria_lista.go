package tarefa

import (
	"context"
	"math"
	"slices"
	"strconv"
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

// Listar implements [Store]. The page token is the place in the order of
// changes of the last Task given out: Tasks that change meanwhile move to the
// front and are not seen twice.
func (m *Memoria) Listar(_ context.Context, f Filtro) (Pagina, error) {
	before := uint64(0)
	if f.Marcador != "" {
		n, err := strconv.ParseUint(f.Marcador, 36, 64)
		if err != nil || n == 0 {
			return Pagina{}, ErrMarcador
		}
		before = n
	}
	p := Pagina{Tarefas: []*Tarefa{}}
	for _, g := range m.listar(f, escolhaDe(f), before, &p) {
		p.Tarefas = append(p.Tarefas, g.tarefa())
	}
	return p, nil
}

// listar finds the Tasks of a page, and sets the rest of p.
func (m *Memoria) listar(f Filtro, e escolha, before uint64, p *Pagina) []guardada {
	m.mu.RLock()
	defer m.mu.RUnlock()
	e.estado = int32(slices.Index(m.estados, f.Estado)) // -1: none was ever in it
	var gs []guardada
	last := uint64(0)
	for i := m.recent.primeira(); i != 0; i = m.recent.depois(i) {
		v := m.vagas.em(i)
		if !e.escolhe(v) {
			continue
		}
		p.Total++
		if before != 0 && v.seq >= before {
			continue
		}
		if len(gs) < f.Limite {
			gs = append(gs, m.ler(i))
			last = v.seq
		} else if p.Marcador == "" {
			p.Marcador = strconv.FormatUint(last, 36)
		}
	}
	return gs
}
