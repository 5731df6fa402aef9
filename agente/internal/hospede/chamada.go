package hospede

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Resposta is the caller's answer to one question of the server's.
type Resposta struct {
	// Acao is accept, decline or cancel (MCP 2026-07-28, ElicitResult).
	Acao string
	// Conteudo is what the requested schema asks for; only with accept.
	Conteudo map[string]any
}

// Retomada is what makes a repeated call different from the first: the answers,
// each under the key of its question, and the state, echoed as it came.
type Retomada struct {
	Respostas    map[string]Resposta
	RequestState string
}

// SemFerramenta is the outcome of a call of a tool that the server does not
// offer, or does not offer now.
var SemFerramenta = Inacessivel{"Servidor MCP nao oferece a ferramenta de que este pedido precisa.", "the tool is not in tools/list"}

// A server that sheds load sends a state and no question: the same call may be
// repeated after a moment, a bounded number of times.
const (
	maxEsperas     = 5
	primeiraEspera = 100 * time.Millisecond
)

// Chamar calls a tool, or repeats a call with the answer to its question when
// r is not nil. Every call goes out with a JSON-RPC id of its own. argumentos are a
// JSON object, and go out as they are.
func (h *Hospede) Chamar(ctx context.Context, ferramenta string, argumentos []byte, r *Retomada) Desfecho {
	var dispensados []string // states that only said: later
	relistou, espera := false, primeiraEspera
	for vez := 1; ; vez++ {
		d := h.chamarUmaVez(ctx, ferramenta, argumentos, r)
		if e, ok := d.(ErroDeProtocolo); ok && e.Codigo == codigoCabecalho && !relistou {
			// Refused before it did anything: look at the tool again, in a new
			// session, and repeat (Streamable HTTP, "Client Behavior").
			relistou = true
			h.trocarSessao()
			continue
		}
		pede, ok := d.(PedeEntrada)
		if !ok || len(pede.Perguntas) > 0 {
			return Ocultar(d, dispensados)
		}
		if vez >= maxEsperas {
			return Inacessivel{"Servidor MCP ocupado.", "the server sheds load"}
		}
		dispensados = append(dispensados, pede.RequestState)
		nova := Retomada{RequestState: pede.RequestState}
		if r != nil {
			nova.Respostas = r.Respostas
		}
		r = &nova
		select {
		case <-time.After(espera):
			espera *= 2
		case <-ctx.Done():
			return falha(ctx, ctx.Err())
		}
	}
}

func (h *Hospede) chamarUmaVez(ctx context.Context, ferramenta string, argumentos []byte, r *Retomada) Desfecho {
	// The list is there already, unless the agent or the connection is new: it
	// comes before any call.
	f, oferecida, falhou := h.ferramenta(ctx, ferramenta)
	switch {
	case falhou != nil:
		return falhou
	case !oferecida:
		return SemFerramenta
	}
	c := chamada{h.ids.proximo(), ferramenta, f.espelhos, argumentos, r}
	result, err := h.trocar(ctx, c)
	if err != nil {
		return falha(ctx, err)
	}
	d, err := classificar(result)
	if err != nil {
		return falha(ctx, err)
	}
	return d
}

// trocar sends one call and returns its result. It does not follow a redirect,
// which could take a requestState to another host.
func (h *Hospede) trocar(ctx context.Context, c chamada) (json.RawMessage, error) {
	pedido, err := h.molde.pedido(ctx, c)
	if err != nil {
		return nil, err
	}
	res, err := h.transporte.RoundTrip(pedido)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSemConexao, err)
	}
	defer res.Body.Close()
	result, why := lerResposta(res, c.id)
	if why != nil {
		return nil, why
	}
	return result, nil
}
