package processo

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

// Limites bound what one caller, or all of them together, can make a process
// hold. Each has an option.
type Limites struct {
	// Corpo is the largest request body, in bytes.
	Corpo int
	// Cabecalho is the largest request header, in bytes.
	Cabecalho int
	// Profundidade is how deep arrays and objects may nest in a body.
	Profundidade int
	// EmCurso is how many requests are served at a time; the next one is told
	// to come back later.
	EmCurso int
	// Leitura bounds the reading of a request: its header, and then the rest.
	Leitura time.Duration
	// Escrita bounds the writing of an answer to a caller that reads slowly.
	Escrita time.Duration
	// Ociosa is how long a connection may stay open without a request.
	Ociosa time.Duration
}

// LimitesPadrao are the defaults.
var LimitesPadrao = Limites{
	Corpo:        1 << 20,
	Cabecalho:    64 << 10,
	Profundidade: 64,
	EmCurso:      1024,
	Leitura:      30 * time.Second,
	Escrita:      30 * time.Second,
	Ociosa:       2 * time.Minute,
}

// Limites declares the options of all limits. prefixo begins the names of
// their variables, as in MCP_MAX_CORPO. The value is complete after Ler.
func (o *Opcoes) Limites(prefixo string) *Limites {
	l := &Limites{}
	for _, n := range []struct {
		alvo           *int
		nome, variavel string
		padrao         int
		texto          string
	}{
		{&l.Corpo, "max-corpo", "MAX_CORPO", LimitesPadrao.Corpo, "maior corpo de um pedido, em bytes"},
		{&l.Cabecalho, "max-cabecalho", "MAX_CABECALHO", LimitesPadrao.Cabecalho, "maior cabecalho de um pedido, em bytes"},
		{&l.Profundidade, "max-profundidade", "MAX_PROFUNDIDADE", LimitesPadrao.Profundidade, "quanto o JSON de um pedido pode aninhar"},
		{&l.EmCurso, "max-em-curso", "MAX_EM_CURSO", LimitesPadrao.EmCurso, "pedidos atendidos ao mesmo tempo; alem deles, 503"},
	} {
		o.inteiroEm(n.alvo, n.nome, prefixo+n.variavel, n.padrao, 1, n.texto)
	}
	o.duracaoEm(&l.Leitura, "leitura", prefixo+"LEITURA", LimitesPadrao.Leitura, 10*time.Millisecond, time.Hour, "quanto um pedido pode demorar a chegar")
	o.duracaoEm(&l.Escrita, "escrita", prefixo+"ESCRITA", LimitesPadrao.Escrita, 10*time.Millisecond, time.Hour, "quanto quem chamou pode demorar a ler uma resposta")
	o.duracaoEm(&l.Ociosa, "ociosa", prefixo+"OCIOSA", LimitesPadrao.Ociosa, 10*time.Millisecond, 24*time.Hour, "quanto uma conexao pode ficar aberta sem pedido")
	return l
}

// pequeno is how large a body may say it is to get its room at once, in bytes.
const pequeno = 16 << 10

// LerCorpo reads the body of a request whole; there is none beside an error. grande is set when it is over max
// bytes; the connection is then closed after the answer.
func LerCorpo(w http.ResponseWriter, r *http.Request, max int) (body []byte, grande bool, err error) {
	var b bytes.Buffer
	if n := r.ContentLength; n > 0 && n <= pequeno {
		b.Grow(int(n) + bytes.MinRead) // what a caller only says it sends takes no more
	}
	_, err = b.ReadFrom(http.MaxBytesReader(w, r.Body, int64(max)))
	body = b.Bytes()
	var over *http.MaxBytesError
	return body, errors.As(err, &over), err
}

// PrazoDeEscrita makes what is written to w from here on fail after d: a caller
// that does not read holds nothing for longer.
func PrazoDeEscrita(w http.ResponseWriter, d time.Duration) {
	// Writers of tests have no deadlines, and need none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// Vagas are the places of the requests that are served at a time.
type Vagas chan struct{}

// NovasVagas makes n places.
func NovasVagas(n int) Vagas { return make(Vagas, n) }

// Ocupar takes a place, and returns a context that knows it and a function that
// gives it back, once, however often it is called. ok is false when there is
// none left.
func (v Vagas) Ocupar(ctx context.Context) (comVaga context.Context, desocupar func(), ok bool) {
	select {
	case v <- struct{}{}:
		u := &vaga{vagas: v}
		return context.WithValue(ctx, chaveVaga{}, u), u.desocupar, true
	default:
		return ctx, func() {}, false
	}
}

// vaga is a place that is taken.
type vaga struct {
	vagas Vagas
	livre atomic.Bool
}

type chaveVaga struct{}

func (u *vaga) desocupar() {
	if u.livre.CompareAndSwap(false, true) {
		<-u.vagas
	}
}

// Desocupar gives back the place of the request that ctx belongs to, before the
// request ends: from here on it only waits.
func Desocupar(ctx context.Context) {
	if u, ok := ctx.Value(chaveVaga{}).(*vaga); ok {
		u.desocupar()
	}
}

// EmCurso lets those requests into h for which there is a place. The others get
// what recusar writes, after a Retry-After header of one second; its status is
// to be 503.
func EmCurso(v Vagas, h http.Handler, recusar http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, desocupar, ok := v.Ocupar(r.Context())
		if !ok {
			w.Header().Set("Retry-After", "1")
			recusar(w, r)
			return
		}
		defer desocupar()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}
