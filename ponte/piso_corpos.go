package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hillvalley.example/ponte/internal/dupla"
	"hillvalley.example/ponte/internal/rastro"
)

// primeiroIDDoPiso has as many digits as the ids that the agent gives its
// requests mostly have.
const primeiroIDDoPiso = 500_000_000_000

// gravarCorpos does one real cycle and keeps its bodies. Those between the
// agent and the server cannot be seen from here: the same exchange is done
// with the server directly, in the form that the agent gives it.
func gravarCorpos(ctx context.Context, c corrida, urlMCP string) (corposDoPiso, error) {
	t := &trabalhadora{corrida: c, placar: &placar{}, n: c.serie.trabalhadora.Add(1) * 1e9}
	t.conexao = conexaoHTTP{destino: c.roteiro.etapas[0].modelo.destino, espera: c.espera}
	defer context.AfterFunc(ctx, t.conexao.fechar)()
	defer t.conexao.largar()
	corpos := corposDoPiso{Etapas: make([]corposDaEtapa, len(c.roteiro.etapas))}
	if c.agenda != nil {
		if err := c.agenda.tomar(ctx, &t.v); err != nil {
			return corpos, err
		}
	}
	for i, e := range c.roteiro.etapas {
		corpo, f := t.etapa(ctx, e)
		if f != nil {
			return corpos, f
		}
		if c.roteiro.modo == modoListar {
			corpos.Etapas[i].RespostaMCP = bytes.Clone(corpo)
			continue
		}
		corpos.Etapas[i].RespostaA2A = bytes.Clone(corpo)
	}
	if c.roteiro.modo == modoListar || urlMCP == "" {
		return corpos, nil
	}
	argumentos := garagem
	resposta := objeto{{"action", "decline"}}
	if c.agenda != nil {
		if err := c.agenda.tomar(ctx, &t.v); err != nil {
			return corpos, err
		}
		argumentos = garagem.com("inicio", string(t.v[lacunaInicio])).com("fim", string(t.v[lacunaFim]))
		resposta = objeto{{"action", "accept"}, {"content", objeto{{"sala", string(t.v[lacunaEscolha])}}}}
	}
	return corpos, corpos.porDentro(ctx, urlMCP, argumentos, resposta)
}

// porDentro does a conflict and its answer with the server, as the agent does,
// and keeps the bodies.
func (c *corposDoPiso) porDentro(ctx context.Context, urlMCP string, argumentos, resposta objeto) error {
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	params, m := chamada(argumentos), &memoria{}
	for i := range c.Etapas {
		if i > 0 {
			params = params.com("inputResponses", objeto{{m.chave, resposta}}).com("requestState", m.requestState)
		}
		p := pedidoMCP(urlMCP, primeiroIDDoPiso+i, "tools/call", "reservar_sala", params, comFormulario, rastro.Novo().Traceparent())
		pedido, err := codificar(p.body)
		if err != nil {
			return err
		}
		status, body, err := enviar(ctx, cliente, p)
		if err != nil {
			return err
		}
		v, err := lerJSON(body)
		if err != nil || status != 200 || em(v, "result") == nil {
			return novaFalha(erroResposta, body, "HTTP %d do servidor MCP", status)
		}
		m.anotar(v)
		c.Etapas[i].PedidoMCP, c.Etapas[i].RespostaMCP = pedido, body
	}
	if m.requestState == "" {
		return errors.New("o servidor MCP nao perguntou nada: o pedido nao esta em conflito")
	}
	return nil
}

// pisoNoAr is the floor at work.
type pisoNoAr struct {
	agente, servidor *dupla.Processo // agente is nil where only the server is measured
}

// executavel is this binary, which is also the floor.
var executavel = os.Executable

// iniciarPiso starts the floor with the bodies in a file of dir.
func iniciarPiso(ctx context.Context, dir string, corpos corposDoPiso, comAgente bool) (*pisoNoAr, error) {
	eu, err := executavel()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(corpos)
	if err != nil {
		return nil, err
	}
	arquivo := filepath.Join(dir, "corpos.json")
	if err := os.WriteFile(arquivo, raw, 0o600); err != nil {
		return nil, err
	}
	p := &pisoNoAr{}
	if p.servidor, err = dupla.Iniciar(ctx, eu, []string{nomePisoServidor, "-corpos", arquivo}, nil, io.Discard); err != nil {
		return nil, fmt.Errorf("piso: %w", err)
	}
	if !comAgente {
		return p, nil
	}
	if p.agente, err = dupla.Iniciar(ctx, eu, []string{nomePisoAgente, "-corpos", arquivo, "-mcp", p.servidor.URL}, nil, io.Discard); err != nil {
		_ = p.parar()
		return nil, fmt.Errorf("piso: %w", err)
	}
	return p, nil
}

// url is where the generator goes.
func (p *pisoNoAr) url() string {
	if p.agente == nil {
		return p.servidor.URL
	}
	return p.agente.URL
}

func (p *pisoNoAr) parar() error {
	var err error
	if p.agente != nil {
		err = p.agente.Parar(limiteParada)
	}
	return errors.Join(err, p.servidor.Parar(limiteParada))
}
