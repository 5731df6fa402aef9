package aviso

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/banco"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

var slogMudo = slog.New(slog.DiscardHandler)

// curtos are bounds for tests that go over the network.
var curtos = tempos{
	prazo: 250 * time.Millisecond, fila: time.Second, folga: 500 * time.Millisecond, ronda: 50 * time.Millisecond,
	recuo: 10 * time.Millisecond, maiorRecuo: 50 * time.Millisecond, tentativas: 2,
}

// naRede tells one change to a receiver at a URL, and returns the config as it is
// when the telling has come to an end, and the log.
func naRede(t *testing.T, url string, privados bool) (tarefa.Aviso, string) {
	t.Helper()
	s := memoria()
	log, linhas := comRegistro()
	e := novo(Config{Avisos: s, Corpo: corpo, Privados: privados, Log: log}, curtos, novoTransporte(privados, curtos.prazo))
	defer parar(t, e)
	tk := vigiada(t, s, "r")
	if err := s.GuardarAviso(t.Context(), tarefa.Aviso{TaskID: tk.ID, ID: "c", URL: url, Token: "o-token", Esquema: "Bearer", Credenciais: "as-credenciais"}); err != nil {
		t.Fatal(err)
	}
	tk = mudar(t, s, e, tk)
	fim := time.Now().Add(5 * time.Second)
	for doAviso(t, s, tk).Entregue != tk.Versao {
		if time.Now().After(fim) {
			t.Fatalf("no end of it:\n%s", linhas)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return doAviso(t, s, tk), linhas.String()
}

func deuCerto(log string) bool { return strings.Contains(log, "level=INFO msg=\"push notification\"") }

func TestPost(t *testing.T) {
	var pedidos atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pedidos.Add(1)
		raw, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.String() != "/gancho?a=b" || !strings.Contains(string(raw), `"version":2`) ||
			r.Header.Get("Content-Type") != "application/a2a+json" || r.Header.Get("Authorization") != "Bearer as-credenciais" ||
			r.ContentLength != int64(len(raw)) || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("got %s %s %v %s", r.Method, r.URL, r.Header, raw)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer s.Close()
	if _, log := naRede(t, s.URL+"/gancho?a=b", true); !deuCerto(log) || pedidos.Load() != 1 {
		t.Errorf("want it told once, got %d\n%s", pedidos.Load(), log)
	}
	if t := novoTransporte(true, time.Second); t.Proxy != nil {
		panic("proxies of the environment would be used")
	}
}

// A redirect is a failure: the credentials go nowhere else.
func TestRedirecionamento(t *testing.T) {
	var outro, pedidos atomic.Int32
	alvo := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { outro.Add(1) }))
	defer alvo.Close()
	for _, n := range []int{301, 302, 303, 307, 308} {
		pedidos.Store(0)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pedidos.Add(1)
			http.Redirect(w, r, alvo.URL, n)
		}))
		_, log := naRede(t, s.URL, true)
		s.Close()
		if deuCerto(log) || outro.Load() != 0 || int(pedidos.Load()) != curtos.tentativas {
			t.Errorf("%d: want it failed %d times and nobody else asked, got %d and %d\n%s", n, curtos.tentativas, pedidos.Load(), outro.Load(), log)
		}
	}
}

// An answer without an end is not read to its end.
func TestRespostaSemFim(t *testing.T) {
	var escritos atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			n, err := w.Write(make([]byte, 32<<10))
			escritos.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	defer s.Close()
	inicio := time.Now()
	_, log := naRede(t, s.URL, true)
	if d := time.Since(inicio); !deuCerto(log) || d > curtos.prazo {
		t.Errorf("want the status to be the answer, at once, got after %v\n%s", d, log)
	}
	if n := escritos.Load(); n > 16<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

// A private address is refused when it is dialed, whatever name stands for it.
func TestPrivadoRecusado(t *testing.T) {
	var pedidos atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { pedidos.Add(1) }))
	defer s.Close()
	_, porta, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1"} {
		_, log := naRede(t, "http://"+host+":"+porta+"/", false)
		if deuCerto(log) || pedidos.Load() != 0 {
			t.Errorf("%s was reached\n%s", host, log)
		}
		if host != "127.1" && (!strings.Contains(log, "the address is not public") || strings.Count(log, "attempt=") != 1) {
			t.Errorf("%s: want it given up at once, with the reason, got\n%s", host, log)
		}
	}
	if _, log := naRede(t, "http://localhost:"+porta+"/", true); !deuCerto(log) {
		t.Errorf("private ones are let: want it told, got\n%s", log)
	}
}

// Neither the secrets nor the URL's query come into the log, whatever the
// receiver does with them.
func TestSegredosForaDoLog(t *testing.T) {
	eco, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer eco.Close()
	go func() { // answers with what it was sent
		for {
			c, err := eco.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for {
					linha, err := r.ReadString('\n')
					fmt.Fprint(c, linha)
					if err != nil || linha == "\r\n" {
						return
					}
				}
			}()
		}
	}()
	mudo, err := net.Listen("tcp", "127.0.0.1:0") // never answers
	if err != nil {
		t.Fatal(err)
	}
	defer mudo.Close()
	recusa := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.Header.Get("Authorization")+r.URL.String(), http.StatusUnauthorized)
	}))
	defer recusa.Close()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	tls.StartTLS()
	defer tls.Close()
	for url, want := range map[string]string{
		"http://" + eco.Addr().String():  "no valid HTTP answer",
		"http://" + mudo.Addr().String(): "no answer in time",
		recusa.URL:                       "HTTP status 401",
		tls.URL:                          "the certificate was not accepted",
		"https" + strings.TrimPrefix(recusa.URL, "http"): "no TLS",
		"http://127.0.0.1:1":                             "connection refused",
		"http://nao-existe.invalid":                      "host",
		"http://usuario:senha@127.0.0.1:1":               "connection refused",
		"http://%zz":                                     "the config makes no request",
	} {
		_, log := naRede(t, url+"/caminho?chave=na-url", true)
		for _, s := range []string{"as-credenciais", "o-token", "na-url", "senha", "caminho"} {
			if strings.Contains(log, s) {
				t.Errorf("%s: %q is in the log:\n%s", url, s, log)
			}
		}
		if !strings.Contains(log, want) || deuCerto(log) {
			t.Errorf("%s: want %q in the log, got\n%s", url, want, log)
		}
		for _, chave := range []string{"task_id=", "context_id=", "config_id=c", "host=", "attempt=", "err=", "dur="} {
			if !strings.Contains(log, chave) {
				t.Errorf("%s: want %s in the log, got\n%s", url, chave, log)
			}
		}
	}
}

// On a database nothing of a notification is lost with its agent: what was not
// acknowledged is told by the next one.
func TestDuravel(t *testing.T) {
	caminho := "sqlite:" + filepath.Join(t.TempDir(), "t.db")
	abrir := func() *banco.Banco {
		t.Helper()
		b, err := banco.Abrir(t.Context(), caminho, strings.Repeat("k", 32), slogMudo)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var aceita atomic.Bool
	recebidas := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		recebidas <- string(raw)
		if !aceita.Load() {
			<-r.Context().Done()
		}
	}))
	defer s.Close()
	b := abrir()
	contada := &lojaContada{loja: b}
	morto := novo(Config{Avisos: contada, Corpo: corpo, Privados: true, Log: slogMudo}, padrao, novoTransporte(true, padrao.prazo))
	tk := vigiada(t, b, "r")
	if err := b.GuardarAviso(t.Context(), tarefa.Aviso{TaskID: tk.ID, ID: "c", URL: s.URL}); err != nil {
		t.Fatal(err)
	}
	tk = mudar(t, b, morto, tk)
	primeira := <-recebidas
	contada.perde.Store(true) // kill -9: it notes nothing more
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = morto.Fechar(ctx)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	aceita.Store(true)
	b = abrir()
	defer b.Close()
	e := novo(Config{Avisos: b, Corpo: corpo, Privados: true, Log: slogMudo}, padrao, novoTransporte(true, padrao.prazo))
	defer parar(t, e)
	select {
	case segunda := <-recebidas:
		if segunda != primeira {
			t.Errorf("want %s once more, got %s", primeira, segunda)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("what was not acknowledged is lost")
	}
	fim := time.Now().Add(5 * time.Second)
	for doAviso(t, b, tk).Entregue != tk.Versao && time.Now().Before(fim) {
		time.Sleep(5 * time.Millisecond)
	}
	if a := doAviso(t, b, tk); a.Entregue != tk.Versao {
		t.Errorf("not noted: %+v", a)
	}
}
