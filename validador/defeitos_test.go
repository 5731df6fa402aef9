package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// defeitosConhecidos proves that each check is able to fail: a server broken in
// one way, the check that must see it, words of the reason it must give, and
// the other checks that the fault brings down with it. Where tambem is
// qualquer, the fault is so deep that the rest of the list would say nothing.
var defeitosConhecidos = []struct {
	verificacao int
	defeito     string
	motivo      string
	tambem      []int
}{
	{1, "sem-consultar", "falta a tool consultar_disponibilidade", []int{2}},
	{1, "paginas-sem-fim", "mais de 10 paginas", []int{2, 3}},
	{2, "schema-texto", "consultar_disponibilidade: inputSchema: esperado um objeto JSON, veio texto", nil},
	{2, "schema-sem-type", "listar_salas: inputSchema: esperado type object", nil},
	{2, "schema-sem-responsavel", "reservar_sala: inputSchema sem a propriedade responsavel", nil},
	{3, "texto-diferente", "nenhum bloco de texto traz o mesmo JSON", nil},
	{3, "fora-do-output-schema", "structuredContent.salas[0].capacidade: tipo fora do esquema", nil},
	{3, "sem-output-schema", "falta outputSchema", nil},
	{3, "sem-structured", "falta structuredContent", nil},
	{3, "quatro-salas", "esperadas 5 salas, vieram 4", nil},
	{3, "capacidade-errada", "sala-garagem: capacidade", nil},
	{4, "aceita-sem-versao", "esperado o erro -32602, veio result", nil},
	{4, "falta-de-meta-200", "esperado HTTP 400 com o erro -32602, veio HTTP 200", []int{5}},
	{5, "aceita-sem-capacidades", "esperado o erro -32602, veio result", nil},
	{6, "aceita-qualquer-tool", "a chamada foi aceita", nil},
	{6, "tool-desconhecida-32601", "esperado o erro -32602, veio erro JSON-RPC -32601", nil},
	{7, "politica-cortada", "o texto nao e o de dados/politica-de-uso.md", nil},
	{7, "politica-text-plain", "esperado mimeType text/markdown", nil},
	{8, "contents-vazio", "esperado o erro -32602, veio result", nil},
	{8, "uri-32002", "veio erro JSON-RPC -32002", nil},
	{9, "mensagem-sem-id", `esperado o texto "Sala inexistente: sala-inexistente-`, []int{35}},
	{9, "consulta-nao-valida", "consultar_disponibilidade", []int{10, 11, 12}},
	{10, "sem-janela", `esperado isError com "Fora da janela de uso: a politica permite`, nil},
	{10, "janela-pelos-digitos", "09:00:00+00:00", nil},
	{11, "sem-limite", `esperado isError com "Duracao acima do limite: a politica permite`, nil},
	{11, "limite-menor", "duas horas exatas: isError", nil},
	{12, "vazio-passa", `esperado isError com "Intervalo invalido: fim deve ser posterior`, nil},
	{12, "invertido-passa", `esperado isError com "Intervalo invalido: fim deve ser posterior`, nil},
	{13, "conflito-reserva", `esperado resultType input_required, veio "complete"`, []int{14, 15, 16, 17, 18, 19, 20, 27, 28, 29, 30, 31, 32, 33, 34, 36}},
	{13, "dois-pedidos", "inputRequests com 2 entradas", []int{14, 16, 17, 18, 19}},
	{13, "sem-estado", "falta requestState", qualquer},
	{14, "alternativas-alfabeticas", `esperadas as alternativas ["sala-porao" "sala-fusca" "sala-garagem"]`, []int{28}},
	{14, "quatro-alternativas", `esperadas as alternativas ["sala-porao" "sala-fusca" "sala-garagem"]`, []int{28}},
	{14, "modo-url", "esperado mode form", []int{16, 17, 18, 19}},
	{14, "campo-a-mais", "esperada so a propriedade sala", []int{16, 17, 18, 19}},
	{15, "ignora-capacidades", "esperado o erro -32021, veio result", nil},
	{15, "url-vale", "com as capabilities map[elicitation:map[url:map[]]]", nil},
	{15, "capacidade-200", "esperado HTTP 400 com o erro -32021, veio HTTP 200", nil},
	{15, "capacidade-sem-dados", "error.data", nil},
	{16, "retry-primeira", `reserva na sala "sala-fusca", esperada "sala-mirante"`, []int{30, 33}},
	{16, "retry-nao-guarda", "continua livre depois da reserva", nil},
	{16, "retry-pergunta-de-novo", `esperado resultType complete, veio "input_required"`, []int{18, 30, 33}},
	{16, "politica-fixa", `politica "1", esperada "2026-11-01"`, qualquer},
	{17, "sem-integridade", "esperado o erro -32602, veio result", nil},
	{18, "usa-argumentos-do-retry", "os argumentos alterados tomaram efeito: inicio", nil},
	{18, "efeito-calado", "ocupada no dia que so eles traziam", qualquer},
	{19, "recusa-e-erro", "decline: isError", []int{32}},
	{19, "recusa-sem-motivo", "falta motivo", nil},
	{19, "recusa-reserva-calada", "nao esta livre depois da recusa", []int{32}},
	{20, "pergunta-sem-alternativa", `esperado resultType complete com isError, veio "input_required"`, nil},

	{21, "card-500", "HTTP 500", []int{22, 23}},
	{21, "card-sem-capabilities", "falta capabilities", nil},
	{21, "card-modos-vazios", "defaultInputModes: lista vazia", nil},
	{22, "card-0.3", "esperada a protocolVersion 1.0", nil},
	{22, "card-0000", "nao e um endereco a que se possa conectar", nil},
	{22, "card-outro-caminho", "esperada a URL do endpoint /a2a", nil},
	{22, "card-sem-jsonrpc", "nenhuma interface com protocolBinding JSONRPC", nil},
	{23, "card-outra-skill", "nenhuma skill com id reservar-sala", nil},
	{23, "card-sem-tags", "falta tags", nil},
	{24, "livre-falha", "esperada a Task em TASK_STATE_COMPLETED, veio TASK_STATE_FAILED", qualquer},
	{24, "responde-message", "veio uma Message, esperada uma Task", qualquer},
	{24, "artifact-outro-nome", "esperado um artifact de nome reserva, vieram 0 (de 1 ao todo)", []int{25, 26, 30, 33}},
	{25, "artifact-sem-politica", "artifact reserva: falta politica", []int{26, 30, 33}},
	{25, "artifact-politica-errada", `politica "versao: 2026-11-01", esperada "2026-11-01"`, []int{26, 30, 33}},
	{25, "artifact-responsavel-cortado", `reserva para "Marty", esperado "Marty-`, []int{26, 30, 33}},
	{26, "get-embrulhado", "GetTask: na Task: falta id", qualquer},
	{26, "get-outro-contexto", `GetTask com contextId "outro"`, nil},
	{26, "get-sem-artifact", "GetTask: esperado um artifact de nome reserva, vieram 0", []int{30, 31, 33}},
	{27, "conflito-falha", "esperada a Task em TASK_STATE_INPUT_REQUIRED, veio TASK_STATE_FAILED", qualquer},
	{27, "get-pausa-working", "GetTask: esperada a Task em TASK_STATE_INPUT_REQUIRED, veio TASK_STATE_WORKING", []int{28, 29}},
	{28, "linha-com-saudacao", `esperada a linha "alternativas: sala-porao, sala-fusca, sala-garagem", veio "Ola! `, qualquer},
	{28, "linha-alfabetica", `veio "alternativas: sala-fusca, sala-garagem, sala-porao"`, nil},
	{28, "ignora-const", `esperada a linha "alternativas: sala-mirante", veio "alternativas: "`, nil},
	{29, "escolha-fora-falha", "escolha=sala-inexistente: esperada a Task em TASK_STATE_INPUT_REQUIRED", nil},
	{29, "escolha-fora-nao-repete", "esperada de novo a linha", nil},
	{29, "escolha-fora-aceita", "veio TASK_STATE_COMPLETED", nil},
	{30, "sempre-primeira", `reserva na sala "sala-fusca", esperada "sala-mirante"`, []int{33}},
	{31, "terminal-aceita", "com a Task em TASK_STATE_COMPLETED: a mensagem foi aceita", nil},
	{31, "terminal-erro-interno", "esperada uma recusa, veio erro JSON-RPC -32603", nil},
	{31, "terminal-muda", "passou para TASK_STATE_WORKING depois da mensagem recusada", nil},
	{32, "recusa-completa", "esperada a Task em TASK_STATE_CANCELED, veio TASK_STATE_COMPLETED", nil},
	{32, "cancela-mas-reserva", "nao esta livre depois da recusa", nil},
	{33, "pausa-global", "primeira Task: ", nil},
	{34, "vaza-metadata", "a chave requestState aparece em resposta a SendMessage", nil},
	{34, "vaza-token", "um token opaco de 80 caracteres ou mais aparece em resposta a SendMessage", nil},
	{34, "vaza-no-erro", "a chave requestState aparece em resposta a SendMessage", nil},
	{35, "inexistente-rejeitada", "esperada a Task em TASK_STATE_FAILED, veio TASK_STATE_REJECTED", nil},
	{35, "fora-do-historico", "Sala inexistente: sala-inexistente-", nil},
	{36, "linha-alterna", "a primeira pausa diz", qualquer},
}

// qualquer stands for other checks that need not be listed.
var qualquer = []int{-1}

func TestCadaVerificacaoSabeFalhar(t *testing.T) {
	t.Parallel()
	comDefeito := map[int]bool{}
	for _, d := range defeitosConhecidos {
		comDefeito[d.verificacao] = true
		t.Run(fmt.Sprintf("%02d-%s", d.verificacao, d.defeito), func(t *testing.T) {
			t.Parallel()
			linhas := validarSemRede(t, d.defeito)
			exigirFalha(t, linhas, d.verificacao, d.motivo)
			if slices.Equal(d.tambem, qualquer) {
				return
			}
			esperadas := append([]int{d.verificacao}, d.tambem...)
			slices.Sort(esperadas)
			if f := falhas(linhas); !slices.Equal(f, esperadas) {
				t.Errorf("falharam %v, esperadas %v:\n%s", f, esperadas, strings.Join(linhas, "\n"))
			}
		})
	}
	for n := 1; n <= 36; n++ {
		if !comDefeito[n] {
			t.Errorf("a verificacao %d nao tem defeito que a prove", n)
		}
	}
}

// semRede hands each request to the fake of its host. A hundred whole runs over
// sockets would make the tests slow for nothing.
type semRede map[string]http.Handler

func (s semRede) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.Host = r.URL.Host
	s[r.Host].ServeHTTP(w, r)
	return w.Result(), nil
}

// validarSemRede is validar against a fake pair with one defect.
func validarSemRede(t *testing.T, defeito string) []string {
	t.Helper()
	p := novoPar(defeito)
	op, err := lerOpcoes([]string{"--agente", "http://agente.teste", "--mcp", "http://mcp.teste"})
	if err != nil {
		t.Fatal(err)
	}
	e := novaExecucao(op)
	e.mcp.t.cliente.Transport = semRede{"agente.teste": p.agente, "mcp.teste": p.mcp}
	var stdout bytes.Buffer
	rel := &relato{w: &stdout}
	rel.abrir(e.rastro)
	executar(t.Context(), e, verificacoes, rel)
	if rel.fechar() {
		t.Error("a execucao foi aprovada")
	}
	linhas := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	conferirForma(t, linhas)
	return linhas
}

// TestTarefaQueNuncaTermina has a short limit of its own.
func TestTarefaQueNuncaTermina(t *testing.T) {
	t.Parallel()
	p := subir(t, "nunca-termina")
	op, err := lerOpcoes([]string{"--agente", p.urlA2A, "--mcp", p.urlMCP, "--espera", "1s"})
	if err != nil {
		t.Fatal(err)
	}
	if err := livreConclui(t.Context(), novaExecucao(op)); err == nil || !strings.Contains(err.Error(), "continua em TASK_STATE_WORKING depois de 1s") {
		t.Errorf("motivo: %v", err)
	}
}

// TestRequestNoStream: a server that asks by way of the stream fails everything
// on its side, with the reason.
func TestRequestNoStream(t *testing.T) {
	t.Parallel()
	p := subir(t, "sse", "sse-pergunta")
	_, linhas := validar(t, p.urlMCP, p.urlA2A)
	for n := 1; n <= 20; n++ {
		exigirFalha(t, linhas, n, "o servidor enviou um request pelo stream")
	}
}

func exigirFalha(t *testing.T, linhas []string, numero int, motivo string) {
	t.Helper()
	l := linhas[numero]
	v := verificacoes[numero-1]
	achado, ok := strings.CutPrefix(l, "FAIL "+v.numeroTexto()+" "+v.texto+": ")
	if !ok {
		t.Errorf("esperado FAIL em %02d, veio: %s", numero, l)
	} else if !strings.Contains(achado, motivo) {
		t.Errorf("motivo de %02d: %s\nesperado que contivesse: %s", numero, achado, motivo)
	}
}

// falhas gives the numbers of the FAIL lines.
func falhas(linhas []string) []int {
	var n []int
	for i, l := range linhas {
		if strings.HasPrefix(l, "FAIL ") {
			n = append(n, i)
		}
	}
	return n
}
