package ponte

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The READMEs point at two lines of the bridge. They are found by what they
// say, so that the pointers cannot grow stale.
func TestLeiameApontaParaAPonte(t *testing.T) {
	const pagina = "agente/internal/ponte/ponte.go"
	src, err := os.ReadFile(pagina)
	if err != nil {
		t.Fatal(err)
	}
	for _, marca := range []string{"Here input_required becomes TASK_STATE_INPUT_REQUIRED", "Here the requestState goes back to the server"} {
		linha := 0
		for i, l := range strings.Split(string(src), "\n") {
			if strings.Contains(l, marca) {
				linha = i + 1
			}
		}
		if linha == 0 {
			t.Errorf("%s has no line that says %q", pagina, marca)
			continue
		}
		for _, leiame := range []string{"README.md", "README.en.md"} {
			texto, err := os.ReadFile(leiame)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{
				fmt.Sprintf("%s#L%d)", pagina, linha), // the link
				map[string]string{"README.md": fmt.Sprintf("%s:%d`]", pagina, linha), "README.en.md": fmt.Sprintf("[line %d]", linha)}[leiame],
			} {
				if !strings.Contains(string(texto), want) {
					t.Errorf("%s should say %s", leiame, want)
				}
			}
		}
	}
}
