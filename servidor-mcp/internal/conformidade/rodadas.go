package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

// validade of a requestState here.
const validade = 5 * time.Minute

// rodadas are the tools that ask before they answer, some of them in several
// rounds. Those that have a state get it sealed.
type rodadas struct {
	chaveiro *selo.Chaveiro
	agora    func() time.Time
}

// ferramentaQuePergunta is such a tool: the questions of each round, and
// whether what has been answered so far travels in a requestState. Without one
// there is only one round.
type ferramentaQuePergunta struct {
	nome, descricao string
	selada          bool
	rodadas         [][]pergunta
	// final is the text of the answer.
	final func(mcp.InputResponseMap) string
}

func (r *rodadas) ferramentas(srv *mcp.Server) {
	nome := formulario("user_name", "What is your name?", "name", "string")
	confirma := formulario("confirm", "Please confirm", "ok", "boolean")
	capital := amostra("capital_question", "What is the capital of France?", 100)
	pronto := func(s string) func(mcp.InputResponseMap) string {
		return func(mcp.InputResponseMap) string { return s }
	}
	ola := func(respostas mcp.InputResponseMap) string {
		quem, _ := campo(respostas, nome.chave, "name")
		return "Hello, " + quem + "!"
	}
	for _, f := range []ferramentaQuePergunta{
		{"test_input_required_result_elicitation", "Asks the user for a name.", false, [][]pergunta{{nome}}, ola},
		{"test_streaming_elicitation", "Asks the user for a name.", false, [][]pergunta{{nome}}, ola},
		{"test_input_required_result_sampling", "Asks the client's model.", false, [][]pergunta{{capital}}, pronto("Sampled.")},
		{"test_missing_capability", "Needs the client's model.", false, [][]pergunta{{capital}}, pronto("Sampled.")},
		{"test_input_required_result_list_roots", "Asks for the client's roots.", false, [][]pergunta{{raizes("client_roots")}}, pronto("Listed.")},
		{"test_input_required_result_request_state", "Asks, with a state.", true, [][]pergunta{{confirma}}, pronto("state-ok")},
		{"test_input_required_result_tampered_state", "Asks, with a state.", true, [][]pergunta{{confirma}}, pronto("state-ok")},
		{"test_input_required_result_multiple_inputs", "Asks three things at once.", true, [][]pergunta{{nome, amostra("greeting", "Generate a greeting", 50), raizes("client_roots")}}, pronto("All answered.")},
		{"test_input_required_result_multi_round", "Asks twice.", true, [][]pergunta{
			{formulario("step1", "Step 1: What is your name?", "name", "string")},
			{formulario("step2", "Step 2: What is your favorite color?", "color", "string")},
		}, pronto("Both answered.")},
	} {
		ferramenta(srv, f.nome, f.descricao, semArgumentos, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return r.atender(f, req)
		})
	}
	ferramenta(srv, "test_input_required_result_capabilities", "Asks what the client can be asked.", semArgumentos, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		caps := req.ClientCapabilities()
		podem := slices.DeleteFunc([]pergunta{nome, capital, raizes("client_roots")}, func(q pergunta) bool { return !q.declarada(caps) })
		if len(podem) == 0 {
			podem = []pergunta{nome} // says what is missing
		}
		return r.atender(ferramentaQuePergunta{rodadas: [][]pergunta{podem}, final: pronto("Answered.")}, req)
	})
}

// atender serves a call of a tool that asks. Which round a retry answers stands
// in its state; what was not answered is asked again.
func (r *rodadas) atender(f ferramentaQuePergunta, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	respostas := req.Params.InputResponses
	rodada, nova := 0, !f.selada
	var estado selo.Estado
	switch {
	case !f.selada && req.Params.RequestState != "":
		return nil, estadoInvalido // none was given out
	case f.selada && req.Params.RequestState != "":
		var err error
		if estado, rodada, err = r.abrir(f.nome, req.Params.RequestState); err != nil {
			return nil, err
		}
		nova = true
	}
	if nova && respondidas(respostas, f.rodadas[rodada]) {
		if rodada++; rodada == len(f.rodadas) {
			return resultado(texto(f.final(respostas))), nil
		}
	}

	pedidos, err := pedir(req.ClientCapabilities(), f.rodadas[rodada]...)
	if err != nil {
		return nil, err
	}
	res := resultado()
	res.Content = []mcp.Content{} // the SDK writes the member, and null is no list
	res.InputRequests = pedidos
	if f.selada {
		onde := []string{strconv.Itoa(rodada)}
		if estado.ID == "" {
			estado = selo.Novo(f.nome, json.RawMessage(`{}`), onde, r.agora(), validade)
		} else {
			estado = estado.DeNovo(onde, r.agora(), validade)
		}
		if res.RequestState, err = r.chaveiro.Selar(estado); err != nil {
			return nil, err
		}
	}
	return res, nil
}

var estadoInvalido = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: selo.ErrInvalido.Error()}

// abrir opens a state, and says which round it belongs to.
func (r *rodadas) abrir(ferramenta, texto string) (selo.Estado, int, error) {
	estado, err := r.chaveiro.Abrir(texto, ferramenta, r.agora())
	if errors.Is(err, selo.ErrInvalido) {
		return estado, 0, estadoInvalido
	}
	if err != nil {
		return estado, 0, err
	}
	rodada, err := strconv.Atoi(estado.Ofertas[0])
	if err != nil {
		return estado, 0, fmt.Errorf("round of a state: %w", err)
	}
	return estado, rodada, nil
}
