package conforme

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// cheia is a Task with something in every field.
func cheia() *tarefa.Tarefa {
	m := mensagem("contexto", "pedido")
	m.Extensions = []string{"https://exemplo/x"}
	m.Metadata = map[string]any{"n": 1.5, "grande": float64(1 << 60), "nulo": nil, "lista": []any{"a", true, map[string]any{}}}
	m.ReferenceTasks = []a2a.TaskID{"t1", "t2"}
	tk, err := tarefa.Nova(m, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", agora).Com(tarefa.Iniciar, agora)
	if err != nil {
		panic(err)
	}
	return tk.AtePrazo(agora.Add(17*time.Millisecond)).
		Chamando(tarefa.Chamada{Verbo: "verbo", Ferramenta: "ferramenta", Argumentos: json.RawMessage(`{"b":1, "a":"<&>", "n": 12345678901234567890}`)}).
		Pausando(&tarefa.Pausa{RequestState: "primeiro"}).
		Pausando(&tarefa.Pausa{RequestState: "segundo", Perguntas: []tarefa.Pergunta{
			{Chave: "k1", Mensagem: "Qual?", Esquema: json.RawMessage("{ \"type\":\t\"object\" }")},
			{Chave: "k2", Mensagem: "E?"},
		}}).
		Produzindo(&a2a.Artifact{
			ID: "a1", Name: "nome", Description: "descricao", Extensions: []string{"e"},
			Metadata: map[string]any{"k": "v"}, Parts: a2a.ContentParts{a2a.NewTextPart("um"), a2a.NewTextPart("dois")},
		}).
		Produzindo(&a2a.Artifact{ID: "a2"}).
		Dizendo("linha 1", "linha 2")
}

// Every field comes back, from Criar and from Trocar.
func idaEVolta(t *testing.T, s tarefa.Store) {
	tk := cheia()
	criada, err := s.Criar(t.Context(), tk)
	if err != nil {
		t.Fatal(err)
	}
	want := *tk
	want.Versao = 1
	iguais(t, criada, &want)
	got := lida(t, s, tk.ID)
	iguais(t, got, &want)
	if got.Palavra != got.Historico[len(got.Historico)-1] {
		t.Error("the agent's word is the last message, not another one like it")
	}
	if p := listada(t, s, tarefa.Filtro{Limite: 1}); p.Total != 1 {
		t.Errorf("want 1 task, got %d", p.Total)
	} else {
		iguais(t, p.Tarefas[0], &want)
	}

	// The same with every field's zero.
	vazia := tarefa.Tarefa{ID: tk.ID, Versao: 1, Estado: a2a.TaskStateWorking}
	if _, err := s.Trocar(t.Context(), &vazia); err != nil {
		t.Fatal(err)
	}
	vazia.Versao = 2
	iguais(t, lida(t, s, tk.ID), &vazia)
	if p := listada(t, s, tarefa.Filtro{Contexto: tk.Contexto, Limite: 1}); p.Total != 0 {
		t.Errorf("want no task in a context that it left, got %d", p.Total)
	}
	// A word that is not in the history.
	solta := vazia
	solta.Palavra = mensagem("", "solta")
	solta.Historico = []*a2a.Message{mensagem("", "outra")}
	guardar(t, s, &solta)
	solta.Versao = 3
	iguais(t, lida(t, s, tk.ID), &solta)
}

// Every kind of part comes back as the kind that it was.
func partes(t *testing.T, s tarefa.Store) {
	bytes := make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	tk := tarefa.Nova(mensagem("", "x"), "", agora)
	m := *tk.Historico[0]
	m.Parts = a2a.ContentParts{
		{Content: a2a.Text("texto"), Filename: "f.txt", MediaType: "text/plain", Metadata: map[string]any{"k": []any{1.0}}},
		{Content: a2a.Text("")},
		{Content: a2a.Raw(bytes), Filename: "f.bin", MediaType: "application/octet-stream"},
		{Content: a2a.Raw{}},
		{Content: a2a.URL("https://exemplo/a?b=c&d=<e>"), MediaType: "text/html"},
		{Content: a2a.Data{Value: map[string]any{"a": map[string]any{"b": []any{nil, "c", 1e300, -0.5}}}}},
		{Content: a2a.Data{Value: []any{}}},
		{Content: a2a.Data{Value: "texto"}},
		{Content: a2a.Data{Value: ""}},
		{Content: a2a.Data{Value: 0.0}},
		{Content: a2a.Data{Value: false}},
		{Content: a2a.Data{Value: float64(1<<53 + 2)}},
		{Content: a2a.Data{}},
		{Metadata: map[string]any{}},
	}
	tk.Historico = []*a2a.Message{&m, {ID: "sem partes", Role: a2a.MessageRoleAgent}, {Parts: a2a.ContentParts{}}}
	tk.Artefatos = []*a2a.Artifact{{ID: "a", Parts: m.Parts}}
	if _, err := s.Criar(t.Context(), tk); err != nil {
		t.Fatal(err)
	}
	got := lida(t, s, tk.ID)
	for i, want := range m.Parts {
		for onde, ps := range map[string]a2a.ContentParts{"message": got.Historico[0].Parts, "artifact": got.Artefatos[0].Parts} {
			if i >= len(ps) || !reflect.DeepEqual(ps[i], want) {
				t.Errorf("%s, part %d: want %s, got %s", onde, i, mostrar(reflect.ValueOf(want)), mostrar(reflect.ValueOf(ps)))
			}
		}
	}
	want := *tk
	want.Versao = 1
	iguais(t, got, &want)
}

// Text is kept as it is, wherever it stands.
func textos(t *testing.T, s tarefa.Store) {
	for nome, texto := range map[string]string{
		"acentos":     "ação às 9h, coração",
		"outras":      "日本語 עברית 🏳️‍🌈 e\u0301",
		"nulos":       "a\x00b\x00",
		"controles":   "\x01\x1b[31m\r\n\t\u2028\u2029\u0085",
		"html e json": `<script>"&\u0000'` + "`",
		"substituto":  "\ufffd\ufeff",
		"sql":         "'; DELETE FROM tarefas; -- $1 ? %s",
		"longo":       strings.Repeat("çã\x00", 1<<12),
	} {
		t.Run(nome, func(t *testing.T) {
			tk := tarefa.Nova(mensagem(texto, texto), texto, agora)
			m := *tk.Historico[0]
			m.ID, m.Metadata, m.Extensions = texto, map[string]any{texto: texto}, []string{texto}
			tk.Historico = []*a2a.Message{&m}
			tk = tk.Chamando(tarefa.Chamada{Verbo: texto, Ferramenta: texto}).
				Pausando(&tarefa.Pausa{RequestState: texto, Perguntas: []tarefa.Pergunta{{Chave: texto, Mensagem: texto}}}).
				Produzindo(&a2a.Artifact{ID: a2a.ArtifactID(texto), Parts: a2a.ContentParts{a2a.NewDataPart(map[string]any{texto: texto}), a2a.NewTextPart(texto)}})
			criada, err := s.Criar(t.Context(), tk)
			if err != nil {
				t.Fatal(err)
			}
			want := *tk
			want.Versao = 1
			iguais(t, lida(t, s, tk.ID), &want)
			p := listada(t, s, tarefa.Filtro{Contexto: texto, Limite: 2})
			if p.Total != 1 || p.Tarefas[0].ID != tk.ID {
				t.Errorf("want the one task of this context, got %d", p.Total)
			}
			guardar(t, s, criada)
		})
	}
	t.Run("muito longo", func(t *testing.T) {
		tk := tarefa.Nova(mensagem("", strings.Repeat("ção ", 1<<19)), "", agora)
		if _, err := s.Criar(t.Context(), tk); err != nil {
			t.Fatal(err)
		}
		if got := lida(t, s, tk.ID).Historico[0].Parts[0].Text(); got != tk.Historico[0].Parts[0].Text() {
			t.Errorf("want the %d bytes, got %d", 3<<20, len(got))
		}
	})
	if p := listada(t, s, tarefa.Filtro{Contexto: "nenhum\x00", Limite: 1}); p.Total != 0 {
		t.Errorf("a context without tasks: got %d", p.Total)
	}
}

// A pause stays while an answer is under way, changes with the next question,
// and ends with the Task.
func pausa(t *testing.T, s tarefa.Store) {
	p1 := &tarefa.Pausa{RequestState: "e1", Perguntas: []tarefa.Pergunta{{Chave: "k", Mensagem: "?", Esquema: json.RawMessage(`{}`)}}}
	p2 := &tarefa.Pausa{RequestState: "e2"}
	tk := passar(t, s, nova(t, s, ""), agora, tarefa.Iniciar)
	mudar := func(e tarefa.Evento, p *tarefa.Pausa) {
		t.Helper()
		novo, err := tk.Com(e, agora)
		if err != nil {
			t.Fatal(err)
		}
		if !novo.Estado.Terminal() {
			novo = novo.Pausando(p)
		}
		tk = guardar(t, s, novo)
		iguais(t, lida(t, s, tk.ID), tk)
	}
	mudar(tarefa.Pausar, p1)
	mudar(tarefa.Insistir, p1)
	mudar(tarefa.Retomar, p1)
	mudar(tarefa.Pausar, p2)
	mudar(tarefa.Retomar, p2)
	if got := lida(t, s, tk.ID); got.Pausa == nil || got.Pausa.RequestState != "e2" {
		t.Errorf("want the pause of the last question, got %+v", got.Pausa)
	}
	mudar(tarefa.Concluir, nil)
	if got := lida(t, s, tk.ID); got.Pausa != nil || got.Estados != nil {
		t.Errorf("want no pause after the end, got %+v", got)
	}
}
