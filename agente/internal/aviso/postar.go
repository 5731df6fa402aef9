package aviso

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// maxResposta is how much of an answer is read, for the connection to serve
// again; maxCabecalho how much of its header.
const maxResposta, maxCabecalho = 64 << 10, 64 << 10

// novoTransporte makes the way out: no proxy, since it would do the dialing in
// place of the check; no redirects, since a RoundTripper follows none.
func novoTransporte(privados bool, prazo time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: prazo}
	if !privados {
		dialer.ControlContext = soPublicos
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    prazo,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // nobody reads it
		MaxIdleConns:           emMaosAoTodo,
		MaxIdleConnsPerHost:    porReceptor,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxCabecalho,
	}
}

// resposta is what came of an attempt.
type resposta struct {
	status int // 0 without an answer
	// pedida is how long the receiver asks to wait.
	pedida time.Duration
	err    error
}

func (r resposta) aceita() bool { return r.status >= 200 && r.status < 300 }

// definitiva reports whether the same request would fail again: the receiver
// does not take it, or it must not be reached.
func (r resposta) definitiva() bool {
	switch r.status {
	case 0:
		return errors.Is(r.err, errPrivado) || errors.Is(r.err, errPedido) || errors.Is(r.err, errCorpo)
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return r.status >= 400 && r.status < 500
}

var (
	// errPedido: no request can be made of the config.
	errPedido = errors.New("the config makes no request")
	// errCorpo: no body can be made of the Task.
	errCorpo = errors.New("the task makes no body")
)

// postar makes one attempt (A2A v1.0, 4.3.3).
func (e *Entregador) postar(ctx context.Context, x *entrega) resposta {
	ctx, cancel := context.WithTimeout(ctx, e.tempos.prazo)
	defer cancel()
	corpo, err := e.corpo(x.Tarefa)
	if err != nil {
		return resposta{err: errCorpo}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.URL, bytes.NewReader(corpo))
	if err != nil {
		return resposta{err: errPedido} // it may quote the URL
	}
	req.Header.Set("Content-Type", "application/a2a+json")
	req.Header.Set("User-Agent", e.agente)
	if x.Token != "" {
		// The specification gives the token a field and no header. The SDKs for
		// Python, JavaScript and Java send the first, that for Go the second: a
		// receiver reads whichever it knows.
		req.Header.Set("X-A2A-Notification-Token", x.Token)
		req.Header.Set("A2A-Notification-Token", x.Token)
	}
	if x.Esquema != "" && x.Credenciais != "" {
		req.Header.Set("Authorization", x.Esquema+" "+x.Credenciais)
	}
	res, err := e.transporte.RoundTrip(req)
	if err != nil {
		return resposta{err: err}
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxResposta)) // its status is the answer
	return resposta{status: res.StatusCode, pedida: esperaPedida(res.Header, e.agora())}
}

// explicar says for the log what came of an attempt. It quotes nothing that the
// receiver said, who knows the credentials, nor the URL.
func (r resposta) explicar() string {
	err := r.err
	var dns *net.DNSError
	var errno syscall.Errno
	var certificado *tls.CertificateVerificationError
	var alerta tls.AlertError
	var naoTLS tls.RecordHeaderError
	var rede net.Error
	switch {
	case err == nil:
		return fmt.Sprintf("HTTP status %d", r.status)
	case errors.Is(err, errPrivado):
		return errPrivado.Error()
	case errors.Is(err, errPedido):
		return errPedido.Error()
	case errors.Is(err, errCorpo):
		return errCorpo.Error()
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return "no such host"
		}
		return "the host's name was not resolved"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &rede) && rede.Timeout():
		return "no answer in time"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &certificado):
		return "the certificate was not accepted"
	case errors.As(err, &alerta), errors.As(err, &naoTLS), errors.Is(err, http.ErrSchemeMismatch):
		return "no TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without an answer"
	}
	return "no valid HTTP answer"
}
