package processo

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestOpcoesPrecedencia(t *testing.T) {
	env := map[string]string{"A": "do-ambiente", "N": "5", "D": "6m", "L": "x, y,,"}
	ler := func(args ...string) (a string, n int, d time.Duration, l []string, err error) {
		o := NovasOpcoes("p", func(k string) string { return env[k] }, io.Discard)
		pa := o.Texto("a", "A", "padrao", "texto")
		pb := o.Texto("b", "B", "padrao", "texto")
		pn := o.Inteiro("n", "N", 1, 1, "numero")
		pd := o.Duracao("d", "D", time.Minute, time.Minute, time.Hour, "tempo")
		pl := o.Lista("l", "L", "lista")
		err = o.Ler(args)
		return *pa + "/" + *pb, *pn, *pd, *pl, err
	}
	a, n, d, l, err := ler()
	if err != nil || a != "do-ambiente/padrao" || n != 5 || d != 6*time.Minute || strings.Join(l, "|") != "x|y" {
		t.Errorf("environment over default: got %v %v %v %v %v", a, n, d, l, err)
	}
	a, n, d, l, err = ler("-a", "f", "--b=g", "-n", "9", "-d", "2m", "-l", "z")
	if err != nil || a != "f/g" || n != 9 || d != 2*time.Minute || strings.Join(l, "|") != "z" {
		t.Errorf("flag over environment: got %v %v %v %v %v", a, n, d, l, err)
	}
}

func TestOpcoesRuins(t *testing.T) {
	for _, c := range []struct {
		env  string
		args []string
		want []string
	}{
		{"", []string{"-n", "0"}, []string{"-n", `"0"`, "a partir de 1"}},
		{"", []string{"-n", "1x"}, []string{`"1x"`}},
		{"", []string{"-d", "2h"}, []string{"-d", `"2h"`, "1m0s a 1h0m0s"}},
		{"3h", nil, []string{"D", `"3h"`, "1m0s a 1h0m0s"}},
		{"", []string{"-zzz"}, []string{"zzz", "-h"}},
		{"", []string{"sobra"}, []string{`"sobra"`}},
	} {
		o := NovasOpcoes("p", func(k string) string { return map[string]string{"D": c.env}[k] }, io.Discard)
		o.Inteiro("n", "N", 1, 1, "numero")
		o.Duracao("d", "D", time.Minute, time.Minute, time.Hour, "tempo")
		err := o.Ler(c.args)
		if err == nil {
			t.Errorf("%v: want an error", c.args)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: want one line with %q, got %q", c.args, w, err)
			}
		}
	}
}

// A good flag beats a bad variable.
func TestOpcaoVenceAmbienteRuim(t *testing.T) {
	o := NovasOpcoes("p", func(string) string { return "ruim" }, io.Discard)
	n := o.Inteiro("n", "N", 1, 1, "numero")
	if err := o.Ler([]string{"-n", "7"}); err != nil || *n != 7 {
		t.Errorf("want 7, got %d, %v", *n, err)
	}
}

func TestOpcoesAjuda(t *testing.T) {
	var out strings.Builder
	o := NovasOpcoes("p", func(string) string { return "" }, &out)
	o.Texto("addr", "ADDR", "x", "onde escuta")
	if err := o.Ler([]string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("want ErrHelp, got %v", err)
	}
	if !strings.Contains(out.String(), "onde escuta (ou ADDR)") {
		t.Errorf("the help does not explain -addr: %q", out.String())
	}
}

func TestEscutarLocalhost(t *testing.T) {
	for _, addr := range []string{"localhost:0", "LOCALHOST:0", ":0"} {
		t.Run(addr, func(t *testing.T) { testarLoopback(t, addr) })
	}
}

func testarLoopback(t *testing.T, addr string) {
	ls, err := Escutar(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	ports := map[int]bool{}
	for _, l := range ls {
		defer l.Close()
		a := l.Addr().(*net.TCPAddr)
		if !a.IP.IsLoopback() {
			t.Errorf("%s is not loopback", a)
		}
		ports[a.Port] = true
	}
	if len(ports) != 1 {
		t.Errorf("want one port on all families, got %v", ports)
	}
	_, err = Escutar(t.Context(), ls[0].Addr().String())
	if err == nil || !strings.Contains(err.Error(), "em uso") || !strings.Contains(err.Error(), ls[0].Addr().String()) {
		t.Errorf("taken port: want an error that says so and names it, got %v", err)
	}
	for _, bad := range []string{"", "localhost", "localhost:x", "localhost:99999", "x:-1", "192.0.2.1:0"} {
		if ls, err := Escutar(t.Context(), bad); err == nil {
			t.Errorf("%q: want an error, got %v", bad, ls)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %q", bad, err)
		}
	}
}

func TestPorteiro(t *testing.T) {
	p, err := NovoPorteiro([]string{"https://app.example"}, "https://agentes.example/salas")
	if err != nil {
		t.Fatal(err)
	}
	loopback, fora := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7300}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 7300}
	for _, c := range []struct {
		nome    string
		local   net.Addr
		host    string
		origins []string
		ok      bool
	}{
		{"program", loopback, "localhost:7300", nil, true},
		{"ipv4", loopback, "127.0.0.1:7300", nil, true},
		{"ipv6", loopback, "[::1]:7300", nil, true},
		{"upper case", loopback, "LocalHost", nil, true},
		{"public host behind a proxy", loopback, "agentes.example", nil, true},
		{"foreign host", loopback, "evil.example", nil, false},
		{"host that only looks local", loopback, "localhost.evil.example", nil, false},
		{"no host", loopback, "", nil, false},
		{"any host from outside", fora, "whatever.example", nil, true},
		{"allowed origin", loopback, "localhost", []string{"https://app.example"}, true},
		{"foreign origin", loopback, "localhost", []string{"https://evil.example"}, false},
		{"null origin", loopback, "localhost", []string{"null"}, false},
		{"empty origin", loopback, "localhost", []string{""}, false},
		{"same origin is no exception", loopback, "localhost:7300", []string{"http://localhost:7300"}, false},
		{"two origins", loopback, "localhost", []string{"https://app.example", "https://app.example"}, false},
		{"foreign origin from outside", fora, "agentes.example", []string{"https://evil.example"}, false},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, c.local))
		r.Host = c.host
		r.Header["Origin"] = c.origins
		w := httptest.NewRecorder()
		if err := p.Admitir(w, r); (err == nil) != c.ok {
			t.Errorf("%s: want ok=%v, got %v", c.nome, c.ok, err)
		}
		if cors := w.Header().Get("Access-Control-Allow-Origin"); (cors != "") != (c.ok && c.origins != nil) {
			t.Errorf("%s: CORS header %q", c.nome, cors)
		}
	}
	for _, bad := range []string{"app.example", "https://app.example/", "https://app.example/x", "*", "null"} {
		if _, err := NovoPorteiro([]string{bad}, ""); err == nil {
			t.Errorf("origin %q: want an error", bad)
		}
	}
	for _, bad := range []string{"agentes.example", "ftp://x", "https://", "https://x?q", "https://u@x"} {
		if _, err := NovoPorteiro(nil, bad); err == nil {
			t.Errorf("public URL %q: want an error", bad)
		}
	}
}

func TestPrevio(t *testing.T) {
	r := httptest.NewRequest("OPTIONS", "/", nil)
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "content-type, mcp-method")
	w := httptest.NewRecorder()
	if !Previo(w, r) || w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") != "content-type, mcp-method" {
		t.Errorf("preflight: got %d %v", w.Code, w.Header())
	}
	if Previo(httptest.NewRecorder(), httptest.NewRequest("OPTIONS", "/", nil)) {
		t.Error("a bare OPTIONS is no preflight")
	}
}

func TestServirDrena(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		_, _ = io.WriteString(w, "feito")
	})
	ctx, stop := context.WithCancel(t.Context())
	ended, waited := make(chan error, 1), false
	go func() {
		ended <- Servir(ctx, ls, h, LimitesPadrao, slog.New(slog.DiscardHandler), func(context.Context) error { waited = true; return nil })
	}()
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + ls[0].Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-arrived
	stop()
	close(release)
	if got := <-answer; got != "feito" {
		t.Errorf("a call in flight must be answered, got %q", got)
	}
	if err := <-ended; err != nil || !waited {
		t.Errorf("want an orderly end after waiting for work, got %v, waited=%v", err, waited)
	}
}

// A caller that sends slowly, or nothing, holds its connection for no longer
// than the limits say.
func TestLimitesDaConexao(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	l := LimitesPadrao
	l.Leitura, l.Ociosa, l.Cabecalho = time.Second, time.Second, 4<<10
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Servir(ctx, ls, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
		}), l, slog.New(slog.DiscardHandler), nil)
	}()
	for nome, c := range map[string]struct{ send, want string }{
		"nothing at all":       {"", ""},
		"half a header":        {"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", ""},
		"half a body":          {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc", "400"},
		"idle after a request": {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "200"},
		"header too large":     {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 16<<10) + "\r\n\r\n", "431"},
	} {
		conn, err := net.Dial("tcp", ls[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, c.send)
		raw, err := io.ReadAll(conn) // until the server closes
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Errorf("%s: the connection is still open", nome)
		}
		if c.want != "" && !strings.HasPrefix(string(raw), "HTTP/1.1 "+c.want) {
			t.Errorf("%s: want %s, got %q", nome, c.want, raw)
		}
		conn.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestEmCurso(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	h := EmCurso(1, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release }), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	first := make(chan struct{})
	go func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)); close(first) }()
	<-arrived
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("one too many: want 503 with Retry-After, got %d %v", w.Code, w.Header())
	}
	close(release)
	<-first
	done := make(chan struct{})
	go func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)); close(done) }()
	select {
	case <-arrived:
	case <-time.After(10 * time.Second):
		t.Fatal("the place was not given back")
	}
	<-done
}

func TestOpcoesDeLimites(t *testing.T) {
	o := NovasOpcoes("p", func(k string) string { return map[string]string{"X_MAX_CORPO": "10", "X_LEITURA": "5s"}[k] }, io.Discard)
	l := o.Limites("X_")
	if err := o.Ler([]string{"-max-em-curso", "3"}); err != nil {
		t.Fatal(err)
	}
	want := LimitesPadrao
	want.Corpo, want.Leitura, want.EmCurso = 10, 5*time.Second, 3
	if *l != want {
		t.Errorf("want %+v, got %+v", want, *l)
	}
}

// Work that outlives the bound is given up, and told so.
func TestServirDesiste(t *testing.T) {
	ls, err := Escutar(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	told := false
	err = Servir(ctx, ls, http.NotFoundHandler(), LimitesPadrao, slog.New(slog.DiscardHandler), func(context.Context) error {
		told = true
		return context.DeadlineExceeded
	})
	if err != nil || !told {
		t.Errorf("want an orderly end after giving up, got %v, told=%v", err, told)
	}
}

func TestPerfilador(t *testing.T) {
	var out strings.Builder
	if err := Perfilador(t.Context(), "", &out); err != nil || out.Len() > 0 {
		t.Errorf("off by default: %v, %q", err, out.String())
	}
	for _, bad := range []string{"0.0.0.0:0", ":6060", "10.0.0.1:1", "x"} {
		if err := Perfilador(t.Context(), bad, &out); err == nil || !strings.Contains(err.Error(), "-pprof") {
			t.Errorf("%q: want an error that names -pprof, got %v", bad, err)
		}
	}
	if err := Perfilador(t.Context(), "127.0.0.1:0", &out); err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(out.String(), "perfis em "))
	for host, want := range map[string]int{"": 200, "evil.example": 403} {
		req, _ := http.NewRequest("GET", url+"goroutine?debug=1", nil)
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("host %q: want %d, got %d", host, want, res.StatusCode)
		}
	}
}

func TestUmaLinha(t *testing.T) {
	if got := umaLinha("a\nb\x1b[0m\u0085ç"); got != `a\nb\x1b[0m\u0085ç` {
		t.Errorf("got %q", got)
	}
}

func TestLogNaoSeForja(t *testing.T) {
	var out strings.Builder
	NovoLog(&out).Info("request", "id", "1\ntime=2026 level=INFO msg=forjada")
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("want one line, got %d: %q", n, out.String())
	}
	if !strings.Contains(out.String(), "Z level=INFO") {
		t.Errorf("times are to be in UTC: %q", out.String())
	}
}
