package tarefa

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"
)

// sorteio makes Tasks that have ended out of any bytes: each of them decides
// something. Past the last one everything is the smallest there is.
type sorteio struct{ b []byte }

func (s *sorteio) ate(n int) int {
	if len(s.b) == 0 {
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return int(c) % n
}

func (s *sorteio) texto() string {
	switch s.ate(9) {
	case 0:
		return ""
	case 1:
		n := min(s.ate(256), len(s.b))
		t := string(s.b[:n])
		s.b = s.b[n:]
		return t
	case 2:
		var u uuid.UUID
		s.b = s.b[copy(u[:], s.b):]
		return u.String()
	case 3:
		return strings.ToUpper(uuid.NewString())
	case 4:
		return "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	case 5:
		return "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_0g"
	case 6:
		return string(a2a.MessageRoleUser)
	case 7:
		return strings.Repeat("çã\x00\xff", s.ate(256)*s.ate(8))
	}
	return "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
}

func sortearLista[T any](s *sorteio, um func() T) []T {
	n := s.ate(5) - 1
	if n < 0 {
		return nil
	}
	xs := make([]T, n)
	for i := range xs {
		xs[i] = um()
	}
	return xs
}

func (s *sorteio) bytes() []byte {
	return sortearLista(s, func() byte { return byte(s.ate(256)) })
}

func (s *sorteio) valor() any {
	switch s.ate(8) {
	case 1:
		return true
	case 2:
		return false
	case 3:
		return []float64{0, 1, -0.5, 1e300, 1 << 53, -5e-324}[s.ate(6)]
	case 4:
		return s.texto()
	case 5:
		return sortearLista(s, s.valor)
	case 6:
		return s.objeto()
	}
	return nil
}

func (s *sorteio) objeto() map[string]any {
	n := s.ate(4) - 1
	if n < 0 {
		return nil
	}
	o := map[string]any{}
	for range n {
		o[s.texto()] = s.valor()
	}
	return o
}

func (s *sorteio) parte() *a2a.Part {
	p := &a2a.Part{}
	switch s.ate(6) {
	case 0:
		return nil
	case 1:
		p.Content = a2a.Text(s.texto())
	case 2:
		p.Content = a2a.Raw(s.bytes())
	case 3:
		p.Content = a2a.Data{Value: s.valor()}
	case 4:
		p.Content = a2a.URL(s.texto())
	}
	p.Filename, p.MediaType, p.Metadata = s.texto(), s.texto(), s.objeto()
	return p
}

func (s *sorteio) mensagem() *a2a.Message {
	if s.ate(20) == 1 {
		return nil
	}
	return &a2a.Message{
		ID: s.texto(), ContextID: s.texto(), TaskID: a2a.TaskID(s.texto()), Role: a2a.MessageRole(s.texto()),
		Parts: sortearLista(s, s.parte), Extensions: sortearLista(s, s.texto), Metadata: s.objeto(),
		ReferenceTasks: sortearLista(s, func() a2a.TaskID { return a2a.TaskID(s.texto()) }),
	}
}

func (s *sorteio) artefato() *a2a.Artifact {
	if s.ate(20) == 1 {
		return nil
	}
	return &a2a.Artifact{
		ID: a2a.ArtifactID(s.texto()), Name: s.texto(), Description: s.texto(),
		Parts: sortearLista(s, s.parte), Extensions: sortearLista(s, s.texto), Metadata: s.objeto(),
	}
}

func (s *sorteio) instante() time.Time {
	return []time.Time{{}, instante(agora), time.UnixMilli(0).UTC(), time.UnixMilli(-1).UTC(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}[s.ate(5)]
}

func (s *sorteio) tarefa() *Tarefa {
	t := &Tarefa{
		ID: s.texto(), Contexto: s.texto(), Versao: int64(s.ate(256)) << (s.ate(8) * 8),
		Estado: []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled, a2a.TaskStateRejected}[s.ate(4)],
		Mudada: s.instante(), Prazo: s.instante(), Rastro: s.texto(),
		Historico: sortearLista(s, s.mensagem), Artefatos: sortearLista(s, s.artefato),
	}
	switch n := len(t.Historico); {
	case s.ate(3) == 0 && n > 0:
		t.Palavra = t.Historico[n-1]
	case s.ate(2) == 0:
		t.Palavra = s.mensagem()
	}
	if s.ate(2) == 0 {
		t.Chamada = &Chamada{Verbo: s.texto(), Ferramenta: s.texto(), Argumentos: s.bytes()}
	}
	return t
}

// voltou fails when a Task does not come back exactly as it was: nil and empty
// are not the same, and the current word is the last message when it was.
func voltou(t *testing.T, tk *Tarefa) {
	t.Helper()
	b, ok := compactar(tk)
	if !ok {
		t.Fatalf("want it compact: %+v", tk)
	}
	got := descompactar(string(b))
	if !reflect.DeepEqual(got, tk) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(tk)
		t.Fatalf("got\n%s\nwant\n%s", g, w)
	}
	if n := len(tk.Historico); n > 0 && tk.Palavra != nil && (tk.Palavra == tk.Historico[n-1]) != (got.Palavra == got.Historico[n-1]) {
		t.Fatal("the agent's word is the last message, not another one like it")
	}
}

func TestCompactarDevolveTudo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		b := make([]byte, r.IntN(600))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		voltou(t, (&sorteio{b}).tarefa())
	}
	voltou(t, viver(t, NovaMemoria(1, 1<<30), 1))
	// More texts than are remembered.
	tk := Nova(mensagem("m", "x"), "", agora)
	for range 2 {
		for i := range 100 {
			tk = tk.Dizendo(strings.Repeat("x", i))
		}
	}
	voltou(t, tk)
}

func FuzzCompactar(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x02123456789012345678\x01\x05abcde\x02\x01\x00\x01\x00\x03\x02\x02\x02\x02\x02\x03\x05\x06\x03\x04\x05"))
	f.Fuzz(func(t *testing.T, b []byte) {
		voltou(t, (&sorteio{b}).tarefa())
	})
}

// A field that is added tomorrow has to be written too.
func TestCompactarConheceOsCampos(t *testing.T) {
	for tipo, n := range map[reflect.Type]int{
		reflect.TypeFor[Tarefa]():       13,
		reflect.TypeFor[Chamada]():      3,
		reflect.TypeFor[a2a.Message]():  8,
		reflect.TypeFor[a2a.Artifact](): 6,
		reflect.TypeFor[a2a.Part]():     4,
	} {
		if got := tipo.NumField(); got != n {
			t.Errorf("%s has %d fields, compactar knows %d", tipo, got, n)
		}
	}
}

// What has no place in the form stays as it is.
func TestTerminadasQueFicamInteiras(t *testing.T) {
	s := NovaMemoria(10, 1<<30)
	com := func(muda func(*Tarefa)) *Tarefa {
		tk, _ := Nova(mensagem("m", "x"), "", agora).Com(Cancelar, agora)
		muda(tk)
		return tk
	}
	for nome, tk := range map[string]*Tarefa{
		"pause":         com(func(t *Tarefa) { t.Pausa = &Pausa{RequestState: "e"} }),
		"states":        com(func(t *Tarefa) { t.Estados = []string{} }),
		"fine instant":  com(func(t *Tarefa) { t.Mudada = t.Mudada.Add(1) }),
		"another place": com(func(t *Tarefa) { t.Prazo = agora.Truncate(time.Millisecond) }),
		"no JSON":       com(func(t *Tarefa) { t.Artefatos = []*a2a.Artifact{{Metadata: map[string]any{"a": []any{int64(1)}}}} }),
		"no content":    com(func(t *Tarefa) { t.Artefatos = []*a2a.Artifact{{Parts: a2a.ContentParts{{Content: new(a2a.Text)}}}} }),
	} {
		if _, ok := compactar(tk); ok {
			t.Errorf("%s: want it refused", nome)
		}
		criada, err := s.Criar(t.Context(), tk)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Ler(t.Context(), tk.ID); err != nil || !reflect.DeepEqual(got, criada) {
			t.Errorf("%s: want it back, got %+v, %v", nome, got, err)
		}
	}
	conferir(t, s)
	if n, err := s.Esquecer(t.Context(), agora.Add(time.Second)); n != 6 || err != nil || s.bytes != 0 {
		t.Errorf("want all forgotten, got %d, %v, %d bytes", n, err, s.bytes)
	}
	conferir(t, s)
}
