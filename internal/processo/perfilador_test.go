package processo

import (
	"net/http"
	"strings"
	"testing"
)

func TestPerfilador(t *testing.T) {
	var out strings.Builder
	if err := Perfilador(t.Context(), "", &out); err != nil || out.Len() > 0 {
		t.Errorf("off by default: %v, %q", err, out.String())
	}
	for _, bad := range []string{"0.0.0.0:0", ":6060", "10.0.0.1:1", "x"} {
		if err := Perfilador(t.Context(), bad, &out); err == nil || !strings.Contains(err.Error(), "-pprof") {
			t.Errorf("%q: want an error that names -pprof, got %v", bad, err)
		}
	}
	if err := Perfilador(t.Context(), "127.0.0.1:0", &out); err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(out.String(), "perfis em "))
	for host, want := range map[string]int{"": 200, "evil.example": 403} {
		req, _ := http.NewRequest("GET", url+"goroutine?debug=1", nil)
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("host %q: want %d, got %d", host, want, res.StatusCode)
		}
	}
}
