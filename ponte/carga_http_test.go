package main

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// servidorCru answers each request on its connections with the next of the
// given bytes; after the last it closes. It counts the connections.
func servidorCru(t *testing.T, porConexao ...string) (destinoHTTP, *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	conexoes := &atomic.Int32{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conexoes.Add(1)
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for _, resposta := range porConexao {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					if _, err := io.WriteString(c, resposta); err != nil {
						return
					}
				}
			}()
		}
	}()
	d, err := lerDestino("http://" + l.Addr().String() + "/x")
	if err != nil {
		t.Fatal(err)
	}
	return d, conexoes
}

const pedidoCru = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"

func TestTrocaHTTP(t *testing.T) {
	longa := strings.Repeat("x", 3*bufferResposta)
	casos := []struct {
		nome, resposta string
		status         int
		corpo          string
		erro           string // part of the error; empty for none
	}{
		{nome: "length", resposta: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", status: 200, corpo: "abc"},
		{nome: "names in any case, spaces around", resposta: "HTTP/1.1 200 OK\r\ncONTENT-lENGTH:   3  \r\n\r\nabc", status: 200, corpo: "abc"},
		{nome: "line breaks without CR", resposta: "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", status: 200, corpo: "abc"},
		{nome: "empty", resposta: "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", status: 202},
		{nome: "no reason", resposta: "HTTP/1.1 500 \r\nContent-Length: 1\r\n\r\nx", status: 500, corpo: "x"},
		{nome: "no content", resposta: "HTTP/1.1 204 No Content\r\n\r\n", status: 204},
		{nome: "larger than the buffer", resposta: "HTTP/1.1 200 OK\r\nContent-Length: 49152\r\n\r\n" + longa, status: 200, corpo: longa},
		{nome: "chunks", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", status: 200, corpo: "abc0123456789"},
		{nome: "chunks and a trailer", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: b\r\n\r\n", status: 200, corpo: "a"},
		{nome: "interim before the final one", resposta: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", status: 200, corpo: "a"},
		{nome: "same length twice", resposta: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", status: 200, corpo: "a"},

		{nome: "cut in the body", resposta: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", erro: "acabou antes"},
		{nome: "cut in a chunk", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", erro: "acabou antes"},
		{nome: "cut in the header", resposta: "HTTP/1.1 200 OK\r\nConte", erro: "acabou antes"},
		{nome: "nothing", resposta: "", erro: "acabou antes"},
		{nome: "no HTTP", resposta: "SSH-2.0-OpenSSH_9.9\r\n", erro: "comeca com"},
		{nome: "no status", resposta: "HTTP/1.1 OK!\r\n\r\n", erro: "comeca com"},
		{nome: "two lengths", resposta: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", erro: "Content-Length"},
		{nome: "negative length", resposta: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", erro: "Content-Length"},
		{nome: "absurd length", resposta: "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", erro: "corpo com mais de"},
		{nome: "absurd chunk", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffff\r\n", erro: "corpo com mais de"},
		{nome: "no chunk", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", erro: "tamanho de pedaco"},
		{nome: "chunk too long", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", erro: "mais longo"},
		{nome: "unknown coding", resposta: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", erro: "Transfer-Encoding"},
		{nome: "endless line", resposta: "HTTP/1.1 200 OK\r\nX: " + longa, erro: "linha com mais de"},
		{nome: "endless header", resposta: "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 2*maxCabecalhos), erro: "cabecalhos"},
		{nome: "no field", resposta: "HTTP/1.1 200 OK\r\nfoo\r\n\r\n", erro: "cabecalho"},
	}
	for _, c := range casos {
		t.Run(c.nome, func(t *testing.T) {
			d, conexoes := servidorCru(t, c.resposta, c.resposta)
			if c.erro != "" {
				d, conexoes = servidorCru(t, c.resposta)
			}
			conn := &conexaoHTTP{destino: d, espera: 20 * time.Second}
			defer conn.fechar()
			for range 2 { // the second shows where the first ended
				status, corpo, err := conn.trocar(t.Context(), []byte(pedidoCru))
				if c.erro != "" {
					if err == nil || !strings.Contains(err.Error(), c.erro) {
						t.Fatalf("status %d, body %.60q, error %v, want one with %q", status, corpo, err, c.erro)
					}
					continue
				}
				if err != nil || status != c.status || string(corpo) != c.corpo {
					t.Fatalf("status %d, body %.60q, error %v, want %d, %.60q", status, corpo, err, c.status, c.corpo)
				}
			}
			want := int32(1)
			if c.erro != "" {
				want = 2 // a broken connection is never used again
			}
			if n := conexoes.Load(); n != want {
				t.Errorf("%d connections, want %d", n, want)
			}
		})
	}
}

// A connection that the answer ends is opened again without an error.
func TestTrocaHTTPQueFecha(t *testing.T) {
	for nome, resposta := range map[string]string{
		"close":             "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\na",
		"HTTP/1.0":          "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
		"body without size": "HTTP/1.1 200 OK\r\n\r\na",
	} {
		t.Run(nome, func(t *testing.T) {
			d, conexoes := servidorCru(t, resposta)
			conn := &conexaoHTTP{destino: d, espera: 20 * time.Second}
			defer conn.fechar()
			for range 3 {
				if status, corpo, err := conn.trocar(t.Context(), []byte(pedidoCru)); err != nil || status != 200 || string(corpo) != "a" {
					t.Fatalf("status %d, body %q, error %v", status, corpo, err)
				}
			}
			if n := conexoes.Load(); n != 3 {
				t.Errorf("%d connections, want 3", n)
			}
		})
	}
}

func TestTrocaHTTPSemResposta(t *testing.T) {
	solta := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-solta }))
	t.Cleanup(func() { close(solta); s.Close() })
	d, _ := lerDestino(s.URL)

	conn := &conexaoHTTP{destino: d, espera: 50 * time.Millisecond}
	if _, _, err := conn.trocar(t.Context(), []byte(pedidoCru)); err == nil || classificarFalha(err).tipo != erroTempo {
		t.Errorf("error %v, want a timeout", err)
	}
	conn = &conexaoHTTP{destino: d, espera: time.Hour}
	time.AfterFunc(20*time.Millisecond, conn.fechar)
	if _, _, err := conn.trocar(t.Context(), []byte(pedidoCru)); err == nil {
		t.Error("an exchange went on after fechar")
	}
	if _, _, err := conn.trocar(t.Context(), []byte(pedidoCru)); err == nil {
		t.Error("a closed connection was opened again")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&conexaoHTTP{destino: d, espera: time.Hour}).trocar(ctx, []byte(pedidoCru)); err == nil {
		t.Error("connected although the context had ended")
	}
}

func TestTrocaHTTPComTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	d, err := lerDestino(s.URL + "/a?b=c")
	if err != nil || !d.tls || d.caminho != "/a?b=c" {
		t.Fatalf("%+v, %v", d, err)
	}
	// Its certificate is nobody's: that it is refused shows that TLS was spoken.
	_, _, err = (&conexaoHTTP{destino: d, espera: 20 * time.Second}).trocar(t.Context(), []byte(pedidoCru))
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want one of the certificate", err)
	}
}

func TestLerDestino(t *testing.T) {
	for endereco, want := range map[string]destinoHTTP{
		"http://localhost:7300/a2a": {host: "localhost:7300", nome: "localhost:7300", caminho: "/a2a"},
		"http://[::1]:7300":         {host: "[::1]:7300", nome: "[::1]:7300", caminho: "/"},
		"https://a.example/x":       {host: "a.example:443", nome: "a.example", caminho: "/x", tls: true},
		"http://a.example":          {host: "a.example:80", nome: "a.example", caminho: "/"},
	} {
		if d, err := lerDestino(endereco); err != nil || d != want {
			t.Errorf("%s: %+v, %v, want %+v", endereco, d, err, want)
		}
	}
	for _, endereco := range []string{"", "localhost:7300", "ftp://a/", "http://", "http://u:p@a/", "http://a b/"} {
		if d, err := lerDestino(endereco); err == nil {
			t.Errorf("%q gave %+v, want an error", endereco, d)
		}
	}
}
