package hospede

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/envelope"
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

// maxPergunta is the most that an input_required may hold, in bytes: it is kept
// for as long as a pause lasts.
const maxPergunta = 128 << 10

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
// r is not nil. Every call goes out with a JSON-RPC id of its own.
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
	if _, oferecida, falhou := h.Ferramenta(ctx, ferramenta); falhou != nil {
		return falhou
	} else if !oferecida {
		return SemFerramenta
	}
	params := &mcp.CallToolParams{Name: ferramenta, Arguments: json.RawMessage(argumentos)}
	if r != nil {
		params.RequestState = r.RequestState
		if len(r.Respostas) > 0 {
			params.InputResponses = make(mcp.InputResponseMap, len(r.Respostas))
			for chave, resposta := range r.Respostas {
				params.InputResponses[chave] = &mcp.ElicitResult{Action: resposta.Acao, Content: resposta.Conteudo}
			}
		}
	}
	cap := &captura{}
	ctx = context.WithValue(ctx, chaveCaptura{}, cap)
	var d Desfecho
	if falhou := h.usar(ctx, func(ctx context.Context, s *mcp.ClientSession) error {
		if _, err := s.CallTool(ctx, params); err != nil {
			return err
		}
		var err error
		d, err = classificar(cap.result)
		return err
	}); falhou != nil {
		return falhou
	}
	return d
}

// resultado is a CallToolResult or an InputRequiredResult, as it comes.
type resultado struct {
	ResultType        string          `json:"resultType"`
	Content           []conteudo      `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
	InputRequests     json.RawMessage `json:"inputRequests"`
	RequestState      string          `json:"requestState"`
}

type conteudo struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// classificar decides what a result is, before anybody translates it. The
// error is one that makes no sense.
func classificar(raw json.RawMessage) (Desfecho, error) {
	var res resultado
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, fmt.Errorf("%w: %v", errSemSentido, err)
	}
	switch {
	case res.ResultType == "input_required":
		return pedeEntrada(res)
	case res.IsError:
		mensagem := textoDe(res.Content)
		if mensagem == "" {
			mensagem = "A ferramenta recusou sem dizer por que."
		}
		return Recusado{mensagem}, nil
	}
	estruturado := res.StructuredContent
	if len(estruturado) == 0 || string(estruturado) == "null" {
		// Servers that give text only, in the form that the specification
		// recommends: the JSON as text.
		estruturado = json.RawMessage(textoDe(res.Content))
	}
	if _, err := envelope.Object(estruturado); err != nil {
		return nil, fmt.Errorf("%w: no structured content", errSemSentido)
	}
	return Concluido{estruturado}, nil
}

func textoDe(blocos []conteudo) string {
	var textos []string
	for _, b := range blocos {
		if b.Type == "text" {
			textos = append(textos, b.Text)
		}
	}
	return strings.Join(textos, "\n")
}

// pedeEntrada reads the questions. Only what the agent declared may be asked:
// elicitation in form mode.
func pedeEntrada(res resultado) (Desfecho, error) {
	p := PedeEntrada{RequestState: res.RequestState}
	if len(res.InputRequests) > 0 && string(res.InputRequests) != "null" {
		pedidos, err := envelope.Members(res.InputRequests)
		if err != nil {
			return nil, fmt.Errorf("%w: inputRequests: %v", errSemSentido, err)
		}
		for _, m := range pedidos {
			q, err := pergunta(m)
			if err != nil {
				return nil, err
			}
			p.Perguntas = append(p.Perguntas, q)
		}
	}
	if len(res.InputRequests)+len(p.RequestState) > maxPergunta {
		return nil, fmt.Errorf("%w: input_required over %d bytes", errSemSentido, maxPergunta)
	}
	if len(p.Perguntas) == 0 && p.RequestState == "" {
		return nil, fmt.Errorf("%w: input_required without question or state", errSemSentido)
	}
	return p, nil
}

func pergunta(m envelope.Member) (tarefa.Pergunta, error) {
	var q struct {
		Method string `json:"method"`
		Params struct {
			Mode            string          `json:"mode"`
			Message         string          `json:"message"`
			RequestedSchema json.RawMessage `json:"requestedSchema"`
		} `json:"params"`
	}
	if err := json.Unmarshal(m.Value, &q); err != nil {
		return tarefa.Pergunta{}, fmt.Errorf("%w: input request %q: %v", errSemSentido, m.Name, err)
	}
	if q.Method != "elicitation/create" || (q.Params.Mode != "" && q.Params.Mode != "form") {
		return tarefa.Pergunta{}, fmt.Errorf("%w: input request %q asks for %s %s, which was not declared", errSemSentido, m.Name, q.Method, q.Params.Mode)
	}
	return tarefa.Pergunta{Chave: m.Name, Mensagem: q.Params.Message, Esquema: q.Params.RequestedSchema}, nil
}
