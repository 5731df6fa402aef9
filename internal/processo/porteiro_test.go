package processo

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

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
