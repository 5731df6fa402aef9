package porta

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/processo"
)

const perfilDeTeste = `{
  "cartao": {"name":"Oficina","description":"Pinta coisas","version":"1","capabilities":{"streaming":false},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
    "skills":[{"id":"pintar","name":"Pintar","description":"Pinta","tags":["cor"]}]},
  "cliente": {"nome":"oficina","versao":"1"},
  "pedidos": [{"verbo":"pintar","skill":"pintar","ferramenta":"pinta","forma":"pintar cor=<cor>","sucesso":"Pintada de {cor}.","recusa":"Sem pintura.",
    "artefato":{"nome":"pintura","campos":[{"nome":"cor"}]}}],
  "pausa": {"chave":"escolha","recusar":"recusar","aceitar":"aceitar","linha":"alternativas: ","formulario":"informe: ","mensagem":false},
  "recursos": {}
}`

// oficina paints in blue at once, in grey after the test lets it, and asks for
// anything else.
type oficina struct{ solta, chegou chan struct{} }

func (o oficina) Ferramenta(context.Context, string) (hospede.Ferramenta, bool, hospede.Desfecho) {
	f, _ := hospede.LerFerramenta("pinta", json.RawMessage(`{"properties":{"cor":{"type":"string"}},"required":["cor"]}`))
	return f, true, nil
}

func (o oficina) Recurso(context.Context, string) (string, hospede.Desfecho) { return "", nil }

func (o oficina) Chamar(ctx context.Context, _ string, args []byte, r *hospede.Retomada) hospede.Desfecho {
	switch {
	case strings.Contains(string(args), "cinza"):
		o.chegou <- struct{}{}
		select {
		case <-o.solta:
		case <-ctx.Done():
		}
	case strings.Contains(string(args), "azul") || r != nil:
	default:
		return hospede.PedeEntrada{RequestState: "estado-secreto-da-oficina", Perguntas: []tarefa.Pergunta{{Chave: "k", Esquema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","enum":["a","b"]}},"required":["q"]}`)}}}
	}
	return hospede.Concluido{Estruturado: json.RawMessage(`{"cor":"azul"}`)}
}

type agente struct {
	*httptest.Server
	store         tarefa.Store
	solta, chegou chan struct{}
	log           *registroSeguro
}

type registroSeguro struct {
	mu sync.Mutex
	b  strings.Builder
}

func (r *registroSeguro) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(b)
}

func novoAgente(t testing.TB) *agente {
	t.Helper()
	perf, err := perfil.Carregar([]byte(perfilDeTeste), "teste")
	if err != nil {
		t.Fatal(err)
	}
	a := &agente{store: tarefa.NovaMemoria(50, 1<<30), solta: make(chan struct{}), chegou: make(chan struct{}, 100), log: &registroSeguro{}}
	log := slog.New(slog.NewTextHandler(a.log, nil))
	p := ponte.Nova(ponte.Config{
		Perfil: perf, Servidor: oficina{a.solta, a.chegou}, Store: a.store, Espera: time.Minute,
		ValidadePausa: time.Hour, Guarda: time.Hour, Agora: time.Now, Log: log,
	})
	limites := processo.LimitesPadrao
	limites.EmCurso = 8
	h, err := Nova(Config{Ponte: p, Cartao: perf.Cartao.JSON, Base: "https://agentes.example/oficina/", Porteiro: processo.Porteiro{HostPublico: "agentes.example"}, Limites: limites, MaxMensagem: 4 << 10, Agora: time.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	a.Server = httptest.NewServer(h)
	t.Cleanup(func() { a.Close(); _ = p.Fechar(context.Background()) })
	return a
}

// answer is a JSON-RPC answer, read as far as the tests need it.
type answer struct {
	status int
	header http.Header
	raw    string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    []map[string]any
	}
}

func (a *agente) post(t testing.TB, body string, header ...string) answer {
	t.Helper()
	req, _ := http.NewRequest("POST", a.URL+CaminhoRPC, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	out := answer{status: res.StatusCode, header: res.Header, raw: string(raw)}
	if err := json.Unmarshal(raw, &out); err != nil || res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("want a JSON-RPC answer, got %d %v %s", res.StatusCode, res.Header, raw)
	}
	return out
}

func (a *agente) chamar(t testing.TB, method, params string) answer {
	t.Helper()
	return a.post(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
}

var mensagens int

// mensagem is a SendMessage's params; extra goes into the message.
func mensagem(texto, extra, config string) string {
	mensagens++
	if extra != "" {
		extra = "," + extra
	}
	if config != "" {
		config = `,"configuration":` + config
	}
	raw, _ := json.Marshal(texto)
	return fmt.Sprintf(`{"message":{"messageId":"m%d","role":"ROLE_USER","parts":[{"text":%s}]%s}%s}`, mensagens, raw, extra, config)
}

type task struct {
	ID, ContextID string
	Status        struct {
		State     string
		Timestamp string
		Message   *struct{ Parts []struct{ Text string } }
	}
	History   []struct{ MessageID string }
	Artifacts []struct{ Name string }
}

func (r answer) task(t testing.TB) task {
	t.Helper()
	var w struct{ Task *task }
	if r.Error != nil {
		t.Fatalf("want a task, got %s", r.raw)
	}
	if err := json.Unmarshal(r.Result, &w); err == nil && w.Task != nil {
		return *w.Task
	}
	var tk task
	if err := json.Unmarshal(r.Result, &tk); err != nil || tk.ID == "" {
		t.Fatalf("want a task, got %s", r.raw)
	}
	return tk
}

func (r answer) quer(t testing.TB, code int) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code || r.status != 200 {
		t.Errorf("want error %d with status 200, got %d %s", code, r.status, r.raw)
		return
	}
	if n := len(r.Error.Data); n == 0 || r.Error.Data[n-1]["@type"] != "type.googleapis.com/google.rpc.ErrorInfo" || r.Error.Data[n-1]["domain"] != "a2a-protocol.org" {
		t.Errorf("want google.rpc.ErrorInfo in the data, got %s", r.raw)
	}
}

func TestCorposRuins(t *testing.T) {
	a := novoAgente(t)
	env := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	msg := func(s string) string { return env("SendMessage", `{"message":`+s+`}`) }
	for _, c := range []struct {
		nome, body string
		code       int
	}{
		{"empty", "", -32700}, {"cut", "{", -32700}, {"html", "<html>", -32700}, {"not UTF-8", "{\"a\":\"\xff\"}", -32700},
		{"two values", env("GetTask", `{"id":"x"}`) + "{}", -32700}, {"deep", strings.Repeat("[", 100_000), -32700},
		{"null", "null", -32600}, {"batch", "[" + env("GetTask", `{"id":"x"}`) + "]", -32600}, {"batch of null", "[null]", -32600}, {"empty batch", "[]", -32600},
		{"number", "7", -32600}, {"no method", `{"jsonrpc":"2.0","id":1}`, -32600}, {"no version", `{"id":1,"method":"GetTask"}`, -32600},
		{"no id", `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}`, -32600}, {"id object", `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, -32600},
		{"unknown method", env("message/fly", `{}`), -32601}, {"method in another case", env("sendMessage", `{}`), -32601},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`, -32602}, {"params null", env("SendMessage", "null"), -32602},
		{"params list", env("SendMessage", "[]"), -32602}, {"no message", env("SendMessage", "{}"), -32602}, {"message null", msg("null"), -32602},
		{"message text", msg(`"x"`), -32602}, {"no parts", msg(`{"messageId":"a","role":"ROLE_USER"}`), -32602},
		{"empty parts", msg(`{"messageId":"a","role":"ROLE_USER","parts":[]}`), -32602}, {"part null", msg(`{"messageId":"a","role":"ROLE_USER","parts":[null]}`), -32602},
		{"part of nothing", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{}]}`), -32602},
		{"part of two kinds", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{"text":"x","url":"y"}]}`), -32602},
		{"part text number", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{"text":7}]}`), -32602},
		{"no messageId", msg(`{"role":"ROLE_USER","parts":[{"text":"x"}]}`), -32602}, {"empty messageId", msg(`{"messageId":"","role":"ROLE_USER","parts":[{"text":"x"}]}`), -32602},
		{"no role", msg(`{"messageId":"a","parts":[{"text":"x"}]}`), -32602}, {"agent's role", msg(`{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"x"}]}`), -32602},
		{"old role", msg(`{"messageId":"a","role":"user","parts":[{"text":"x"}]}`), -32602},
		{"negative history", env("SendMessage", mensagem("x", "", `{"historyLength":-1}`)), -32602},
		{"too long", env("SendMessage", mensagem(strings.Repeat("x", 4<<10), "", "")), -32602},
		{"text and file", msg(`{"messageId":"a","role":"ROLE_USER","parts":[{"text":"pintar cor=azul"},{"url":"https://x"}]}`), -32005},
		{"unknown task", env("SendMessage", mensagem("escolha=a", `"taskId":"x"`, "")), -32001},
		{"GetTask without id", env("GetTask", "{}"), -32602}, {"GetTask of another type", env("GetTask", `{"id":7}`), -32602}, {"GetTask unknown", env("GetTask", `{"id":"x"}`), -32001},
		{"GetTask negative history", env("GetTask", `{"id":"x","historyLength":-1}`), -32602},
		{"CancelTask unknown", env("CancelTask", `{"id":"x"}`), -32001}, {"CancelTask without id", env("CancelTask", "{}"), -32602},
		{"ListTasks page 0", env("ListTasks", `{"pageSize":0}`), -32602}, {"ListTasks page 101", env("ListTasks", `{"pageSize":101}`), -32602},
		{"ListTasks state", env("ListTasks", `{"status":"TASK_STATE_RUNNING"}`), -32602}, {"ListTasks token", env("ListTasks", `{"pageToken":"!"}`), -32602},
		{"ListTasks time", env("ListTasks", `{"statusTimestampAfter":"ontem"}`), -32602},
		{"stream", env("SendStreamingMessage", mensagem("pintar cor=azul", "", "")), -32004}, {"subscribe", env("SubscribeToTask", `{"id":"x"}`), -32004},
		{"push create", env("CreateTaskPushNotificationConfig", `{}`), -32003}, {"push get", env("GetTaskPushNotificationConfig", `{}`), -32003},
		{"push list", env("ListTaskPushNotificationConfigs", `{}`), -32003}, {"push delete", env("DeleteTaskPushNotificationConfig", `{}`), -32003},
		{"extended card", env("GetExtendedAgentCard", `{}`), -32007},
	} {
		t.Run(c.nome, func(t *testing.T) { a.post(t, c.body).quer(t, c.code) })
	}
	if r := a.post(t, strings.Repeat("x", processo.LimitesPadrao.Corpo+1)); r.status != 413 || r.Error == nil {
		t.Errorf("too large: want 413, got %d", r.status)
	}
	// The parameters at fault are named.
	r := a.post(t, msg(`{"role":"x","parts":[]}`))
	if !strings.Contains(r.raw, `"fieldViolations"`) || !strings.Contains(r.raw, "message.messageId") || !strings.Contains(r.raw, "message.role") || !strings.Contains(r.raw, "message.parts") {
		t.Errorf("want all violations, got %s", r.raw)
	}
	if tk := a.chamar(t, "SendMessage", mensagem("pintar cor=azul", "", "")).task(t); tk.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("afterwards: want to be served, got %+v", tk)
	}
}

func TestIDsEVersao(t *testing.T) {
	a := novoAgente(t)
	for _, id := range []string{"0", "-7", "123456789012345678901234567890", "1.50", "1e3", `"x"`, `""`, `"\"@\""`, "null"} {
		for _, tail := range []string{`"method":"ListTasks"`, `"method":"nope"`, `"method":"GetTask","params":{"id":"x"}`} {
			r := a.post(t, `{"jsonrpc":"2.0","id":`+id+`,`+tail+`}`)
			if !strings.HasPrefix(r.raw, `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("id %s must come back as it was sent, got %s", id, r.raw)
			}
		}
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`
	for _, v := range []string{"", " ", "1.0", "1.0.0", "1.0.17"} {
		if r := a.post(t, list, "A2A-Version", v); r.Error != nil {
			t.Errorf("version %q: want to be served, got %s", v, r.raw)
		}
	}
	for _, v := range []string{"0.3", "9.9", "1", "1.1", "1.0.", "1.0.x", "v1.0", "1.0, 9.9"} {
		a.post(t, list, "A2A-Version", v).quer(t, -32009)
	}
	a.post(t, list, "A2A-Version", "1.0", "A2A-Version", "9.9").quer(t, -32009)
}

func TestCaminhos(t *testing.T) {
	a := novoAgente(t)
	get := func(method, path, host, origin, etag string) *http.Response {
		req, _ := http.NewRequest(method, a.URL+path, nil)
		if host != "" {
			req.Host = host
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	res := get("GET", CaminhoCartao, "", "", "")
	etag := res.Header.Get("ETag")
	if res.StatusCode != 200 || etag == "" || !strings.Contains(res.Header.Get("Cache-Control"), "max-age") || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("card: %d %v", res.StatusCode, res.Header)
	}
	if h := get("HEAD", CaminhoCartao, "", "", ""); h.StatusCode != 200 || h.ContentLength != res.ContentLength || h.ContentLength <= 0 || h.Header.Get("ETag") != etag {
		t.Errorf("HEAD: %d, %d bytes", h.StatusCode, h.ContentLength)
	}
	for _, tag := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
		if r := get("GET", CaminhoCartao, "", "", tag); r.StatusCode != 304 {
			t.Errorf("If-None-Match %s: want 304, got %d", tag, r.StatusCode)
		}
	}
	if r := get("GET", CaminhoCartao, "", "", `"x"`); r.StatusCode != 200 {
		t.Errorf("another tag: %d", r.StatusCode)
	}
	for _, c := range []struct {
		method, path, host, origin string
		status                     int
	}{
		{"POST", CaminhoCartao, "", "", 405}, {"GET", CaminhoRPC, "", "", 405}, {"GET", CaminhoRPC + "/", "", "", 405},
		{"GET", "/", "", "", 404}, {"GET", CaminhoRPC + CaminhoCartao, "", "", 404}, {"POST", CaminhoRPC + "/x", "", "", 404},
		{"GET", CaminhoCartao, "evil.example", "", 403}, {"GET", CaminhoCartao, "agentes.example", "", 200},
		{"GET", CaminhoCartao, "", "https://evil.example", 403}, {"POST", CaminhoRPC, "", "https://evil.example", 403},
	} {
		if r := get(c.method, c.path, c.host, c.origin, ""); r.StatusCode != c.status {
			t.Errorf("%s %s host %q origin %q: want %d, got %d", c.method, c.path, c.host, c.origin, c.status, r.StatusCode)
		}
	}
	req, _ := http.NewRequest("POST", a.URL+CaminhoRPC+"/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`))
	if r, err := http.DefaultClient.Do(req); err != nil || r.StatusCode != 200 {
		t.Errorf("the endpoint with a slash: %v, %v", r, err)
	}
}

func TestCartaoNaoDependeDeQuemPede(t *testing.T) {
	a := novoAgente(t)
	res, err := http.Get(a.URL + CaminhoCartao)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	var card struct {
		Capabilities        map[string]bool
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
	}
	if err := json.Unmarshal(raw, &card); err != nil {
		t.Fatal(err)
	}
	if i := card.SupportedInterfaces; len(i) != 1 || i[0].URL != "https://agentes.example/oficina/a2a" || i[0].ProtocolBinding != "JSONRPC" || i[0].ProtocolVersion != "1.0" {
		t.Errorf("interfaces: %+v", i)
	}
	if s, declared := card.Capabilities["streaming"]; s || !declared {
		t.Errorf("streaming must be said to be absent: %s", raw)
	}
}

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
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	if strings.Contains(a.log.b.String(), "estado-secreto") {
		t.Error("the state is in the log")
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

// exemplos are the bodies of the recorded requests that go to a path.
func exemplos(tb testing.TB, caminho string) []string {
	tb.Helper()
	arquivos, err := filepath.Glob("../../../exemplos/wire/*.json")
	if err != nil || len(arquivos) == 0 {
		tb.Fatalf("no recorded examples: %v", err)
	}
	var corpos []string
	for _, arquivo := range arquivos {
		raw, err := os.ReadFile(arquivo)
		if err != nil {
			tb.Fatal(err)
		}
		var e struct {
			Request struct {
				URL  string
				Body json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			tb.Fatal(err)
		}
		if strings.HasSuffix(e.Request.URL, caminho) && e.Request.Body != nil {
			corpos = append(corpos, string(e.Request.Body))
		}
	}
	return corpos
}

// Whatever the body: a JSON-RPC answer, no panic, no state in it; and an error
// has stored nothing.
func FuzzCorpo(f *testing.F) {
	a := novoAgente(f)
	h := a.Config.Handler
	for _, corpo := range exemplos(f, CaminhoRPC) {
		f.Add(corpo)
	}
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + mensagem("pintar cor=azul", "", "") + `}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"1","status":"TASK_STATE_FAILED"}}`)
	f.Add(`[null]`)
	guardado := func() string {
		p, err := a.store.Listar(context.Background(), tarefa.Filtro{Limite: 1})
		if err != nil || p.Total == 0 {
			return fmt.Sprint(err)
		}
		return fmt.Sprint(p.Total, p.Tarefas[0].ID, p.Tarefas[0].Versao)
	}
	f.Fuzz(func(t *testing.T, body string) {
		antes := guardado()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", CaminhoRPC, strings.NewReader(body)))
		if w.Code != 200 && w.Code != 413 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "estado-secreto") {
			t.Fatalf("%q: the state leaves: %s", body, w.Body)
		}
		var r struct{ Error any }
		if _ = json.Unmarshal(w.Body.Bytes(), &r); r.Error != nil && guardado() != antes {
			t.Fatalf("%q: refused with %v, and something was stored", body, r.Error)
		}
	})
}
