package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// par is a fake pair; subir has it listen.
type par struct {
	mcp            *mcpFalso
	agente         *agenteFalso
	urlMCP, urlA2A string
}

func novoPar(d ...string) par {
	n := novoNucleo(d...)
	return par{mcp: &mcpFalso{nucleo: n}, agente: &agenteFalso{nucleo: n, tarefas: map[string]*tarefaFalsa{}}}
}

func subir(t *testing.T, d ...string) par {
	t.Helper()
	p := novoPar(d...)
	p.urlMCP = servir(t, p.mcp)
	p.urlA2A = servir(t, p.agente)
	return p
}

func servir(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// validar runs the program against two servers and gives its lines.
func validar(t *testing.T, urlMCP, urlA2A string, mais ...string) (code int, linhas []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"--agente", urlA2A, "--mcp", urlMCP}, mais...), &stdout, &stderr)
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr.String())
	}
	linhas = strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	conferirForma(t, linhas)
	return code, linhas
}

var (
	formaTrace  = regexp.MustCompile(`^trace-id desta execucao: [0-9a-f]{32}$`)
	formaLinha  = regexp.MustCompile(`^(PASS|FAIL) (\d\d) ([ -~]+)$`)
	formaResumo = regexp.MustCompile(`^resumo: (\d+) passaram, (\d+) falharam, de 36 verificacoes$`)
)

// conferirForma demands the form of the contract of every output whatever:
// first line, one line per check in order, last line; printable ASCII.
func conferirForma(t *testing.T, linhas []string) {
	t.Helper()
	if len(linhas) != 38 {
		t.Fatalf("esperadas 38 linhas, vieram %d:\n%s", len(linhas), strings.Join(linhas, "\n"))
	}
	if !formaTrace.MatchString(linhas[0]) {
		t.Errorf("primeira linha: %q", linhas[0])
	}
	for i, l := range linhas[1:37] {
		p := formaLinha.FindStringSubmatch(l)
		if p == nil || p[2] != verificacoes[i].numeroTexto() || !strings.HasPrefix(p[3], verificacoes[i].texto) {
			t.Errorf("linha %d: %q", i+1, l)
			continue
		}
		if resto := strings.TrimPrefix(p[3], verificacoes[i].texto); (p[1] == "PASS") != (resto == "") || len(l) > 600 {
			t.Errorf("linha %d: %q", i+1, l)
		}
		if strings.Contains(l, "defeito do validador") {
			t.Errorf("panico numa verificacao: %s", l)
		}
	}
	if !formaResumo.MatchString(linhas[37]) {
		t.Errorf("ultima linha: %q", linhas[37])
	}
}

func (v verificacao) numeroTexto() string {
	return string([]byte{byte('0' + v.numero/10), byte('0' + v.numero%10)})
}

func exigirTudo(t *testing.T, code int, linhas []string) {
	t.Helper()
	if code != 0 || linhas[37] != "resumo: 36 passaram, 0 falharam, de 36 verificacoes" {
		t.Errorf("codigo %d:\n%s", code, strings.Join(linhas, "\n"))
	}
}

func TestTabelaNumerada(t *testing.T) {
	if len(verificacoes) != 36 {
		t.Fatalf("%d verificacoes, esperadas 36", len(verificacoes))
	}
	for i, v := range verificacoes {
		if v.numero != i+1 {
			t.Errorf("posicao %d tem o numero %d", i+1, v.numero)
		}
		if umaLinha(v.texto) != v.texto || strings.Contains(v.texto, ": ") {
			t.Errorf("texto de %d nao serve para uma linha: %q", v.numero, v.texto)
		}
	}
}

// TestParCorreto runs twice against the same two processes, which is what an
// evaluator does.
func TestParCorreto(t *testing.T) {
	t.Parallel()
	p := subir(t)
	for range 2 {
		code, linhas := validar(t, p.urlMCP, p.urlA2A)
		exigirTudo(t, code, linhas)
	}
}

// TestVariantesPermitidas: what the statement and the protocols leave open must
// not cost a check.
func TestVariantesPermitidas(t *testing.T) {
	t.Parallel()
	for _, variante := range []string{"sse", "responde-antes"} {
		t.Run(variante, func(t *testing.T) {
			t.Parallel()
			p := subir(t, variante)
			code, linhas := validar(t, p.urlMCP+"/", p.urlA2A+"/")
			exigirTudo(t, code, linhas)
		})
	}
}

// TestCaminhos: the endpoints may lie elsewhere.
func TestCaminhos(t *testing.T) {
	t.Parallel()
	p := subir(t)
	urlMCP := servir(t, http.StripPrefix("/x", p.mcp))
	code, linhas := validar(t, urlMCP, p.urlA2A, "--caminho-mcp", "/x/mcp", "--caminho-a2a", "/a2a")
	exigirTudo(t, code, linhas)
}

// TestRastroECabecalhos looks at what was sent: one trace-id everywhere, a new
// span each time, the transport's headers, no A2A-Version.
func TestRastroECabecalhos(t *testing.T) {
	t.Parallel()
	p := subir(t)
	_, linhas := validar(t, p.urlMCP, p.urlA2A)
	rastro := strings.TrimPrefix(linhas[0], "trace-id desta execucao: ")
	forma := regexp.MustCompile(`^00-` + rastro + `-[0-9a-f]{16}-01$`)
	spans, ids := map[string]bool{}, map[string]bool{}
	unico := func(tp string) {
		if !forma.MatchString(tp) {
			t.Fatalf("traceparent %q, esperado o trace-id %s", tp, rastro)
		}
		if spans[tp] {
			t.Fatalf("span repetido: %s", tp)
		}
		spans[tp] = true
	}
	for _, r := range p.agente.recebido {
		unico(r.cabecalhos.Get("traceparent"))
		if v, ok := r.cabecalhos["A2a-Version"]; ok {
			t.Fatalf("A2A-Version enviado: %q", v)
		}
	}
	semMeta := 0
	for _, r := range p.mcp.recebido {
		var corpo struct {
			ID     json.Number
			Method string
			Params struct {
				Meta m `json:"_meta"`
			}
		}
		if err := json.Unmarshal(r.corpo, &corpo); err != nil {
			t.Fatal(err)
		}
		tp, _ := corpo.Params.Meta["traceparent"].(string)
		unico(tp)
		if ids[corpo.ID.String()] {
			t.Fatalf("id JSON-RPC repetido: %s", corpo.ID)
		}
		ids[corpo.ID.String()] = true
		if a := r.cabecalhos.Get("Accept"); a != "application/json, text/event-stream" {
			t.Fatalf("Accept: %q", a)
		}
		if r.cabecalhos.Get("Content-Type") != "application/json" {
			t.Fatalf("Content-Type: %q", r.cabecalhos.Get("Content-Type"))
		}
		if corpo.Params.Meta[metaVersao] == nil || corpo.Params.Meta[metaCapacidades] == nil {
			semMeta++
		}
	}
	if semMeta != 4 {
		t.Errorf("%d requests sem um campo de _meta, esperados 4 (verificacoes 4 e 5)", semMeta)
	}
	t.Logf("%d requests ao servidor MCP, %d ao agente", len(p.mcp.recebido), len(p.agente.recebido))
}

// TestDiasOcupados: a run that draws the very days of an earlier one still
// passes, because it probes and draws again.
func TestDiasOcupados(t *testing.T) {
	t.Parallel()
	p := subir(t)
	op, err := lerOpcoes([]string{"--agente", p.urlA2A, "--mcp", p.urlMCP})
	if err != nil {
		t.Fatal(err)
	}
	primeira, segunda, vez := 0, 0, 0
	for _, dia := range []func() int{
		func() int { primeira++; return primeira },
		func() int { // a day of the first run, then a fresh one
			if vez++; vez%2 == 0 {
				return 10_000 + vez
			}
			segunda++
			return segunda
		},
	} {
		e := novaExecucao(op)
		e.horarios = novoSorteador(func(n int) int {
			if n == diasPossiveis {
				return dia()
			}
			return 0
		})
		var stdout bytes.Buffer
		rel := &relato{w: &stdout}
		executar(t.Context(), e, verificacoes, rel)
		if !rel.fechar() {
			t.Error(stdout.String())
		}
	}
}
