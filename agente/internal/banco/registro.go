package banco

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// versaoRegistro is the version of the JSON in the columns registro and pausa.
// It grows when a field is added, so that an agent that does not know the field
// refuses the record instead of dropping what it holds. Every version up to it
// can be read.
const versaoRegistro = 1

// errRegistroNovo: a newer agent wrote the record.
var errRegistroNovo = errors.New("the record was written by a newer agent")

// registro is the part of a Task that no statement chooses by. Its JSON is of
// this package alone, not A2A's: every kind of part comes back as it was, the
// empty ones too, whatever the wire may say of them. Absent is nil, as far as
// "empty" and "none" differ in a field. Text is UTF-8, and metadata and data
// are what encoding/json makes of JSON: numbers are float64.
type registro struct {
	V int `json:"v"`
	// Marca is of this one write; see quemGravou.
	Marca     []byte      `json:"marca"`
	Contexto  string      `json:"contexto"`
	Rastro    string      `json:"rastro,omitzero"`
	Chamada   *chamada    `json:"chamada,omitzero"`
	Historico []*mensagem `json:"historico,omitzero"`
	// Palavra is absent when it is the last of Historico: then UltimaPalavra.
	Palavra       *mensagem   `json:"palavra,omitzero"`
	UltimaPalavra bool        `json:"ultimaPalavra,omitzero"`
	Artefatos     []*artefato `json:"artefatos,omitzero"`
}

type chamada struct {
	Verbo      string `json:"verbo"`
	Ferramenta string `json:"ferramenta"`
	Argumentos string `json:"argumentos,omitzero"` // JSON, byte for byte
}

type mensagem struct {
	ID          string         `json:"id"`
	Papel       string         `json:"papel"`
	Task        string         `json:"task,omitzero"`
	Contexto    string         `json:"contexto,omitzero"`
	Partes      []*parte       `json:"partes,omitzero"`
	Extensoes   []string       `json:"extensoes,omitzero"`
	Metadados   map[string]any `json:"metadados,omitzero"`
	Referencias []a2a.TaskID   `json:"referencias,omitzero"`
}

type artefato struct {
	ID        string         `json:"id"`
	Nome      string         `json:"nome,omitzero"`
	Descricao string         `json:"descricao,omitzero"`
	Partes    []*parte       `json:"partes,omitzero"`
	Extensoes []string       `json:"extensoes,omitzero"`
	Metadados map[string]any `json:"metadados,omitzero"`
}

// The kinds of parts; the empty one has no content.
const (
	tipoTexto = "texto"
	tipoBytes = "bytes"
	tipoDados = "dados"
	tipoURL   = "url"
)

type parte struct {
	Tipo      string         `json:"tipo,omitzero"`
	Texto     string         `json:"texto,omitzero"` // also a URL
	Bytes     []byte         `json:"bytes,omitzero"`
	Dados     any            `json:"dados,omitzero"`
	Arquivo   string         `json:"arquivo,omitzero"`
	Midia     string         `json:"midia,omitzero"`
	Metadados map[string]any `json:"metadados,omitzero"`
}

// codificar writes what goes into the column registro.
func codificar(t *tarefa.Tarefa) ([]byte, error) {
	r := registro{
		V:         versaoRegistro,
		Marca:     make([]byte, 16),
		Contexto:  t.Contexto,
		Rastro:    t.Rastro,
		Historico: todos(t.Historico, deMensagem),
		Artefatos: todos(t.Artefatos, deArtefato),
	}
	_, _ = rand.Read(r.Marca) // never fails: crypto/rand ends the process first
	if c := t.Chamada; c != nil {
		r.Chamada = &chamada{Verbo: c.Verbo, Ferramenta: c.Ferramenta, Argumentos: string(c.Argumentos)}
	}
	if n := len(t.Historico); n > 0 && t.Palavra != nil && t.Palavra == t.Historico[n-1] {
		r.UltimaPalavra = true
	} else {
		r.Palavra = deMensagem(t.Palavra)
	}
	return json.Marshal(r)
}

// decodificar reads what codificar wrote. The Task's id, state, version and
// instants are in other columns.
func decodificar(raw []byte) (*tarefa.Tarefa, error) {
	var r registro
	if err := lerVersao(raw, &r, &r.V); err != nil {
		return nil, err
	}
	t := &tarefa.Tarefa{Contexto: r.Contexto, Rastro: r.Rastro}
	if c := r.Chamada; c != nil {
		t.Chamada = &tarefa.Chamada{Verbo: c.Verbo, Ferramenta: c.Ferramenta, Argumentos: bruto(c.Argumentos)}
	}
	t.Historico = todos(r.Historico, paraMensagem)
	t.Palavra = paraMensagem(r.Palavra)
	if n := len(t.Historico); r.UltimaPalavra && n > 0 {
		t.Palavra = t.Historico[n-1]
	}
	t.Artefatos = todos(r.Artefatos, paraArtefato)
	return t, nil
}

// lerVersao decodes raw into v, whose version is *versao then.
func lerVersao(raw []byte, v any, versao *int) error {
	err := json.Unmarshal(raw, v)
	switch {
	case *versao > versaoRegistro:
		return fmt.Errorf("%w (version %d, this agent knows up to %d)", errRegistroNovo, *versao, versaoRegistro)
	case err != nil || *versao < 1:
		// What encoding/json says may quote what it read.
		return errors.New("the record is not as an agent writes it")
	}
	return nil
}

// todos applies f to each element; nil stays nil.
func todos[A, B any](as []A, f func(A) B) []B {
	if as == nil {
		return nil
	}
	bs := make([]B, len(as))
	for i, a := range as {
		bs[i] = f(a)
	}
	return bs
}

func bruto(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func deMensagem(m *a2a.Message) *mensagem {
	if m == nil {
		return nil
	}
	return &mensagem{
		ID:          m.ID,
		Papel:       string(m.Role),
		Task:        string(m.TaskID),
		Contexto:    m.ContextID,
		Partes:      todos(m.Parts, deParte),
		Extensoes:   m.Extensions,
		Metadados:   m.Metadata,
		Referencias: m.ReferenceTasks,
	}
}

func paraMensagem(m *mensagem) *a2a.Message {
	if m == nil {
		return nil
	}
	return &a2a.Message{
		ID:             m.ID,
		Role:           a2a.MessageRole(m.Papel),
		TaskID:         a2a.TaskID(m.Task),
		ContextID:      m.Contexto,
		Parts:          todos(m.Partes, paraParte),
		Extensions:     m.Extensoes,
		Metadata:       m.Metadados,
		ReferenceTasks: m.Referencias,
	}
}

func deArtefato(a *a2a.Artifact) *artefato {
	if a == nil {
		return nil
	}
	return &artefato{
		ID:        string(a.ID),
		Nome:      a.Name,
		Descricao: a.Description,
		Partes:    todos(a.Parts, deParte),
		Extensoes: a.Extensions,
		Metadados: a.Metadata,
	}
}

func paraArtefato(a *artefato) *a2a.Artifact {
	if a == nil {
		return nil
	}
	return &a2a.Artifact{
		ID:          a2a.ArtifactID(a.ID),
		Name:        a.Nome,
		Description: a.Descricao,
		Parts:       todos(a.Partes, paraParte),
		Extensions:  a.Extensoes,
		Metadata:    a.Metadados,
	}
}

func deParte(p *a2a.Part) *parte {
	if p == nil {
		return nil
	}
	r := &parte{Arquivo: p.Filename, Midia: p.MediaType, Metadados: p.Metadata}
	switch c := p.Content.(type) {
	case a2a.Text:
		r.Tipo, r.Texto = tipoTexto, string(c)
	case a2a.Raw:
		r.Tipo, r.Bytes = tipoBytes, c
	case a2a.Data:
		r.Tipo, r.Dados = tipoDados, c.Value
	case a2a.URL:
		r.Tipo, r.Texto = tipoURL, string(c)
	}
	return r
}

func paraParte(r *parte) *a2a.Part {
	if r == nil {
		return nil
	}
	p := &a2a.Part{Filename: r.Arquivo, MediaType: r.Midia, Metadata: r.Metadados}
	switch r.Tipo {
	case tipoTexto:
		p.Content = a2a.Text(r.Texto)
	case tipoBytes:
		p.Content = a2a.Raw(r.Bytes)
	case tipoDados:
		p.Content = a2a.Data{Value: r.Dados}
	case tipoURL:
		p.Content = a2a.URL(r.Texto)
	}
	return p
}
