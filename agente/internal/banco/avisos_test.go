package banco

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

const (
	credencial    = "credencial-secreta-do-cliente-0123456789"
	urlDoCliente  = "https://cliente.example/gancho?chave=segredo-na-url"
	tokenSecreto  = "token-secreto-do-cliente-0123456789"
	minuto        = time.Minute
	umaHora       = time.Hour
	esquemaBearer = "Bearer"
)

func avisoDe(tk *tarefa.Tarefa, id string) tarefa.Aviso {
	return tarefa.Aviso{TaskID: tk.ID, ID: id, URL: urlDoCliente, Token: tokenSecreto, Esquema: esquemaBearer, Credenciais: credencial}
}

func comAviso(t testing.TB, b *Banco, ids ...string) *tarefa.Tarefa {
	t.Helper()
	tk := criada(t, b, nova())
	for _, id := range ids {
		if err := b.GuardarAviso(t.Context(), avisoDe(tk, id)); err != nil {
			t.Fatal(err)
		}
	}
	return tk
}

func mudada(t testing.TB, b *Banco, tk *tarefa.Tarefa) *tarefa.Tarefa {
	t.Helper()
	tk, err := b.Trocar(t.Context(), tk.Ouvindo(dizer("y"), ""))
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func reivindicados(t testing.TB, b *Banco, so []string, quando time.Time, n int) []tarefa.Pendente {
	t.Helper()
	ps, err := b.ReivindicarAvisos(t.Context(), so, quando, quando.Add(umaHora), n)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func conferirAviso(t *testing.T, b *Banco, tk *tarefa.Tarefa, id string) {
	t.Helper()
	avisos, err := b.ListarAvisos(t.Context(), tk.ID)
	if err != nil || len(avisos) != 1 {
		t.Fatalf("want the config, got %+v, %v", avisos, err)
	}
	got := avisos[0]
	got.Vez, got.Entregue = 0, 0
	if want := avisoDe(tk, id); got != want {
		t.Errorf("want\n%+v\ngot\n%+v", want, got)
	}
}

// avisosEmRepouso is all that the database holds of configs.
func avisosEmRepouso(t *testing.T, url string) []byte {
	t.Helper()
	if strings.HasPrefix(url, "sqlite:") {
		return emRepouso(t, url)
	}
	return []byte(valor[string](t, cru(t, url), "SELECT coalesce(string_agg(a::text || encode(a.segredo, 'escape'), ';'), '') FROM ponte_avisos a"))
}

// With a key nothing that the client said lies open; without one all of it is in
// the column segredo.
func TestAvisosEmRepouso(t *testing.T) {
	for nome, chave := range map[string]string{"cifrado": chaveA, "aberto": ""} {
		t.Run(nome, func(t *testing.T) {
			emCada(t, func(t *testing.T, url string) {
				b := aberto(t, url, chave)
				tk := comAviso(t, b, "id-do-cliente")
				mudada(t, b, tk)
				p := reivindicados(t, b, nil, agora, 1)[0]
				p.Entregue = p.Tarefa.Versao
				if err := b.AnotarAviso(t.Context(), p.Aviso); err != nil {
					t.Fatal(err)
				}
				fechar(t, b)
				raw := avisosEmRepouso(t, url)
				for _, s := range []string{credencial, tokenSecreto, "cliente.example", "id-do-cliente"} {
					if got, want := bytes.Contains(raw, []byte(s)), chave == ""; got != want {
						t.Errorf("%s: want it readable: %v, got %v", s, want, got)
					}
				}
			})
		})
	}
}

// A key that is missing or wrong is refused at the start; what an older key, or
// none, has sealed is sealed anew there, so that the old key can go.
func TestChavesDosAvisos(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		tk := comAviso(t, b, "a")
		fechar(t, b)

		b = aberto(t, url, chaveA)
		conferirAviso(t, b, tk, "a")
		fechar(t, b)
		recusa(t, url, "", "TAREFAS", "guarda 1 aviso(s) cifrado(s)", "TAREFAS_CHAVE nao foi definida")
		recusa(t, url, chaveB, "TAREFAS", "guarda 1 aviso(s) que TAREFAS_CHAVE nao abre")

		b = aberto(t, url, chaveB+", "+chaveA)
		conferirAviso(t, b, tk, "a")
		fechar(t, b)
		b = aberto(t, url, chaveB)
		conferirAviso(t, b, tk, "a")
		mudada(t, b, tk)
		if ps := reivindicados(t, b, nil, agora, 9); len(ps) != 1 || ps[0].Credenciais != credencial {
			t.Errorf("want it claimed, got %+v", ps)
		}
		fechar(t, b)
		recusa(t, url, chaveA, "guarda 1 aviso(s) que TAREFAS_CHAVE nao abre")
	})
}

// conferirAvisos looks at all of them, more than it takes at a time.
func TestConfereTodosOsAvisos(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		const tasks = 110
		for range tasks {
			tk := criada(t, b, nova())
			fila := make(chan error, tarefa.MaxAvisos)
			for i := range tarefa.MaxAvisos {
				go func() { fila <- b.GuardarAviso(t.Context(), avisoDe(tk, fmt.Sprint(i))) }()
			}
			for range tarefa.MaxAvisos {
				if err := <-fila; err != nil {
					t.Fatal(err)
				}
			}
		}
		fechar(t, b)
		recusa(t, url, chaveB, "guarda 1100 aviso(s)")
		fechar(t, aberto(t, url, chaveB+","+chaveA))
		fechar(t, aberto(t, url, chaveB))
	})
}

// What is sealed opens as the config that it is alone. One that does not open
// keeps no other from being told.
func TestAvisoTrocado(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		x, y := comAviso(t, b, "a", "b"), comAviso(t, b, "a")
		mudada(t, b, x)
		mudada(t, b, y)
		for _, c := range []struct {
			de, para *tarefa.Tarefa
			ide, idp string
		}{{y, x, "a", "a"}, {x, x, "b", "a"}} {
			err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
				n, err := afetadas(q.ExecContext(ctx, `UPDATE ponte_avisos
					SET segredo = (SELECT segredo FROM ponte_avisos WHERE tarefa = $1 AND chave = $2) WHERE tarefa = $3 AND chave = $4`,
					c.de.ID, chaveDeAviso(c.ide), c.para.ID, chaveDeAviso(c.idp)))
				if err == nil && n != 1 {
					err = errors.New("no row")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.ListarAvisos(t.Context(), x.ID); !errors.Is(err, errAvisoFechado) {
				t.Errorf("the secrets of another config: want errAvisoFechado, got %v", err)
			}
		}
		ps, err := b.ReivindicarAvisos(t.Context(), nil, agora, agora.Add(minuto), 9)
		if !errors.Is(err, errAvisoFechado) || len(ps) != 2 {
			t.Errorf("want the two others beside the error, got %d, %v", len(ps), err)
		}
		if ps, err = b.ReivindicarAvisos(t.Context(), nil, agora, agora.Add(minuto), 9); err != nil || len(ps) != 0 {
			t.Errorf("it should stay claimed: %d, %v", len(ps), err)
		}
	})
}

// After the start of the only agent on a file nothing is claimed and nothing
// waits. On a server the claims are perhaps another agent's.
func TestAvisosAoAbrir(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		mudada(t, b, comAviso(t, b, "a"))
		if len(reivindicados(t, b, nil, agora, 1)) != 1 {
			t.Fatal("not claimed")
		}
		fechar(t, b)
		want := 0
		if strings.HasPrefix(url, "sqlite:") {
			want = 1
		}
		if n := len(reivindicados(t, aberto(t, url, ""), nil, agora, 1)); n != want {
			t.Errorf("want %d, got %d", want, n)
		}
	})
}

// An answer that got lost: what is done again does no harm.
func TestRespostaPerdidaDeAviso(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, chaveA)
		repete := *b
		repete.motor = motorQueRepete{b.motor}
		tk := criada(t, b, nova())
		for i := range tarefa.MaxAvisos {
			if err := repete.GuardarAviso(t.Context(), avisoDe(tk, fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		for i := range tarefa.MaxAvisos - 1 {
			if err := repete.ApagarAviso(t.Context(), tk.ID, fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		mudada(t, b, tk)
		p := reivindicados(t, b, nil, agora, 9)[0]
		p.Tentativas, p.Proxima = 1, time.Time{}
		if err := repete.AnotarAviso(t.Context(), p.Aviso); err != nil {
			t.Fatal(err)
		}
		if got, err := b.ListarAvisos(t.Context(), tk.ID); err != nil || len(got) != 1 || got[0].Tentativas != 1 || got[0].Entregue != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// What the end of its Task has been told of is marked, so that no claim looks at
// it again, and no row is left when the Task is gone.
func TestAvisosMarcadosNoFim(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		b := aberto(t, url, "")
		marcas := func(want ...int) {
			t.Helper()
			var got []int
			if err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
				got = nil
				return cada(ctx, q, func(rows *sql.Rows) error {
					var n int
					err := rows.Scan(&n)
					got = append(got, n)
					return err
				}, "SELECT fim FROM ponte_avisos ORDER BY fim")
			}); err != nil || !slices.Equal(got, want) {
				t.Errorf("want marks %v, got %v, %v", want, got, err)
			}
		}
		tk := comAviso(t, b, "a")
		anotar := func(versao int64) {
			t.Helper()
			ps := reivindicados(t, b, nil, agora, 9)
			if len(ps) != 1 {
				t.Fatalf("want one, got %d", len(ps))
			}
			p := ps[0]
			p.Entregue, p.Proxima = versao, time.Time{}
			if err := b.AnotarAviso(t.Context(), p.Aviso); err != nil {
				t.Fatal(err)
			}
		}
		tk = mudada(t, b, tk)
		anotar(tk.Versao)
		marcas(0)
		fim, err := tk.Com(tarefa.Cancelar, agora)
		if err == nil {
			fim, err = b.Trocar(t.Context(), fim)
		}
		if err != nil {
			t.Fatal(err)
		}
		anotar(tk.Versao) // a failure
		marcas(0)
		anotar(fim.Versao)
		marcas(1)
		if err := b.GuardarAviso(t.Context(), avisoDe(fim, "b")); err != nil {
			t.Fatal(err)
		}
		marcas(1, 1)
		if n, err := b.Esquecer(t.Context(), agora.Add(umaHora)); n != 1 || err != nil {
			t.Fatalf("want it forgotten, got %d, %v", n, err)
		}
		marcas()
	})
}
