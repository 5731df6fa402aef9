package ferramentas

import (
	"encoding/json"
	"slices"

	"hillvalley.example/ponte/internal/envelope"
)

// erroDeArgumento says what is wrong with the arguments of a call. Like a
// refusal of the domain it is answered as a tool result.
type erroDeArgumento struct{ texto string }

func (e *erroDeArgumento) Error() string { return e.texto }

// argumento is a property of a tool's arguments, and where its value goes. All
// of them are required strings.
type argumento struct {
	nome  string
	valor *string
}

// argumentos reads the arguments of a call. Names are matched exactly; one
// that is missing, unknown or no string is an *erroDeArgumento that names it.
func argumentos(raw json.RawMessage, args ...argumento) error {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var room [8]envelope.Member
	membros, err := envelope.Split(room[:0], raw)
	if err != nil {
		return &erroDeArgumento{"Argumentos invalidos: use um objeto JSON sem nomes repetidos"}
	}
	desconhecido, ha := "", false // the first one by name
	for _, m := range membros {
		if !slices.ContainsFunc(args, func(a argumento) bool { return a.nome == m.Name }) && (!ha || m.Name < desconhecido) {
			desconhecido, ha = m.Name, true
		}
	}
	if ha {
		return &erroDeArgumento{"Argumento desconhecido: " + desconhecido}
	}
	for _, a := range args {
		v := envelope.Find(membros, a.nome)
		if v == nil {
			return &erroDeArgumento{"Argumento ausente: " + a.nome}
		}
		var ok bool
		if *a.valor, ok = envelope.String(v); !ok {
			return &erroDeArgumento{"Argumento invalido em " + a.nome + ": use um texto"}
		}
	}
	return nil
}
