package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// profile writes the embedded profile with a changed card to a file.
func profile(t testing.TB, change func(capabilities object)) string {
	t.Helper()
	raw, err := os.ReadFile("../agente/internal/perfil/padrao.json")
	if err != nil {
		t.Fatal(err)
	}
	var p object
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	change(p["cartao"].(object)["capabilities"].(object))
	path := filepath.Join(t.TempDir(), "perfil.json")
	if raw, err = json.Marshal(p); err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// declaring is a profile whose card declares all that is optional.
func declaring(t testing.TB) string {
	t.Helper()
	return profile(t, func(c object) { c["streaming"], c["pushNotifications"] = true, true })
}

// everything are the arguments of an agent that does all that it can. The tests'
// receivers of push notifications are on this machine.
func everything(t testing.TB) []string {
	t.Helper()
	return []string{"-perfil", declaring(t), "-httpjson", "-avisos-privados"}
}

// everythingEnv is the same as an environment.
func everythingEnv(t testing.TB) []string {
	t.Helper()
	return []string{"PERFIL=" + declaring(t), "AGENTE_HTTPJSON=true", "AGENTE_AVISOS_PRIVADOS=true"}
}

// startPairWith runs both processes, the agent with more arguments.
func startPairWith(t testing.TB, args ...string) *pair {
	t.Helper()
	s := startServer(t)
	a := startAgent(t, s.URL, args...)
	return &pair{server: s, agent: a, mcp: &mcpClient{url: s.URL}, a2a: &a2aClient{base: a.URL}}
}

// rest calls an operation of the HTTP+JSON binding. body is nil for none.
func (c *a2aClient) rest(t testing.TB, method, path string, body any) answer {
	t.Helper()
	header := map[string]string{"Content-Type": "application/a2a+json"}
	maps.Copy(header, c.header)
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	return mustExchange(t, method, c.base+"/rest"+path, header, raw)
}
