package e2e

import (
	"maps"
	"path/filepath"
	"testing"

	"hillvalley.example/ponte/internal/dupla"
)

// goodData is a small folder that starts.
var goodData = map[string]string{
	"salas.json": `[
  { "id": "sala-um",   "nome": "Um",   "capacidade": 4, "recursos": [] },
  { "id": "sala-dois", "nome": "Dois", "capacidade": 8, "recursos": ["tv"] }
]`,
	"reservas.json": `[
  { "id": "res-0041", "sala": "sala-um", "inicio": "2026-11-03T14:00:00-03:00", "fim": "2026-11-03T15:00:00-03:00", "responsavel": "Marty" }
]`,
	"politica-de-uso.md": "versao: 2027-01-31\n\n- Reservas somente entre 08:00 e 20:00.\n",
}

// TestData: a folder named by DADOS replaces the embedded data.
func TestData(t *testing.T) {
	t.Parallel()
	s := startServer(t, "DADOS="+writeFiles(t, goodData))
	c := &a2aClient{base: startAgent(t, s.URL).URL}
	b := conflict
	b.sala = "sala-um"
	tk := c.pause(t, b, "alternativas: sala-dois")
	done := c.reply(t, tk.ID, "escolha=sala-dois")
	const want = `{"reserva":"res-0042","sala":"sala-dois","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty","politica":"2027-01-31"}`
	if done.artifact() != want {
		t.Errorf("expected the artifact %s, got %s", want, done.artifact())
	}
}

// TestBadData: data that are not in order keep the server from starting, with
// a line that names the file, the entry and what to do.
func TestBadData(t *testing.T) {
	t.Parallel()
	const gone = "\x00" // stands for a file that is not there
	sala := func(id string) string {
		return `{"id":"` + id + `","nome":"X","capacidade":4,"recursos":[]}`
	}
	reserva := func(id, sala, from, to string) string {
		return `{"id":"` + id + `","sala":"` + sala + `","inicio":"2026-11-03T` + from + `:00-03:00","fim":"2026-11-03T` + to + `:00-03:00","responsavel":"Marty"}`
	}
	for _, c := range []struct {
		name, file, content string
		want                []string
	}{
		{"no rooms file", "salas.json", gone, []string{"nao encontrado", "precisa"}},
		{"no reservations file", "reservas.json", gone, []string{"nao encontrado", "precisa"}},
		{"no policy file", "politica-de-uso.md", gone, []string{"nao encontrado", "precisa"}},
		{"empty file", "salas.json", "", []string{"vazio", "restaure"}},
		{"broken JSON", "salas.json", "[{]", []string{"JSON invalido", "linha 1", "corrija"}},
		{"not a list", "salas.json", "{}", []string{"lista", "["}},
		{"no room", "salas.json", "[]", []string{"vazia", "informe"}},
		{"duplicate room", "salas.json", "[" + sala("sala-um") + "," + sala("sala-um") + "]", []string{"sala 2", "id", `"sala-um"`, "unico"}},
		{"room without id", "salas.json", "[" + sala("") + "]", []string{"sala 1", "id", "informe"}},
		{"capacity as text", "salas.json", `[{"id":"sala-um","nome":"Um","capacidade":"4","recursos":[]}]`, []string{"capacidade", `"4"`, "digitos"}},
		{"misspelt field", "salas.json", `[{"id":"sala-um","nome":"Um","lugares":4,"recursos":[]}]`, []string{`"lugares"`, "capacidade"}},
		{"duplicate reservation", "reservas.json", "[" + reserva("res-0001", "sala-um", "09:00", "10:00") + "," + reserva("res-0001", "sala-um", "11:00", "12:00") + "]", []string{"reserva 2", "id", `"res-0001"`, "unico"}},
		{"unknown room", "reservas.json", "[" + reserva("res-0001", "sala-nove", "09:00", "10:00") + "]", []string{"reserva 1", "sala", `"sala-nove"`, "informe"}},
		{"overlap", "reservas.json", "[" + reserva("res-0001", "sala-um", "09:00", "11:00") + "," + reserva("res-0002", "sala-um", "10:00", "12:00") + "]", []string{"reserva 2", "res-0001", "res-0002", "sobrepoe", "mude"}},
		{"ends before it begins", "reservas.json", "[" + reserva("res-0001", "sala-um", "11:00", "10:00") + "]", []string{"fim", "T10:00:00", "corrija"}},
		{"no version line", "politica-de-uso.md", "- Reservas somente entre 08:00 e 20:00.\n", []string{"linha 1", "versao: ", "escreva"}},
		{"empty version", "politica-de-uso.md", "versao: \n", []string{"versao", "informe"}},
		{"not UTF-8", "politica-de-uso.md", "versao: \xff\n", []string{"linha 1", "0xff", "UTF-8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(goodData)
			if files[c.file] = c.content; c.content == gone {
				delete(files, c.file)
			}
			dir := writeFiles(t, files)
			env := []string{"REQUEST_STATE_SECRET=" + secret(), "DADOS=" + dir}
			want := append(c.want, filepath.Join(dir, c.file))
			badStart{process: dupla.Servidor, args: []string{"-addr", "localhost:0"}, env: env, want: want}.check(t)
		})
	}
	t.Run("no folder", func(t *testing.T) {
		t.Parallel()
		env := []string{"REQUEST_STATE_SECRET=" + secret(), "DADOS=/nao/existe"}
		badStart{process: dupla.Servidor, args: []string{"-addr", "localhost:0"}, env: env, want: []string{"DADOS", `"/nao/existe"`, "indique"}}.check(t)
	})
}
