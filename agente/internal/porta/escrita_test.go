package porta

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// tarefasDeTeste are Tasks of every shape that the writer tells apart.
func tarefasDeTeste(texto string) []*a2a.Task {
	quando := time.Date(2026, 11, 3, 12, 0, 0, 450_000_000, time.FixedZone("", -3*3600))
	parte := func(muda func(*a2a.Part)) *a2a.Part {
		p := a2a.NewTextPart(texto)
		muda(p)
		return p
	}
	mensagem := func(muda func(*a2a.Message), partes ...*a2a.Part) *a2a.Message {
		m := &a2a.Message{ID: texto, Role: a2a.MessageRoleUser, TaskID: a2a.TaskID(texto), ContextID: texto, Parts: partes}
		muda(m)
		return m
	}
	nada := func(*a2a.Message) {}
	mensagens := []*a2a.Message{
		mensagem(nada, a2a.NewTextPart(texto)),
		mensagem(nada, a2a.NewTextPart(texto), a2a.NewTextPart(""), a2a.NewDataPart(map[string]any{texto: 1.5}), a2a.NewRawPart([]byte(texto)), a2a.NewFileURLPart("https://x.example/<a>", texto)),
		mensagem(nada, parte(func(p *a2a.Part) { p.Filename = texto }), parte(func(p *a2a.Part) { p.MediaType = "text/plain" }), parte(func(p *a2a.Part) { p.Metadata = map[string]any{"a": "<&>"} })),
		mensagem(nada),
		mensagem(func(m *a2a.Message) { m.Parts = a2a.ContentParts{} }),
		mensagem(func(m *a2a.Message) { m.Parts = a2a.ContentParts{nil} }),
		mensagem(func(m *a2a.Message) { m.TaskID, m.ContextID, m.Role = "", "", "" }, a2a.NewTextPart(texto)),
		mensagem(func(m *a2a.Message) { m.Extensions = []string{texto} }, a2a.NewTextPart(texto)),
		mensagem(func(m *a2a.Message) { m.Metadata = map[string]any{texto: nil} }, a2a.NewTextPart(texto)),
		mensagem(func(m *a2a.Message) { m.ReferenceTasks = []a2a.TaskID{"t"} }, a2a.NewTextPart(texto)),
		nil,
	}
	artefatos := []*a2a.Artifact{
		{ID: a2a.ArtifactID(texto), Name: texto, Parts: a2a.ContentParts{a2a.NewTextPart(texto)}},
		{ID: "a", Parts: a2a.ContentParts{}}, {ID: "a"}, nil,
		{ID: "a", Description: texto, Extensions: []string{"e"}, Metadata: map[string]any{"m": true}, Parts: a2a.ContentParts{a2a.NewTextPart(texto)}},
	}
	var todas []*a2a.Task
	for _, estado := range []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateUnspecified, a2a.TaskState(texto)} {
		todas = append(todas, &a2a.Task{ID: a2a.TaskID(texto), ContextID: texto, Status: a2a.TaskStatus{State: estado}})
	}
	for _, m := range mensagens {
		todas = append(todas, &a2a.Task{ID: "t", History: []*a2a.Message{m, m}, Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: m, Timestamp: &quando}})
	}
	for _, x := range artefatos {
		todas = append(todas, &a2a.Task{ID: "t", Artifacts: []*a2a.Artifact{x, x}})
	}
	return append(todas, &a2a.Task{ID: "t", Metadata: map[string]any{"a": texto}, History: mensagens, Artifacts: artefatos})
}

var textosDeTeste = []string{"", "simples", `aspas " e \ barra`, "<b>&amp;</b>", "Zé \u2028\u2029\U0001F600", "\x00\x1f\x7f\xff\n"}

// What is written by hand is what encoding/json writes, byte for byte.
func TestEscritaIgualADaBiblioteca(t *testing.T) {
	for _, texto := range textosDeTeste {
		for _, task := range tarefasDeTeste(texto) {
			conferirEscrita(t, task)
		}
	}
}

// taskRefletida and statusRefletido are taskJSON and statusJSON for encoding/json to
// write: without their methods.
type taskRefletida struct {
	ID        a2a.TaskID      `json:"id"`
	Artifacts []*a2a.Artifact `json:"artifacts,omitempty"`
	ContextID string          `json:"contextId"`
	History   []*a2a.Message  `json:"history,omitempty"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
	Status    statusRefletido `json:"status"`
}

type statusRefletido struct {
	Message   *a2a.Message  `json:"message,omitempty"`
	State     a2a.TaskState `json:"state"`
	Timestamp string        `json:"timestamp,omitempty"`
}

func refletir(task *a2a.Task) taskRefletida {
	f := formaTask(task)
	return taskRefletida{f.ID, f.Artifacts, f.ContextID, f.History, f.Metadata, statusRefletido(f.Status)}
}

func conferirEscrita(t *testing.T, task *a2a.Task) {
	t.Helper()
	want, wantErr := envelope.Marshal(refletir(task))
	got, err := formaDe(task)
	if (err == nil) != (wantErr == nil) || err == nil && string(got) != string(want) {
		t.Fatalf("a Task is written differently:\n got %s, %v\nwant %s, %v", got, err, want, wantErr)
	}
	want, _ = envelope.Marshal(map[string]any{"task": refletir(task)})
	if got, err = formaDe(envio{task}); err == nil && string(got) != string(want) {
		t.Fatalf("an answer to SendMessage is written differently:\n got %s\nwant %s", got, want)
	}
	if got, err = envelope.Marshal(formaEvento(task)); err == nil && string(got) != string(want) {
		t.Fatalf("an event is written differently:\n got %s\nwant %s", got, want)
	}
	want, _ = envelope.Marshal(map[string]any{"tasks": []any{refletir(task)}, "totalSize": 7, "pageSize": 5, "nextPageToken": "x"})
	var ordenado, lista any
	got, err = formaDe(&a2a.ListTasksResponse{Tasks: []*a2a.Task{task}, TotalSize: 7, PageSize: 5, NextPageToken: "x"})
	if err != nil {
		return
	}
	if json.Unmarshal(got, &lista) != nil || json.Unmarshal(want, &ordenado) != nil || !reflect.DeepEqual(lista, ordenado) {
		t.Fatalf("a list is written differently:\n got %s\nwant %s", got, want)
	}
	status := &a2a.TaskStatusUpdateEvent{TaskID: task.ID, ContextID: task.ContextID, Status: task.Status}
	want, _ = envelope.Marshal(map[string]any{"statusUpdate": struct {
		ContextID string          `json:"contextId"`
		Status    statusRefletido `json:"status"`
		TaskID    a2a.TaskID      `json:"taskId"`
	}{task.ContextID, statusRefletido(formaStatus(task.Status)), task.ID}})
	if got, err = envelope.Marshal(formaEvento(status)); err == nil && string(got) != string(want) {
		t.Fatalf("a status is written differently:\n got %s\nwant %s", got, want)
	}
}

// The writer names the fields of the SDK's types one by one: a field that it does
// not know would be left out without a word.
func TestEscritaConheceOsCampos(t *testing.T) {
	for _, c := range []struct {
		tipo any
		n    int
	}{{a2a.Task{}, 6}, {a2a.TaskStatus{}, 3}, {a2a.Message{}, 8}, {a2a.Artifact{}, 6}, {a2a.Part{}, 4}, {taskJSON{}, 6}, {statusJSON{}, 3}} {
		if n := reflect.TypeOf(c.tipo).NumField(); n != c.n {
			t.Errorf("%T has %d fields, and %d when escrita.go and forma.go were written: look at both", c.tipo, n, c.n)
		}
	}
}

func TestEscritaDoQueNaoSeEscreve(t *testing.T) {
	task := &a2a.Task{ID: "t", History: []*a2a.Message{{Parts: a2a.ContentParts{a2a.NewDataPart(func() {})}}}}
	if got, err := formaDe(task); err == nil {
		t.Errorf("want an error, got %s", got)
	}
	if got, err := formaDe(envio{task}); err == nil {
		t.Errorf("want an error, got %s", got)
	}
}

func FuzzEscrita(f *testing.F) {
	for _, texto := range textosDeTeste {
		f.Add(texto)
	}
	f.Fuzz(func(t *testing.T, texto string) {
		for _, task := range tarefasDeTeste(texto) {
			conferirEscrita(t, task)
		}
	})
}

var envios = []string{
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`,
	`{ "message" : { "parts" : [ { "text" : "a\u00e9\n" } , {"text":""} ] , "role":"ROLE_USER","messageId":"m","taskId":"t","contextId":"c" } } `,
	`{"message":{"messageId":"","role":"ROLE_USER","parts":[{"text":"a"}],"taskId":""}}`,
	`{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`,
	`{"message":{"MessageId":"m","role":"ROLE_USER","parts":[{"Text":"a"}]}}`,
	`{"message":{"messageId":"m","messageId":"n","role":"ROLE_USER","parts":[{"text":"a"}]}}`,
	`{"message":{"messageId":"m","role":"ROLE_UNSPECIFIED","parts":[{"text":"a"}]}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","url":"u"}]}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":null}]}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":1}]}}`,
	`{"message":{"messageId":null,"role":"ROLE_USER","parts":[{"text":"a"}]}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[null]}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","metadata":{}}],"metadata":{"a":1}}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"extra":"x"}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER"}}`, `{"message":{}}`, `{"message":null}`, `{"message":[]}`, `{}`, `[]`, `null`, `"message"`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"returnImmediately":true}}`,
	`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"tenant":"x"}`,
	`{"message":{"messageId":"\ud800","role":"ROLE_USER","parts":[{"text":"\"\\"}]}}`,
}

// What the short way reads is what the long one reads.
func conferirLeitura(t *testing.T, raw []byte) bool {
	t.Helper()
	got, ok := lerSimples(raw)
	if !ok {
		return false
	}
	var want a2a.SendMessageRequest
	if err := ler(raw, &want); err != nil {
		t.Fatalf("%s was read, and is refused: %v", raw, err)
	}
	if !reflect.DeepEqual(got, &want) {
		t.Fatalf("%s is read differently:\n got %+v\nwant %+v", raw, got.Message, want.Message)
	}
	return true
}

func TestLeituraIgualADaBiblioteca(t *testing.T) {
	lidos := 0
	for _, raw := range envios {
		if conferirLeitura(t, []byte(raw)) {
			lidos++
		}
	}
	if lidos != 6 {
		t.Errorf("want the short way for 6 of the messages, got %d", lidos)
	}
}

func FuzzLeitura(f *testing.F) {
	for _, raw := range envios {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if raw = bytes.TrimSpace(raw); json.Valid(raw) {
			conferirLeitura(t, raw)
		}
	})
}

// BenchmarkEscrever compares with encoding/json: the same paused Task, both ways.
func BenchmarkEscrever(b *testing.B) {
	quando := time.Now()
	de := func(id string, papel a2a.MessageRole, texto string) *a2a.Message {
		return &a2a.Message{ID: id, Role: papel, TaskID: "6f1c2c7e-3f0d-4f5e-9a9c-5a3a4f1f2b10", ContextID: "0c6f6a7e-6a0b-4f7e-8d1e-0f4f5e9a9c5a", Parts: a2a.ContentParts{a2a.NewTextPart(texto)}}
	}
	agente := de("5a3a4f1f-2b10-4f5e-9a9c-6f1c2c7e3f0d", a2a.MessageRoleAgent, "alternativas: sala-fusca, sala-mirante")
	task := &a2a.Task{
		ID: agente.TaskID, ContextID: agente.ContextID,
		History: []*a2a.Message{de("m-1", a2a.MessageRoleUser, "reservar sala=sala-garagem inicio=2026-11-03T14:00:00-03:00 fim=2026-11-03T15:00:00-03:00 responsavel=Marty"), agente},
		Status:  a2a.TaskStatus{State: a2a.TaskStateInputRequired, Message: agente, Timestamp: &quando},
	}
	for _, modo := range []struct {
		nome string
		f    func() (json.RawMessage, error)
	}{
		{"formaDe", func() (json.RawMessage, error) { return formaDe(envio{task}) }},
		{"encoding-json", func() (json.RawMessage, error) { return envelope.Marshal(map[string]any{"task": refletir(task)}) }},
	} {
		b.Run(modo.nome, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := modo.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLer compares with the way for all messages: the same one, both ways.
func BenchmarkLer(b *testing.B) {
	raw := json.RawMessage(`{"message":{"messageId":"carga-8-1000000001","role":"ROLE_USER","taskId":"6f1c2c7e-3f0d-4f5e-9a9c-5a3a4f1f2b10","parts":[{"text":"escolha=recusar"}]}}`)
	b.Run("lerSimples", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := lerSimples(raw); !ok {
				b.Fatal("not read")
			}
		}
	})
	b.Run("ler", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var req a2a.SendMessageRequest
			if err := ler(raw, &req); err != nil {
				b.Fatal(err)
			}
		}
	})
}
