package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Error codes that the checks name.
const (
	paramsInvalidos   = -32602
	faltaCapacidade   = -32021
	erroInterno       = -32603
	metodoInexistente = -32601
	jsonInvalido      = -32700
)

// erroRPC is the error member of a JSON-RPC response.
type erroRPC struct {
	codigo   int64
	mensagem string
	dados    json.RawMessage
}

func (e *erroRPC) Error() string {
	return fmt.Sprintf("erro JSON-RPC %d (%s)", e.codigo, e.mensagem)
}

// respostaRPC is a well-formed JSON-RPC response: exactly one of resultado and
// erro is set.
type respostaRPC struct {
	status    int
	resultado json.RawMessage
	erro      *erroRPC
}

// lerRPC reads the envelope. id is the request's, as JSON. An error response
// may come without id, because the server may not have got as far as reading
// it; a result may not.
func lerRPC(r respostaHTTP, id string) (respostaRPC, error) {
	o, err := comoObjeto(r.corpo)
	if err != nil {
		return respostaRPC{}, fmt.Errorf("HTTP %d sem resposta JSON-RPC: %w", r.status, err)
	}
	if v, err := o.texto("jsonrpc"); err != nil || v != "2.0" {
		return respostaRPC{}, fmt.Errorf("HTTP %d sem resposta JSON-RPC: falta \"jsonrpc\":\"2.0\"", r.status)
	}
	if o.tem("result") == o.tem("error") {
		return respostaRPC{}, errors.New("resposta JSON-RPC sem exatamente um entre result e error")
	}
	eco := string(bytes.TrimSpace(o["id"]))
	semID := eco == "" || eco == "null"
	if eco != id && (o.tem("result") || !semID) {
		return respostaRPC{}, fmt.Errorf("resposta com id %s para o request de id %s", trecho([]byte(eco)), id)
	}
	resp := respostaRPC{status: r.status}
	if o.tem("result") {
		resp.resultado = o["result"]
		return resp, nil
	}
	dentro, err := o.objeto("error")
	if err != nil {
		return respostaRPC{}, fmt.Errorf("resposta JSON-RPC: %w", err)
	}
	e := &erroRPC{dados: dentro["data"]}
	if tipoJSON(dentro["code"]) != "numero" || json.Unmarshal(dentro["code"], &e.codigo) != nil {
		return respostaRPC{}, errors.New("error.code nao e um inteiro")
	}
	if tipoJSON(dentro["message"]) != "texto" || json.Unmarshal(dentro["message"], &e.mensagem) != nil {
		return respostaRPC{}, errors.New("error.message nao e um texto")
	}
	resp.erro = e
	return resp, nil
}

// sucesso gives the result, which must be an object that came with HTTP 200.
func (r respostaRPC) sucesso() (objeto, error) {
	if r.erro != nil {
		return nil, r.erro
	}
	if r.status != 200 {
		return nil, fmt.Errorf("result com HTTP %d", r.status)
	}
	o, err := comoObjeto(r.resultado)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return o, nil
}

// recusa demands an error of the given code.
func (r respostaRPC) recusa(codigo int64) error {
	if r.erro == nil {
		return fmt.Errorf("esperado o erro %d, veio result: %s", codigo, trecho(r.resultado))
	}
	if r.erro.codigo != codigo {
		return fmt.Errorf("esperado o erro %d, veio %w", codigo, r.erro)
	}
	return nil
}

// recusa400 demands an error of the given code together with HTTP 400.
func (r respostaRPC) recusa400(codigo int64) error {
	if err := r.recusa(codigo); err != nil {
		return err
	}
	if r.status != 400 {
		return fmt.Errorf("esperado HTTP 400 com o erro %d, veio HTTP %d", codigo, r.status)
	}
	return nil
}
