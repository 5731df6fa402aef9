package aviso

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// loja is a store with configs.
type loja interface {
	tarefa.Store
	tarefa.Avisos
}

// corpo is a body that says which version it tells of.
func corpo(t *tarefa.Tarefa) ([]byte, error) {
	return fmt.Appendf(nil, `{"task":%q,"version":%d}`, t.ID, t.Versao), nil
}

// recebido is what a receiver was sent.
type recebido struct {
	host    string
	tarefa  string
	versao  int64
	quando  time.Time
	headers http.Header
}

// resposteiro says what a receiver answers.
type resposteiro func(ctx context.Context, r recebido) (*http.Response, error)

// fingidos stand for all receivers there are. responder says what they answer
// after they have noted the request; nil accepts. It changes by responderCom.
type fingidos struct {
	responder resposteiro

	mu        sync.Mutex
	recebidos []recebido
	emCurso   map[string]int // by host
	maximo    map[string]int
	porConfig map[string]int // by URL
}

func (f *fingidos) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, _ := io.ReadAll(req.Body)
	_ = req.Body.Close()
	r := recebido{host: req.URL.Host, quando: time.Now(), headers: req.Header}
	if _, err := fmt.Sscanf(string(raw), `{"task":%q,"version":%d}`, &r.tarefa, &r.versao); err != nil {
		return nil, err
	}
	f.mu.Lock()
	if f.emCurso == nil {
		f.emCurso, f.maximo, f.porConfig = map[string]int{}, map[string]int{}, map[string]int{}
	}
	f.recebidos = append(f.recebidos, r)
	f.emCurso[r.host]++
	f.maximo[r.host] = max(f.maximo[r.host], f.emCurso[r.host])
	f.porConfig[req.URL.String()]++
	duas := f.porConfig[req.URL.String()] > 1
	responder := f.responder
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.emCurso[r.host]--
		f.porConfig[req.URL.String()]--
		f.mu.Unlock()
	}()
	if duas {
		return nil, errors.New("posted twice at once")
	}
	if responder == nil {
		return status(http.StatusNoContent), nil
	}
	return responder(req.Context(), r)
}

func (f *fingidos) todos() []recebido {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]recebido(nil), f.recebidos...)
}

func (f *fingidos) de(host string) []recebido {
	var rs []recebido
	for _, r := range f.todos() {
		if r.host == host {
			rs = append(rs, r)
		}
	}
	return rs
}

func (f *fingidos) responderCom(r resposteiro) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.responder = r
}

// maisAoMesmoTempo is how many requests a host had at once.
func (f *fingidos) maisAoMesmoTempo(host string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.maximo[host]
}

func (f *fingidos) limpar() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recebidos = nil
}

func status(n int, headers ...string) *http.Response {
	res := &http.Response{StatusCode: n, Header: http.Header{}, Body: http.NoBody}
	for i := 0; i+1 < len(headers); i += 2 {
		res.Header.Set(headers[i], headers[i+1])
	}
	return res
}

// nunca is a receiver that does not answer.
func nunca(ctx context.Context, _ recebido) (*http.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func memoria() loja { return tarefa.NovaMemoria(100_000, 1<<30) }

// iniciado is stopped at the end of the test.
func iniciado(t *testing.T, s tarefa.Avisos, f http.RoundTripper, log *slog.Logger) *Entregador {
	t.Helper()
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e := novo(Config{Avisos: s, Corpo: corpo, Log: log}, padrao, f)
	t.Cleanup(func() { parar(t, e) })
	return e
}

func parar(t *testing.T, e *Entregador) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := e.Fechar(ctx); err != nil {
		t.Errorf("Fechar: %v", err)
	}
}

// vigiada is a new Task with a config at a host.
func vigiada(t testing.TB, s loja, host string) *tarefa.Tarefa {
	t.Helper()
	m := &a2a.Message{ID: "m", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart("x")}}
	tk, err := s.Criar(context.Background(), tarefa.Nova(m, "", time.Now()))
	if err == nil {
		err = s.GuardarAviso(context.Background(), tarefa.Aviso{
			TaskID: tk.ID, ID: "c", URL: "https://" + host + "/" + tk.ID, Token: "o-token", Esquema: "bEaReR", Credenciais: "as-credenciais",
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// mudar stores the next version of a Task and says so, as the agent does.
func mudar(t testing.TB, s loja, e *Entregador, tk *tarefa.Tarefa) *tarefa.Tarefa {
	t.Helper()
	tk, err := s.Trocar(context.Background(), tk.AtePrazo(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if e != nil {
		e.Acordar(tk.ID)
	}
	return tk
}

func doAviso(t testing.TB, s loja, tk *tarefa.Tarefa) tarefa.Aviso {
	t.Helper()
	avisos, err := s.ListarAvisos(context.Background(), tk.ID)
	if err != nil || len(avisos) != 1 {
		t.Fatalf("want one config, got %+v, %v", avisos, err)
	}
	return avisos[0]
}

// registroSeguro is a log that may be read while it is written.
type registroSeguro struct {
	mu sync.Mutex
	b  strings.Builder
}

func (r *registroSeguro) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *registroSeguro) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

func comRegistro() (*slog.Logger, *registroSeguro) {
	r := &registroSeguro{}
	return slog.New(slog.NewTextHandler(r, nil)), r
}
