package tarefa

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

const grande = 60 << 10

// cheias are messages that hold much in one place each, wherever a caller can put
// it.
func cheias() map[string]*a2a.Message {
	x := strings.Repeat("x", grande)
	nova := func(muda func(*a2a.Message)) *a2a.Message {
		m := mensagem("m", "texto")
		muda(m)
		return m
	}
	parte := func(p *a2a.Part) func(*a2a.Message) {
		return func(m *a2a.Message) { m.Parts = append(m.Parts, p) }
	}
	lista := make([]any, grande/64)
	return map[string]*a2a.Message{
		"text":               nova(parte(a2a.NewTextPart(x))),
		"bytes":              nova(parte(a2a.NewRawPart([]byte(x)))),
		"url":                nova(parte(a2a.NewFileURLPart(a2a.URL(x), ""))),
		"file name":          nova(parte(&a2a.Part{Content: a2a.Text(""), Filename: x})),
		"media type":         nova(parte(&a2a.Part{Content: a2a.Text(""), MediaType: x})),
		"data, a text":       nova(parte(a2a.NewDataPart(x))),
		"data, nested":       nova(parte(a2a.NewDataPart(map[string]any{"a": []any{map[string]any{"b": x}}}))),
		"data, a name":       nova(parte(a2a.NewDataPart(map[string]any{x: nil}))),
		"data, many nothing": nova(parte(a2a.NewDataPart(lista))),
		"metadata of a part": nova(parte(&a2a.Part{Content: a2a.Text(""), Metadata: map[string]any{"a": x}})),
		"metadata":           nova(func(m *a2a.Message) { m.Metadata = map[string]any{"a": x} }),
		"message id":         nova(func(m *a2a.Message) { m.ID = x }),
		"extensions":         nova(func(m *a2a.Message) { m.Extensions = []string{x} }),
		"many extensions":    nova(func(m *a2a.Message) { m.Extensions = make([]string, grande/64) }),
		"other tasks":        nova(func(m *a2a.Message) { m.ReferenceTasks = []a2a.TaskID{a2a.TaskID(x)} }),
	}
}

// Whatever a caller sends counts: a conversation does not grow past its bound, a
// store holds no more than it may, and a Task counts no more when it has ended.
func TestTudoConta(t *testing.T) {
	for onde, m := range cheias() {
		t.Run(onde, func(t *testing.T) {
			tk, _ := Nova(mensagem("m0", "pedido"), "", agora).Com(Iniciar, agora)
			tk, _ = tk.Com(Pausar, agora)
			for range 40 {
				tk = tk.Ouvindo(m, "").Dizendo("linha")
			}
			if len(tk.Historico) > 12 {
				t.Errorf("%d messages of %d bytes are kept, want about %d bytes of them", len(tk.Historico), grande, MaxTexto)
			}
			fim, _ := tk.Com(Falhar, agora)
			if b, ok := compactar(fim); !ok || len(b)+custoCompacta > tk.Tamanho() {
				t.Errorf("a Task counts %d bytes, and %d when it has ended", tk.Tamanho(), len(b)+custoCompacta)
			}
			contarNaStore(t, m)
		})
	}
	m := mensagem("m", "pedido")
	m.ContextID = strings.Repeat("c", grande)
	contarNaStore(t, m)
}

// contarNaStore opens Tasks until there is no more room.
func contarNaStore(t *testing.T, m *a2a.Message) {
	t.Helper()
	s := NovaMemoria(1000, 20*grande)
	n := 0
	for ; n < 1000; n++ {
		if _, err := s.Criar(context.Background(), Nova(m, "", agora)); err != nil {
			break
		}
	}
	if n < 5 || n > 20 {
		t.Errorf("a store with room for 20 messages of %d bytes took %d", grande, n)
	}
}
