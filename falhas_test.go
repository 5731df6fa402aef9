package ponte

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/falhas.md names the tests that keep each kind of fault out. They have to
// be there.
func TestFalhasTemTestes(t *testing.T) {
	texto, err := os.ReadFile("docs/falhas.md")
	if err != nil {
		t.Fatal(err)
	}
	existem := funcoesDeTeste(t)
	linhas := 0
	nome := regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	for linha := range strings.SplitSeq(string(texto), "\n") {
		if !regexp.MustCompile(`^\| [0-9]+ \|`).MatchString(linha) {
			continue
		}
		linhas++
		nomes := nome.FindAllStringSubmatch(linha, -1)
		if len(nomes) == 0 {
			t.Errorf("no test named: %s", linha)
		}
		for _, n := range nomes {
			if !existem[n[1]] {
				t.Errorf("%s is named and does not exist: %.60s", n[1], linha)
			}
		}
	}
	if linhas != 35 {
		t.Errorf("want 35 rows, got %d", linhas)
	}
}

// funcoesDeTeste are the names of all functions in the files of tests.
func funcoesDeTeste(t *testing.T) map[string]bool {
	t.Helper()
	nomes := map[string]bool{}
	for _, p := range lerPastas(t) {
		for _, f := range p.testes {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					nomes[fn.Name.Name] = true
				}
			}
		}
	}
	return nomes
}
