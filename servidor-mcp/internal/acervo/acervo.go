// Package acervo loads the domain's data: a folder with the rooms, the
// reservas they already have and the use policy, given as salas.json,
// reservas.json and politica-de-uso.md.
//
// Loading is strict. Whatever is not exactly what the formats say is refused
// with one line that names the file, the entry and the field, shows the value
// and says what to do, so that whoever edits the files needs nothing else.
// This package judges the form (encoding, JSON, fields and their types,
// dates); whether the whole makes an agenda is judged by reserva.NovaAgenda,
// and only placed in its file here.
package acervo

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

// The files of the folder, all of them required.
const (
	arquivoSalas    = "salas.json"
	arquivoReservas = "reservas.json"
	arquivoPolitica = "politica-de-uso.md"
)

var arquivoDe = map[reserva.Entidade]string{
	reserva.EntidadeSala:     arquivoSalas,
	reserva.EntidadeReserva:  arquivoReservas,
	reserva.EntidadePolitica: arquivoPolitica,
}

// Carregar reads the three files at the root of fsys. origem is how the
// folder is called in errors, such as the path that the user gave.
//
// Every error is one line, for people. A missing file also satisfies
// errors.Is(err, fs.ErrNotExist); data that contradicts itself,
// errors.As to *reserva.Inconsistencia.
func Carregar(fsys fs.FS, origem string) (*reserva.Agenda, error) {
	a, err := carregar(fsys)
	if err != nil {
		return nil, fmt.Errorf("%s%w", prefixo(origem), err)
	}
	return a, nil
}

func carregar(fsys fs.FS) (*reserva.Agenda, error) {
	dados, err := lerArquivo(fsys, arquivoSalas)
	if err != nil {
		return nil, err
	}
	salas, err := lerSalas(dados)
	if err != nil {
		return nil, noArquivo(arquivoSalas, err)
	}
	if dados, err = lerArquivo(fsys, arquivoReservas); err != nil {
		return nil, err
	}
	reservas, err := lerReservas(dados)
	if err != nil {
		return nil, noArquivo(arquivoReservas, err)
	}
	if dados, err = lerArquivo(fsys, arquivoPolitica); err != nil {
		return nil, err
	}
	politica, err := lerPolitica(dados)
	if err != nil {
		return nil, noArquivo(arquivoPolitica, err)
	}
	a, err := reserva.NovaAgenda(salas, reservas, politica)
	if inconsistencia, ok := errors.AsType[*reserva.Inconsistencia](err); ok {
		return nil, noArquivo(arquivoDe[inconsistencia.Entidade], err)
	}
	return a, err
}

// noArquivo puts the name of the file at fault before err.
func noArquivo(arquivo string, err error) error {
	return fmt.Errorf("%s: %w", arquivo, err)
}

// prefixo is origem as the beginning of a path, on one line whatever it holds.
func prefixo(origem string) string {
	if origem == "" {
		return ""
	}
	if strings.ContainsFunc(origem, unicode.IsControl) {
		origem = strconv.Quote(origem)
	}
	return strings.TrimRight(origem, "/") + "/"
}
