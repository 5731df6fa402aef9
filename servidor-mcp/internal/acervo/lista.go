package acervo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

// lerLista reads a JSON document that is a list of objects, each with exactly
// the fields named in campos, spelled exactly so and given once. It is read
// token by token because encoding/json by itself takes a field in any case,
// and of a repeated field the last.
func lerLista(dados []byte, entidade reserva.Entidade, campos ...string) ([]entrada, error) {
	documento, err := lerDocumento(dados)
	if err != nil {
		return nil, err
	}
	var itens []json.RawMessage
	if documento[0] != '[' {
		return nil, fmt.Errorf("deve ser uma lista, veio %s; comece o arquivo com [", descrever(documento))
	}
	if err := json.Unmarshal(documento, &itens); err != nil {
		return nil, fmt.Errorf("JSON invalido: %w", err) // lerDocumento has accepted it
	}
	entradas := make([]entrada, len(itens))
	for i, item := range itens {
		if entradas[i], err = lerEntrada(item, entidade, i+1, campos); err != nil {
			return nil, err
		}
	}
	return entradas, nil
}

// lerDocumento sees that dados is one JSON value and nothing more, and
// returns it without the space around it.
func lerDocumento(dados []byte) (json.RawMessage, error) {
	leitor := json.NewDecoder(bytes.NewReader(dados))
	var documento json.RawMessage
	if err := leitor.Decode(&documento); err != nil {
		if sintaxe, ok := errors.AsType[*json.SyntaxError](err); ok {
			indice := int(sintaxe.Offset) - 1 // Offset counts the byte at fault
			return nil, fmt.Errorf("JSON invalido na %s, em %q; corrija a sintaxe",
				lugar(dados, indice), caractere(dados, indice))
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("JSON incompleto, o arquivo acaba na %s; complete-o", lugar(dados, len(dados)))
		}
		return nil, fmt.Errorf("JSON invalido: %w", err)
	}
	fim := int(leitor.InputOffset())
	if resto := bytes.TrimLeft(dados[fim:], " \t\r\n"); len(resto) > 0 {
		indice := len(dados) - len(resto)
		return nil, fmt.Errorf("sobra texto depois do fim do JSON na %s, em %q; remova-o",
			lugar(dados, indice), caractere(dados, indice))
	}
	return bytes.TrimSpace(documento), nil
}

// caractere is the whole character that begins at indice.
func caractere(dados []byte, indice int) string {
	for _, r := range string(dados[max(indice, 0):min(indice+4, len(dados))]) {
		return string(r)
	}
	return ""
}
