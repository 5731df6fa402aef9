package ferramentas

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"hillvalley.example/ponte/internal/envelope"
)

// erroDeArgumento says what is wrong with the arguments of a call. Like a
// refusal of the domain it is answered as a tool result.
type erroDeArgumento struct{ texto string }

func (e *erroDeArgumento) Error() string { return e.texto }

// argumentos reads the arguments of a call whose properties are all required
// strings. Names are matched exactly; one that is missing, unknown or no
// string is an *erroDeArgumento that names it.
func argumentos(raw json.RawMessage, nomes ...string) (map[string]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	m, err := envelope.Object(raw)
	if err != nil {
		return nil, &erroDeArgumento{"Argumentos invalidos: use um objeto JSON sem nomes repetidos"}
	}
	desconhecidos := []string{}
	for nome := range m {
		if !slices.Contains(nomes, nome) {
			desconhecidos = append(desconhecidos, nome)
		}
	}
	if len(desconhecidos) > 0 {
		sort.Strings(desconhecidos)
		return nil, &erroDeArgumento{fmt.Sprintf("Argumento desconhecido: %s", desconhecidos[0])}
	}
	args := make(map[string]string, len(nomes))
	for _, nome := range nomes {
		v, ok := m[nome]
		if !ok {
			return nil, &erroDeArgumento{fmt.Sprintf("Argumento ausente: %s", nome)}
		}
		s, ok := envelope.String(v)
		if !ok {
			return nil, &erroDeArgumento{fmt.Sprintf("Argumento invalido em %s: use um texto", nome)}
		}
		args[nome] = s
	}
	return args, nil
}
