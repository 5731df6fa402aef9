package ponte

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const modulo = "hillvalley.example/ponte"

// pasta is a directory of Go files.
type pasta struct {
	caminho string   // relative to the root, with slashes
	imports []string // of the package and of its tests
	arquivos,
	testes []*ast.File
}

func (p pasta) sob(prefixo string) bool {
	return p.caminho == prefixo || strings.HasPrefix(p.caminho, prefixo+"/")
}

func lerPastas(t *testing.T) []pasta {
	t.Helper()
	var pastas []pasta
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return fs.SkipDir
		}
		pkg, err := build.ImportDir(path, 0)
		if _, empty := err.(*build.NoGoError); empty {
			return nil
		}
		if err != nil {
			return err
		}
		p := pasta{caminho: filepath.ToSlash(path), imports: slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports)}
		fset := token.NewFileSet()
		for _, name := range pkg.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(path, name), nil, parser.ParseComments)
			if err != nil {
				return err
			}
			p.arquivos = append(p.arquivos, f)
		}
		for _, name := range slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles) {
			f, err := parser.ParseFile(fset, filepath.Join(path, name), nil, parser.ParseComments)
			if err != nil {
				return err
			}
			p.testes = append(p.testes, f)
		}
		pastas = append(pastas, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pastas
}

// regra forbids imports, with the reason.
type regra struct {
	onde   string   // packages below this path
	menos  []string // except below these
	proibe []string // import paths or prefixes ending in /
	porque string
}

// The compiler keeps agente and servidor-mcp apart already (internal/). These
// are the borders that it does not see.
var regras = []regra{
	{"servidor-mcp/internal/reserva", nil, []string{"github.com/", "net/http", "log", "log/slog", "os", modulo + "/"}, "the domain knows neither wire, nor log, nor files"},
	{"agente/internal/formulario", nil, []string{"github.com/", "net/http"}, "forms are pure: schema and text in, values out"},
	{"agente", []string{"agente/internal/hospede"}, []string{"github.com/modelcontextprotocol/"}, "only the host speaks MCP"},
	{"agente", []string{"agente/internal/banco"}, []string{"github.com/jackc/", "modernc.org/", "database/sql"}, "only the store knows its databases"},
	{"servidor-mcp", nil, []string{"github.com/a2aproject/"}, "the server knows nothing of A2A"},
	{"agente", []string{"agente/internal/porta"}, []string{"google.golang.org/", "github.com/a2aproject/a2a-go/a2a"}, "only the front knows how a binding or an old version spells things"},
	{"agente/internal/hospede", nil, []string{"github.com/a2aproject/a2a-go/v2/a2asrv", "github.com/a2aproject/a2a-go/v2/a2aclient"}, "the host does not serve A2A"},
	{"validador", nil, []string{modulo + "/", "github.com/"}, "the validator judges from outside"},
	{"internal", nil, []string{"github.com/", modulo + "/servidor-mcp/", modulo + "/agente/"}, "shared mechanism knows no protocol SDK and neither process"},
	{"ponte", nil, []string{modulo + "/servidor-mcp/", modulo + "/agente/", "github.com/"}, "the command for people meets both processes over HTTP"},
	{"e2e", nil, []string{modulo + "/servidor-mcp/", modulo + "/agente/", "github.com/"}, "end-to-end tests see what a caller sees"},
}

func TestQuemImportaQuem(t *testing.T) {
	for _, p := range lerPastas(t) {
		for _, r := range regras {
			if !p.sob(r.onde) || slices.ContainsFunc(r.menos, p.sob) {
				continue
			}
			for _, imp := range p.imports {
				if slices.ContainsFunc(r.proibe, func(x string) bool {
					return imp == x || strings.HasSuffix(x, "/") && strings.HasPrefix(imp, x)
				}) {
					t.Errorf("%s imports %s: %s", p.caminho, imp, r.porque)
				}
			}
		}
	}
}

func TestPacotesTemComentario(t *testing.T) {
	for _, p := range lerPastas(t) {
		if len(p.arquivos) > 0 && !slices.ContainsFunc(p.arquivos, func(f *ast.File) bool { return f.Doc != nil }) {
			t.Errorf("package in %s has no package comment", p.caminho)
		}
	}
}

func TestIdentificadoresASCII(t *testing.T) {
	for _, p := range lerPastas(t) {
		for _, f := range slices.Concat(p.arquivos, p.testes) {
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && strings.ContainsFunc(id.Name, func(r rune) bool { return r > 126 }) {
					t.Errorf("%s: identifier %s is not ASCII", p.caminho, id.Name)
				}
				return true
			})
		}
	}
}

// dominio are the words of the rooms' domain, as whole words or as part of a
// camel-case or snake-case name.
var dominio = regexp.MustCompile(`(?i)(^|[^a-z])(salas?|reservas?|reservar|reservad[oa]|politicas?|agenda|alternativas?|listar_salas|consultar_disponibilidade|meeting rooms?|bookings?|reservations?)([^a-z]|$)|(?-i:[a-z](Sala|Reserva|Politica))`)

// The list would be of no use if it let its own words through.
func TestDominioEhReconhecido(t *testing.T) {
	for _, s := range []string{"sala", "novaSala", "Reserva", "// a reservation", "reservar_sala", `"politica://uso"`} {
		if !dominio.MatchString(s) {
			t.Errorf("%q is a word of the domain", s)
		}
	}
	for _, s := range []string{"preservar", "agendado", "alternar", "salario"} {
		if dominio.MatchString(s) {
			t.Errorf("%q is none", s)
		}
	}
}

// The agent knows no rooms: what is particular to it stands in its profile.
func TestAgenteNaoConheceODominio(t *testing.T) {
	for _, p := range lerPastas(t) {
		if !p.sob("agente") {
			continue
		}
		for _, f := range p.arquivos {
			conferir := func(text string) {
				if m := dominio.FindString(text); m != "" {
					t.Errorf("%s: %q is a word of the domain (in %.80q)", p.caminho, m, text)
				}
			}
			for _, g := range f.Comments { // also those inside functions
				conferir(g.Text())
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					conferir(n.Name)
				case *ast.BasicLit:
					conferir(n.Value)
				}
				return true
			})
		}
	}
}
