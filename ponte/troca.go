package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// Where the two processes stand when they are started by hand. Recorded
// exchanges show these addresses, whatever ports they were recorded on, so that
// what they hold can be pasted.
const (
	baseMCP    = "http://localhost:7301"
	baseAgente = "http://localhost:7300"
)

// esperado is one fact of an answer that its recording depends on.
type esperado struct {
	// caminho is a path of member names, separated by dots.
	caminho string
	valor   any
}

// memoria is what later exchanges take from the answers to earlier ones.
type memoria struct {
	// requestState and chave are those of the last input_required.
	requestState, chave string
	// tarefa is the id of the last Task.
	tarefa string
}

// anotar keeps what an answer brings.
func (m *memoria) anotar(resposta any) {
	if s, ok := em(resposta, "result", "requestState").(string); ok {
		m.requestState = s
		if perguntas, ok := em(resposta, "result", "inputRequests").(objeto); ok && len(perguntas) > 0 {
			m.chave = perguntas[0].nome
		}
	}
	if s, ok := em(resposta, "result", "task", "id").(string); ok {
		m.tarefa = s
	}
}

// trocar sends a request, written for the default addresses, to the pair, and
// returns the answer, rewritten to the default addresses.
func trocar(ctx context.Context, d *par, p pedido, quer resultado, m *memoria) (int, any, error) {
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	p.url = strings.NewReplacer(baseMCP+"/mcp", d.urlMCP, baseAgente, d.urlAgente).Replace(p.url)
	status, body, err := enviar(ctx, cliente, p)
	if err != nil {
		return 0, nil, err
	}
	resposta, err := lerJSON([]byte(d.enderecosPadrao().Replace(string(body))))
	if err != nil {
		return 0, nil, fmt.Errorf("HTTP %d, corpo que nao e JSON (%w): %s", status, err, body)
	}
	if status != quer.status {
		return 0, nil, fmt.Errorf("HTTP %d, esperado %d: %s", status, quer.status, body)
	}
	for _, f := range quer.fatos {
		if veio := em(resposta, strings.Split(f.caminho, ".")...); !igual(veio, f.valor) {
			return 0, nil, fmt.Errorf("%s veio %v, esperado %v: %s", f.caminho, veio, f.valor, body)
		}
	}
	m.anotar(resposta)
	return status, resposta, nil
}

// igual compares a value that was read with one that is written in a table.
func igual(veio, quer any) bool {
	if n, ok := veio.(json.Number); ok {
		return n.String() == fmt.Sprint(quer)
	}
	return veio == quer
}

// resultado is what an exchange must give to be worth recording.
type resultado struct {
	status int
	fatos  []esperado
}

// enderecosPadrao rewrites the pair's addresses, under each name of this
// machine, to the default ones.
func (d *par) enderecosPadrao() *strings.Replacer {
	var pares []string
	for _, p := range []struct{ url, base string }{{d.urlMCP, baseMCP}, {d.urlAgente, baseAgente}} {
		u, err := url.Parse(p.url)
		if err != nil {
			continue // it was called by this very address
		}
		for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
			pares = append(pares, "http://"+host+":"+u.Port(), p.base)
		}
	}
	return strings.NewReplacer(pares...)
}
