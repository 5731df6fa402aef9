package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errSSE marks an event stream that breaks the transport's rules.
var errSSE = errors.New("text/event-stream invalido")

// lerSSE reads an event stream up to the first event that holds a JSON-RPC
// response and returns that event's data. Comments and notifications are
// skipped. A request of the server's own is refused: on the stateless
// transport there is no way back, and a server that tries has not understood
// MRTR. The reader must be limited by the caller.
func lerSSE(r io.Reader) ([]byte, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), limiteCorpo+1)
	var dados []byte
	for sc.Scan() {
		linha := bytes.TrimSuffix(sc.Bytes(), []byte("\r"))
		if resto, ok := bytes.CutPrefix(linha, []byte("data:")); ok {
			if dados != nil {
				dados = append(dados, '\n')
			}
			dados = append(dados, bytes.TrimPrefix(resto, []byte(" "))...)
			if dados == nil {
				dados = []byte{}
			}
			continue
		}
		if len(linha) > 0 {
			continue // comment, event, id, retry
		}
		if final, err := eventoFinal(dados); final || err != nil {
			return dados, err
		}
		dados = nil
	}
	if err := sc.Err(); err != nil {
		return dados, err
	}
	if final, err := eventoFinal(dados); final || err != nil {
		return dados, err
	}
	return dados, fmt.Errorf("%w: terminou sem a resposta JSON-RPC", errSSE)
}

// eventoFinal tells the response from what may come before it.
func eventoFinal(dados []byte) (bool, error) {
	if len(bytes.TrimSpace(dados)) == 0 {
		return false, nil
	}
	o, err := comoObjeto(dados)
	if err != nil {
		return false, fmt.Errorf("%w: evento: %w", errSSE, err)
	}
	if o.tem("method") {
		if o.tem("id") {
			return false, fmt.Errorf("%w: o servidor enviou um request pelo stream", errSSE)
		}
		return false, nil
	}
	return true, nil
}
