package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// The fake pair of the tests: rooms, an MCP server over them, an A2A agent
// over them. Written for the test and as small as a correct one can be. Each
// reads a set of named defects: a defect changes what a server does, never the
// validator.

type m = map[string]any

// defeitos is the set of faults installed.
type defeitos []string

func (d defeitos) tem(nome string) bool { return slices.Contains(d, nome) }

// nucleo is the rooms, as either server sees them.
type nucleo struct {
	defeitos
	segredo []byte

	mu       sync.Mutex
	reservas []reservaFalsa
}

type reservaFalsa struct {
	id, sala, responsavel string
	inicio, fim           time.Time
}

// falha is a protocol error with its HTTP status.
type falha struct {
	codigo, status int
	dados          any
}

func novoNucleo(d ...string) *nucleo {
	n := &nucleo{defeitos: d, segredo: make([]byte, 32)}
	rand.Read(n.segredo)
	return n
}

func completo(estruturado any) m {
	b, _ := json.Marshal(estruturado)
	return m{"resultType": "complete", "structuredContent": estruturado,
		"content": []m{{"type": "text", "text": string(b)}}}
}

func erroTool(texto string) m {
	return m{"resultType": "complete", "isError": true,
		"content": []m{{"type": "text", "text": "Error executing tool: " + texto}}}
}

// ler validates the arguments in the order of the contract; erro is the tool's
// message, "" for none.
func (n *nucleo) ler(args m) (r reservaFalsa, erro string) {
	texto := func(k string) string { s, _ := args[k].(string); return s }
	r.sala, r.responsavel = texto("sala"), texto("responsavel")
	r.inicio, _ = time.Parse(time.RFC3339, texto("inicio"))
	r.fim, _ = time.Parse(time.RFC3339, texto("fim"))
	if n.tem("janela-pelos-digitos") {
		r.inicio = time.Date(r.inicio.Year(), r.inicio.Month(), r.inicio.Day(), r.inicio.Hour(), r.inicio.Minute(), 0, 0, saoPaulo)
		r.fim = time.Date(r.fim.Year(), r.fim.Month(), r.fim.Day(), r.fim.Hour(), r.fim.Minute(), 0, 0, saoPaulo)
	}
	r.inicio, r.fim = r.inicio.In(saoPaulo), r.fim.In(saoPaulo)
	minutos := func(t time.Time) int { return t.Hour()*60 + t.Minute() }
	limite := 2 * time.Hour
	if n.tem("limite-menor") {
		limite--
	}
	vazio := r.fim.Equal(r.inicio) && !n.tem("vazio-passa")
	switch {
	case !slices.ContainsFunc(salasFixas, func(s sala) bool { return s.id == r.sala }):
		if n.tem("mensagem-sem-id") {
			return r, "Sala inexistente: ?"
		}
		return r, "Sala inexistente: " + r.sala
	case vazio, r.fim.Before(r.inicio) && !n.tem("invertido-passa"):
		return r, "Intervalo invalido: fim deve ser posterior a inicio"
	case (minutos(r.inicio) < 8*60 || minutos(r.fim) > 20*60) && !n.tem("sem-janela"):
		return r, "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"
	case r.fim.Sub(r.inicio) > limite && !n.tem("sem-limite"):
		return r, "Duracao acima do limite: a politica permite no maximo 2 horas"
	}
	return r, ""
}

func (n *nucleo) conflitos(r reservaFalsa) []m {
	achados := []m{}
	for _, x := range n.reservas {
		if x.sala == r.sala && x.inicio.Before(r.fim) && r.inicio.Before(x.fim) {
			achados = append(achados, m{"id": x.id, "inicio": x.inicio.Format(formatoInstante),
				"fim": x.fim.Format(formatoInstante), "responsavel": x.responsavel})
		}
	}
	return achados
}

func (n *nucleo) alternativas(r reservaFalsa) []string {
	pedida := salasFixas[slices.IndexFunc(salasFixas, func(s sala) bool { return s.id == r.sala })]
	var livres []sala
	for _, s := range salasFixas {
		outra := r
		outra.sala = s.id
		if s.id != r.sala && s.capacidade >= pedida.capacidade && len(n.conflitos(outra)) == 0 {
			livres = append(livres, s)
		}
	}
	slices.SortFunc(livres, func(a, b sala) int {
		if n.tem("alternativas-alfabeticas") {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Or(cmp.Compare(a.capacidade, b.capacidade), cmp.Compare(a.id, b.id))
	})
	var ids []string
	for _, s := range livres {
		ids = append(ids, s.id)
	}
	if !n.tem("quatro-alternativas") {
		ids = ids[:min(3, len(ids))]
	}
	return ids
}

func (n *nucleo) guardar(r reservaFalsa) m {
	r.id = fmt.Sprintf("res-%04d", len(n.reservas)+3)
	n.reservas = append(n.reservas, r)
	politica := versaoPolitica
	if n.tem("politica-fixa") {
		politica = "1"
	}
	return completo(m{"reserva": r.id, "reservado": true, "sala": r.sala, "motivo": nil,
		"inicio": r.inicio.Format(formatoInstante), "fim": r.fim.Format(formatoInstante),
		"responsavel": r.responsavel, "politica": politica})
}

func (n *nucleo) consultar(args m) m {
	n.mu.Lock()
	defer n.mu.Unlock()
	r, erro := n.ler(args)
	if erro != "" && !n.tem("consulta-nao-valida") {
		return erroTool(erro)
	}
	c := n.conflitos(r)
	return completo(m{"sala": r.sala, "livre": len(c) == 0, "conflitos": c})
}

// reservar is reservar_sala, first call and retry.
func (n *nucleo) reservar(args, respostas m, estado string, formulario bool) (m, *falha) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if estado != "" {
		return n.concluir(args, respostas, estado)
	}
	r, erro := n.ler(args)
	if erro != "" {
		return erroTool(erro), nil
	}
	if len(n.conflitos(r)) == 0 || n.tem("conflito-reserva") {
		return n.guardar(r), nil
	}
	alts := n.alternativas(r)
	if len(alts) == 0 && !n.tem("pergunta-sem-alternativa") {
		return erroTool("Sem alternativas disponiveis no intervalo"), nil
	}
	if !formulario {
		status := 400
		if n.tem("capacidade-200") {
			status = 200
		}
		dados := m{"requiredCapabilities": m{"elicitation": m{"form": m{}}}}
		if n.tem("capacidade-sem-dados") {
			dados = nil
		}
		return nil, &falha{-32021, status, dados}
	}
	return n.perguntar(args, alts), nil
}

func (n *nucleo) perguntar(args m, alts []string) m {
	campo := m{"type": "string", "enum": alts}
	if len(alts) == 1 {
		campo = m{"type": "string", "const": alts[0]}
	}
	props := m{"sala": campo}
	if n.tem("campo-a-mais") {
		props["motivo"] = m{"type": "string"}
	}
	modo := "form"
	if n.tem("modo-url") {
		modo = "url"
	}
	p := m{"method": "elicitation/create", "params": m{"mode": modo, "message": "Escolha.",
		"requestedSchema": m{"type": "object", "properties": props, "required": []string{"sala"}}}}
	pedidos := m{"chave-1": p}
	if n.tem("dois-pedidos") {
		pedidos["chave-2"] = p
	}
	r := m{"resultType": "input_required", "inputRequests": pedidos, "requestState": n.selar(args)}
	if n.tem("sem-estado") {
		delete(r, "requestState")
	}
	return r
}

func (n *nucleo) concluir(args, respostas m, estado string) (m, *falha) {
	selados, ok := n.abrir(estado)
	if !ok {
		return nil, &falha{-32602, 400, nil}
	}
	if n.tem("usa-argumentos-do-retry") {
		selados = args
	}
	r, erro := n.ler(selados)
	if erro != "" {
		return nil, &falha{-32602, 400, nil}
	}
	resposta, _ := respostas["chave-1"].(m)
	switch resposta["action"] {
	case "decline", "cancel":
		res := completo(m{"reservado": false, "motivo": "recusado", "reserva": nil})
		if n.tem("recusa-e-erro") {
			res["isError"] = true
		}
		if n.tem("recusa-sem-motivo") {
			res = completo(m{"reservado": false, "motivo": nil})
		}
		if n.tem("recusa-reserva-calada") {
			r.sala = n.alternativas(r)[0]
			n.guardar(r)
		}
		return res, nil
	case "accept":
	default:
		return nil, &falha{-32602, 400, nil}
	}
	if n.tem("retry-pergunta-de-novo") {
		return n.perguntar(selados, n.alternativas(r)), nil
	}
	conteudo, _ := resposta["content"].(m)
	r.sala, _ = conteudo["sala"].(string)
	if n.tem("retry-primeira") {
		r.sala, _ = selados["sala"].(string)
		r.sala = n.alternativas(r)[0]
	}
	res := n.guardar(r)
	if n.tem("retry-nao-guarda") {
		n.reservas = n.reservas[:len(n.reservas)-1]
	}
	if n.tem("efeito-calado") {
		if outra, erro := n.ler(args); erro == "" {
			n.guardar(outra)
		}
	}
	return res, nil
}

func (n *nucleo) mac(carga string) string {
	h := hmac.New(sha256.New, n.segredo)
	h.Write([]byte(carga))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (n *nucleo) selar(args m) string {
	b, _ := json.Marshal(args)
	carga := base64.RawURLEncoding.EncodeToString(b)
	return carga + "." + n.mac(carga)
}

func (n *nucleo) abrir(estado string) (m, bool) {
	carga, assinatura, _ := strings.Cut(estado, ".")
	if !hmac.Equal([]byte(n.mac(carga)), []byte(assinatura)) && !n.tem("sem-integridade") {
		return nil, false
	}
	b, _ := base64.RawURLEncoding.DecodeString(carga)
	var args m
	if json.Unmarshal(b, &args) != nil {
		// Without integrity an unreadable state is taken for a lost one.
		return m{"sala": porao, "responsavel": "?", "inicio": "2030-01-01T10:00:00-03:00", "fim": "2030-01-01T11:00:00-03:00"}, true
	}
	return args, true
}
