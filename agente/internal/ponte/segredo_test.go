package ponte

import (
	"strings"
	"testing"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
)

// Not even a server that repeats a requestState where a resource or a tool's answer
// goes into the artifact gets it out through the agent.
func TestArtefatoNaoMostraEstado(t *testing.T) {
	s := situacao{
		pedido:   perfil.Pedido{Sucesso: "Feita em {cor}.", Artefato: perfil.Artefato{Nome: "a", Campos: []perfil.Campo{{Nome: "cor"}, {Nome: "norma", Recurso: "norma"}}}},
		recursos: map[string]string{"norma": "7 " + estadoSecreto},
		estados:  []string{estadoSecreto},
	}
	p := traduzir(hospede.Concluido{Estruturado: []byte(`{"cor":"azul ` + estadoSecreto + `"}`)}, s)
	texto := p.artefato.Parts[0].Text() + strings.Join(p.falas, " ")
	if want := `{"cor":"azul [...]","norma":"7 [...]"}Feita em azul [...].`; texto != want {
		t.Errorf("want %s, got %s", want, texto)
	}
}
