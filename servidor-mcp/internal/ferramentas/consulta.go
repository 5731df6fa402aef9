package ferramentas

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

type salaJSON struct {
	ID         string   `json:"id"`
	Nome       string   `json:"nome"`
	Capacidade int      `json:"capacidade"`
	Recursos   []string `json:"recursos"`
}

func (s *servidor) listarSalas(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := argumentos(req.Params.Arguments); err != nil {
		return responder(err)
	}
	salas := []salaJSON{}
	for _, sala := range s.Agenda.Salas() {
		recursos := sala.Recursos
		if recursos == nil {
			recursos = []string{}
		}
		salas = append(salas, salaJSON{sala.ID, sala.Nome, sala.Capacidade, recursos})
	}
	return concluir(map[string]any{"salas": salas})
}

type conflitoJSON struct {
	ID          string `json:"id"`
	Inicio      string `json:"inicio"`
	Fim         string `json:"fim"`
	Responsavel string `json:"responsavel"`
}

type disponibilidadeJSON struct {
	Sala      string         `json:"sala"`
	Livre     bool           `json:"livre"`
	Conflitos []conflitoJSON `json:"conflitos"`
}

func (s *servidor) consultarDisponibilidade(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := argumentos(req.Params.Arguments, "sala", "inicio", "fim")
	if err != nil {
		return responder(err)
	}
	periodo, err := s.Agenda.Verificar(args["sala"], args["inicio"], args["fim"])
	if err != nil {
		return responder(err)
	}
	d := disponibilidadeJSON{Sala: args["sala"], Conflitos: []conflitoJSON{}}
	for _, r := range s.Agenda.Conflitos(args["sala"], periodo) {
		d.Conflitos = append(d.Conflitos, conflitoJSON{
			ID:          r.ID,
			Inicio:      reserva.FormatarInstante(r.Periodo.Inicio),
			Fim:         reserva.FormatarInstante(r.Periodo.Fim),
			Responsavel: r.Responsavel,
		})
	}
	d.Livre = len(d.Conflitos) == 0
	return concluir(d)
}
