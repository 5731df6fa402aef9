// Package perfil is what is particular to one agent: its card, the words that
// a caller writes, the tool that each request calls and what the answer shows.
// All of it is data, a JSON file; putting the agent in front of another MCP
// server takes another profile and no code.
package perfil

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// Padrao is the embedded profile, the one used when no file is named.
//
//go:embed padrao.json
var Padrao []byte

// URIElicitacao names the one extension that a card may declare: questions and
// answers as data (docs/extensao-elicitation.md).
const URIElicitacao = "https://hillvalley.example/a2a/ext/elicitation/v1"

// Perfil is a checked profile. It is not changed after loading.
type Perfil struct {
	// Cartao is the Agent Card without its interfaces, which the process adds:
	// only it knows where it listens.
	Cartao Cartao `json:"cartao"`
	// Cliente is how the agent names itself to the MCP server.
	Cliente Cliente `json:"cliente"`
	// Pedidos are the requests that the agent takes, one for each verb.
	Pedidos []Pedido `json:"pedidos"`
	// Pausa says how a question of the server's is shown and answered.
	Pausa Pausa `json:"pausa"`
	// Recursos are the MCP resources from which artifacts take values, by name.
	Recursos map[string]Recurso `json:"recursos"`
}

// Cartao is an Agent Card, read strictly, with its JSON as it was written: the
// SDK's type would leave out a capability that is declared to be absent.
type Cartao struct {
	a2a.AgentCard
	// JSON is the card's object.
	JSON json.RawMessage
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Cartao) UnmarshalJSON(raw []byte) error {
	members, err := envelope.Object(raw)
	if err != nil {
		return err
	}
	if _, has := members["supportedInterfaces"]; has {
		return errors.New("cartao.supportedInterfaces: remova; o agente preenche com o endereco em que atende")
	}
	if m := members["capabilities"]; len(m) == 0 || m[0] != '{' {
		return errors.New("cartao.capabilities falta: declare ao menos {}")
	}
	c.JSON = bytes.Clone(raw)
	return estrito(raw, &c.AgentCard)
}

// estrito decodes a single JSON object and refuses members that v does not have,
// and names that stand twice.
func estrito(raw []byte, v any) error {
	if _, err := envelope.Members(raw); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("ha texto depois do objeto")
	}
	return nil
}

// Cliente is the clientInfo of the agent's MCP requests.
type Cliente struct {
	Nome   string `json:"nome"`
	Versao string `json:"versao"`
}

// Pedido is one kind of request: a verb, and the tool that it calls.
type Pedido struct {
	// Verbo is the word that starts the request.
	Verbo string `json:"verbo"`
	// Skill is the id of the card's skill that this request serves.
	Skill string `json:"skill"`
	// Ferramenta is the name of the MCP tool. Its inputSchema gives the keys.
	Ferramenta string `json:"ferramenta"`
	// Forma is the expected form, shown when a request is not understood.
	Forma string `json:"forma"`
	// Sucesso is the last word after success; {name} stands for a property of
	// the tool's structuredContent.
	Sucesso string `json:"sucesso"`
	// Recusa is the last word after the caller refused to answer.
	Recusa string `json:"recusa"`
	// Artefato is the product.
	Artefato Artefato `json:"artefato"`
}

// Artefato describes the artifact: a compact JSON object in one text part.
type Artefato struct {
	Nome string `json:"nome"`
	// Campos are its members, in this order.
	Campos []Campo `json:"campos"`
}

// Campo is one member of an artifact. Its value is the property of the same
// name in the tool's structuredContent, or what Recurso reads.
type Campo struct {
	Nome string `json:"nome"`
	// Recurso names an entry of Perfil.Recursos; empty for a property.
	Recurso string `json:"recurso,omitempty"`
}

// Recurso tells which MCP resource to read and what to take of it.
type Recurso struct {
	URI string `json:"uri"`
	// Linha is the line that holds the value, counted from 1.
	Linha int `json:"linha"`
	// Prefixo stands before the value on that line. Spaces around the value
	// are dropped.
	Prefixo string `json:"prefixo"`
}

// Pausa says how a pause is shown and answered.
type Pausa struct {
	// Chave is the key of an answer: <chave>=<value>.
	Chave string `json:"chave"`
	// Recusar is the value that declines.
	Recusar string `json:"recusar"`
	// Aceitar is the value that accepts a question without fields.
	Aceitar string `json:"aceitar"`
	// Linha starts the line that lists what can be chosen.
	Linha string `json:"linha"`
	// Formulario starts the line that lists several fields to fill in.
	Formulario string `json:"formulario"`
	// Mensagem adds the server's own words as a second text part.
	Mensagem bool `json:"mensagem"`
}

var lacuna = regexp.MustCompile(`\{[^{}]*\}`)

// palavra reports whether s is a word that a caller can type: not empty, without
// spaces of any kind, quotes or equals signs.
func palavra(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r == '=' || r == '"' || unicode.IsSpace(r) })
}

// Carregar reads and checks a profile. origem names it in errors, which are
// one line: where, what, and what would be right.
func Carregar(raw []byte, origem string) (*Perfil, error) {
	var p Perfil
	if err := estrito(raw, &p); err != nil {
		return nil, fmt.Errorf("perfil %s: JSON invalido: %w", origem, err)
	}
	if err := p.conferir(); err != nil {
		return nil, fmt.Errorf("perfil %s: %w", origem, err)
	}
	return &p, nil
}

func (p *Perfil) conferir() error {
	c := &p.Cartao
	for _, campo := range []struct{ nome, valor string }{{"name", c.Name}, {"description", c.Description}, {"version", c.Version}} {
		if strings.TrimSpace(campo.valor) == "" {
			return fmt.Errorf("cartao.%s esta vazio: informe um texto", campo.nome)
		}
	}
	switch {
	case len(c.Skills) == 0:
		return fmt.Errorf("cartao.skills esta vazio: declare ao menos uma skill")
	case len(c.DefaultInputModes) == 0 || len(c.DefaultOutputModes) == 0 || slices.Contains(c.DefaultInputModes, "") || slices.Contains(c.DefaultOutputModes, ""):
		return fmt.Errorf("cartao.defaultInputModes e cartao.defaultOutputModes: declare ao menos um tipo em cada")
	case c.Capabilities.ExtendedAgentCard:
		return fmt.Errorf("cartao.capabilities.extendedAgentCard: este agente nao tem cartao estendido, deixe em false")
	case slices.ContainsFunc(c.Capabilities.Extensions, func(e a2a.AgentExtension) bool { return e.URI != URIElicitacao }) || len(c.Capabilities.Extensions) > 1:
		return fmt.Errorf("cartao.capabilities.extensions: este agente so conhece a extensao %s, uma vez", URIElicitacao)
	case p.Cliente.Nome == "" || p.Cliente.Versao == "":
		return fmt.Errorf("cliente: nome e versao sao obrigatorios")
	case len(p.Pedidos) == 0:
		return fmt.Errorf("pedidos esta vazio: declare ao menos um")
	}
	skills := map[string]bool{}
	for i, s := range c.Skills {
		if s.ID == "" || s.Name == "" || s.Description == "" || len(s.Tags) == 0 {
			return fmt.Errorf("cartao.skills[%d]: id, name, description e tags sao obrigatorios", i)
		}
		if skills[s.ID] {
			return fmt.Errorf("cartao.skills[%d].id %q ja foi usado: cada id uma vez", i, s.ID)
		}
		skills[s.ID] = true
	}
	if c.Provider != nil && (c.Provider.Org == "" || c.Provider.URL == "") {
		return fmt.Errorf("cartao.provider: informe organization e url, ou remova")
	}
	verbos := map[string]bool{}
	for i := range p.Pedidos {
		if err := p.conferirPedido(i, skills, verbos); err != nil {
			return err
		}
	}
	for nome, r := range p.Recursos {
		if r.URI == "" || r.Linha < 1 {
			return fmt.Errorf("recursos.%s: informe uri e linha (a partir de 1)", nome)
		}
	}
	return p.Pausa.conferir()
}

func (p *Perfil) conferirPedido(i int, skills, verbos map[string]bool) error {
	d := p.Pedidos[i]
	switch {
	case !palavra(d.Verbo):
		return fmt.Errorf("pedidos[%d].verbo %q: use uma palavra, sem espacos, aspas ou =", i, d.Verbo)
	case verbos[d.Verbo]:
		return fmt.Errorf("pedidos[%d].verbo %q ja foi usado: cada verbo uma vez", i, d.Verbo)
	case !skills[d.Skill]:
		return fmt.Errorf("pedidos[%d].skill %q nao esta em cartao.skills", i, d.Skill)
	case d.Ferramenta == "" || d.Forma == "" || d.Sucesso == "" || d.Recusa == "" || d.Artefato.Nome == "" || len(d.Artefato.Campos) == 0:
		return fmt.Errorf("pedidos[%d]: ferramenta, forma, sucesso, recusa, artefato.nome e artefato.campos sao obrigatorios", i)
	}
	verbos[d.Verbo] = true
	var nomes []string
	for _, campo := range d.Artefato.Campos {
		if campo.Nome == "" || slices.Contains(nomes, campo.Nome) {
			return fmt.Errorf("pedidos[%d].artefato.campos: %q esta vazio ou repetido", i, campo.Nome)
		}
		nomes = append(nomes, campo.Nome)
		if _, ok := p.Recursos[campo.Recurso]; campo.Recurso != "" && !ok {
			return fmt.Errorf("pedidos[%d].artefato.campos: o recurso %q nao esta em recursos", i, campo.Recurso)
		}
	}
	return nil
}

func (p Pausa) conferir() error {
	for _, campo := range []struct{ nome, valor string }{{"chave", p.Chave}, {"recusar", p.Recusar}, {"aceitar", p.Aceitar}} {
		if !palavra(campo.valor) {
			return fmt.Errorf("pausa.%s %q: use uma palavra, sem espacos, aspas ou =", campo.nome, campo.valor)
		}
	}
	if p.Linha == "" || p.Formulario == "" || p.Recusar == p.Aceitar {
		return fmt.Errorf("pausa: linha e formulario sao obrigatorios, e recusar e aceitar sao diferentes")
	}
	return nil
}

// Extrair takes the value out of a resource's text.
func (r Recurso) Extrair(texto string) (string, error) {
	linhas := strings.Split(texto, "\n")
	if len(linhas) < r.Linha {
		return "", fmt.Errorf("o recurso %s nao tem a linha %d", r.URI, r.Linha)
	}
	valor, ok := strings.CutPrefix(strings.TrimPrefix(linhas[r.Linha-1], "\ufeff"), r.Prefixo)
	if valor = strings.TrimSpace(valor); !ok || valor == "" {
		return "", fmt.Errorf("a linha %d do recurso %s nao traz %q", r.Linha, r.URI, r.Prefixo)
	}
	return valor, nil
}

// PalavraFinal fills the template of success with properties, which are
// looked up by valor.
func (d Pedido) PalavraFinal(valor func(nome string) string) string {
	return lacuna.ReplaceAllStringFunc(d.Sucesso, func(l string) string { return valor(l[1 : len(l)-1]) })
}

// RecursosDe returns the resources that the artifact of d reads, in order.
func (p *Perfil) RecursosDe(d Pedido) []string {
	var nomes []string
	for _, c := range d.Artefato.Campos {
		if c.Recurso != "" && !slices.Contains(nomes, c.Recurso) {
			nomes = append(nomes, c.Recurso)
		}
	}
	return nomes
}

// PedidoDe returns the request kind of a verb.
func (p *Perfil) PedidoDe(verbo string) (Pedido, bool) {
	i := slices.IndexFunc(p.Pedidos, func(d Pedido) bool { return d.Verbo == verbo })
	if i < 0 {
		return Pedido{}, false
	}
	return p.Pedidos[i], true
}

// Formas lists the forms of all requests, for a message that says what would
// have been understood.
func (p *Perfil) Formas() string {
	formas := make([]string, len(p.Pedidos))
	for i, d := range p.Pedidos {
		formas[i] = d.Forma
	}
	return strings.Join(formas, " | ")
}
