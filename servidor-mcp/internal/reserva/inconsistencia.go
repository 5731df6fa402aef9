package reserva

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Entidade says which of the three things an Agenda is made of.
type Entidade string

// What an Inconsistencia can be about.
const (
	EntidadeSala     Entidade = "sala"
	EntidadeReserva  Entidade = "reserva"
	EntidadePolitica Entidade = "politica"
)

// Inconsistencia says what keeps given data from being an Agenda. Whoever
// read the data knows where it stood and puts that in front; the text of
// Error is one line whatever the data holds.
type Inconsistencia struct {
	Entidade Entidade
	Posicao  int    // of the entry in its list, from 1; 0: the list as a whole
	ID       string // of the entry; "" if it has none
	Campo    string // the field at fault, by its name in the data; "" for the whole entry
	Problema string // what is wrong, with the value, and what to do about it
}

// Error gives the place and the problem, as in
//
//	sala 2 ("sala-porao"): campo capacidade: 0 e menor que 1; informe quantas pessoas cabem
func (i *Inconsistencia) Error() string {
	var b strings.Builder
	b.WriteString(string(i.Entidade))
	if i.Posicao > 0 {
		fmt.Fprintf(&b, " %d", i.Posicao)
	}
	if i.ID != "" {
		fmt.Fprintf(&b, " (%.100q)", i.ID)
	}
	if i.Campo != "" {
		b.WriteString(": campo " + i.Campo)
	}
	b.WriteString(": " + i.Problema)
	return b.String()
}

func conferirSalas(salas []Sala) error {
	if len(salas) == 0 {
		return &Inconsistencia{Entidade: EntidadeSala, Problema: "a lista esta vazia; informe ao menos uma"}
	}
	posicoes := make(map[string]int, len(salas))
	for i, s := range salas {
		falha := func(campo, formato string, args ...any) error {
			return &Inconsistencia{EntidadeSala, i + 1, s.ID, campo, fmt.Sprintf(formato, args...)}
		}
		if s.ID == "" {
			return falha("id", `"" esta vazio; informe um id unico`)
		}
		if strings.TrimSpace(s.ID) != s.ID || strings.ContainsFunc(s.ID, unicode.IsControl) {
			return falha("id", "%.100q tem espaco nas pontas ou caractere de controle; remova", s.ID)
		}
		if outra, repetido := posicoes[s.ID]; repetido {
			return falha("id", "%.100q ja e o id da sala %d; informe um id unico", s.ID, outra)
		}
		posicoes[s.ID] = i + 1
		if strings.TrimSpace(s.Nome) == "" {
			return falha("nome", "%.100q esta vazio; informe como a sala se chama", s.Nome)
		}
		if s.Capacidade < 1 {
			return falha("capacidade", "%d e menor que 1; informe quantas pessoas cabem", s.Capacidade)
		}
		for _, recurso := range s.Recursos {
			if strings.TrimSpace(recurso) == "" {
				return falha("recursos", "%.100q esta vazio; informe o recurso ou remova o item", recurso)
			}
		}
	}
	return nil
}

// conferirReservas looks at every entry in the order given, and then at how
// they lie in time.
func conferirReservas(salas map[string]Sala, reservas []Reserva) error {
	posicoes := make(map[string]int, len(reservas))
	for i, r := range reservas {
		falha := func(campo, formato string, args ...any) error {
			return &Inconsistencia{EntidadeReserva, i + 1, r.ID, campo, fmt.Sprintf(formato, args...)}
		}
		if _, ok := numeroDoID(r.ID); !ok {
			return falha("id", "%.100q nao tem a forma %s mais 1 a %d digitos; informe por exemplo %s0001",
				r.ID, prefixoID, digitosMaximo, prefixoID)
		}
		if outra, repetido := posicoes[r.ID]; repetido {
			return falha("id", "%.100q ja e o id da reserva %d; informe um id unico", r.ID, outra)
		}
		posicoes[r.ID] = i + 1
		if _, ok := salas[r.Sala]; !ok {
			return falha("sala", "%.100q nao existe; informe o id de uma sala da lista", r.Sala)
		}
		if r.Periodo.vazio() {
			return falha("fim", "%s nao e posterior a inicio %s; corrija o intervalo",
				FormatarInstante(r.Periodo.Fim), FormatarInstante(r.Periodo.Inicio))
		}
		if _, err := ValidarResponsavel(r.Responsavel); err != nil {
			return falha("responsavel", "%.40q recusado; %s", r.Responsavel, err)
		}
	}
	return conferirSobreposicoes(reservas)
}

// conferirSobreposicoes compares neighbours in time: the first pair found
// that overlaps is the error, reported at the entry that comes later.
func conferirSobreposicoes(reservas []Reserva) error {
	ordem := make([]int, len(reservas))
	for i := range ordem {
		ordem[i] = i
	}
	slices.SortStableFunc(ordem, func(x, y int) int {
		return cmp.Or(cmp.Compare(reservas[x].Sala, reservas[y].Sala),
			reservas[x].Periodo.Inicio.Compare(reservas[y].Periodo.Inicio))
	})
	for k := 1; k < len(ordem); k++ {
		antes, depois := ordem[k-1], ordem[k]
		if reservas[antes].Sala != reservas[depois].Sala ||
			!reservas[depois].Periodo.Inicio.Before(reservas[antes].Periodo.Fim) {
			continue
		}
		i, j := min(antes, depois), max(antes, depois)
		r, outra := reservas[j], reservas[i]
		return &Inconsistencia{EntidadeReserva, j + 1, r.ID, "inicio", fmt.Sprintf(
			"%s a %s se sobrepoe a reserva %d (%.100q), %s a %s, na mesma sala %.100q; mude ou remova uma das duas",
			FormatarInstante(r.Periodo.Inicio), FormatarInstante(r.Periodo.Fim), i+1, outra.ID,
			FormatarInstante(outra.Periodo.Inicio), FormatarInstante(outra.Periodo.Fim), r.Sala)}
	}
	return nil
}

func conferirPolitica(p Politica) error {
	falha := func(formato string, args ...any) error {
		return &Inconsistencia{Entidade: EntidadePolitica, Campo: "versao", Problema: fmt.Sprintf(formato, args...)}
	}
	if strings.TrimSpace(p.Versao) == "" {
		return falha("%.100q esta vazio; informe a versao, por exemplo 2026-11-01", p.Versao)
	}
	if strings.ContainsFunc(p.Versao, unicode.IsControl) {
		return falha("%.100q tem caractere de controle; remova", p.Versao)
	}
	return nil
}
