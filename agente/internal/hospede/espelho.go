package hospede

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hillvalley.example/ponte/internal/envelope"
)

// espelho is an argument that travels in a header as well (MCP 2026-07-28,
// Streamable HTTP, "Custom Headers from Tool Parameters").
type espelho struct {
	// caminho are the names of the properties that lead to the argument.
	caminho []string
	// nome is the header's, as net/http spells it.
	nome string
}

// errEspelho is a mark on a property that is not as the specification wants it.
// The tool is then none to this host ("Schema Extension").
var errEspelho = errors.New("invalid x-mcp-header")

// marca is the name of the mark. An encoder spells it so, without escapes.
const marca = "x-mcp-header"

// maxCaminho is how deep a marked property may lie: to look deeper would cost a
// look at all of the schema for each step.
const maxCaminho = 32

// espelhosDe finds the marked properties of an inputSchema, which an encoder has
// written.
func espelhosDe(schema json.RawMessage) ([]espelho, error) {
	return marcados(nil, nil, schema)
}

func marcados(achados []espelho, caminho []string, schema json.RawMessage) ([]espelho, error) {
	if !bytes.Contains(schema, []byte(marca)) {
		return achados, nil
	}
	if len(caminho) > maxCaminho {
		return nil, errEspelho
	}
	// What is no object has no properties: true and false are schemas too.
	membros, _ := envelope.Split(nil, schema)
	if nome := envelope.Find(membros, marca); nome != nil && caminho != nil {
		e := espelho{caminho: caminho}
		nome, ok := envelope.String(nome)
		e.nome = http.CanonicalHeaderKey("Mcp-Param-" + nome)
		if !ok || nome == "" || strings.ContainsFunc(nome, foraDeToken) || !primitivo(envelope.Find(membros, "type")) ||
			slices.ContainsFunc(achados, func(outro espelho) bool { return outro.nome == e.nome }) {
			return nil, errEspelho
		}
		achados = append(achados, e)
	}
	propriedades, _ := envelope.Split(nil, envelope.Find(membros, "properties"))
	for _, p := range propriedades {
		var err error
		if achados, err = marcados(achados, append(slices.Clip(caminho), p.Name), p.Value); err != nil {
			return nil, err
		}
	}
	return achados, nil
}

func primitivo(tipo json.RawMessage) bool {
	return slices.Contains([]string{`"string"`, `"integer"`, `"boolean"`}, string(tipo))
}

// foraDeToken reports whether a character may not stand in a header's name (RFC
// 9110, 5.6.2).
func foraDeToken(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
}

// espelhar puts the marked arguments that are there into the headers.
func espelhar(h http.Header, espelhos []espelho, argumentos json.RawMessage) {
	if len(espelhos) == 0 {
		return
	}
	membros, err := envelope.Members(argumentos)
	if err != nil {
		return // the server will say what is wrong with them
	}
	for _, e := range espelhos {
		if valor, ok := emTexto(seguir(membros, e.caminho)); ok {
			h[e.nome] = []string{emCabecalho(valor)}
		}
	}
}

// seguir returns the value at a path, nil when there is none.
func seguir(membros []envelope.Member, caminho []string) json.RawMessage {
	valor := envelope.Find(membros, caminho[0])
	for _, nome := range caminho[1:] {
		dentro, err := envelope.Split(nil, valor)
		if err != nil {
			return nil
		}
		valor = envelope.Find(dentro, nome)
	}
	return valor
}

// maxInteiro bounds the integers that every reader keeps exactly.
const maxInteiro = 1<<53 - 1

// emTexto spells a value of a primitive type for a header; ok is false for any
// other, null and none.
func emTexto(valor json.RawMessage) (s string, ok bool) {
	switch {
	case len(valor) == 0 || string(valor) == "null":
		return "", false
	case valor[0] == '"':
		return envelope.String(valor)
	case string(valor) == "true", string(valor) == "false":
		return string(valor), true
	}
	n, err := strconv.ParseFloat(string(valor), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > maxInteiro {
		return "", false
	}
	return strconv.FormatInt(int64(n), 10), true
}
