package ponte

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// nomesDe are the names that a Go file declares outside functions, those of
// methods among them.
func nomesDe(t *testing.T, arquivo string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), arquivo, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	nomes := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			nomes[d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					nomes[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						nomes[n.Name] = true
					}
				}
			}
		}
	}
	return nomes
}

func lerProtocolos(t *testing.T) []string {
	t.Helper()
	texto, err := os.ReadFile("docs/protocolos.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(texto), "\n")
}

// docs/protocolos.md says where each obligation is kept and which test proves
// it: files, declarations and tests have to be there.
func TestProtocolosApontamParaOQueExiste(t *testing.T) {
	ligacao := regexp.MustCompile("\\[(`?)([^`\\]]+)`?\\]\\(([^)#]+)[^)]*\\)")
	testeSolto := regexp.MustCompile("[^\\[]`((?:Test|Fuzz)[A-Z]\\w*)`")
	doValidador := regexp.MustCompile(`validador ((?:\d\d(?:, | e )?)+)`)
	declarados := map[string]map[string]bool{}
	ligacoes := 0
	for i, linha := range lerProtocolos(t) {
		for _, m := range ligacao.FindAllStringSubmatch(linha, -1) {
			codigo, nome, alvo := m[1] != "", m[2], m[3]
			if strings.Contains(alvo, "://") {
				continue
			}
			ligacoes++
			arquivo := path.Join("docs", alvo)
			if _, err := os.Stat(filepath.FromSlash(arquivo)); err != nil {
				t.Errorf("line %d: %s does not exist", i+1, arquivo)
				continue
			}
			if !codigo || !strings.HasSuffix(arquivo, ".go") || nome == path.Base(arquivo) {
				continue
			}
			if declarados[arquivo] == nil {
				declarados[arquivo] = nomesDe(t, filepath.FromSlash(arquivo))
			}
			if !declarados[arquivo][nome] {
				t.Errorf("line %d: %s declares no %s", i+1, arquivo, nome)
			}
		}
		for _, m := range testeSolto.FindAllStringSubmatch(linha, -1) {
			t.Errorf("line %d: %s should be a link to its file", i+1, m[1])
		}
		for _, m := range doValidador.FindAllStringSubmatch(linha, -1) {
			for _, n := range regexp.MustCompile(`\d\d`).FindAllString(m[1], -1) {
				if v, _ := strconv.Atoi(n); v < 1 || v > 36 {
					t.Errorf("line %d: the validator has no check %s", i+1, n)
				}
			}
		}
	}
	if ligacoes == 0 {
		t.Error("no links were found")
	}
}

// Every obligation of the specifications is counted in exactly one row, and the
// sums at the top are those of the rows.
func TestProtocolosContam(t *testing.T) {
	estados := []string{"cumprido", "parcial", "não suportado", "não se aplica"}
	linhaDeTabela := regexp.MustCompile(`^\| .* \|$`)
	contagem := regexp.MustCompile(`^Ocorrências: (?:([0-9 +]+) = )?(\d+)\.`)
	var protocolo, capitulo string
	somas := map[string]map[string]int{} // of protocol and state
	declarado := map[string][]int{}      // the row of the summary
	esperado, soma := -1, 0
	fecharCapitulo := func() {
		if esperado >= 0 && soma != esperado {
			t.Errorf("%s, %s: the rows count %d, the chapter says %d", protocolo, capitulo, soma, esperado)
		}
		esperado, soma = -1, 0
	}
	for i, linha := range lerProtocolos(t) {
		switch {
		case strings.HasPrefix(linha, "## "):
			fecharCapitulo()
			protocolo, _, _ = strings.Cut(strings.TrimPrefix(linha, "## "), " ")
		case strings.HasPrefix(linha, "### "):
			fecharCapitulo()
			capitulo = linha
		case contagem.MatchString(linha):
			m := contagem.FindStringSubmatch(linha)
			esperado, _ = strconv.Atoi(m[2])
			if parcelas := regexp.MustCompile(`\d+`).FindAllString(m[1], -1); len(parcelas) > 0 {
				total := 0
				for _, p := range parcelas {
					n, _ := strconv.Atoi(p)
					total += n
				}
				if total != esperado {
					t.Errorf("line %d: %s", i+1, linha)
				}
			}
		case linhaDeTabela.MatchString(linha):
			celulas := strings.Split(strings.Trim(linha, "|"), " | ")
			for j := range celulas {
				celulas[j] = strings.TrimSpace(celulas[j])
			}
			if len(celulas) == 6 && esperado < 0 && strings.Trim(celulas[1], "0123456789") == "" && celulas[1] != "" {
				var ns []int
				for _, c := range celulas[1:] {
					n, err := strconv.Atoi(c)
					if err != nil {
						t.Fatalf("line %d: %s", i+1, linha)
					}
					ns = append(ns, n)
				}
				nome, _, _ := strings.Cut(celulas[0], " ")
				declarado[nome] = ns
				continue
			}
			if esperado < 0 || celulas[1] == "n" || strings.HasPrefix(celulas[0], "---") {
				continue
			}
			n, err := strconv.Atoi(celulas[1])
			if err != nil || len(celulas) != 7 || !slices.Contains(estados, celulas[6]) {
				t.Errorf("line %d: want seven cells with a number and a state: %s", i+1, linha)
				continue
			}
			if celulas[6] == "cumprido" && celulas[4] == "" || celulas[3] == "" {
				t.Errorf("line %d: what is kept is kept somewhere: %s", i+1, linha)
			}
			soma += n
			if somas[protocolo] == nil {
				somas[protocolo] = map[string]int{}
			}
			somas[protocolo][celulas[6]] += n
		}
	}
	fecharCapitulo()
	if len(somas) != 2 {
		t.Errorf("want the rows of two protocols, got %v", somas)
	}
	for protocolo, s := range somas {
		var quer []int
		total := 0
		for _, e := range estados {
			quer = append(quer, s[e])
			total += s[e]
		}
		quer = append([]int{total}, quer...)
		if !slices.Equal(declarado[protocolo], quer) {
			t.Errorf("%s: the rows give %v, the summary says %v", protocolo, quer, declarado[protocolo])
		}
	}
}
