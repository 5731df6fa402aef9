package banco

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/cofre"
)

// variavelChave is the environment variable that the key comes from.
const variavelChave = "TAREFAS_CHAVE"

// usoPausa names what the keys of pauses are for.
const usoPausa = "hillvalley.example/ponte tarefas pausa v1"

// The first byte of a column that may be sealed says how to read the rest.
const (
	colunaAberta  = 0 // the JSON
	colunaCifrada = 1 // the JSON, sealed and bound to whose it is
)

// errPausaFechada: the pause is encrypted, and no given key opens it.
var errPausaFechada = errors.New("the pause is encrypted and " + variavelChave + " does not open it")

// cofrePausa keeps pauses for the database, encrypted when there is a key.
type cofrePausa struct{ *cofre.Cofre }

func novoCofrePausa(chave string) (cofrePausa, error) {
	if strings.TrimSpace(chave) == "" {
		return cofrePausa{}, nil
	}
	c, err := cofre.Novo(chave, usoPausa, variavelChave)
	return cofrePausa{c}, err
}

// segredo is the JSON of what a Task holds of requestStates.
type segredo struct {
	V       int      `json:"v"`
	Estados []string `json:"estados,omitzero"`
	Pausa   *pausa   `json:"pausa,omitzero"`
}

type pausa struct {
	RequestState string     `json:"requestState"`
	Perguntas    []pergunta `json:"perguntas,omitzero"`
}

type pergunta struct {
	Chave    string `json:"chave"`
	Mensagem string `json:"mensagem"`
	Esquema  string `json:"esquema,omitzero"` // JSON, byte for byte
}

// guardar writes what goes into the column pausa of a Task; nil for nothing.
func (c cofrePausa) guardar(t *tarefa.Tarefa) ([]byte, error) {
	if t.Pausa == nil && t.Estados == nil {
		return nil, nil
	}
	s := segredo{V: versaoRegistro, Estados: t.Estados}
	if p := t.Pausa; p != nil {
		s.Pausa = &pausa{RequestState: p.RequestState, Perguntas: todos(p.Perguntas, func(p tarefa.Pergunta) pergunta {
			return pergunta{Chave: p.Chave, Mensagem: p.Mensagem, Esquema: string(p.Esquema)}
		})}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return selarColuna(c.Cofre, raw, []byte(t.ID)), nil
}

// tirar reads what guardar wrote into t, whose id it has.
func (c cofrePausa) tirar(guardada []byte, t *tarefa.Tarefa) error {
	if guardada == nil {
		return nil
	}
	raw, err := c.abrir(t.ID, guardada)
	if err != nil {
		return err
	}
	var s segredo
	if err := lerVersao(raw, &s, &s.V); err != nil {
		return err
	}
	t.Estados = s.Estados
	if p := s.Pausa; p != nil {
		t.Pausa = &tarefa.Pausa{RequestState: p.RequestState, Perguntas: todos(p.Perguntas, func(p pergunta) tarefa.Pergunta {
			return tarefa.Pergunta{Chave: p.Chave, Mensagem: p.Mensagem, Esquema: bruto(p.Esquema)}
		})}
	}
	return nil
}

func (c cofrePausa) abrir(id string, guardada []byte) ([]byte, error) {
	return abrirColuna(c.Cofre, guardada, []byte(id), errPausaFechada)
}

// selarColuna writes a column, sealed when there is a key. vinculo says whose it
// is: it opens nowhere else.
func selarColuna(c *cofre.Cofre, raw, vinculo []byte) []byte {
	if c == nil {
		return append([]byte{colunaAberta}, raw...)
	}
	return append([]byte{colunaCifrada}, c.Selar(raw, vinculo)...)
}

// abrirColuna reads what selarColuna wrote. It fails with fechada when no given
// key opens it.
func abrirColuna(c *cofre.Cofre, coluna, vinculo []byte, fechada error) ([]byte, error) {
	if len(coluna) == 0 {
		return nil, errors.New("the column is empty")
	}
	switch resto := coluna[1:]; coluna[0] {
	case colunaAberta:
		return resto, nil
	case colunaCifrada:
		if c == nil {
			return nil, fechada
		}
		raw, err := c.Abrir(resto, vinculo)
		if err != nil {
			return nil, fechada
		}
		return raw, nil
	}
	return nil, errRegistroNovo
}

// conferirPausas refuses a database that has pauses which do not open: an agent
// that went on would fail each of their answers, one by one.
func (b *Banco) conferirPausas(ctx context.Context, o origem) error {
	const porVez = 500
	fechadas, ultima := 0, ""
	for {
		var ids []string
		var guardadas [][]byte
		err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
			ids, guardadas = nil, nil
			return cada(ctx, q, func(rows *sql.Rows) error {
				var id string
				var guardada []byte
				err := rows.Scan(&id, &guardada)
				ids, guardadas = append(ids, id), append(guardadas, guardada)
				return err
			}, "SELECT id, pausa FROM ponte_tarefas WHERE pausa IS NOT NULL AND id > $1 ORDER BY id LIMIT $2", ultima, porVez)
		})
		if err != nil {
			return o.falha(b.motor, err)
		}
		for i, id := range ids {
			if _, err := b.cofre.abrir(id, guardadas[i]); errors.Is(err, errPausaFechada) {
				fechadas++
			}
			ultima = id
		}
		if len(ids) == porVez {
			continue
		}
		if fechadas == 0 {
			return nil
		}
		return o.naoAbrem(fechadas, "pausa(s)", "a", b.cofre.Cofre != nil)
	}
}
