package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pastaDosExemplos is where the committed recordings are.
var pastaDosExemplos = filepath.Join("..", "exemplos", "wire")

// contrato are the names of the recordings: all of them, and no others.
var contrato = []string{
	"01-tools-list.json",
	"02-tools-call-livre.json",
	"03-tools-call-conflito-input-required.json",
	"04-tools-call-retry.json",
	"05-resources-read-politica.json",
	"06-erro-32021-sem-elicitation.json",
	"07-a2a-agent-card.json",
	"08-a2a-send-message.json",
	"09-a2a-get-task-input-required.json",
	"10-a2a-send-message-continuacao.json",
	"11-tools-call-retry-recusa.json",
}

// lerGravado reads a recording as a whole.
func lerGravado(t *testing.T, pasta, arquivo string) (raw []byte, v any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pasta, arquivo))
	if err != nil {
		t.Fatal(err)
	}
	if v, err = lerJSON(raw); err != nil {
		t.Fatalf("%s: %v", arquivo, err)
	}
	return raw, v
}

// gravadoDe takes a committed recording apart.
func gravadoDe(t *testing.T, arquivo string) (p pedido, status string, resposta any) {
	t.Helper()
	_, v := lerGravado(t, pastaDosExemplos, arquivo)
	metodo, _ := em(v, "request", "metodo").(string)
	url, _ := em(v, "request", "url").(string)
	headers, _ := em(v, "request", "headers").(objeto)
	p = pedido{metodo, url, headers, em(v, "request", "body")}
	return p, fmt.Sprint(em(v, "response", "httpStatus")), em(v, "response", "body")
}

func nomesEm(t *testing.T, pasta string) []string {
	t.Helper()
	entradas, err := os.ReadDir(pasta)
	if err != nil {
		t.Fatal(err)
	}
	var nomes []string
	for _, e := range entradas {
		nomes = append(nomes, e.Name())
	}
	return nomes
}

// TestExemplosSaoOsQueGravarEscreve: the committed files are those that the
// command writes today, but for what differs from run to run.
func TestExemplosSaoOsQueGravarEscreve(t *testing.T) {
	pasta := filepath.Join(t.TempDir(), "nova", "pasta")
	codigo, stdout, stderr := comando(t, construidos(t), "gravar", "--pasta", pasta)
	if codigo != 0 {
		t.Fatalf("exit code %d\n%s", codigo, stderr)
	}
	for onde, nomes := range map[string][]string{"gravar": nomesEm(t, pasta), "exemplos/wire": nomesEm(t, pastaDosExemplos)} {
		if !slices.Equal(nomes, contrato) {
			t.Fatalf("%s: files %v, want %v", onde, nomes, contrato)
		}
	}
	for _, arquivo := range contrato {
		if !strings.Contains(stdout, arquivo) {
			t.Errorf("stdout does not name %s", arquivo)
		}
		raw, quer := lerGravado(t, pastaDosExemplos, arquivo)
		_, veio := lerGravado(t, pasta, arquivo)
		var a, b mascara
		if d := diferenca(a.texto(t, quer), b.texto(t, veio)); d != "" {
			t.Errorf("%s is not what ponte gravar writes today; record it anew, or mend what changed\n%s", arquivo, d)
		}
		// The form: two spaces, order of members, nothing escaped for HTML.
		if forma, err := legivel(quer); err != nil || string(forma) != string(raw) {
			t.Errorf("%s is not in the form that ponte gravar writes (err %v)", arquivo, err)
		}
		if s := string(raw); strings.Contains(s, `\u003c`) || padraoHost.ReplaceAllString(s, "") != strings.NewReplacer("localhost:7300", "", "localhost:7301", "").Replace(s) {
			t.Errorf("%s: escaped for HTML, or an address that is not a default one", arquivo)
		}
	}
}

// TestExemplosContraOsProcessos re-sends the committed requests to processes
// that have just started, and holds the answers to the committed ones.
func TestExemplosContraOsProcessos(t *testing.T) {
	for _, p := range []parteGravada{peloMCP, peloA2A} {
		d := parDeTeste(t)
		vivos := &atual{valores: map[string]string{}}
		for _, e := range daParte(p) {
			if !vivos.repetir(t, d, e.arquivo, e.antes != nil) {
				break // what follows builds on it
			}
		}
	}
}

// atual is what stands in the recordings under the values of their own run,
// and what each is in this one.
type atual struct{ valores map[string]string }

// repetir sends one recorded request with the values of this run and compares
// the answer. primeiro says that the call which the recorded one repeats is
// not recorded itself.
func (a *atual) repetir(t *testing.T, d *par, arquivo string, primeiro bool) bool {
	t.Helper()
	p, status, resposta := gravadoDe(t, arquivo)
	if primeiro {
		params, _ := em(p.body, "params").(objeto)
		body := p.body.(objeto).com("params", params.sem("inputResponses", "requestState")).com("id", json.Number("7"))
		_, veio := a.enviar(t, d, pedido{p.metodo, p.url, p.headers, body})
		estado, _ := em(veio, "result", "requestState").(string)
		if estado == "" {
			t.Errorf("%s: the call without a state is not answered with one: %v", arquivo, veio)
			return false
		}
		a.valores[em(params, "requestState").(string)] = estado
	}
	statusVeio, veio := a.enviar(t, d, p)
	a.aprender("", resposta, veio)

	var um, dois mascara
	quer := um.texto(t, objeto{{"httpStatus", json.Number(status)}, {"body", resposta}})
	deu := dois.texto(t, objeto{{"httpStatus", json.Number(statusVeio)}, {"body", veio}})
	if dif := diferenca(quer, deu); dif != "" {
		t.Errorf("%s: the answer of today is another one\n%s", arquivo, dif)
		return false
	}
	return true
}

// enviar sends a recorded request to the pair.
func (a *atual) enviar(t *testing.T, d *par, p pedido) (status string, resposta any) {
	t.Helper()
	if p.body != nil {
		raw, err := codificar(p.body)
		if err != nil {
			t.Fatal(err)
		}
		texto := string(raw)
		for velho, novo := range a.valores {
			texto = strings.ReplaceAll(texto, velho, novo)
		}
		if p.body, err = lerJSON([]byte(texto)); err != nil {
			t.Fatal(err)
		}
	}
	p.url = strings.NewReplacer(baseMCP+"/mcp", d.urlMCP, baseAgente, d.urlAgente).Replace(p.url)
	cliente := novoCliente()
	defer cliente.CloseIdleConnections()
	n, body, err := enviar(t.Context(), cliente, p)
	if err != nil {
		t.Fatal(err)
	}
	if resposta, err = lerJSON(body); err != nil {
		t.Fatalf("HTTP %d, not JSON (%v): %s", n, err, body)
	}
	return fmt.Sprint(n), resposta
}

// aprender pairs the ids and states of a recorded answer with those of today.
func (a *atual) aprender(nome string, gravado, veio any) {
	switch g := gravado.(type) {
	case objeto:
		for _, m := range g {
			a.aprender(m.nome, m.valor, em(veio, m.nome))
		}
	case []any:
		v, _ := veio.([]any)
		for i := range min(len(g), len(v)) {
			a.aprender(nome, g[i], v[i])
		}
	case string:
		v, ok := veio.(string)
		if ok && (nome == "requestState" || padraoUUID.FindString(g) == g) {
			a.valores[g] = v
		}
	}
}

// TestExemplosContamAHistoria holds the recordings to what they are there to
// show, whatever the processes answer.
func TestExemplosContamAHistoria(t *testing.T) {
	fatos := []struct {
		arquivo, caminho, quer string
	}{
		{"01-tools-list.json", "request body method", `"tools/list"`},
		{"01-tools-list.json", "request body params _meta io.modelcontextprotocol/clientInfo", `{"name":"agente-central-de-salas","version":"1.0.0"}`},
		{"01-tools-list.json", "request body params _meta io.modelcontextprotocol/clientCapabilities", `{"elicitation":{"form":{}}}`},
		{"01-tools-list.json", "response body result _meta io.modelcontextprotocol/serverInfo name", `"central-de-salas"`},
		{"02-tools-call-livre.json", "response body result structuredContent reservado", `true`},
		{"03-tools-call-conflito-input-required.json", "request body params arguments sala", `"sala-garagem"`},
		{"03-tools-call-conflito-input-required.json", "response body result inputRequests alternativa params requestedSchema properties sala enum", `["sala-fusca","sala-mirante"]`},
		{"04-tools-call-retry.json", "request body params inputResponses alternativa", `{"action":"accept","content":{"sala":"sala-fusca"}}`},
		{"04-tools-call-retry.json", "response body result structuredContent sala", `"sala-fusca"`},
		{"05-resources-read-politica.json", "request headers Mcp-Name", `"politica://uso"`},
		{"06-erro-32021-sem-elicitation.json", "request body params _meta io.modelcontextprotocol/clientCapabilities", `{}`},
		{"06-erro-32021-sem-elicitation.json", "response httpStatus", `400`},
		{"06-erro-32021-sem-elicitation.json", "response body error code", `-32021`},
		{"06-erro-32021-sem-elicitation.json", "response body error data", `{"requiredCapabilities":{"elicitation":{"form":{}}}}`},
		{"07-a2a-agent-card.json", "request url", `"http://localhost:7300/.well-known/agent-card.json"`},
		{"07-a2a-agent-card.json", "request body", `null`},
		{"07-a2a-agent-card.json", "response body name", `"Central de Salas"`},
		{"07-a2a-agent-card.json", "response body version", `"1.0.0"`},
		{"07-a2a-agent-card.json", "response body provider", `{"organization":"Hill Valley Tech","url":"https://hillvalley.example"}`},
		{"07-a2a-agent-card.json", "response body supportedInterfaces", `[{"url":"http://localhost:7300/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`},
		{"07-a2a-agent-card.json", "response body defaultInputModes", `["text/plain"]`},
		{"07-a2a-agent-card.json", "response body defaultOutputModes", `["text/plain"]`},
		{"08-a2a-send-message.json", "request body params message parts", `[{"text":"reservar sala=sala-garagem inicio=2026-11-03T14:00:00-03:00 fim=2026-11-03T15:00:00-03:00 responsavel=Marty"}]`},
		{"08-a2a-send-message.json", "response body result task status state", `"TASK_STATE_INPUT_REQUIRED"`},
		{"08-a2a-send-message.json", "response body result task status message parts", `[{"text":"alternativas: sala-fusca, sala-mirante"}]`},
		{"09-a2a-get-task-input-required.json", "response body result status state", `"TASK_STATE_INPUT_REQUIRED"`},
		{"10-a2a-send-message-continuacao.json", "request body params message parts", `[{"text":"escolha=sala-mirante"}]`},
		{"10-a2a-send-message-continuacao.json", "response body result task status state", `"TASK_STATE_COMPLETED"`},
		{"11-tools-call-retry-recusa.json", "request body params inputResponses alternativa", `{"action":"decline"}`},
		{"11-tools-call-retry-recusa.json", "response body result structuredContent reservado", `false`},
		{"11-tools-call-retry-recusa.json", "response body result structuredContent motivo", `"recusado"`},
	}
	for _, f := range fatos {
		_, v := lerGravado(t, pastaDosExemplos, f.arquivo)
		if raw, err := codificar(em(v, strings.Fields(f.caminho)...)); err != nil || string(raw) != f.quer {
			t.Errorf("%s: %s is %s, want %s", f.arquivo, f.caminho, raw, f.quer)
		}
	}

	_, conflito := lerGravado(t, pastaDosExemplos, contrato[2])
	_, retry := lerGravado(t, pastaDosExemplos, contrato[3])
	if em(conflito, "response", "body", "result", "requestState") != em(retry, "request", "body", "params", "requestState") {
		t.Error("04 does not carry the requestState of 03")
	}
	ids := map[string]string{}
	for _, arquivo := range contrato {
		_, v := lerGravado(t, pastaDosExemplos, arquivo)
		if nomes := nomesDe(v); nomes != "descricao request response" || nomesDe(em(v, "request")) != "url metodo headers body" || nomesDe(em(v, "response")) != "httpStatus body" {
			t.Errorf("%s has not the members of the contract", arquivo)
		}
		url := fmt.Sprint(em(v, "request", "url"))
		id := url + " " + fmt.Sprint(em(v, "request", "body", "id"))
		if outro, ok := ids[id]; ok {
			t.Errorf("%s and %s have the same JSON-RPC id", outro, arquivo)
		}
		ids[id] = arquivo
		if corpo, _ := codificar(em(v, "response", "body")); strings.HasPrefix(url, baseAgente) && vazamento(corpo) != "" {
			t.Errorf("%s shows a requestState", arquivo)
		}
	}
}

func nomesDe(v any) string {
	o, _ := v.(objeto)
	nomes := make([]string, len(o))
	for i, m := range o {
		nomes[i] = m.nome
	}
	return strings.Join(nomes, " ")
}
