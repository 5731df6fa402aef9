package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
)

// tipoDeErro says how an exchange went wrong.
type tipoDeErro int

const (
	erroEstado   tipoDeErro = iota // another Task state or result than expected
	erroJSONRPC                    // a JSON-RPC error object
	erroHTTP                       // a status other than 200
	erroResposta                   // an answer that cannot be read, or to another request
	erroTempo                      // no answer in time
	erroConexao                    // no connection, or one that broke
	tiposDeErro
)

// nomesDeErro are what the table and the JSON call them.
var nomesDeErro = [tiposDeErro]string{"estado", "json_rpc", "http", "resposta", "tempo_esgotado", "conexao"}

// falhaDeCarga is one exchange that went wrong.
type falhaDeCarga struct {
	tipo  tipoDeErro
	texto string
}

func (f *falhaDeCarga) Error() string { return nomesDeErro[f.tipo] + ": " + f.texto }

// novaFalha makes a falhaDeCarga whose text shows the start of a body.
func novaFalha(tipo tipoDeErro, body []byte, formato string, args ...any) *falhaDeCarga {
	const limite = 400
	texto := fmt.Sprintf(formato, args...)
	if body != nil {
		texto += ": " + string(body[:min(len(body), limite)])
		if len(body) > limite {
			texto += "..."
		}
	}
	return &falhaDeCarga{tipo, imprimivel(texto)}
}

// classificarFalha says what an error of the connection is.
func classificarFalha(err error) *falhaDeCarga {
	var rede net.Error
	var invalida *respostaRuim
	switch {
	case errors.As(err, &invalida):
		return novaFalha(erroResposta, nil, "%v", err)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &rede) && rede.Timeout():
		return novaFalha(erroTempo, nil, "%v", err)
	}
	return novaFalha(erroConexao, nil, "%v", err)
}

// errosContados are the errors of a run: how many of each kind, and the first
// of each as an example.
type errosContados [tiposDeErro]struct {
	quantos uint64
	exemplo string
}

func (e *errosContados) anotar(f *falhaDeCarga) {
	c := &e[f.tipo]
	if c.quantos++; c.exemplo == "" {
		c.exemplo = f.texto
	}
}

func (e *errosContados) somar(o *errosContados) {
	for i := range o {
		e[i].quantos += o[i].quantos
		if e[i].exemplo == "" {
			e[i].exemplo = o[i].exemplo
		}
	}
}

func (e *errosContados) total() (n uint64) {
	for i := range e {
		n += e[i].quantos
	}
	return n
}
