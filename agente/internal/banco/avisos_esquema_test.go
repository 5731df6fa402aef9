package banco

import (
	"os"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// An agent that knows no configs goes on beside one that does: what it changes is
// told, what it drops takes its configs along. Its statements stand in for it.
func TestAgenteAntigoAoLado(t *testing.T) {
	url := servidor(t)
	b := aberto(t, url, "")
	db := cru(t, url)
	tk := comAviso(t, b, "a", "b")
	executar(t, db, "UPDATE ponte_tarefas SET estado = 'TASK_STATE_CANCELED', versao = versao + 1, ordem = nextval('ponte_ordem') WHERE id = '"+tk.ID+"'")
	if ps := reivindicados(t, b, nil, agora, 9); len(ps) != 2 || ps[0].Tarefa.Estado != a2a.TaskStateCanceled {
		t.Errorf("want both told of the change, got %+v", ps)
	}
	executar(t, db, "DELETE FROM ponte_tarefas WHERE id IN (SELECT id FROM ponte_tarefas WHERE estado IN "+terminais+" AND mudada < 9000000000000 ORDER BY mudada LIMIT 500 FOR UPDATE SKIP LOCKED)")
	if n := valor[int](t, db, "SELECT count(*) FROM ponte_avisos"); n != 0 {
		t.Errorf("want the configs gone with their Task, %d are left", n)
	}
}

// A database of the first schema is taken along, with its Tasks.
func TestMigrarDoPrimeiroEsquema(t *testing.T) {
	emCada(t, func(t *testing.T, url string) {
		if strings.HasPrefix(url, "sqlite:") {
			if err := os.WriteFile(caminhoDe(url), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := dialetoSQLite
		if !strings.HasPrefix(url, "sqlite:") {
			d = dialetoPostgres
		}
		tk := nova()
		tk.Versao = 1
		l, err := (&Banco{}).escrever(tk)
		if err != nil {
			t.Fatal(err)
		}
		db := cru(t, url)
		executar(t, db, append(passos[0].de(d), d.tipos.Replace("CREATE TABLE ponte_esquema (versao INTEGER NOT NULL)"), "INSERT INTO ponte_esquema (versao) VALUES (1)")...)
		if _, err := db.ExecContext(t.Context(), "INSERT INTO ponte_tarefas (id, contexto, estado, versao, ordem, mudada, prazo, registro) VALUES ($1, $2, $3, 1, 1, 0, 0, $4)",
			l.id, l.contexto, l.estado, l.registro); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
		b := aberto(t, url, chaveA)
		lida, err := b.Ler(t.Context(), tk.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.GuardarAviso(t.Context(), avisoDe(lida, "a")); err != nil {
			t.Fatal(err)
		}
		mudada(t, b, lida)
		if n := len(reivindicados(t, b, nil, agora, 9)); n != 1 {
			t.Errorf("want it told, got %d", n)
		}
	})
}

// A claim looks at no config that has nothing more to tell, and at one Task by
// its name.
func TestIndicesDosAvisos(t *testing.T) {
	b := aberto(t, arquivo(t), "")
	for nome, c := range map[string]struct {
		so   []string
		want string
	}{
		"all":  {nil, "SEARCH a USING INDEX ponte_avisos_proxima"},
		"some": {[]string{"x"}, "SEARCH a USING INDEX sqlite_autoindex_ponte_avisos_1 (tarefa=?)"},
	} {
		query, args := consultaDeReivindicacao(dialetoSQLite, c.so, agora, agora, 10)
		if p := plano(t, b, query, args...); !strings.Contains(p, c.want) || strings.Contains(p, "SCAN a") || strings.Contains(p, "SCAN t") {
			t.Errorf("%s: want %s, got\n%s", nome, c.want, p)
		}
	}
}
