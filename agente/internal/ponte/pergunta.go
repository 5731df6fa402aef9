package ponte

import (
	"strings"
	"unicode"

	"hillvalley.example/ponte/agente/internal/formulario"
	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/tarefa"
)

// campo is one field of all the questions of a pause, under the name that the
// caller uses for it.
type campo struct {
	formulario.Campo
	// pergunta is the key of the question that the field belongs to.
	pergunta string
	// nome is the property's name, as it can be typed; with the question's key
	// before it when two questions have a property of the same name.
	nome string
}

// camposDe lists the fields of all questions, in the server's order.
func camposDe(perguntas []tarefa.Pergunta) ([]campo, error) {
	var campos []campo
	vezes := map[string]int{}
	for _, q := range perguntas {
		f, err := formulario.Ler(q.Esquema)
		if err != nil {
			return nil, err
		}
		for _, c := range f {
			nome := digitavel(c.Nome)
			campos = append(campos, campo{c, q.Chave, nome})
			vezes[nome]++
		}
	}
	for i, c := range campos {
		if vezes[c.nome] > 1 {
			campos[i].nome = digitavel(c.pergunta) + "." + c.nome
		}
	}
	return campos, nil
}

// digitavel makes a name one that can stand before an equals sign.
func digitavel(nome string) string {
	return strings.Map(func(r rune) rune {
		if r == '=' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, nome)
}

// mostrar is the first translation: the server's questions as the texts of the
// agent's message, one part each. A single field whose values can be listed is
// shown as the list; anything else as a form to fill in.
func mostrar(p perfil.Pausa, perguntas []tarefa.Pergunta) ([]string, error) {
	campos, err := camposDe(perguntas)
	if err != nil {
		return nil, err
	}
	var linha string
	switch {
	case len(campos) == 0:
		linha = p.Linha + p.Aceitar
	case len(campos) == 1 && campos[0].Enumeravel() != nil:
		linha = p.Linha + strings.Join(campos[0].Enumeravel(), ", ")
	case len(campos) == 1:
		linha = p.Formulario + p.Chave + "=" + campos[0].Dica()
	default:
		dicas := make([]string, len(campos))
		for i, c := range campos {
			dicas[i] = c.nome + "=" + c.Dica()
			if !c.Obrigatorio {
				dicas[i] = "[" + dicas[i] + "]"
			}
		}
		linha = p.Formulario + strings.Join(dicas, " ")
	}
	textos := []string{linha}
	if p.Mensagem {
		for _, q := range perguntas {
			textos = append(textos, q.Mensagem)
		}
	}
	return textos, nil
}

// answer is what a caller's text says to a pause.
type answer struct {
	respostas map[string]hospede.Resposta
	recusou   bool
}

// entender is the second translation: the caller's text as the answers to the
// server's questions, built from their schemas. ok is false when the text is no
// answer to them; the pause then stands.
func entender(p perfil.Pausa, perguntas []tarefa.Pergunta, texto string) (a answer, ok bool) {
	chave, valor, temValor := strings.Cut(texto, "=")
	escolheu := temValor && strings.TrimSpace(chave) == p.Chave
	valor = strings.TrimSpace(valor)

	if escolheu && valor == p.Recusar {
		a = answer{respostas: make(map[string]hospede.Resposta), recusou: true}
		for _, q := range perguntas {
			a.respostas[q.Chave] = hospede.Resposta{Acao: "decline"}
		}
		return a, true
	}

	campos, err := camposDe(perguntas)
	if err != nil {
		return answer{}, false
	}
	a = answer{respostas: make(map[string]hospede.Resposta)}
	for _, q := range perguntas {
		a.respostas[q.Chave] = hospede.Resposta{Acao: "accept", Conteudo: map[string]any{}}
	}
	switch {
	case len(campos) == 0:
		return a, escolheu && valor == p.Aceitar
	case len(campos) == 1:
		return a, escolheu && a.preencher(campos[0], valor)
	}
	nomes := make([]string, len(campos))
	for i, c := range campos {
		nomes[i] = c.nome
	}
	pares, err := perfil.Pares(texto, nomes)
	if err != nil {
		return answer{}, false
	}
	dados := make(map[string]string, len(pares))
	for _, par := range pares {
		dados[par.Chave] = par.Valor
	}
	for _, c := range campos {
		valor, veio := dados[c.nome]
		if !veio && c.Obrigatorio || veio && !a.preencher(c, valor) {
			return answer{}, false
		}
	}
	return a, true
}

// preencher puts the value of one field into the answer to its question.
func (a answer) preencher(c campo, texto string) bool {
	v, err := c.Valor(texto)
	if err != nil {
		return false
	}
	a.respostas[c.pergunta].Conteudo[c.Nome] = v
	return true
}
