package banco

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

const requestState = "estado-secreto-do-servidor-0123456789"

// emRepouso is all that a database holds, byte for byte.
func emRepouso(t *testing.T, url string) []byte {
	t.Helper()
	if strings.HasPrefix(url, "sqlite:") {
		var tudo []byte
		nomes, _ := filepath.Glob(caminhoDe(url) + "*")
		for _, nome := range nomes {
			raw, err := os.ReadFile(nome)
			if err != nil {
				t.Fatal(err)
			}
			tudo = append(tudo, raw...)
		}
		return tudo
	}
	rows, err := cru(t, url).QueryContext(t.Context(), "SELECT * FROM ponte_tarefas")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	colunas, _ := rows.Columns()
	var tudo []byte
	for rows.Next() {
		valores := make([]any, len(colunas))
		for i := range valores {
			valores[i] = new(sql.RawBytes)
		}
		if err := rows.Scan(valores...); err != nil {
			t.Fatal(err)
		}
		for _, v := range valores {
			tudo = append(tudo, *v.(*sql.RawBytes)...)
		}
	}
	return tudo
}

// With a key nothing of the requestState lies in the database, whatever becomes
// of the Task; without one it lies in the column of the pause alone.
func TestRequestStateEmRepouso(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		tk := criada(t, b, pausada(requestState))
		retomada, err := tk.Com(tarefa.Retomar, agora)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Trocar(t.Context(), retomada.Pausando(tk.Pausa)); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(emRepouso(t, url), []byte(requestState)) {
			t.Error("the requestState lies open, in spite of the key")
		}
		fechar(t, b)
		if bytes.Contains(emRepouso(t, url), []byte(requestState)) {
			t.Error("the requestState lies open after Close, in spite of the key")
		}
	})
	t.Run("sem chave", func(t *testing.T) {
		emCada(t, func(t *testing.T, url string) {
			b := aberto(t, url, "")
			criada(t, b, pausada(requestState))
			fechar(t, b)
			if !bytes.Contains(emRepouso(t, url), []byte(requestState)) {
				t.Error("this test does not find what lies open")
			}
			db := cru(t, url)
			executar(t, db, "UPDATE ponte_tarefas SET pausa = NULL")
			_ = db.Close()
			if !strings.HasPrefix(url, "sqlite:") && bytes.Contains(emRepouso(t, url), []byte(requestState)) {
				t.Error("the requestState lies in another column")
			}
		})
	})
}

func TestChaves(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		// Stored without a key.
		b := aberto(t, url, "")
		aberta := criada(t, b, pausada(requestState))
		fechar(t, b)

		// A key reads it, and seals what is stored from now on.
		b = aberto(t, url, chaveA)
		conferirPausa(t, b, aberta.ID)
		cifrada := criada(t, b, pausada(requestState))
		conferirPausa(t, b, cifrada.ID)
		fechar(t, b)

		recusa(t, url, "", "TAREFAS", "guarda 1 pausa(s) cifrada(s)", "TAREFAS_CHAVE nao foi definida")
		recusa(t, url, chaveB, "TAREFAS", "guarda 1 pausa(s) que TAREFAS_CHAVE nao abre")
		recusa(t, url, "curta", "TAREFAS_CHAVE", "5 bytes", "32")
		recusa(t, url, chaveA+",", "TAREFAS_CHAVE", "o segredo 2 tem 0 bytes")

		// Rotation: the new key seals, the old one still opens.
		b = aberto(t, url, chaveB+", "+chaveA)
		conferirPausa(t, b, cifrada.ID)
		tk, err := b.Ler(t.Context(), cifrada.ID)
		if err == nil {
			tk, err = tk.Com(tarefa.Insistir, agora)
		}
		if err == nil {
			_, err = b.Trocar(t.Context(), tk)
		}
		if err != nil {
			t.Fatal(err)
		}
		fechar(t, b)

		// All is sealed with the new one now.
		b = aberto(t, url, chaveB)
		conferirPausa(t, b, cifrada.ID)
		fechar(t, b)
		recusa(t, url, chaveA, "guarda 1 pausa(s) que TAREFAS_CHAVE nao abre")
	})
}

func conferirPausa(t *testing.T, b *Banco, id string) {
	t.Helper()
	tk, err := b.Ler(t.Context(), id)
	if err != nil || tk.Pausa == nil || tk.Pausa.RequestState != requestState {
		t.Fatalf("want the pause, got %+v, %v", tk, err)
	}
}

// A sealed pause opens with its own Task alone, and not when it was altered.
func TestPausaTrocada(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		x, y := criada(t, b, pausada("x")), criada(t, b, pausada("y"))
		trocar := func(sql string, args ...any) {
			t.Helper()
			err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
				n, err := afetadas(q.ExecContext(ctx, sql, args...))
				if err == nil && n != 1 {
					err = errors.New("no row")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		trocar("UPDATE ponte_tarefas SET pausa = (SELECT pausa FROM ponte_tarefas WHERE id = $1) WHERE id = $2", x.ID, y.ID)
		if _, err := b.Ler(t.Context(), y.ID); !errors.Is(err, errPausaFechada) {
			t.Errorf("the pause of another task: want errPausaFechada, got %v", err)
		}
		if _, err := b.Ler(t.Context(), x.ID); err != nil {
			t.Errorf("its own: %v", err)
		}
		for _, mau := range [][]byte{{colunaCifrada}, append([]byte{colunaCifrada}, make([]byte, 64)...), {colunaAberta}, {7, 1}} {
			trocar("UPDATE ponte_tarefas SET pausa = $1 WHERE id = $2", mau, x.ID)
			if tk, err := b.Ler(t.Context(), x.ID); err == nil {
				t.Errorf("pause %v: want an error, got %+v", mau, tk.Pausa)
			}
		}
	})
}

// conferirPausas looks at all of them, not at the first ones.
func TestConfereTodasAsPausas(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		const n = 1234 // more than twice as many as it takes at a time
		fila := make(chan error, 64)
		for range 64 {
			go func() {
				var err error
				for i := 0; i < n/64+1 && err == nil; i++ {
					_, err = b.Criar(t.Context(), pausada("x"))
				}
				fila <- err
			}()
		}
		for range 64 {
			if err := <-fila; err != nil {
				t.Fatal(err)
			}
		}
		p, err := b.Listar(t.Context(), tarefa.Filtro{Estado: a2a.TaskStateInputRequired, Limite: 1})
		if err != nil || p.Total != 64*(n/64+1) {
			t.Fatalf("want %d pauses, got %d, %v", 64*(n/64+1), p.Total, err)
		}
		fechar(t, b)
		recusa(t, url, chaveB, "guarda 1280 pausa(s)")
		fechar(t, aberto(t, url, chaveB+","+chaveA))
	})
}
