package banco

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Every field of a Task, also one that is added tomorrow, has to come back. A
// field that this test cannot fill, or that the record forgets, fails it.
func TestRegistroGuardaTodosOsCampos(t *testing.T) {
	var tk tarefa.Tarefa
	preencher(t, "Tarefa", reflect.ValueOf(&tk).Elem(), new(int))
	b := &Banco{}
	l, err := b.escrever(&tk)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.ler(l)
	if err != nil {
		t.Fatal(err)
	}
	g, w := reflect.ValueOf(*got), reflect.ValueOf(tk)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			gj, _ := json.Marshal(g.Field(i).Interface())
			wj, _ := json.Marshal(w.Field(i).Interface())
			t.Errorf("%s: got\n%s\nwant\n%s", g.Type().Field(i).Name, gj, wj)
		}
	}
}

// preencher gives every field below v a value of its own.
func preencher(t *testing.T, onde string, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(agora.Add(time.Duration(*n) * time.Second)))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{ "n": %d }`, *n))))
		return
	case a2a.ContentParts:
		v.Set(reflect.ValueOf(a2a.ContentParts{
			{Content: a2a.Text(fmt.Sprint(*n)), Filename: "a", MediaType: "b", Metadata: map[string]any{"c": 1.0}},
			{Content: a2a.Raw{1}}, {Content: a2a.URL("u")}, {Content: a2a.Data{Value: []any{nil}}},
		}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", onde, *n))
	case reflect.Int64, reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		preencher(t, onde, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			preencher(t, onde, v.Index(i), n)
		}
	case reflect.Map:
		if v.Type() != reflect.TypeFor[map[string]any]() {
			t.Fatalf("%s: do not know how to fill a %s", onde, v.Type())
		}
		v.Set(reflect.ValueOf(map[string]any{onde: float64(*n), "nada": nil}))
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				t.Fatalf("%s.%s is not exported: the record cannot keep it", onde, f.Name)
			}
			preencher(t, onde+"."+f.Name, v.Field(i), n)
		}
	default:
		t.Fatalf("%s: do not know how to fill a %s", onde, v.Type())
	}
}

// A part that gains a field has to gain it here too.
func TestCamposDeParte(t *testing.T) {
	if n := reflect.TypeFor[a2a.Part]().NumField(); n != 4 {
		t.Errorf("a2a.Part has %d fields, the record knows 4", n)
	}
}

func TestRegistroDeOutraVersao(t *testing.T) {
	raw, err := codificar(nova())
	if err != nil {
		t.Fatal(err)
	}
	novo := bytes.Replace(raw, []byte(`"v":1`), []byte(`"v":2`), 1)
	if _, err := decodificar(novo); !errors.Is(err, errRegistroNovo) {
		t.Errorf("a newer version: want errRegistroNovo, got %v", err)
	}
	if _, err := decodificar([]byte(`{"v":2,"historico":"de outro feitio"}`)); !errors.Is(err, errRegistroNovo) {
		t.Errorf("a newer version of another shape: want errRegistroNovo, got %v", err)
	}
	comMais := bytes.Replace(raw, []byte(`"v":1`), []byte(`"v":1,"desconhecido":[1]`), 1)
	if _, err := decodificar(comMais); err != nil {
		t.Errorf("an unknown field of the same version: %v", err)
	}
	for _, mau := range []string{"", "{}", "null", `{"v":0}`, `{"v":"segredo"}`, `{"v":1,"historico":"segredo"}`, "segredo"} {
		if _, err := decodificar([]byte(mau)); err == nil || errors.Is(err, errRegistroNovo) || strings.Contains(err.Error(), "segredo") {
			t.Errorf("%q: want an error that does not quote it, got %v", mau, err)
		}
	}
}

// What lies on disk today has to be read tomorrow: the records of version 1, as
// they were written.
func TestRegistroVersao1(t *testing.T) {
	const registro = `{"v":1,"marca":"AAAAAAAAAAAAAAAAAAAAAA==","contexto":"c","rastro":"r",` +
		`"chamada":{"verbo":"v","ferramenta":"f","argumentos":"{ }"},` +
		`"historico":[{"id":"m1","papel":"ROLE_USER","task":"t","contexto":"c","partes":[{"tipo":"texto","texto":"oi"},{"tipo":"bytes","bytes":"AQI="},{"tipo":"dados","dados":{"n":1}},{"tipo":"url","texto":"u","arquivo":"a","midia":"m"}],"extensoes":["e"],"metadados":{"k":null},"referencias":["t0"]},` +
		`{"id":"m2","papel":"ROLE_AGENT"}],"ultimaPalavra":true,"artefatos":[{"id":"a","nome":"n","descricao":"d","partes":[]}]}`
	const segredo = "\x00" + `{"v":1,"estados":["e1"],"pausa":{"requestState":"e1","perguntas":[{"chave":"k","mensagem":"?","esquema":"{}"}]}}`
	got, err := (&Banco{}).ler(linha{
		id: "t", estado: "TASK_STATE_INPUT_REQUIRED", versao: 3, mudada: 1_000, prazo: 0,
		registro: []byte(registro), pausa: []byte(segredo),
	})
	if err != nil {
		t.Fatal(err)
	}
	m2 := &a2a.Message{ID: "m2", Role: a2a.MessageRoleAgent}
	want := &tarefa.Tarefa{
		ID: "t", Contexto: "c", Versao: 3, Estado: a2a.TaskStateInputRequired, Mudada: time.Unix(1, 0).UTC(), Rastro: "r",
		Chamada: &tarefa.Chamada{Verbo: "v", Ferramenta: "f", Argumentos: json.RawMessage("{ }")},
		Historico: []*a2a.Message{{
			ID: "m1", Role: a2a.MessageRoleUser, TaskID: "t", ContextID: "c", Extensions: []string{"e"},
			Metadata: map[string]any{"k": nil}, ReferenceTasks: []a2a.TaskID{"t0"},
			Parts: a2a.ContentParts{
				{Content: a2a.Text("oi")}, {Content: a2a.Raw{1, 2}}, {Content: a2a.Data{Value: map[string]any{"n": 1.0}}},
				{Content: a2a.URL("u"), Filename: "a", MediaType: "m"},
			},
		}, m2},
		Palavra:   m2,
		Artefatos: []*a2a.Artifact{{ID: "a", Name: "n", Description: "d", Parts: a2a.ContentParts{}}},
		Estados:   []string{"e1"},
		Pausa:     &tarefa.Pausa{RequestState: "e1", Perguntas: []tarefa.Pergunta{{Chave: "k", Mensagem: "?", Esquema: json.RawMessage("{}")}}},
	}
	if !reflect.DeepEqual(got, want) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}
