package ferramentas

import (
	"bytes"
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

// reservarSala serves the first call and the retry alike: what tells them
// apart is the requestState, and nothing is remembered between them.
func (f *Ferramentas) reservarSala(c chamada) (saida, error) {
	if c.estado == "" {
		// Input responses without a state were not asked for by anyone: they
		// are ignored, and this is a first call.
		return f.primeiraChamada(c)
	}
	return f.retomada(c)
}

// pedido reads and checks the arguments of a reservation.
func (f *Ferramentas) pedido(raw json.RawMessage) (reserva.Pedido, error) {
	var p reserva.Pedido
	var inicio, fim string
	err := argumentos(raw, argumento{"sala", &p.Sala}, argumento{"inicio", &inicio}, argumento{"fim", &fim}, argumento{"responsavel", &p.Responsavel})
	if err != nil {
		return reserva.Pedido{}, err
	}
	if p.Periodo, err = f.cfg.Agenda.Verificar(p.Sala, inicio, fim); err != nil {
		return reserva.Pedido{}, err
	}
	if p.Responsavel, err = reserva.ValidarResponsavel(p.Responsavel); err != nil {
		return reserva.Pedido{}, err
	}
	return p, nil
}

func (f *Ferramentas) primeiraChamada(c chamada) (saida, error) {
	pedido, err := f.pedido(c.argumentos)
	if err != nil {
		return saida{}, err
	}
	feita, err := f.cfg.Agenda.Reservar(pedido)
	if errors.Is(err, reserva.ErrOcupada) {
		// Without the white space that a caller may have sent: a state has a
		// bounded size.
		var argumentos bytes.Buffer
		if err := json.Compact(&argumentos, c.argumentos); err != nil {
			return saida{}, err
		}
		return f.perguntar(c, pedido, func(ofertas []string) selo.Estado {
			return selo.Novo(ferramentaReservar, argumentos.Bytes(), ofertas, f.cfg.Agora(), f.cfg.TTL)
		})
	}
	if err != nil {
		return saida{}, err
	}
	return f.reservada(feita), nil
}

// retomada takes the request up again from the sealed state alone. The
// arguments that came along are not even read: the sealed ones win.
func (f *Ferramentas) retomada(c chamada) (saida, error) {
	agora := f.cfg.Agora()
	estado, err := f.cfg.Chaveiro.Abrir(c.estado, ferramentaReservar, agora)
	if err != nil {
		return saida{}, err
	}
	pedido, err := f.pedido(estado.Argumentos)
	if err != nil {
		return saida{}, err
	}
	perguntarDeNovo := func() (saida, error) {
		return f.perguntar(c, pedido, func(ofertas []string) selo.Estado {
			return estado.DeNovo(ofertas, agora, f.cfg.TTL)
		})
	}

	acao, escolha, err := lerResposta(c.resposta)
	if err != nil {
		return saida{}, err
	}
	if feita, ja := f.cfg.Agenda.JaReservada(estado.Raiz); ja && (acao != "accept" || escolha != feita.Sala) {
		// The request is already served. Asking again, or saying that nothing
		// was booked, would both be untrue.
		return saida{}, reserva.ErrEstadoUsado
	}
	switch {
	case acao == "decline":
		return naoReservada("recusado"), nil
	case acao == "cancel":
		return naoReservada("cancelado"), nil
	case !slices.Contains(estado.Ofertas, escolha):
		return perguntarDeNovo()
	}

	escolhido := pedido
	escolhido.Sala = escolha
	// The once-only mark has to outlive every state of this request: those that
	// exist, and one that a call at the same moment may still be sealing.
	feita, err := f.cfg.Agenda.ReservarUmaVez(estado.Raiz, agora.Add(2*f.cfg.TTL), escolhido)
	if errors.Is(err, reserva.ErrOcupada) {
		return perguntarDeNovo()
	}
	if err != nil {
		return saida{}, err
	}
	return f.reservada(feita), nil
}

// lerResposta says what was answered. A missing answer, or one without a usable choice,
// is an empty action or choice: the caller asks again (MCP 2026-07-28, MRTR,
// "Error Handling").
func lerResposta(r *elicitado) (acao, escolha string, err error) {
	if r == nil {
		return "", "", nil
	}
	switch r.acao {
	case "accept":
		return r.acao, r.escolha, nil
	case "decline", "cancel":
		return r.acao, "", nil
	}
	return "", "", errAcao
}

// perguntar ends the answer with the question: which of the rooms that are
// free now? The client must have declared that it can be asked, on this very
// request. Without a free room there is nothing to ask.
func (f *Ferramentas) perguntar(c chamada, p reserva.Pedido, estado func(ofertas []string) selo.Estado) (saida, error) {
	ofertas := f.cfg.Agenda.Alternativas(p.Sala, p.Periodo)
	if len(ofertas) == 0 {
		return saida{}, reserva.ErrSemAlternativas
	}
	if !c.formulario {
		return saida{}, errSemElicitation
	}
	selado, err := f.cfg.Chaveiro.Selar(estado(ofertas))
	if err != nil {
		return saida{}, err
	}
	esquema := append(make([]byte, 0, 256), `{"type":"object","properties":{"`+campoPergunta+`":{"type":"string","enum":`...)
	esquema = anexarLista(esquema, ofertas)
	esquema = append(esquema, `}},"required":["`+campoPergunta+`"]}`...)
	return saida{pergunta: &pergunta{esquema, selado}}, nil
}

// aceitaFormulario reports whether form elicitation is declared: by
// {"elicitation":{"form":{}}} or, for older clients, by {"elicitation":{}}.
// URL mode alone does not count (MCP 2026-07-28, Elicitation, "Capabilities").
func aceitaFormulario(c *mcp.ElicitationCapabilities) bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// Every key of the output schema is always there, null where there is no value.

func (f *Ferramentas) reservada(r reserva.Reserva) saida {
	b := anexarTexto(make([]byte, 0, 384), `{"reserva":`, r.ID)
	b = anexarTexto(b, `,"reservado":true,"sala":`, r.Sala)
	b = anexarPeriodo(b, r.Periodo)
	b = anexarTexto(b, `,"responsavel":`, r.Responsavel)
	b = anexarTexto(b, `,"politica":`, f.cfg.Agenda.Politica().Versao)
	return concluir(append(b, `,"motivo":null}`...))
}

func naoReservada(motivo string) saida {
	return concluir([]byte(`{"reserva":null,"reservado":false,"sala":null,"inicio":null,"fim":null,"responsavel":null,"politica":null,"motivo":"` + motivo + `"}`))
}
