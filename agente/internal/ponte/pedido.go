package ponte

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/internal/envelope"
)

// textoDe joins the text parts of a message.
func textoDe(m *a2a.Message) string {
	var textos []string
	for _, parte := range m.Parts {
		if t, ok := parte.Content.(a2a.Text); ok {
			textos = append(textos, string(t))
		}
	}
	return strings.TrimSpace(strings.Join(textos, " "))
}

// reconhecer finds the request kind that a text asks for, by its verb.
func (p *Ponte) reconhecer(texto string) (pedido perfil.Pedido, resto string, err error) {
	verbo, resto := perfil.Separar(texto)
	if verbo == "" {
		return perfil.Pedido{}, "", errors.New("mensagem sem texto")
	}
	pedido, ok := p.perfil.PedidoDe(verbo)
	if !ok {
		return perfil.Pedido{}, "", errors.New("verbo desconhecido")
	}
	return pedido, resto, nil
}

// naoEntendi says why a request was rejected and what would be understood.
func (p *Ponte) naoEntendi(err error) string {
	return fmt.Sprintf("Pedido nao entendido: %v. Forma esperada: %s", err, p.perfil.Formas())
}

// montar reads the rest of a request's text as the arguments of its tool. The
// keys are those that the server declared.
func montar(f hospede.Ferramenta, texto string) ([]byte, error) {
	pares, err := perfil.Pares(texto, f.Chaves())
	if err != nil {
		return nil, err
	}
	argumentos := make(map[string]any, len(pares))
	for _, par := range pares {
		if argumentos[par.Chave], err = f.Valor(par.Chave, par.Valor); err != nil {
			return nil, err
		}
	}
	for _, chave := range f.Obrigatorias {
		if !slices.ContainsFunc(pares, func(par perfil.Par) bool { return par.Chave == chave }) {
			return nil, fmt.Errorf("falta a chave %s", chave)
		}
	}
	return envelope.Marshal(argumentos)
}

// descobrir finds the tool among those that the server offers.
func (p *Ponte) descobrir(ctx context.Context, nome string) (hospede.Ferramenta, hospede.Desfecho) {
	f, ok, falhou := p.servidor.Ferramenta(ctx, nome)
	if falhou != nil {
		return f, falhou
	}
	if !ok {
		return f, hospede.SemFerramenta
	}
	return f, nil
}

// lerRecursos reads what the artifact takes from resources. It happens before
// the call: once the tool has acted, nothing may be left that can fail.
func (p *Ponte) lerRecursos(ctx context.Context, pedido perfil.Pedido) (map[string]string, hospede.Desfecho) {
	valores := make(map[string]string)
	for _, nome := range p.perfil.RecursosDe(pedido) {
		r := p.perfil.Recursos[nome]
		texto, falhou := p.servidor.Recurso(ctx, r.URI)
		if falhou != nil {
			return nil, falhou
		}
		valor, err := r.Extrair(texto)
		if err != nil {
			return nil, hospede.Inacessivel{Motivo: "Servidor MCP deu uma resposta invalida.", Causa: "a resource has no value where the profile says"}
		}
		valores[nome] = valor
	}
	return valores, nil
}
