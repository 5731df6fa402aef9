package acervo

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hillvalley.example/ponte"
	"hillvalley.example/ponte/servidor-mcp/internal/reserva"
)

const (
	salasBoas = `[
  { "id": "sala-a", "nome": "A", "capacidade": 4, "recursos": ["tv"] },
  { "id": "sala-b", "nome": "B", "capacidade": 6, "recursos": [] }
]`
	reservasBoas = `[
  { "id": "res-0001", "sala": "sala-a", "inicio": "2026-11-03T14:00:00-03:00", "fim": "2026-11-03T15:00:00-03:00", "responsavel": "Marty" },
  { "id": "res-0002", "sala": "sala-a", "inicio": "2026-11-03T18:00:00Z", "fim": "2026-11-03T19:00Z", "responsavel": "Doc" }
]`
	politicaBoa = "versao: 2026-11-01\n\n- regra\n"
)

// pasta is a folder of good files, but for the one that is given.
func pasta(arquivo, conteudo string) fstest.MapFS {
	p := fstest.MapFS{
		arquivoSalas:    {Data: []byte(salasBoas)},
		arquivoReservas: {Data: []byte(reservasBoas)},
		arquivoPolitica: {Data: []byte(politicaBoa)},
	}
	if arquivo != "" {
		p[arquivo] = &fstest.MapFile{Data: []byte(conteudo)}
	}
	return p
}

func TestCarregarEmbutidos(t *testing.T) {
	dados, err := fs.Sub(ponte.Dados, "dados")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Carregar(dados, "dados")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range a.Salas() {
		ids = append(ids, s.ID)
	}
	if esperados := []string{"sala-aquario", "sala-porao", "sala-garagem", "sala-fusca", "sala-mirante"}; !slices.Equal(ids, esperados) {
		t.Errorf("salas %q, want %q, in file order", ids, esperados)
	}
	texto, _ := fs.ReadFile(dados, arquivoPolitica)
	if p := a.Politica(); p.Versao != "2026-11-01" || p.Texto != string(texto) {
		t.Errorf("politica %q, want version 2026-11-01 and the file byte for byte", p)
	}
	p, err := a.Verificar("sala-garagem", "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00")
	if err != nil {
		t.Fatal(err)
	}
	if c := a.Conflitos("sala-garagem", p); len(c) != 1 || c[0].ID != "res-0001" {
		t.Errorf("conflitos %v, want res-0001 alone", c)
	}
	if alternativas := a.Alternativas("sala-garagem", p); !slices.Equal(alternativas, []string{"sala-fusca", "sala-mirante"}) {
		t.Errorf("alternativas %q, want sala-fusca, sala-mirante", alternativas)
	}
	r, err := a.Reservar(reserva.Pedido{Sala: "sala-fusca", Periodo: p, Responsavel: "Marty"})
	if err != nil || r.ID != "res-0003" {
		t.Errorf("Reservar = %v, %v, want res-0003", r, err)
	}
}

func TestCarregarAceita(t *testing.T) {
	casos := []struct{ nome, arquivo, conteudo, versao string }{
		{"no reservas", arquivoReservas, "[]", "2026-11-01"},
		{"space around everything", arquivoReservas, "\r\n [ ] \n", "2026-11-01"},
		{"CRLF in the policy", arquivoPolitica, "versao: 2026-11-01\r\n\r\n- regra\r\n", "2026-11-01"},
		{"version alone, no end of line", arquivoPolitica, "versao: v 2", "v 2"},
		{"space around the version", arquivoPolitica, "versao:  2 \t\nversao: 3", "2"},
		{"reserva outside window and duration", arquivoReservas,
			`[{"id":"res-9","sala":"sala-a","inicio":"2026-11-03T01:00Z","fim":"2026-11-05T01:00Z","responsavel":"Doc"}]`, "2026-11-01"},
		{"back to back", arquivoReservas, `[
			{"id":"res-2","sala":"sala-a","inicio":"2026-11-03T15:00-03:00","fim":"2026-11-03T16:00-03:00","responsavel":"Doc"},
			{"id":"res-1","sala":"sala-a","inicio":"2026-11-03T14:00-03:00","fim":"2026-11-03T15:00-03:00","responsavel":"Doc"}]`, "2026-11-01"},
		{"escapes in a field's name", arquivoSalas, `[{"\u0069d":"s","nome":"S","capacidade":1,"recursos":[]}]`, "2026-11-01"},
	}
	for _, c := range casos {
		t.Run(c.nome, func(t *testing.T) {
			p := pasta(c.arquivo, c.conteudo)
			if c.arquivo == arquivoSalas {
				p[arquivoReservas].Data = []byte("[]")
			}
			a, err := Carregar(p, "x")
			if err != nil {
				t.Fatalf("want it accepted, got %v", err)
			}
			if a.Politica().Versao != c.versao {
				t.Errorf("version %q, want %q", a.Politica().Versao, c.versao)
			}
			if a.Politica().Texto != string(p[arquivoPolitica].Data) {
				t.Errorf("text %q, want the file byte for byte", a.Politica().Texto)
			}
		})
	}
}

// TestCarregarRecusa holds each kind of fault and the whole line it gives.
func TestCarregarRecusa(t *testing.T) {
	sala := func(campos string) string {
		return `[{"id":"sala-a","nome":"A","capacidade":4,"recursos":[]},{` + campos + `}]`
	}
	res := func(campos string) string {
		return `[{"id":"res-0001","sala":"sala-a","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"},{` + campos + `}]`
	}
	resCom := func(id, sala, inicio, fim, responsavel string) string {
		return res(`"id":` + id + `,"sala":` + sala + `,"inicio":` + inicio + `,"fim":` + fim + `,"responsavel":` + responsavel)
	}
	const s, de, ate, doc = `"sala-a"`, `"2026-11-04T14:00:00-03:00"`, `"2026-11-04T15:00:00-03:00"`, `"Doc"`

	casos := []struct{ nome, arquivo, conteudo, erro string }{
		// The text of a file.
		{"empty file", arquivoSalas, "", `dados/salas.json: arquivo vazio; restaure o conteudo`},
		{"blank file", arquivoPolitica, " \r\n", `dados/politica-de-uso.md: arquivo vazio; restaure o conteudo`},
		{"BOM", arquivoSalas, "\xef\xbb\xbf" + salasBoas, `dados/salas.json: comeca com a marca BOM; salve em UTF-8 sem BOM`},
		{"BOM in the policy", arquivoPolitica, "\xef\xbb\xbf" + politicaBoa, `dados/politica-de-uso.md: comeca com a marca BOM; salve em UTF-8 sem BOM`},
		{"invalid UTF-8", arquivoReservas, "[\n{\"id\":\"ré\xe9\"}]", `dados/reservas.json: linha 2, coluna 10: o byte 0xe9 nao e UTF-8; salve em UTF-8`},
		{"invalid UTF-8 in the policy", arquivoPolitica, "versao: \xff", `dados/politica-de-uso.md: linha 1, coluna 9: o byte 0xff nao e UTF-8; salve em UTF-8`},

		// JSON as a whole.
		{"broken JSON", arquivoSalas, "[\n  {\"id\" \"sala-a\"}\n]", `dados/salas.json: JSON invalido na linha 2, coluna 9, em "\""; corrija a sintaxe`},
		{"comma too many", arquivoReservas, "[\n\t{},\n]", `dados/reservas.json: JSON invalido na linha 3, coluna 1, em "]"; corrija a sintaxe`},
		{"broken at a wide character", arquivoSalas, `["á" é]`, `dados/salas.json: JSON invalido na linha 1, coluna 6, em "é"; corrija a sintaxe`},
		{"control character in a string", arquivoSalas, "[\"a\x01\"]", `dados/salas.json: JSON invalido na linha 1, coluna 4, em "\x01"; corrija a sintaxe`},
		{"cut", arquivoSalas, "[\n  {\"id\": \"sal", `dados/salas.json: JSON incompleto, o arquivo acaba na linha 2, coluna 14; complete-o`},
		{"trailing data", arquivoReservas, "[]\n[]", `dados/reservas.json: sobra texto depois do fim do JSON na linha 2, coluna 1, em "["; remova-o`},
		{"trailing comma at the end", arquivoReservas, "[],", `dados/reservas.json: sobra texto depois do fim do JSON na linha 1, coluna 3, em ","; remova-o`},
		{"object for a list", arquivoSalas, `{"salas": []}`, `dados/salas.json: deve ser uma lista, veio um objeto; comece o arquivo com [`},
		{"null for a list", arquivoReservas, ` null `, `dados/reservas.json: deve ser uma lista, veio null; comece o arquivo com [`},
		{"absurdly deep", arquivoSalas, strings.Repeat("[", 20_000), `dados/salas.json: JSON invalido na linha 1, coluna 10001, em "["; corrija a sintaxe`},

		// The fields of an entry.
		{"not an object", arquivoSalas, `[ "sala-a" ]`, `dados/salas.json: sala 1: deve ser um objeto, veio o texto "sala-a"; informe id, nome, capacidade, recursos`},
		{"null entry", arquivoReservas, `[null]`, `dados/reservas.json: reserva 1: deve ser um objeto, veio null; informe id, sala, inicio, fim, responsavel`},
		{"unknown field", arquivoSalas, sala(`"cor\n":"azul","id":"sala-b","nome":"B","capacidade":1,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo desconhecido "cor\n"; use so id, nome, capacidade, recursos`},
		{"field in another case", arquivoSalas, sala(`"ID":"sala-b","nome":"B","capacidade":1,"recursos":[]`), `dados/salas.json: sala 2: campo desconhecido "ID"; use so id, nome, capacidade, recursos`},
		{"repeated field", arquivoSalas, sala(`"id":"sala-b","id":"sala-c","nome":"B","capacidade":1,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo id: aparece mais de uma vez; deixe uma so`},
		{"missing field", arquivoReservas, res(`"id":"res-0002"`), `dados/reservas.json: reserva 2 ("res-0002"): campo sala: nao foi informado; a entrada precisa de id, sala, inicio, fim, responsavel`},
		{"number for a text", arquivoSalas, sala(`"id":7,"nome":"B","capacidade":1,"recursos":[]`), `dados/salas.json: sala 2: campo id: deve ser um texto, veio o numero 7; escreva-o entre aspas`},
		{"boolean for a text", arquivoSalas, sala(`"id":"sala-b","nome":true,"capacidade":1,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo nome: deve ser um texto, veio o booleano true; escreva-o entre aspas`},
		{"number for a reserva id", arquivoReservas, resCom(`2`, s, de, ate, doc), `dados/reservas.json: reserva 2: campo id: deve ser um texto, veio o numero 2; escreva-o entre aspas`},
		{"list for a room", arquivoReservas, resCom(`"res-0002"`, `["sala-a"]`, de, ate, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo sala: deve ser um texto, veio uma lista; escreva-o entre aspas`},
		{"number for a date", arquivoReservas, resCom(`"res-0002"`, s, `1793725200`, ate, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo inicio: deve ser um texto, veio o numero 1793725200; escreva-o entre aspas`},
		{"null for a text", arquivoReservas, resCom(`"res-0002"`, s, de, ate, `null`), `dados/reservas.json: reserva 2 ("res-0002"): campo responsavel: deve ser um texto, veio null; escreva-o entre aspas`},
		{"text for a number", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":"12","recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo capacidade: deve ser um numero inteiro, veio o texto "12"; escreva so os digitos`},
		{"fraction for a whole number", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":1.5,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo capacidade: deve ser um numero inteiro, veio o numero 1.5; escreva so os digitos`},
		{"null for a number", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":null,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo capacidade: deve ser um numero inteiro, veio null; escreva so os digitos`},
		{"number out of range", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":99999999999999999999,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo capacidade: deve ser um numero inteiro, veio o numero 99999999999999999999; escreva so os digitos`},
		{"null for recursos", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":1,"recursos":null`), `dados/salas.json: sala 2 ("sala-b"): campo recursos: deve ser uma lista de textos, veio null; use [] se nao ha nenhum`},
		{"text for recursos", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":1,"recursos":"tv"`), `dados/salas.json: sala 2 ("sala-b"): campo recursos: deve ser uma lista de textos, veio o texto "tv"; use [] se nao ha nenhum`},
		{"null in recursos", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":1,"recursos":["tv", null]`), `dados/salas.json: sala 2 ("sala-b"): campo recursos: o item 2 deve ser um texto, veio null; escreva-o entre aspas`},
		{"date without offset", arquivoReservas, resCom(`"res-0002"`, s, `"2026-11-04T14:00:00"`, ate, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo inicio: "2026-11-04T14:00:00" recusado; Data invalida em inicio: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00`},
		{"no such day", arquivoReservas, resCom(`"res-0002"`, s, de, `"2026-11-31T15:00:00-03:00"`, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo fim: "2026-11-31T15:00:00-03:00" recusado; Data invalida em fim: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00`},
		{"no date", arquivoReservas, resCom(`"res-0002"`, s, `"\u0000amanha"`, ate, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo inicio: "\x00amanha" recusado; Data invalida em inicio: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00`},

		// What does not make an agenda: here only that each is placed in its
		// file; the kinds are in the tests of package reserva.
		{"no rooms", arquivoSalas, `[]`, `dados/salas.json: sala: a lista esta vazia; informe ao menos uma`},
		{"room id twice", arquivoSalas, sala(`"id":"sala-a","nome":"B","capacidade":1,"recursos":[]`), `dados/salas.json: sala 2 ("sala-a"): campo id: "sala-a" ja e o id da sala 1; informe um id unico`},
		{"no seats", arquivoSalas, sala(`"id":"sala-b","nome":"B","capacidade":0,"recursos":[]`), `dados/salas.json: sala 2 ("sala-b"): campo capacidade: 0 e menor que 1; informe quantas pessoas cabem`},
		{"unknown room", arquivoReservas, resCom(`"res-0002"`, `"sala-z"`, de, ate, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo sala: "sala-z" nao existe; informe o id de uma sala da lista`},
		{"overlap", arquivoReservas, resCom(`"res-0002"`, s, `"2026-11-03T17:59:59Z"`, `"2026-11-03T16:00:00-03:00"`, doc), `dados/reservas.json: reserva 2 ("res-0002"): campo inicio: 2026-11-03T14:59:59-03:00 a 2026-11-03T16:00:00-03:00 se sobrepoe a reserva 1 ("res-0001"), 2026-11-03T14:00:00-03:00 a 2026-11-03T15:00:00-03:00, na mesma sala "sala-a"; mude ou remova uma das duas`},

		// The policy.
		{"no version", arquivoPolitica, "# Politica\nversao: 1\n", `dados/politica-de-uso.md: linha 1: deve comecar com "versao: ", veio "# Politica"; escreva por exemplo versao: 2026-11-01`},
		{"version after an empty line", arquivoPolitica, "\nversao: 1\n", `dados/politica-de-uso.md: linha 1: deve comecar com "versao: ", veio ""; escreva por exemplo versao: 2026-11-01`},
		{"no space after the mark", arquivoPolitica, "versao:1", `dados/politica-de-uso.md: linha 1: deve comecar com "versao: ", veio "versao:1"; escreva por exemplo versao: 2026-11-01`},
		{"empty version", arquivoPolitica, "versao: \r\n- regra", `dados/politica-de-uso.md: politica: campo versao: "" esta vazio; informe a versao, por exemplo 2026-11-01`},
		{"control character in the version", arquivoPolitica, "versao: 1\r- regra\r", `dados/politica-de-uso.md: politica: campo versao: "1\r- regra" tem caractere de controle; remova`},
	}
	for _, c := range casos {
		t.Run(c.nome, func(t *testing.T) {
			a, err := Carregar(pasta(c.arquivo, c.conteudo), "dados")
			if err == nil || a != nil {
				t.Fatalf("want it refused, got %v, %v", a, err)
			}
			if err.Error() != c.erro {
				t.Errorf("got  %s\nwant %s", err, c.erro)
			}
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("want one line, got %q", err)
			}
		})
	}
}

func TestCarregarArquivoAusente(t *testing.T) {
	for _, nome := range []string{arquivoSalas, arquivoReservas, arquivoPolitica} {
		p := pasta("", "")
		delete(p, nome)
		_, err := Carregar(p, "/tmp/x/")
		esperado := "/tmp/x/" + nome + ": arquivo nao encontrado; a pasta precisa de salas.json, reservas.json e politica-de-uso.md"
		if err == nil || err.Error() != esperado {
			t.Errorf("got  %v\nwant %s", err, esperado)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: want errors.Is fs.ErrNotExist", err)
		}
	}
}

func TestCarregarArquivoIlegivel(t *testing.T) {
	p := pasta("", "")
	delete(p, arquivoSalas)
	p[arquivoSalas+"/dentro"] = &fstest.MapFile{} // a folder of that name
	_, err := Carregar(p, "dados")
	if err == nil || !strings.HasPrefix(err.Error(), "dados/salas.json: nao foi possivel ler (") {
		t.Errorf("got %v, want that salas.json could not be read", err)
	}
}

func TestCarregarClassificaInconsistencia(t *testing.T) {
	_, err := Carregar(pasta(arquivoSalas, "[]"), "")
	i, ok := errors.AsType[*reserva.Inconsistencia](err)
	if !ok || i.Entidade != reserva.EntidadeSala {
		t.Errorf("%v: want an *Inconsistencia about sala", err)
	}
	if !strings.HasPrefix(err.Error(), "salas.json: ") {
		t.Errorf("%v: want the file's name alone when the folder has none", err)
	}
}

func TestCarregarOrigemEmUmaLinha(t *testing.T) {
	_, err := Carregar(fstest.MapFS{}, "a\nb")
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %q, want one line", err)
	}
}

// FuzzCarregar looks for files that end the process or give more than a line.
func FuzzCarregar(f *testing.F) {
	f.Add(salasBoas, reservasBoas, politicaBoa)
	f.Add(`[{"id":"\ud800"}]`, "null", "versao: ")
	f.Add("[1e999]", "[[[", "\x00")
	f.Fuzz(func(t *testing.T, salas, reservas, politica string) {
		p := pasta(arquivoSalas, salas)
		p[arquivoReservas].Data = []byte(reservas)
		p[arquivoPolitica].Data = []byte(politica)
		a, err := Carregar(p, "dados")
		if (a == nil) == (err == nil) {
			t.Fatalf("want an agenda or an error, got %v, %v", a, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("want one line, got %q", err)
		}
	})
}
