package ferramentas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

const (
	ferramentaReservar = "reservar_sala"
	// chavePergunta is the key of the one input request.
	chavePergunta = "alternativa"
	// campoPergunta is the one property of the requested schema.
	campoPergunta = "sala"
)

// errAcao refuses an elicitation result whose action the specification does
// not know.
var errAcao = errors.New("unknown elicitation action")

// reservaJSON is the structuredContent of reservar_sala. Every key of the
// output schema is always there, null where there is no value.
type reservaJSON struct {
	Reserva     *string `json:"reserva"`
	Reservado   bool    `json:"reservado"`
	Sala        *string `json:"sala"`
	Inicio      *string `json:"inicio"`
	Fim         *string `json:"fim"`
	Responsavel *string `json:"responsavel"`
	Politica    *string `json:"politica"`
	Motivo      *string `json:"motivo"`
}

// reservarSala serves the first call and the retry alike: what tells them
// apart is the requestState, and nothing is remembered between them.
func (s *servidor) reservarSala(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var res *mcp.CallToolResult
	var err error
	if req.Params.RequestState == "" {
		// Input responses without a state were not asked for by anyone: they
		// are ignored, and this is a first call.
		res, err = s.primeiraChamada(req)
	} else {
		res, err = s.retomada(req)
	}
	if err != nil {
		return responder(err)
	}
	return res, nil
}

// pedido reads and checks the arguments of a reservation.
func (s *servidor) pedido(raw json.RawMessage) (reserva.Pedido, error) {
	args, err := argumentos(raw, "sala", "inicio", "fim", "responsavel")
	if err != nil {
		return reserva.Pedido{}, err
	}
	periodo, err := s.Agenda.Verificar(args["sala"], args["inicio"], args["fim"])
	if err != nil {
		return reserva.Pedido{}, err
	}
	responsavel, err := reserva.ValidarResponsavel(args["responsavel"])
	if err != nil {
		return reserva.Pedido{}, err
	}
	return reserva.Pedido{Sala: args["sala"], Periodo: periodo, Responsavel: responsavel}, nil
}

func (s *servidor) primeiraChamada(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	pedido, err := s.pedido(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	feita, err := s.Agenda.Reservar(pedido)
	if errors.Is(err, reserva.ErrOcupada) {
		// Without the white space that a caller may have sent: a state has a
		// bounded size.
		var argumentos bytes.Buffer
		if err := json.Compact(&argumentos, req.Params.Arguments); err != nil {
			return nil, err
		}
		return s.perguntar(req, pedido, func(ofertas []string) selo.Estado {
			return selo.Novo(ferramentaReservar, argumentos.Bytes(), ofertas, s.Agora(), s.TTL)
		})
	}
	if err != nil {
		return nil, err
	}
	return s.reservada(feita)
}

// retomada takes the request up again from the sealed state alone. The
// arguments that came along are not even read: the sealed ones win.
func (s *servidor) retomada(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	agora := s.Agora()
	estado, err := s.Chaveiro.Abrir(req.Params.RequestState, ferramentaReservar, agora)
	if err != nil {
		return nil, err
	}
	pedido, err := s.pedido(estado.Argumentos)
	if err != nil {
		return nil, err
	}
	perguntarDeNovo := func() (*mcp.CallToolResult, error) {
		return s.perguntar(req, pedido, func(ofertas []string) selo.Estado {
			return estado.DeNovo(ofertas, agora, s.TTL)
		})
	}

	acao, escolha, err := lerResposta(req.Params.InputResponses)
	if err != nil {
		return nil, err
	}
	if feita, ja := s.Agenda.JaReservada(estado.Raiz); ja && (acao != "accept" || escolha != feita.Sala) {
		// The request is already served. Asking again, or saying that nothing
		// was booked, would both be untrue.
		return nil, reserva.ErrEstadoUsado
	}
	switch {
	case acao == "decline":
		return s.naoReservada("recusado")
	case acao == "cancel":
		return s.naoReservada("cancelado")
	case !slices.Contains(estado.Ofertas, escolha):
		return perguntarDeNovo()
	}

	escolhido := pedido
	escolhido.Sala = escolha
	// The once-only mark has to outlive every state of this request: those that
	// exist, and one that a call at the same moment may still be sealing.
	feita, err := s.Agenda.ReservarUmaVez(estado.Raiz, agora.Add(2*s.TTL), escolhido)
	if errors.Is(err, reserva.ErrOcupada) {
		return perguntarDeNovo()
	}
	if err != nil {
		return nil, err
	}
	return s.reservada(feita)
}

// lerResposta finds the answer to our one question. A missing answer, or one
// without usable content, is an empty action or choice: the caller asks again
// (MCP 2026-07-28, MRTR, "Error Handling"). Answers under other keys are
// ignored.
func lerResposta(respostas mcp.InputResponseMap) (acao, escolha string, err error) {
	r, ok := respostas[chavePergunta].(*mcp.ElicitResult)
	if !ok || r == nil {
		return "", "", nil
	}
	switch r.Action {
	case "accept":
		escolha, _ = r.Content[campoPergunta].(string)
		return r.Action, escolha, nil
	case "decline", "cancel":
		return r.Action, "", nil
	}
	return "", "", errAcao
}

// perguntar ends the answer with the question: which of the rooms that are
// free now? The client must have declared that it can be asked, on this very
// request. Without a free room there is nothing to ask.
func (s *servidor) perguntar(req *mcp.CallToolRequest, p reserva.Pedido, estado func(ofertas []string) selo.Estado) (*mcp.CallToolResult, error) {
	ofertas := s.Agenda.Alternativas(p.Sala, p.Periodo)
	if len(ofertas) == 0 {
		return nil, reserva.ErrSemAlternativas
	}
	if !aceitaFormulario(req.ClientCapabilities()) {
		return nil, errSemElicitation
	}
	selado, err := s.Chaveiro.Selar(estado(ofertas))
	if err != nil {
		return nil, err
	}
	lista, err := json.Marshal(ofertas)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content: []mcp.Content{}, // the SDK writes the member, and null is no list
		InputRequests: mcp.InputRequestMap{chavePergunta: &mcp.ElicitParams{
			Mode:            "form",
			Message:         "A sala pedida esta ocupada nesse intervalo. Escolha uma alternativa.",
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"` + campoPergunta + `":{"type":"string","enum":` + string(lista) + `}},"required":["` + campoPergunta + `"]}`),
		}},
		RequestState: selado,
	}, nil
}

// aceitaFormulario reports whether form elicitation is declared: by
// {"elicitation":{"form":{}}} or, for older clients, by {"elicitation":{}}.
// URL mode alone does not count (MCP 2026-07-28, Elicitation, "Capabilities").
func aceitaFormulario(c *mcp.ClientCapabilities) bool {
	if c == nil || c.Elicitation == nil {
		return false
	}
	return c.Elicitation.Form != nil || c.Elicitation.URL == nil
}

func (s *servidor) reservada(r reserva.Reserva) (*mcp.CallToolResult, error) {
	inicio, fim := reserva.FormatarInstante(r.Periodo.Inicio), reserva.FormatarInstante(r.Periodo.Fim)
	versao := s.Agenda.Politica().Versao
	return concluir(reservaJSON{
		Reserva: &r.ID, Reservado: true, Sala: &r.Sala, Inicio: &inicio, Fim: &fim,
		Responsavel: &r.Responsavel, Politica: &versao,
	})
}

func (s *servidor) naoReservada(motivo string) (*mcp.CallToolResult, error) {
	return concluir(reservaJSON{Motivo: &motivo})
}
