package tarefa

import "github.com/a2aproject/a2a-go/v2/a2a"

// What things take in memory, in bytes: about, and rather too much than too
// little, for whatever a caller can send counts.
const (
	tamanhoDaTask     = 600 // the record, and what finds it
	tamanhoDaMensagem = 300 // the structures, beside what they hold
	tamanhoDaParte    = 150
	tamanhoDoValor    = 64 // a value of JSON, or a text in a list
)

// Tamanho is about how many bytes the Task takes in memory.
func (t *Tarefa) Tamanho() int {
	n := tamanhoDaTask + len(t.ID) + len(t.Contexto) + len(t.Rastro)
	for _, m := range t.Historico {
		n += tamanho(m)
	}
	for _, a := range t.Artefatos {
		n += tamanhoDaMensagem + len(a.ID) + len(a.Name) + len(a.Description) +
			tamanhoDasPartes(a.Parts) + tamanhoDosTextos(a.Extensions) + tamanhoDoObjeto(a.Metadata)
	}
	n += tamanhoDosTextos(t.Estados)
	if t.Chamada != nil {
		n += len(t.Chamada.Verbo) + len(t.Chamada.Ferramenta) + len(t.Chamada.Argumentos)
	}
	if t.Pausa != nil {
		for _, q := range t.Pausa.Perguntas {
			n += len(q.Chave) + len(q.Mensagem) + len(q.Esquema)
		}
	}
	return n
}

// tamanho is about how many bytes a message takes.
func tamanho(m *a2a.Message) int {
	n := tamanhoDaMensagem + len(m.ID) + len(m.TaskID) + len(m.ContextID) + len(m.Role) +
		tamanhoDasPartes(m.Parts) + tamanhoDosTextos(m.Extensions) + tamanhoDoObjeto(m.Metadata)
	for _, id := range m.ReferenceTasks {
		n += tamanhoDoValor + len(id)
	}
	return n
}

func tamanhoDasPartes(partes a2a.ContentParts) int {
	n := 0
	for _, p := range partes {
		n += tamanhoDaParte
		if p == nil {
			continue
		}
		n += len(p.Filename) + len(p.MediaType) + tamanhoDoObjeto(p.Metadata)
		switch c := p.Content.(type) {
		case a2a.Text:
			n += len(c)
		case a2a.Raw:
			n += len(c)
		case a2a.URL:
			n += len(c)
		case a2a.Data:
			n += tamanhoDeValor(c.Value)
		}
	}
	return n
}

func tamanhoDosTextos(textos []string) int {
	n := 0
	for _, s := range textos {
		n += tamanhoDoValor + len(s)
	}
	return n
}

func tamanhoDoObjeto(o map[string]any) int {
	n := 0
	for nome, v := range o {
		n += tamanhoDoValor + len(nome) + tamanhoDeValor(v)
	}
	return n
}

// tamanhoDeValor is about how many bytes a value takes that came out of JSON.
func tamanhoDeValor(v any) int {
	n := tamanhoDoValor
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, e := range v {
			n += tamanhoDeValor(e)
		}
	case map[string]any:
		n += tamanhoDoObjeto(v)
	}
	return n
}
