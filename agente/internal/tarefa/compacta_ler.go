package tarefa

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// descompactar returns the Task that [compactar] wrote: another one each time.
// Its texts are parts of s.
func descompactar(s string) *Tarefa {
	r := leitor{s: s, textos: novosTextos()}
	return r.tarefa()
}

type leitor struct {
	s      string // what is still to be read
	textos textos
}

// tirar takes the next n bytes.
func (r *leitor) tirar(n int) string {
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

func (r *leitor) numero() uint64 {
	var n uint64
	for i := 0; ; i++ {
		c := r.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.s = r.s[i+1:]
			return n
		}
	}
}

// inteiro reads what binary.AppendVarint wrote.
func (r *leitor) inteiro() int64 {
	n := r.numero()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *leitor) tarefa() *Tarefa {
	t := &Tarefa{
		ID:        r.texto(),
		Contexto:  r.texto(),
		Versao:    r.inteiro(),
		Estado:    a2a.TaskState(r.texto()),
		Mudada:    r.instante(),
		Prazo:     r.instante(),
		Historico: lerLista(r, r.mensagem),
	}
	switch r.numero() {
	case palavraUltima:
		t.Palavra = t.Historico[len(t.Historico)-1]
	case palavraSolta:
		t.Palavra = r.mensagem()
	}
	t.Artefatos = lerLista(r, r.artefato)
	t.Rastro = r.texto()
	if r.existe() {
		t.Chamada = &Chamada{Verbo: r.texto(), Ferramenta: r.texto(), Argumentos: json.RawMessage(r.bytes())}
	}
	return t
}

func (r *leitor) mensagem() *a2a.Message {
	if !r.existe() {
		return nil
	}
	return &a2a.Message{
		ID:             r.texto(),
		Role:           a2a.MessageRole(r.texto()),
		TaskID:         a2a.TaskID(r.texto()),
		ContextID:      r.texto(),
		Parts:          lerLista(r, r.parte),
		Extensions:     lerLista(r, r.texto),
		Metadata:       r.objeto(),
		ReferenceTasks: lerLista(r, func() a2a.TaskID { return a2a.TaskID(r.texto()) }),
	}
}

func (r *leitor) artefato() *a2a.Artifact {
	if !r.existe() {
		return nil
	}
	return &a2a.Artifact{
		ID:          a2a.ArtifactID(r.texto()),
		Name:        r.texto(),
		Description: r.texto(),
		Parts:       lerLista(r, r.parte),
		Extensions:  lerLista(r, r.texto),
		Metadata:    r.objeto(),
	}
}

func (r *leitor) parte() *a2a.Part {
	p := &a2a.Part{}
	switch r.numero() {
	case parteNenhuma:
		return nil
	case parteTexto:
		p.Content = a2a.Text(r.texto())
	case parteBytes:
		p.Content = a2a.Raw(r.bytes())
	case parteDados:
		p.Content = a2a.Data{Value: r.valor()}
	case parteURL:
		p.Content = a2a.URL(r.texto())
	}
	p.Filename, p.MediaType, p.Metadata = r.texto(), r.texto(), r.objeto()
	return p
}

func (r *leitor) valor() any {
	switch r.numero() {
	case valorFalso:
		return false
	case valorVerdadeiro:
		return true
	case valorNumero:
		return math.Float64frombits(binary.LittleEndian.Uint64([]byte(r.tirar(8))))
	case valorTexto:
		return r.texto()
	case valorLista:
		return lerLista(r, r.valor)
	case valorObjeto:
		return r.objeto()
	}
	return nil
}

func (r *leitor) objeto() map[string]any {
	n, ok := r.tamanho()
	if !ok {
		return nil
	}
	o := make(map[string]any, n)
	for range n {
		k := r.texto()
		o[k] = r.valor()
	}
	return o
}

func lerLista[T any](r *leitor, um func() T) []T {
	n, ok := r.tamanho()
	if !ok {
		return nil
	}
	xs := make([]T, n)
	for i := range xs {
		xs[i] = um()
	}
	return xs
}

func (r *leitor) bytes() []byte {
	n, ok := r.tamanho()
	if !ok {
		return nil
	}
	return []byte(r.tirar(n))
}

// tamanho reports false for nothing, as nil.
func (r *leitor) tamanho() (int, bool) {
	n := r.numero()
	return int(n) - 1, n > 0
}

func (r *leitor) existe() bool {
	_, ok := r.tamanho()
	return ok
}

func (r *leitor) instante() time.Time {
	if !r.existe() {
		return time.Time{}
	}
	return time.UnixMilli(r.inteiro()).UTC()
}
