package tarefa

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// compactar writes a Task that has ended as one piece of bytes, which
// [descompactar] reads. It is for the memory of this process alone: the form has
// no version, and is read by the program that wrote it. Everything that a caller
// can send comes back as it was, nil and empty told apart.
//
// It reports false when the Task holds what the form has no place for: a pause,
// which ends with the work; an instant finer than a millisecond; a value that
// did not come out of JSON.
func compactar(t *Tarefa) ([]byte, bool) {
	w := escritor{b: make([]byte, 0, 1<<10), textos: novosTextos()}
	w.tarefa(t)
	return w.b, !w.falhou && t.Pausa == nil && t.Estados == nil
}

// The kinds of a part, of a value, and of the current word.
const (
	parteNenhuma = iota
	parteVazia
	parteTexto
	parteBytes
	parteDados
	parteURL
)

const (
	valorNulo = iota
	valorFalso
	valorVerdadeiro
	valorNumero
	valorTexto
	valorLista
	valorObjeto
)

const (
	palavraNenhuma = iota
	palavraUltima  // of Historico
	palavraSolta
)

type escritor struct {
	b      []byte
	textos textos
	falhou bool
}

func (w *escritor) numero(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

func (w *escritor) tarefa(t *Tarefa) {
	w.texto(t.ID)
	w.texto(t.Contexto)
	w.b = binary.AppendVarint(w.b, t.Versao)
	w.texto(string(t.Estado))
	w.instante(t.Mudada)
	w.instante(t.Prazo)
	escreverLista(w, t.Historico, w.mensagem)
	switch n := len(t.Historico); {
	case t.Palavra == nil:
		w.numero(palavraNenhuma)
	case n > 0 && t.Historico[n-1] == t.Palavra:
		w.numero(palavraUltima)
	default:
		w.numero(palavraSolta)
		w.mensagem(t.Palavra)
	}
	escreverLista(w, t.Artefatos, w.artefato)
	w.texto(t.Rastro)
	if w.existe(t.Chamada != nil) {
		w.texto(t.Chamada.Verbo)
		w.texto(t.Chamada.Ferramenta)
		w.bytes(t.Chamada.Argumentos)
	}
}

func (w *escritor) mensagem(m *a2a.Message) {
	if !w.existe(m != nil) {
		return
	}
	w.texto(m.ID)
	w.texto(string(m.Role))
	w.texto(string(m.TaskID))
	w.texto(m.ContextID)
	escreverLista(w, m.Parts, w.parte)
	escreverLista(w, m.Extensions, w.texto)
	w.objeto(m.Metadata)
	escreverLista(w, m.ReferenceTasks, func(id a2a.TaskID) { w.texto(string(id)) })
}

func (w *escritor) artefato(a *a2a.Artifact) {
	if !w.existe(a != nil) {
		return
	}
	w.texto(string(a.ID))
	w.texto(a.Name)
	w.texto(a.Description)
	escreverLista(w, a.Parts, w.parte)
	escreverLista(w, a.Extensions, w.texto)
	w.objeto(a.Metadata)
}

func (w *escritor) parte(p *a2a.Part) {
	if p == nil {
		w.numero(parteNenhuma)
		return
	}
	switch c := p.Content.(type) {
	case nil:
		w.numero(parteVazia)
	case a2a.Text:
		w.numero(parteTexto)
		w.texto(string(c))
	case a2a.Raw:
		w.numero(parteBytes)
		w.bytes(c)
	case a2a.Data:
		w.numero(parteDados)
		w.valor(c.Value)
	case a2a.URL:
		w.numero(parteURL)
		w.texto(string(c))
	default:
		w.falhou = true
	}
	w.texto(p.Filename)
	w.texto(p.MediaType)
	w.objeto(p.Metadata)
}

// valor writes what encoding/json makes of JSON.
func (w *escritor) valor(v any) {
	switch v := v.(type) {
	case nil:
		w.numero(valorNulo)
	case bool:
		if v {
			w.numero(valorVerdadeiro)
		} else {
			w.numero(valorFalso)
		}
	case float64:
		w.numero(valorNumero)
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v))
	case string:
		w.numero(valorTexto)
		w.texto(v)
	case []any:
		w.numero(valorLista)
		escreverLista(w, v, w.valor)
	case map[string]any:
		w.numero(valorObjeto)
		w.objeto(v)
	default:
		w.falhou = true
	}
}

func (w *escritor) objeto(o map[string]any) {
	if w.tamanho(len(o), o == nil) {
		for k, v := range o {
			w.texto(k)
			w.valor(v)
		}
	}
}

func escreverLista[T any](w *escritor, xs []T, um func(T)) {
	if w.tamanho(len(xs), xs == nil) {
		for _, x := range xs {
			um(x)
		}
	}
}

func (w *escritor) bytes(b []byte) {
	if w.tamanho(len(b), b == nil) {
		w.b = append(w.b, b...)
	}
}

// tamanho writes how many there are, or that there is nothing, and reports
// which.
func (w *escritor) tamanho(n int, nada bool) bool {
	if nada {
		w.numero(0)
		return false
	}
	w.numero(uint64(n) + 1)
	return true
}

func (w *escritor) existe(sim bool) bool { return w.tamanho(0, !sim) }

// instante writes a time in UTC, to the millisecond.
func (w *escritor) instante(t time.Time) {
	if w.existe(t != time.Time{}) {
		ms := t.UnixMilli()
		w.falhou = w.falhou || time.UnixMilli(ms).UTC() != t
		w.b = binary.AppendVarint(w.b, ms)
	}
}
