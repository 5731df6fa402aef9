package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// lacuna is a place in a prepared request that differs from one to the next.
type lacuna int

const (
	lacunaID       lacuna = iota // the JSON-RPC id
	lacunaMensagem               // messageId
	lacunaTarefa                 // taskId, as the answer spelled it
	lacunaEscolha                // the alternative chosen
	lacunaSala
	lacunaInicio
	lacunaFim
	lacunas
)

// marcaID stands for the JSON-RPC id in a request that becomes a modelo; the
// other marks are texts of its strings.
const marcaID = 987654321987654

var marcas = [lacunas]string{
	strconv.Itoa(marcaID), "@mensagem@", "@tarefa@", "@escolha@", "@sala@", "@inicio@", "@fim@",
}

// valores fill the places of a request.
type valores [lacunas][]byte

// definir keeps a copy of b.
func (v *valores) definir(l lacuna, b []byte) { v[l] = append(v[l][:0], b...) }

// modelo is a request, prepared: what is the same in all of them stands ready
// as bytes.
type modelo struct {
	destino   destinoHTTP
	cabecalho []byte // up to the value of Content-Length
	pedacos   [][]byte
	entre     []lacuna // one fewer than pedacos
}

// novoModelo prepares a request whose body is written with the marks.
func novoModelo(p pedido) (*modelo, error) {
	destino, err := lerDestino(p.url)
	if err != nil {
		return nil, err
	}
	m := &modelo{destino: destino}
	m.cabecalho = fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: ponte-carga\r\n", p.metodo, destino.caminho, destino.nome)
	for _, h := range p.headers {
		m.cabecalho = fmt.Appendf(m.cabecalho, "%s: %v\r\n", h.nome, h.valor)
	}
	m.cabecalho = append(m.cabecalho, "Content-Length: "...)
	resto, err := codificar(p.body)
	if err != nil {
		return nil, err
	}
	for {
		qual, onde := primeiraMarca(resto)
		if onde < 0 {
			m.pedacos = append(m.pedacos, resto)
			return m, nil
		}
		m.pedacos, m.entre = append(m.pedacos, resto[:onde]), append(m.entre, qual)
		resto = resto[onde+len(marcas[qual]):]
	}
}

func primeiraMarca(b []byte) (qual lacuna, onde int) {
	todas := make([]int, lacunas)
	for i, marca := range marcas {
		if todas[i] = bytes.Index(b, []byte(marca)); todas[i] < 0 {
			todas[i] = len(b)
		}
	}
	onde = slices.MinFunc(todas, cmp.Compare)
	if onde == len(b) {
		return 0, -1
	}
	return lacuna(slices.Index(todas, onde)), onde
}

// escrever appends the whole request to buf.
func (m *modelo) escrever(buf []byte, v *valores) []byte {
	tamanho := 0
	for _, p := range m.pedacos {
		tamanho += len(p)
	}
	for _, l := range m.entre {
		tamanho += len(v[l])
	}
	buf = append(buf, m.cabecalho...)
	buf = strconv.AppendInt(buf, int64(tamanho), 10)
	buf = append(buf, "\r\n\r\n"...)
	for i, p := range m.pedacos {
		buf = append(buf, p...)
		if i < len(m.entre) {
			buf = append(buf, v[m.entre[i]]...)
		}
	}
	return buf
}
