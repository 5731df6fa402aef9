package ponte

import (
	"os"
	"regexp"
	"testing"
)

// docs/desempenho.md names the benchmarks that its figures come from. They have to
// be there.
func TestDesempenhoTemBenchmarks(t *testing.T) {
	texto, err := os.ReadFile("docs/desempenho.md")
	if err != nil {
		t.Fatal(err)
	}
	existem := funcoesDeTeste(t)
	nomes := regexp.MustCompile("`(Benchmark[A-Za-z0-9_]+)`").FindAllStringSubmatch(string(texto), -1)
	if len(nomes) == 0 {
		t.Error("no benchmark is named")
	}
	for _, n := range nomes {
		if !existem[n[1]] {
			t.Errorf("%s is named and does not exist", n[1])
		}
	}
}
