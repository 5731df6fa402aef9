package ferramentas

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestListas(t *testing.T) {
	c := novaCentral(t)
	r := c.chamar(t, "tools/list", obj{}, nil)
	nomes := []string{}
	for _, f := range r.Result.Tools {
		nomes = append(nomes, f.Name)
		if f.InputSchema["type"] != "object" || f.OutputSchema["type"] != "object" {
			t.Errorf("%s: schemas must be objects, got %v and %v", f.Name, f.InputSchema, f.OutputSchema)
		}
	}
	if strings.Join(nomes, ",") != "consultar_disponibilidade,listar_salas,reservar_sala" {
		t.Errorf("want the three tools, got %v", nomes)
	}
	r = c.tool(t, "listar_salas", obj{})
	var s struct {
		Salas []struct {
			ID         string
			Capacidade int
			Recursos   []string
		}
	}
	if err := json.Unmarshal(r.Result.StructuredContent, &s); err != nil || len(s.Salas) != 5 || s.Salas[4].ID != "sala-mirante" || len(s.Salas[4].Recursos) != 3 {
		t.Errorf("want the five rooms in file order, got %s", r.Raw)
	}
	if r.texto() != string(r.Result.StructuredContent) {
		t.Errorf("the text must be the same JSON: %s", r.Raw)
	}
	r = c.chamar(t, "resources/read", obj{}, obj{"uri": URIPolitica})
	if len(r.Result.Contents) != 1 || r.Result.Contents[0].MimeType != "text/markdown" || !strings.HasPrefix(r.Result.Contents[0].Text, "versao: 2026-11-01\n") {
		t.Errorf("want the policy, got %s", r.Raw)
	}
	c.chamar(t, "resources/read", obj{}, obj{"uri": "politica://outra"}).querErro(t, -32602)
	c.tool(t, "nao_existe", obj{}).querErro(t, -32602)
}

// The four messages, to the letter, from both tools, in the order of the
// checks.
func TestRecusas(t *testing.T) {
	c := novaCentral(t)
	const janela = "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"
	for _, caso := range []struct {
		sala, inicio, fim string
		want              string
	}{
		{"sala-x", "agora", "depois", "Sala inexistente: sala-x"},
		{"sala-garagem", "2026-11-03T14:00:00", "x", "Data invalida em inicio: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"},
		{"sala-garagem", "2026-11-03T14:00:00-03:00", "2026-11-03", "Data invalida em fim: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00"},
		{"sala-garagem", "2026-11-03T03:00:00-03:00", "2026-11-03T03:00:00-03:00", "Intervalo invalido: fim deve ser posterior a inicio"},
		{"sala-garagem", "2026-11-03T19:30:00-03:00", "2026-11-03T21:00:00-03:00", janela},
		{"sala-garagem", "2026-11-03T07:00:00-03:00", "2026-11-03T19:00:00-03:00", janela},
		{"sala-garagem", "2026-11-03T19:00:00-03:00", "2026-11-04T09:00:00-03:00", janela},
		{"sala-garagem", "2026-11-03T08:00:00Z", "2026-11-03T09:00:00Z", janela},
		{"sala-garagem", "2026-11-03T09:00:00-03:00", "2026-11-03T11:00:01-03:00", "Duracao acima do limite: a politica permite no maximo 2 horas"},
	} {
		args := obj{"sala": caso.sala, "inicio": caso.inicio, "fim": caso.fim}
		c.tool(t, "consultar_disponibilidade", args).querRecusa(t, caso.want)
		args["responsavel"] = "Marty"
		c.tool(t, "reservar_sala", args).querRecusa(t, caso.want)
	}
	for _, quem := range []string{"", "  \t"} {
		args := pedidoDe("sala-garagem", "10:00:00", "11:00:00")
		args["responsavel"] = quem
		c.tool(t, "reservar_sala", args).querRecusa(t, "Responsavel vazio: informe quem reserva")
	}
}

func TestArgumentosRuins(t *testing.T) {
	c := novaCentral(t)
	for _, caso := range []struct {
		args any
		want string
	}{
		{nil, "Argumento ausente: sala"},
		{obj{}, "Argumento ausente: sala"},
		{[]any{}, "Argumentos invalidos: use um objeto JSON sem nomes repetidos"},
		{obj{"sala": 1, "inicio": "", "fim": ""}, "Argumento invalido em sala: use um texto"},
		{obj{"sala": "a", "inicio": nil, "fim": ""}, "Argumento invalido em inicio: use um texto"},
		{obj{"sala": "a", "inicio": "", "fim": "", "Sala": "b"}, "Argumento desconhecido: Sala"},
	} {
		c.tool(t, "consultar_disponibilidade", caso.args).querRecusa(t, caso.want)
	}
	c.tool(t, "listar_salas", obj{"x": 1}).querRecusa(t, "Argumento desconhecido: x")
}

func TestConsultaTrazConflitos(t *testing.T) {
	c := novaCentral(t)
	if got := c.conflitos(t, pedidoDe("sala-garagem", "13:30:00", "14:30:00")); got != `{"sala":"sala-garagem","livre":false,"conflitos":[{"id":"res-0001","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","responsavel":"Marty"}]}` {
		t.Errorf("conflict: got %s", got)
	}
	if got := c.conflitos(t, pedidoDe("sala-garagem", "15:00:00", "16:00:00")); got != `{"sala":"sala-garagem","livre":true,"conflitos":[]}` {
		t.Errorf("half-open intervals: got %s", got)
	}
}

func TestReservaLivreTrazTodasAsChaves(t *testing.T) {
	c := novaCentral(t)
	args := obj{"sala": "sala-garagem", "inicio": "2026-11-03T13:00Z", "fim": "2026-11-03T11:00:00-03:00", "responsavel": "Dr. Emmett “Doc” Brown <doc@x>"}
	r := c.tool(t, "reservar_sala", args)
	want := `{"reserva":"res-0003","reservado":true,"sala":"sala-garagem","inicio":"2026-11-03T10:00:00-03:00","fim":"2026-11-03T11:00:00-03:00","responsavel":"Dr. Emmett “Doc” Brown <doc@x>","politica":"2026-11-01","motivo":null}`
	// The SDK may spell < as \u003c, which is the same string.
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(r.Result.StructuredContent)
	if plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(got.String()); plain != want+"\n" || r.texto() != want {
		t.Errorf("want %s twice, got %s", want, r.Raw)
	}
	// Visible to what comes after, and no capability was needed.
	if r := c.chamar(t, "tools/call", obj{}, obj{"name": "reservar_sala", "arguments": pedidoDe("sala-porao", "10:00:00", "11:00:00")}); string(r.Result.StructuredContent) == "" {
		t.Errorf("a free room needs no elicitation: %s", r.Raw)
	}
	if got := c.conflitos(t, pedidoDe("sala-garagem", "10:00:00", "11:00:00")); !strings.Contains(got, "res-0003") {
		t.Errorf("the reservation is not visible: %s", got)
	}
}
