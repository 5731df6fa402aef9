package porta

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestVidaDeUmaTask(t *testing.T) {
	a := novoAgente(t)
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", `"contextId":"meu"`, "")).task(t)
	if tk.Status.State != "TASK_STATE_INPUT_REQUIRED" || tk.ContextID != "meu" || tk.Status.Message.Parts[0].Text != "alternativas: a, b" || len(tk.History) != 2 {
		t.Fatalf("pause: %+v", tk)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.999Z", tk.Status.Timestamp); err != nil {
		t.Errorf("timestamp: %v", err)
	}
	id := `"taskId":"` + tk.ID + `"`
	a.chamar(t, "SendMessage", mensagem("escolha=a", id+`,"contextId":"outro"`, "")).quer(t, -32602)
	tk = a.chamar(t, "SendMessage", mensagem("escolha=a", id, `{"historyLength":1}`)).task(t)
	if tk.Status.State != "TASK_STATE_COMPLETED" || len(tk.History) != 1 || len(tk.Artifacts) != 1 {
		t.Errorf("end: %+v", tk)
	}
	for n, want := range map[string]int{`,"historyLength":0`: 0, `,"historyLength":2`: 2, `,"historyLength":99`: 4, ``: 4} {
		if tk := a.chamar(t, "GetTask", `{"id":"`+tk.ID+`"`+n+`}`).task(t); len(tk.History) != want || len(tk.Artifacts) != 1 {
			t.Errorf("GetTask%s: want %d messages, got %d", n, want, len(tk.History))
		}
	}
	a.chamar(t, "SendMessage", mensagem("escolha=a", id, "")).quer(t, -32004)
	a.chamar(t, "CancelTask", `{"id":"`+tk.ID+`"}`).quer(t, -32002)
	outra := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
	if c := a.chamar(t, "CancelTask", `{"id":"`+outra.ID+`"}`).task(t); c.Status.State != "TASK_STATE_CANCELED" {
		t.Errorf("cancel: %+v", c)
	}
	a.post(t, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`, "Authorization", "Bearer credencial-secreta")
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	for _, segredo := range []string{"estado-secreto", "credencial-secreta"} {
		if strings.Contains(a.log.b.String(), segredo) {
			t.Errorf("%s is in the log", segredo)
		}
	}
}

func TestLista(t *testing.T) {
	a := novoAgente(t)
	vazia := a.post(t, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`)
	if string(vazia.Result) != `{"tasks":[],"totalSize":0,"pageSize":50,"nextPageToken":""}` {
		t.Errorf("empty: %s", vazia.raw)
	}
	var ids []string
	for range 3 {
		ids = append(ids, a.chamar(t, "SendMessage", mensagem("pintar cor=azul", `"contextId":"c"`, "")).task(t).ID)
	}
	var l struct {
		Tasks               []map[string]any
		TotalSize, PageSize int
		NextPageToken       string
	}
	ler := func(params string) {
		t.Helper()
		l.Tasks, l.NextPageToken = nil, "?"
		if err := json.Unmarshal(a.chamar(t, "ListTasks", params).Result, &l); err != nil {
			t.Fatal(err)
		}
	}
	ler(`{"pageSize":2}`)
	if len(l.Tasks) != 2 || l.Tasks[0]["id"] != ids[2] || l.TotalSize != 3 || l.PageSize != 2 || l.NextPageToken == "" {
		t.Fatalf("first page: %+v", l)
	}
	if _, has := l.Tasks[0]["artifacts"]; has {
		t.Error("artifacts only on request")
	}
	ler(`{"pageSize":2,"pageToken":"` + l.NextPageToken + `","includeArtifacts":true,"historyLength":0}`)
	if len(l.Tasks) != 1 || l.Tasks[0]["id"] != ids[0] || l.NextPageToken != "" {
		t.Fatalf("last page: %+v", l)
	}
	if _, has := l.Tasks[0]["artifacts"]; !has {
		t.Error("artifacts were asked for")
	}
	if _, has := l.Tasks[0]["history"]; has {
		t.Error("no history was asked for")
	}
	ler(`{"contextId":"outro"}`)
	if len(l.Tasks) != 0 || l.TotalSize != 0 {
		t.Errorf("another context: %+v", l)
	}
}

// A store that holds only open Tasks takes no more: a clear error, nothing lost,
// and room again as soon as one of them ends.
func TestCheioDeAbertas(t *testing.T) {
	a := novoAgente(t)
	var primeira task
	for i := range 50 {
		tk := a.chamar(t, "SendMessage", mensagem("pintar cor=rosa", "", "")).task(t)
		if i == 0 {
			primeira = tk
		}
	}
	r := a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", ""))
	r.quer(t, -32603)
	if r.Error == nil || !strings.Contains(r.Error.Message, "Too many open tasks") {
		t.Errorf("the message must say what is the matter: %s", r.raw)
	}
	if tk := a.chamar(t, "SendMessage", mensagem("escolha=a", `"taskId":"`+primeira.ID+`"`, "")).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("a paused task goes on: %+v", tk.Status)
	}
	if tk := a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", "")).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("there is room again: %+v", tk.Status)
	}
}

func TestSemEspera(t *testing.T) {
	a := novoAgente(t)
	tk := a.chamar(t, "SendMessage", mensagem("pintar cor=cinza", "", `{"returnImmediately":true}`)).task(t)
	if tk.Status.State != "TASK_STATE_SUBMITTED" && tk.Status.State != "TASK_STATE_WORKING" {
		t.Errorf("want the task as soon as it exists, got %s", tk.Status.State)
	}
	a.chamar(t, "SendMessage", mensagem("escolha=a", `"taskId":"`+tk.ID+`"`, "")).quer(t, -32004)
	close(a.solta)
	fim := time.Now().Add(10 * time.Second)
	for tk.Status.State != "TASK_STATE_COMPLETED" && time.Now().Before(fim) {
		time.Sleep(5 * time.Millisecond)
		tk = a.chamar(t, "GetTask", `{"id":"`+tk.ID+`"}`).task(t)
	}
	if tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("want the work to go on, got %s", tk.Status.State)
	}
}

// Beyond the requests that are served at a time, a caller is told to come back;
// nobody else notices.
func TestCheio(t *testing.T) {
	a := novoAgente(t)
	var wg sync.WaitGroup
	for range 8 {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":%s}`, mensagem("pintar cor=cinza", `"contextId":"cheio"`, ""))
		wg.Go(func() {
			if r := a.post(t, body); r.status != 200 || !strings.Contains(r.raw, "TASK_STATE_COMPLETED") {
				t.Errorf("want the work done, got %d %s", r.status, r.raw)
			}
		})
	}
	for range 8 {
		<-a.chegou
	}
	if r := a.post(t, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`); r.status != 503 || r.header.Get("Retry-After") != "1" || r.Error == nil || r.Error.Code != -32603 {
		t.Errorf("want 503 with Retry-After, got %d %s", r.status, r.raw)
	}
	close(a.solta)
	wg.Wait()
	// The places are given back a moment after the answers are read.
	for fim := time.Now().Add(10 * time.Second); a.post(t, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`).status != 200; time.Sleep(time.Millisecond) {
		if time.Now().After(fim) {
			t.Fatal("the places were not given back")
		}
	}
}

func TestQuemSaiNaoPara(t *testing.T) {
	a := novoAgente(t)
	ctx, sair := context.WithCancel(t.Context())
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":%s}`, mensagem("pintar cor=cinza", `"contextId":"some"`, ""))
	req, _ := http.NewRequestWithContext(ctx, "POST", a.URL+CaminhoRPC, strings.NewReader(body))
	foi := make(chan struct{})
	go func() {
		defer close(foi)
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	estado := func() string {
		var l struct{ Tasks []task }
		_ = json.Unmarshal(a.chamar(t, "ListTasks", `{"contextId":"some"}`).Result, &l)
		if len(l.Tasks) == 0 {
			return ""
		}
		return l.Tasks[0].Status.State
	}
	esperar := func(want string) {
		t.Helper()
		fim := time.Now().Add(10 * time.Second)
		for estado() != want {
			if time.Now().After(fim) {
				t.Fatalf("want %s, got %s", want, estado())
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	esperar("TASK_STATE_WORKING")
	sair()
	<-foi
	close(a.solta)
	esperar("TASK_STATE_COMPLETED")
}
