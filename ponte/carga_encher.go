package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hillvalley.example/ponte/internal/rastro"
)

// maxReservas bounds how many reservations fill an agenda before a run: their
// days have to lie within the calendar.
const maxReservas = 10_000_000

// enchimento fills the agenda with reservations of an hour, in all rooms
// alike: one half on the days before the moments of the cycles, the other half
// on days after them, as a cycle meets an agenda that was in use already.
type enchimento struct {
	url     string
	salas   []string
	quantas int64
	antes   time.Time // midnight of the first day of the first half
	depois  time.Time // and of the second
	espera  time.Duration
	serie   *serie

	proxima, feitas atomic.Int64
}

const horasPorDia = 12

// novoEnchimento asks the server for its rooms. dia is the first day of the
// cycles.
func novoEnchimento(ctx context.Context, urlMCP string, quantas int, dia time.Time, espera time.Duration, s *serie) (*enchimento, error) {
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	p := pedidoMCP(urlMCP, 1, "tools/call", "listar_salas", objeto{{"name", "listar_salas"}, {"arguments", objeto{}}}, comFormulario, rastro.Novo().Traceparent())
	_, body, err := enviar(ctx, cliente, p)
	if err != nil {
		return nil, err
	}
	resposta, err := lerJSON(body)
	if err != nil {
		return nil, fmt.Errorf("listar_salas: %w", err)
	}
	e := &enchimento{url: urlMCP, quantas: int64(quantas), espera: espera, serie: s}
	lista, _ := em(resposta, "result", "structuredContent", "salas").([]any)
	for _, sala := range lista {
		if id, ok := em(sala, "id").(string); ok {
			e.salas = append(e.salas, id)
		}
	}
	if len(e.salas) == 0 {
		return nil, errors.New("listar_salas nao deu sala nenhuma")
	}
	e.situar(dia)
	return e, nil
}

// situar puts the halves around the days of the cycles.
func (e *enchimento) situar(dia time.Time) {
	porDia := int64(len(e.salas) * horasPorDia)
	e.antes = dia.AddDate(0, 0, -int(e.quantas/2/porDia+2))
	e.depois = dia.AddDate(0, 0, 20_000) // more days than any run uses up
}

// onde says where and when the reservation i is, of 0 to quantas.
func (e *enchimento) onde(i int64) (sala string, inicio time.Time) {
	dia := e.antes
	if metade := e.quantas / 2; i >= metade {
		dia, i = e.depois, i-metade
	}
	n := int64(len(e.salas))
	hora := i / n
	return e.salas[i%n], dia.AddDate(0, 0, int(hora/horasPorDia)).Add(time.Duration(8+hora%horasPorDia) * time.Hour)
}

// encher books them all, over several connections.
func (e *enchimento) encher(ctx context.Context) error {
	argumentos := objeto{{"sala", marcas[lacunaSala]}, {"inicio", marcas[lacunaInicio]}, {"fim", marcas[lacunaFim]}, {"responsavel", "Emmett Brown"}}
	m, err := novoModelo(pedidoMCP(e.url, marcaID, "tools/call", "reservar_sala", chamada(argumentos), comFormulario, rastro.Novo().Traceparent()))
	if err != nil {
		return err
	}
	const conexoes = 16
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var grupo sync.WaitGroup
	for range conexoes {
		grupo.Go(func() {
			if err := e.parte(ctx, m); err != nil {
				cancel(err)
			}
		})
	}
	grupo.Wait()
	return context.Cause(ctx)
}

// parte books one reservation after the other until there are none left.
func (e *enchimento) parte(ctx context.Context, m *modelo) error {
	t := &trabalhadora{corrida: corrida{roteiro: &roteiro{}, serie: e.serie}, n: e.serie.trabalhadora.Add(1) * 1e9}
	t.conexao = conexaoHTTP{destino: m.destino, espera: e.espera}
	defer context.AfterFunc(ctx, t.conexao.fechar)()
	defer t.conexao.largar()
	for {
		i := e.proxima.Add(1) - 1
		if i >= e.quantas || ctx.Err() != nil {
			return nil
		}
		sala, inicio := e.onde(i)
		t.v.definir(lacunaSala, []byte(sala))
		t.v.definir(lacunaInicio, []byte(inicio.Format(instanteISO)))
		t.v.definir(lacunaFim, []byte(inicio.Add(time.Hour).Format(instanteISO)))
		corpo, f := t.etapa(ctx, etapa{modelo: m})
		if f != nil {
			return fmt.Errorf("encher a agenda: %w", f)
		}
		if err := conferirReserva(200, corpo); err != nil {
			return fmt.Errorf("encher a agenda, %s em %s: %w", sala, inicio.Format(instanteISO), err)
		}
		e.feitas.Add(1)
	}
}
