package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// destinoHTTP is where a connection goes.
type destinoHTTP struct {
	host    string // host:port, for the dialler
	tls     bool
	nome    string // the Host header
	caminho string // path and query
}

// lerDestino takes an http or https URL apart.
func lerDestino(endereco string) (destinoHTTP, error) {
	u, err := url.Parse(endereco)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return destinoHTTP{}, fmt.Errorf("%q nao e um endereco http ou https", endereco)
	}
	porta := u.Port()
	if porta == "" {
		porta = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return destinoHTTP{
		host:    net.JoinHostPort(u.Hostname(), porta),
		tls:     u.Scheme == "https",
		nome:    u.Host,
		caminho: u.RequestURI(),
	}, nil
}

// respostaRuim is an answer that is not HTTP/1.1 as it should be.
type respostaRuim struct{ texto string }

func (e *respostaRuim) Error() string { return "resposta HTTP invalida: " + e.texto }

func ruim(formato string, args ...any) error { return &respostaRuim{fmt.Sprintf(formato, args...)} }

// conexaoHTTP is one connection of HTTP/1.1, kept alive from exchange to
// exchange and opened again after one that ended it. It does what the
// generator needs and no more: the request is written as it is, and of the
// answer only status, framing and body are read. One goroutine uses it at a
// time; fechar may come from another.
type conexaoHTTP struct {
	destino destinoHTTP
	// espera bounds an exchange, connecting included.
	espera time.Duration

	mu      sync.Mutex
	fechada bool
	conn    net.Conn

	r     *bufio.Reader
	corpo []byte // of the last answer
}

const (
	// bufferResposta also bounds one line of a response header.
	bufferResposta = 16 << 10
	// maxCabecalhos bounds the whole header.
	maxCabecalhos = 128
)

var errFechada = errors.New("conexao fechada")

// fechar ends the connection for good, also in the middle of an exchange.
func (c *conexaoHTTP) fechar() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fechada = true
	if c.conn != nil {
		_ = c.conn.Close()
	}
}

// largar ends the connection; the next exchange opens another.
func (c *conexaoHTTP) largar() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

func (c *conexaoHTTP) abrir(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.espera)
	defer cancel()
	var conn net.Conn
	var err error
	if c.destino.tls {
		conn, err = (&tls.Dialer{Config: &tls.Config{NextProtos: []string{"http/1.1"}}}).DialContext(ctx, "tcp", c.destino.host)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", c.destino.host)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fechada {
		_ = conn.Close()
		return errFechada
	}
	c.conn = conn
	if c.r == nil {
		c.r = bufio.NewReaderSize(conn, bufferResposta)
	} else {
		c.r.Reset(conn)
	}
	return nil
}

// trocar sends a whole request and reads its answer. The body is valid until
// the next exchange.
func (c *conexaoHTTP) trocar(ctx context.Context, pedido []byte) (status int, corpo []byte, err error) {
	if c.conn == nil {
		if err := c.abrir(ctx); err != nil {
			return 0, nil, err
		}
	}
	defer func() {
		if err != nil {
			c.largar()
		}
	}()
	if err := c.conn.SetDeadline(time.Now().Add(c.espera)); err != nil {
		return 0, nil, err
	}
	if _, err := c.conn.Write(pedido); err != nil {
		return 0, nil, err
	}
	for {
		var q quadro
		if status, q, err = c.lerCabecalho(); err != nil {
			return 0, nil, err
		}
		if status == 101 {
			return 0, nil, ruim("status 101")
		}
		if status/100 == 1 {
			continue // an interim response; the final one follows
		}
		if err = c.lerCorpo(status, q); err != nil {
			return 0, nil, err
		}
		if q.fecha {
			c.largar()
		}
		return status, c.corpo, nil
	}
}

// quadro is how a body is framed (RFC 9112, 6.3).
type quadro struct {
	tamanho   int64 // -1: not given
	emPedacos bool
	fecha     bool // the connection ends with the answer
}

// linha reads one line without its end.
func (c *conexaoHTTP) linha() ([]byte, error) {
	l, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, ruim("linha com mais de %d bytes", bufferResposta)
	case err != nil:
		return nil, semFim(err)
	}
	return bytes.TrimSuffix(l[:len(l)-1], []byte("\r")), nil
}

func (c *conexaoHTTP) lerCabecalho() (status int, q quadro, err error) {
	l, err := c.linha()
	if err != nil {
		return 0, q, err
	}
	if len(l) < 12 || !bytes.HasPrefix(l, []byte("HTTP/1.")) || l[8] != ' ' {
		return 0, q, ruim("comeca com %.60q", l)
	}
	if status, err = strconv.Atoi(string(l[9:12])); err != nil || status < 100 {
		return 0, q, ruim("comeca com %.60q", l)
	}
	q = quadro{tamanho: -1, fecha: l[7] == '0'}
	for range maxCabecalhos {
		if l, err = c.linha(); err != nil {
			return 0, q, err
		}
		if len(l) == 0 {
			return status, q, nil
		}
		nome, valor, ok := bytes.Cut(l, []byte(":"))
		if !ok {
			return 0, q, ruim("cabecalho %.60q", l)
		}
		if err := q.ler(nome, bytes.TrimSpace(valor)); err != nil {
			return 0, q, err
		}
	}
	return 0, q, ruim("mais de %d cabecalhos", maxCabecalhos)
}

// ler takes from one header field what frames the body.
func (q *quadro) ler(nome, valor []byte) error {
	switch {
	case bytes.EqualFold(nome, []byte("Content-Length")):
		n, err := strconv.ParseInt(string(valor), 10, 64)
		if err != nil || n < 0 || q.tamanho >= 0 && q.tamanho != n {
			return ruim("Content-Length %.40q", valor)
		}
		q.tamanho = n
	case bytes.EqualFold(nome, []byte("Transfer-Encoding")):
		if q.emPedacos || !bytes.EqualFold(valor, []byte("chunked")) {
			return ruim("Transfer-Encoding %.40q", valor)
		}
		q.emPedacos = true
	case bytes.EqualFold(nome, []byte("Connection")):
		for opcao := range bytes.SplitSeq(valor, []byte(",")) {
			opcao = bytes.TrimSpace(opcao)
			q.fecha = q.fecha && !bytes.EqualFold(opcao, []byte("keep-alive")) || bytes.EqualFold(opcao, []byte("close"))
		}
	}
	return nil
}

func (c *conexaoHTTP) lerCorpo(status int, q quadro) error {
	c.corpo = c.corpo[:0]
	switch {
	case status == 204 || status == 304:
		return nil
	case q.emPedacos:
		return c.lerPedacos()
	case q.tamanho >= 0:
		return c.acrescentar(q.tamanho)
	}
	// Without either the body ends where the connection does.
	defer c.largar()
	resto, err := io.ReadAll(io.LimitReader(c.r, limiteResposta+1))
	if c.corpo = resto; err == nil && len(resto) > limiteResposta {
		err = ruim("corpo com mais de %d bytes", limiteResposta)
	}
	return err
}

// acrescentar reads n more bytes of the body.
func (c *conexaoHTTP) acrescentar(n int64) error {
	ha := len(c.corpo)
	if n > int64(limiteResposta-ha) {
		return ruim("corpo com mais de %d bytes", limiteResposta)
	}
	c.corpo = append(c.corpo, make([]byte, n)...)
	_, err := io.ReadFull(c.r, c.corpo[ha:])
	return semFim(err)
}

func (c *conexaoHTTP) lerPedacos() error {
	for {
		l, err := c.linha()
		if err != nil {
			return err
		}
		tamanho, _, _ := bytes.Cut(l, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(tamanho)), 16, 64)
		if err != nil || n < 0 {
			return ruim("tamanho de pedaco %.40q", l)
		}
		if n == 0 {
			break
		}
		if err := c.acrescentar(n); err != nil {
			return err
		}
		if l, err = c.linha(); err != nil {
			return err
		}
		if len(l) > 0 {
			return ruim("pedaco mais longo do que diz")
		}
	}
	for range maxCabecalhos { // trailers
		if l, err := c.linha(); err != nil || len(l) == 0 {
			return err
		}
	}
	return ruim("mais de %d cabecalhos", maxCabecalhos)
}

// semFim says that an answer broke off.
func semFim(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("a conexao acabou antes da resposta")
	}
	return err
}
