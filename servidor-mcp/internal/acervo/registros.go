package acervo

import (
	"fmt"
	"strings"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

func lerSalas(dados []byte) ([]reserva.Sala, error) {
	entradas, err := lerLista(dados, reserva.EntidadeSala, "id", "nome", "capacidade", "recursos")
	if err != nil {
		return nil, err
	}
	salas := make([]reserva.Sala, len(entradas))
	for i, e := range entradas {
		s := &salas[i]
		if s.ID, err = e.texto("id"); err != nil {
			return nil, err
		}
		if s.Nome, err = e.texto("nome"); err != nil {
			return nil, err
		}
		if s.Capacidade, err = e.inteiro("capacidade"); err != nil {
			return nil, err
		}
		if s.Recursos, err = e.textos("recursos"); err != nil {
			return nil, err
		}
	}
	return salas, nil
}

func lerReservas(dados []byte) ([]reserva.Reserva, error) {
	entradas, err := lerLista(dados, reserva.EntidadeReserva, "id", "sala", "inicio", "fim", "responsavel")
	if err != nil {
		return nil, err
	}
	reservas := make([]reserva.Reserva, len(entradas))
	for i, e := range entradas {
		r := &reservas[i]
		if r.ID, err = e.texto("id"); err != nil {
			return nil, err
		}
		if r.Sala, err = e.texto("sala"); err != nil {
			return nil, err
		}
		if r.Periodo.Inicio, err = e.instante("inicio"); err != nil {
			return nil, err
		}
		if r.Periodo.Fim, err = e.instante("fim"); err != nil {
			return nil, err
		}
		if r.Responsavel, err = e.texto("responsavel"); err != nil {
			return nil, err
		}
	}
	return reservas, nil
}

// marcaVersao begins the policy; the rest of its first line is the version.
const marcaVersao = "versao: "

// lerPolitica keeps the text byte for byte, and takes the version from its
// first line without the space around it, so that it does not matter whether
// lines end in LF or in CRLF.
func lerPolitica(dados []byte) (reserva.Politica, error) {
	texto := string(dados)
	linha, _, _ := strings.Cut(texto, "\n")
	versao, ok := strings.CutPrefix(linha, marcaVersao)
	if !ok {
		return reserva.Politica{}, fmt.Errorf("linha 1: deve comecar com %q, veio %.100q; escreva por exemplo %s2026-11-01",
			marcaVersao, strings.TrimSpace(linha), marcaVersao)
	}
	return reserva.Politica{Versao: strings.TrimSpace(versao), Texto: texto}, nil
}
