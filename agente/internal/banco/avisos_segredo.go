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

// usoAviso names what the keys of push notification configs are for.
const usoAviso = "hillvalley.example/ponte tarefas aviso v1"

// errAvisoFechado: the config is encrypted, and no given key opens it.
var errAvisoFechado = errors.New("the push notification config is encrypted and " + variavelChave + " does not open it")

// cofreAviso keeps configs for the database, encrypted when there is a key.
type cofreAviso struct {
	*cofre.Cofre
	// primeira has only the key that seals: what it does not open is sealed anew
	// at the start. Configs outlive pauses by far, and an old key is not needed
	// as long as they.
	primeira *cofre.Cofre
}

func novoCofreAviso(chave string) (cofreAviso, error) {
	if strings.TrimSpace(chave) == "" {
		return cofreAviso{}, nil
	}
	todas, err := cofre.Novo(chave, usoAviso, variavelChave)
	if err != nil {
		return cofreAviso{}, err
	}
	primeira, _, _ := strings.Cut(chave, ",")
	c, err := cofre.Novo(primeira, usoAviso, variavelChave)
	return cofreAviso{todas, c}, err
}

// segredoAviso is the JSON of what a client said in a config. Text is UTF-8.
type segredoAviso struct {
	V           int    `json:"v"`
	ID          string `json:"id"`
	URL         string `json:"url"`
	Token       string `json:"token,omitzero"`
	Esquema     string `json:"esquema,omitzero"`
	Credenciais string `json:"credenciais,omitzero"`
}

// vinculoDeAviso binds what is sealed to its Task and its place.
func vinculoDeAviso(tarefa string, chave []byte) []byte { return append([]byte(tarefa), chave...) }

// guardar writes what goes into the column segredo.
func (c cofreAviso) guardar(a tarefa.Aviso, chave []byte) ([]byte, error) {
	raw, err := json.Marshal(segredoAviso{versaoRegistro, a.ID, a.URL, a.Token, a.Esquema, a.Credenciais})
	if err != nil {
		return nil, err
	}
	return selarColuna(c.Cofre, raw, vinculoDeAviso(a.TaskID, chave)), nil
}

// tirar reads what guardar wrote.
func (c cofreAviso) tirar(guardado []byte, tarefaID string, chave []byte) (tarefa.Aviso, error) {
	raw, err := abrirColuna(c.Cofre, guardado, vinculoDeAviso(tarefaID, chave), errAvisoFechado)
	if err != nil {
		return tarefa.Aviso{}, err
	}
	var s segredoAviso
	if err := lerVersao(raw, &s, &s.V); err != nil {
		return tarefa.Aviso{}, err
	}
	return tarefa.Aviso{ID: s.ID, URL: s.URL, Token: s.Token, Esquema: s.Esquema, Credenciais: s.Credenciais}, nil
}

// atual reports whether a column is as the first key would write it.
func (c cofreAviso) atual(guardado, vinculo []byte) bool {
	if c.Cofre == nil {
		return true
	}
	_, err := abrirColuna(c.primeira, guardado, vinculo, errAvisoFechado)
	return err == nil && guardado[0] == colunaCifrada
}

// conferirAvisos refuses a database that has configs which do not open, as
// conferirPausas does with pauses, and seals with the first key what is not yet.
func (b *Banco) conferirAvisos(ctx context.Context, o origem) error {
	const porVez = 500
	fechados := 0
	ultima := linhaAviso{chave: []byte{}}
	for {
		var linhas []linhaAviso
		err := b.fazer(ctx, func(ctx context.Context, q consultas) error {
			linhas = nil
			return cada(ctx, q, func(rows *sql.Rows) error {
				var l linhaAviso
				err := rows.Scan(l.destino()...)
				linhas = append(linhas, l)
				return err
			}, "SELECT "+colunasAviso+" FROM ponte_avisos WHERE (tarefa, chave) > ($1, $2) ORDER BY tarefa, chave LIMIT $3",
				ultima.tarefa, ultima.chave, porVez)
		})
		if err != nil {
			return o.falha(b.motor, err)
		}
		var velhos []linhaAviso
		for _, l := range linhas {
			ultima = l
			vinculo := vinculoDeAviso(l.tarefa, l.chave)
			_, err := abrirColuna(b.cofreAviso.Cofre, l.segredo, vinculo, errAvisoFechado)
			switch {
			case errors.Is(err, errAvisoFechado):
				fechados++
			case err == nil && !b.cofreAviso.atual(l.segredo, vinculo):
				velhos = append(velhos, l)
			}
		}
		if err := b.reselar(ctx, velhos); err != nil {
			return o.falha(b.motor, err)
		}
		if len(linhas) == porVez {
			continue
		}
		if fechados == 0 {
			return nil
		}
		return o.naoAbrem(fechados, "aviso(s)", "o", b.cofreAviso.Cofre != nil)
	}
}

// reselar seals configs anew; one that changed meanwhile is left as it is.
func (b *Banco) reselar(ctx context.Context, linhas []linhaAviso) error {
	if len(linhas) == 0 {
		return nil
	}
	return b.fazer(ctx, func(ctx context.Context, q consultas) error {
		for _, l := range linhas {
			vinculo := vinculoDeAviso(l.tarefa, l.chave)
			raw, err := abrirColuna(b.cofreAviso.Cofre, l.segredo, vinculo, errAvisoFechado)
			if err != nil {
				return err
			}
			if _, err := q.ExecContext(ctx, "UPDATE ponte_avisos SET segredo = $4 WHERE tarefa = $1 AND chave = $2 AND segredo = $3",
				l.tarefa, l.chave, l.segredo, selarColuna(b.cofreAviso.Cofre, raw, vinculo)); err != nil {
				return err
			}
		}
		return nil
	})
}
