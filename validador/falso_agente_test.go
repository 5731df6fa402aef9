package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// agenteFalso is the A2A agent of the fake pair. It reaches the rooms without
// MCP in between: what is tested here is the validator.
type agenteFalso struct {
	*nucleo
	diario

	mu      sync.Mutex
	tarefas map[string]*tarefaFalsa
	global  *pausaFalsa // with "pausa-global", the one pause there is
	pausas  int
}

type tarefaFalsa struct {
	id, contexto, estado, linha string
	historico                   []string
	artefatos                   []m
	pausa                       *pausaFalsa
}

type pausaFalsa struct {
	args   m
	estado string
	alts   []string
}

func (a *agenteFalso) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	corpo := a.anotar(r)
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/.well-known/agent-card.json" {
		a.card(w, r)
		return
	}
	var p struct {
		ID     json.RawMessage
		Method string
		Params m
	}
	if r.URL.Path != "/a2a" || json.Unmarshal(corpo, &p) != nil {
		http.NotFound(w, r)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	resposta := m{"jsonrpc": "2.0", "id": p.ID}
	var codigo int
	switch p.Method {
	case "SendMessage":
		msg, _ := p.Params["message"].(m)
		resposta["result"], codigo = a.enviar(msg)
	case "GetTask":
		id, _ := p.Params["id"].(string)
		resposta["result"], codigo = a.obter(id)
	default:
		codigo = -32601
	}
	if codigo != 0 {
		delete(resposta, "result")
		resposta["error"] = m{"code": codigo, "message": "recusado"}
		if a.tem("vaza-no-erro") && a.global != nil {
			resposta["error"].(m)["data"] = []m{{"detalhe": `{"requestState":"x"}`}}
		}
	}
	json.NewEncoder(w).Encode(resposta)
}

func (a *agenteFalso) card(w http.ResponseWriter, r *http.Request) {
	i := m{"url": "http://" + r.Host + "/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
	skill := m{"id": "reservar-sala", "name": "Reservar sala", "description": "Reserva.", "tags": []string{"salas"}}
	c := m{"name": "Central", "description": "Salas.", "version": "1.0.0", "capabilities": m{},
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
		"supportedInterfaces": []m{{"url": "grpc://x", "protocolBinding": "GRPC", "protocolVersion": "1.0"}, i},
		"skills":              []m{skill},
		"signatures":          []m{{"protected": strings.Repeat("eyJhbGci", 20), "signature": strings.Repeat("QFdkNLNs", 20)}}}
	switch {
	case a.tem("card-500"):
		w.WriteHeader(500)
	case a.tem("card-sem-capabilities"):
		delete(c, "capabilities")
	case a.tem("card-modos-vazios"):
		c["defaultInputModes"] = []string{}
	case a.tem("card-0.3"):
		i["protocolVersion"] = "0.3.0"
	case a.tem("card-0000"):
		i["url"] = "http://0.0.0.0:7300/a2a"
	case a.tem("card-outro-caminho"):
		i["url"] = "http://" + r.Host + "/rpc"
	case a.tem("card-sem-jsonrpc"):
		c["supportedInterfaces"] = []m{{"url": "grpc://x", "protocolBinding": "GRPC", "protocolVersion": "1.0"}}
	case a.tem("card-outra-skill"):
		skill["id"] = "reservar_sala"
	case a.tem("card-sem-tags"):
		delete(skill, "tags")
	}
	json.NewEncoder(w).Encode(c)
}

func (a *agenteFalso) obter(id string) (m, int) {
	t := a.tarefas[id]
	if t == nil {
		return nil, -32001
	}
	r := a.mostrar(t)
	switch {
	case a.tem("get-embrulhado"):
		return m{"task": r}, 0
	case a.tem("get-outro-contexto"):
		r["contextId"] = "outro"
	case a.tem("get-sem-artifact"):
		delete(r, "artifacts")
	case a.tem("get-pausa-working") && t.estado == pausada:
		r["status"] = m{"state": trabalhada}
	}
	return r, 0
}

func (a *agenteFalso) mostrar(t *tarefaFalsa) m {
	var historico []m
	for _, h := range t.historico {
		historico = append(historico, m{"messageId": "m", "role": "ROLE_AGENT", "parts": []m{{"text": h}}})
	}
	r := m{"id": t.id, "contextId": t.contexto, "artifacts": t.artefatos, "history": historico,
		"status": m{"state": t.estado, "message": m{"messageId": "m", "role": "ROLE_AGENT", "parts": []m{{"text": t.linha}}}}}
	if a.tem("fora-do-historico") {
		delete(r, "history")
	}
	if t.pausa != nil && a.tem("vaza-metadata") {
		r["metadata"] = m{"Request_State": "x"}
	}
	if t.pausa != nil && a.tem("vaza-token") {
		r["metadata"] = m{"continuar": t.pausa.estado}
	}
	return r
}

func (a *agenteFalso) enviar(msg m) (m, int) {
	partes, _ := msg["parts"].([]any)
	var texto string
	for _, p := range partes {
		s, _ := p.(m)["text"].(string)
		texto += s
	}
	id, _ := msg["taskId"].(string)
	var t *tarefaFalsa
	if id == "" {
		t = &tarefaFalsa{id: "task-" + hexAleatorio(8), contexto: "ctx-" + hexAleatorio(8)}
		a.tarefas[t.id] = t
		t.historico = append(t.historico, texto)
		a.abrirTarefa(t, texto)
	} else {
		if t = a.tarefas[id]; t == nil {
			return nil, -32001
		}
		if c, _ := msg["contextId"].(string); c != "" && c != t.contexto {
			return nil, -32602
		}
		if t.estado != pausada {
			switch {
			case a.tem("terminal-aceita"):
				return m{"task": a.mostrar(t)}, 0
			case a.tem("terminal-erro-interno"):
				return nil, -32603
			case a.tem("terminal-muda"):
				t.estado = trabalhada
			}
			return nil, -32004
		}
		t.historico = append(t.historico, texto)
		a.continuarTarefa(t, texto)
	}
	t.historico = append(t.historico, t.linha)
	if a.tem("responde-message") {
		return m{"message": m{"messageId": "m", "role": "ROLE_AGENT", "parts": []m{{"text": t.linha}}}}, 0
	}
	if a.tem("responde-antes") { // allowed: the answer may come while it works
		r := a.mostrar(t)
		r["status"], r["artifacts"] = m{"state": trabalhada}, nil
		return m{"task": r}, 0
	}
	return m{"task": a.mostrar(t)}, 0
}

func (a *agenteFalso) abrirTarefa(t *tarefaFalsa, texto string) {
	args := m{}
	for _, campo := range strings.Fields(texto)[1:] {
		k, v, _ := strings.Cut(campo, "=")
		args[k] = v
	}
	if a.tem("nunca-termina") {
		t.estado = trabalhada
		return
	}
	a.traduzir(t, args, nil, "")
}

// traduzir calls the tool and turns its outcome into the Task's.
func (a *agenteFalso) traduzir(t *tarefaFalsa, args, respostas m, estado string) {
	r, erro := a.reservar(args, respostas, estado, true)
	switch {
	case erro != nil:
		t.estado, t.linha = falhada, fmt.Sprint("erro ", erro.codigo)
	case r["resultType"] == "input_required":
		if a.tem("conflito-falha") {
			t.estado, t.linha = falhada, "ocupada"
			return
		}
		a.pausarTarefa(t, args, r)
	case r["isError"] == true:
		t.estado, t.linha = falhada, r["content"].([]m)[0]["text"].(string)
		if a.tem("inexistente-rejeitada") {
			t.estado = rejeitada
		}
	default:
		s := r["structuredContent"].(m)
		if s["reservado"] == false {
			t.estado, t.linha = cancelada, "Reserva recusada."
			if a.tem("recusa-completa") {
				t.estado = concluida
			}
			return
		}
		t.estado, t.linha = concluida, fmt.Sprintf("Reserva %s confirmada na %s.", s["reserva"], s["sala"])
		t.artefatos = []m{a.artefato(s)}
		if a.tem("livre-falha") && respostas == nil {
			t.estado = falhada
		}
	}
}

func (a *agenteFalso) artefato(s m) m {
	campos := m{}
	for _, k := range []string{"reserva", "sala", "inicio", "fim", "responsavel", "politica"} {
		campos[k] = s[k]
	}
	nome := "reserva"
	switch {
	case a.tem("artifact-sem-politica"):
		delete(campos, "politica")
	case a.tem("artifact-politica-errada"):
		campos["politica"] = "versao: 2026-11-01"
	case a.tem("artifact-outro-nome"):
		nome = "resultado"
	case a.tem("artifact-responsavel-cortado"):
		campos["responsavel"] = strings.Split(campos["responsavel"].(string), "-")[0]
	}
	b, _ := json.Marshal(campos)
	return m{"artifactId": "a", "name": nome, "parts": []m{{"text": string(b)}}}
}

func (a *agenteFalso) pausarTarefa(t *tarefaFalsa, args, r m) {
	p := r["inputRequests"].(m)["chave-1"].(m)
	campo := p["params"].(m)["requestedSchema"].(m)["properties"].(m)["sala"].(m)
	alts, _ := campo["enum"].([]string)
	if c, ok := campo["const"].(string); ok && !a.tem("ignora-const") {
		alts = []string{c}
	}
	estado, _ := r["requestState"].(string)
	t.pausa = &pausaFalsa{args, estado, alts}
	a.global = t.pausa
	t.estado = pausada
	a.pausas++
	if a.tem("linha-alfabetica") {
		alts = slices.Sorted(slices.Values(alts))
	}
	t.linha = "alternativas: " + strings.Join(alts, ", ")
	if a.tem("linha-com-saudacao") {
		t.linha = "Ola! " + t.linha
	}
	if a.tem("linha-alterna") && a.pausas%2 == 0 {
		slices.Reverse(alts)
		t.linha = "alternativas: " + strings.Join(alts, ", ")
	}
}

func (a *agenteFalso) continuarTarefa(t *tarefaFalsa, texto string) {
	p := t.pausa
	if a.tem("pausa-global") {
		p = a.global
	}
	escolha := strings.TrimPrefix(texto, "escolha=")
	if escolha == "recusar" {
		a.traduzir(t, p.args, m{"chave-1": m{"action": "decline"}}, p.estado)
		if a.tem("cancela-mas-reserva") {
			a.reservar(p.args, m{"chave-1": m{"action": "accept", "content": m{"sala": p.alts[0]}}}, p.estado, true)
		}
		return
	}
	if !slices.Contains(p.alts, escolha) {
		switch {
		case a.tem("escolha-fora-falha"):
			t.estado, t.linha = falhada, "Escolha invalida."
		case a.tem("escolha-fora-nao-repete"):
			t.linha = "Escolha invalida."
		case a.tem("escolha-fora-aceita"):
			a.traduzir(t, p.args, m{"chave-1": m{"action": "accept", "content": m{"sala": p.alts[0]}}}, p.estado)
		}
		return
	}
	if a.tem("sempre-primeira") {
		escolha = p.alts[0]
	}
	a.traduzir(t, p.args, m{"chave-1": m{"action": "accept", "content": m{"sala": escolha}}}, p.estado)
}
