package tarefa

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// A text begins with a number, whose two lowest bits say what it is.
const (
	textoInteiro  = iota // 0: the rest is the length of the bytes that follow
	textoRepetido        // the rest is its place among the texts so far
	textoUUID            // digits in formaUUID follow
	textoRastro          // digits in formaRastro follow
)

// textosFixos are the texts that most Tasks have.
var textosFixos = [...]string{
	string(a2a.TaskStateCompleted), string(a2a.TaskStateFailed), string(a2a.TaskStateCanceled), string(a2a.TaskStateRejected),
	string(a2a.MessageRoleUser), string(a2a.MessageRoleAgent),
}

// textos are those of a Task that are not written a second time: a message
// repeats the ids of its Task and of its context. Writer and reader keep the
// same. Their places come after those of textosFixos.
type textos []string

func novosTextos() textos { return make(textos, 0, 16) }

func (ts textos) lugar(s string) (uint64, bool) {
	if i := slices.Index(textosFixos[:], s); i >= 0 {
		return uint64(i), true
	}
	i := slices.Index(ts, s)
	return uint64(i + len(textosFixos)), i >= 0
}

func (ts textos) em(lugar uint64) string {
	if lugar < uint64(len(textosFixos)) {
		return textosFixos[lugar]
	}
	return ts[lugar-uint64(len(textosFixos))]
}

// lembrar takes a text in, when it is long enough to be worth it and there are
// not so many that looking one up would take long.
func (ts *textos) lembrar(s string) {
	if len(s) >= 4 && len(*ts) < 64 {
		*ts = append(*ts, s)
	}
}

func (w *escritor) texto(s string) {
	if lugar, ok := w.textos.lugar(s); ok {
		w.numero(lugar<<2 | textoRepetido)
		return
	}
	w.textos.lembrar(s)
	antes := len(w.b)
	w.numero(textoUUID)
	if w.b = formaUUID.empacotar(w.b, s); len(w.b) > antes+1 {
		return
	}
	w.b[antes] = textoRastro
	if w.b = formaRastro.empacotar(w.b, s); len(w.b) > antes+1 {
		return
	}
	w.b = w.b[:antes]
	w.numero(uint64(len(s)) << 2) // textoInteiro
	w.b = append(w.b, s...)
}

func (r *leitor) texto() string {
	n := r.numero()
	var s string
	switch n & 3 {
	case textoRepetido:
		return r.textos.em(n >> 2)
	case textoUUID:
		s = formaUUID.desempacotar(r.tirar(formaUUID.digitos / 2))
	case textoRastro:
		s = formaRastro.desempacotar(r.tirar(formaRastro.digitos / 2))
	default:
		s = r.tirar(int(n >> 2))
	}
	r.textos.lembrar(s)
	return s
}

// forma is a text of lower-case hexadecimal digits in groups, with hyphens
// between them.
type forma struct {
	grupos  []int // how many digits each has, an even number
	digitos int   // how many there are
}

var (
	formaUUID   = forma{[]int{8, 4, 4, 4, 12}, 32}
	formaRastro = forma{[]int{2, 32, 16, 2}, 52} // a traceparent
)

// empacotar appends a text, two digits a byte, or nothing when it is not of the
// form.
func (f *forma) empacotar(b []byte, s string) []byte {
	if len(s) != f.digitos+len(f.grupos)-1 {
		return b
	}
	p := b
	for i, grupo := range f.grupos {
		if i > 0 {
			if s[0] != '-' {
				return b
			}
			s = s[1:]
		}
		for j := 0; j < grupo; j += 2 {
			alto, baixo := valorDoDigito[s[j]], valorDoDigito[s[j+1]]
			if alto|baixo > 15 {
				return b
			}
			p = append(p, alto<<4|baixo)
		}
		s = s[grupo:]
	}
	return p
}

// desempacotar returns the text that empacotar packed.
func (f *forma) desempacotar(p string) string {
	b := make([]byte, 0, 64)
	for i, grupo := range f.grupos {
		if i > 0 {
			b = append(b, '-')
		}
		for j := 0; j < grupo; j += 2 {
			b = append(b, digitos[p[j/2]>>4], digitos[p[j/2]&15])
		}
		p = p[grupo/2:]
	}
	return string(b)
}

const digitos = "0123456789abcdef"

// valorDoDigito is above 15 for what is no digit.
var valorDoDigito = func() (valores [256]byte) {
	for i := range valores {
		valores[i] = 255
	}
	for i, c := range digitos {
		valores[c] = byte(i)
	}
	return valores
}()
