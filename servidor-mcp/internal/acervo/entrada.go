package acervo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

// entrada is one object of a list, by its fields. Each method that reads a
// field takes one that lerEntrada has seen to be there.
type entrada struct {
	entidade reserva.Entidade
	posicao  int // from 1
	id       string
	valores  map[string]json.RawMessage
}

// lerEntrada reads an object that has each of campos once and nothing else.
func lerEntrada(item json.RawMessage, entidade reserva.Entidade, posicao int, campos []string) (entrada, error) {
	e := entrada{entidade: entidade, posicao: posicao, valores: make(map[string]json.RawMessage, len(campos))}
	esperados := strings.Join(campos, ", ")
	if item[0] != '{' {
		return e, e.falha("", "deve ser um objeto, veio %s; informe %s", descrever(item), esperados)
	}
	var repetido, desconhecido []string
	leitor := json.NewDecoder(bytes.NewReader(item))
	if _, err := leitor.Token(); err != nil { // the opening brace
		return e, e.falha("", "JSON invalido: %s", err)
	}
	for leitor.More() {
		token, err := leitor.Token()
		if err != nil {
			return e, e.falha("", "JSON invalido: %s", err)
		}
		campo, _ := token.(string) // a key always is one
		var valor json.RawMessage
		if err := leitor.Decode(&valor); err != nil {
			return e, e.falha("", "JSON invalido: %s", err)
		}
		_, visto := e.valores[campo]
		switch {
		case visto:
			repetido = append(repetido, campo)
		case !slices.Contains(campos, campo):
			desconhecido = append(desconhecido, campo)
		default:
			e.valores[campo] = valor
		}
	}
	if id, ok := textoDe(e.valores["id"]); ok {
		e.id = id // so that the faults below name the entry
	}
	if len(desconhecido) > 0 {
		return e, e.falha("", "campo desconhecido %.100q; use so %s", desconhecido[0], esperados)
	}
	if len(repetido) > 0 {
		return e, e.falha(repetido[0], "aparece mais de uma vez; deixe uma so")
	}
	for _, campo := range campos {
		if _, ok := e.valores[campo]; !ok {
			return e, e.falha(campo, "nao foi informado; a entrada precisa de %s", esperados)
		}
	}
	return e, nil
}

// falha is an error about this entry; campo may be "".
func (e entrada) falha(campo, formato string, args ...any) error {
	return &reserva.Inconsistencia{
		Entidade: e.entidade, Posicao: e.posicao, ID: e.id, Campo: campo, Problema: fmt.Sprintf(formato, args...),
	}
}

func (e entrada) texto(campo string) (string, error) {
	s, ok := textoDe(e.valores[campo])
	if !ok {
		return "", e.falha(campo, "deve ser um texto, veio %s; escreva-o entre aspas", descrever(e.valores[campo]))
	}
	return s, nil
}

func (e entrada) inteiro(campo string) (int, error) {
	valor := e.valores[campo]
	var n int
	if err := json.Unmarshal(valor, &n); err != nil || !numerico(valor) {
		return 0, e.falha(campo, "deve ser um numero inteiro, veio %s; escreva so os digitos", descrever(valor))
	}
	return n, nil
}

// textos reads a list of texts. The result is never nil.
func (e entrada) textos(campo string) ([]string, error) {
	valor := e.valores[campo]
	var itens []json.RawMessage
	if err := json.Unmarshal(valor, &itens); err != nil || itens == nil {
		return nil, e.falha(campo, "deve ser uma lista de textos, veio %s; use [] se nao ha nenhum", descrever(valor))
	}
	lidos := make([]string, len(itens))
	for i, item := range itens {
		s, ok := textoDe(item)
		if !ok {
			return nil, e.falha(campo, "o item %d deve ser um texto, veio %s; escreva-o entre aspas", i+1, descrever(item))
		}
		lidos[i] = s
	}
	return lidos, nil
}

func (e entrada) instante(campo string) (time.Time, error) {
	s, err := e.texto(campo)
	if err != nil {
		return time.Time{}, err
	}
	t, err := reserva.LerInstante(campo, s)
	if err != nil {
		return time.Time{}, e.falha(campo, "%.100q recusado; %s", s, err)
	}
	return t, nil
}

func textoDe(valor json.RawMessage) (string, bool) {
	var s *string
	if err := json.Unmarshal(valor, &s); err != nil || s == nil {
		return "", false
	}
	return *s, true
}

func numerico(valor json.RawMessage) bool {
	return valor[0] == '-' || valor[0] >= '0' && valor[0] <= '9'
}

// descrever says what a JSON value is, for a message that expected another
// kind; what may hold anything is quoted.
func descrever(valor json.RawMessage) string {
	switch valor[0] {
	case '"':
		s, _ := textoDe(valor)
		return fmt.Sprintf("o texto %.100q", s)
	case '[':
		return "uma lista"
	case '{':
		return "um objeto"
	case 'n':
		return "null"
	case 't', 'f':
		return "o booleano " + string(valor)
	}
	return fmt.Sprintf("o numero %.100s", valor)
}
