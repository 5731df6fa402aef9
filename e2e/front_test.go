package e2e

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// endpoint is a door of a process and a request that it must serve.
type endpoint struct {
	name, method, url string
	header            map[string]string
	body              string
}

// doors are the three endpoints of a pair, each with a good request.
func (p *pair) doors() []endpoint {
	discover := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"` + metaVersion + `":"` + mcpRevision + `","` + metaCapabilities + `":{}}}}`
	return []endpoint{
		{"server", "POST", p.server.URL, mcpHeader("server/discover", ""), discover},
		{"agent", "POST", p.agent.URL + "/a2a", map[string]string{"Content-Type": "application/json"}, `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`},
		{"card", "GET", p.agent.URL + "/.well-known/agent-card.json", nil, ""},
	}
}

// knock sends the endpoint's request with further headers ("" as value takes
// one away), at another host than its URL's when host is not "".
func (e endpoint) knock(t *testing.T, host string, more map[string]string) answer {
	t.Helper()
	header := map[string]string{}
	for _, h := range []map[string]string{e.header, more} {
		for name, value := range h {
			header[name] = value
		}
	}
	url := e.url
	if host != "" {
		url = strings.Replace(url, "//127.0.0.1:", "//"+host+":", 1)
	}
	return mustExchange(t, e.method, url, header, []byte(e.body))
}

// TestLoopback: "localhost" is both families on one port, where the host has
// both.
func TestLoopback(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	hosts := []string{"127.0.0.1"}
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		_ = l.Close()
		hosts = append(hosts, "[::1]")
	} else {
		t.Logf("this host has no ::1: %v", err)
	}
	for _, e := range p.doors() {
		for _, host := range hosts {
			if a := e.knock(t, host, nil); a.status != 200 {
				t.Errorf("%s at %s: expected HTTP 200, got HTTP %d: %s", e.name, host, a.status, a.body)
			}
		}
	}
}

// TestForeignCallers: what a web page could make a browser send is refused,
// whatever the page calls this machine.
func TestForeignCallers(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	for _, e := range p.doors() {
		for _, c := range []struct {
			name, header, value string
			status              int
		}{
			{"foreign origin", "Origin", "https://evil.example", 403},
			{"origin null", "Origin", "null", 403},
			{"origin of another port here", "Origin", "http://localhost:1", 403},
			{"foreign host", "Host", "evil.example", 403},
			{"foreign host with our port", "Host", "evil.example:" + port(t, e.url), 403},
			{"host that begins like ours", "Host", "localhost.evil.example", 403},
			{"host that is another address", "Host", "192.0.2.1", 403},
			{"localhost", "Host", "localhost:" + port(t, e.url), 200},
			{"localhost in capitals", "Host", "LOCALHOST", 200},
			{"IPv6 loopback", "Host", "[::1]:" + port(t, e.url), 200},
			{"another loopback", "Host", "127.0.0.1", 200},
		} {
			a := e.knock(t, "", map[string]string{c.header: c.value})
			if a.status != c.status {
				t.Errorf("%s, %s: expected HTTP %d, got HTTP %d: %s", e.name, c.name, c.status, a.status, a.body)
			}
			if ct := a.header.Get("Content-Type"); ct != "application/json" {
				t.Errorf("%s, %s: expected Content-Type application/json, got %q", e.name, c.name, ct)
			}
			if a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s, %s: expected no CORS header, got %v", e.name, c.name, a.header)
			}
		}
	}
}

// TestAllowedOrigin: an origin on the list is served, with what a browser needs
// to read the answer.
func TestAllowedOrigin(t *testing.T) {
	t.Parallel()
	const origin = "https://app.example"
	s := startServer(t, "MCP_ORIGENS="+origin)
	a := startAgent(t, s.URL, "-origens", "https://other.example,"+origin)
	p := &pair{server: s, agent: a}
	for _, e := range p.doors() {
		got := e.knock(t, "", map[string]string{"Origin": origin})
		if got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != origin {
			t.Errorf("%s: expected HTTP 200 for %s, got HTTP %d %v", e.name, origin, got.status, got.header)
		}
		if got := e.knock(t, "", map[string]string{"Origin": "https://evil.example"}); got.status != 403 {
			t.Errorf("%s: expected HTTP 403 for an origin that is not on the list, got HTTP %d", e.name, got.status)
		}
	}
}

// TestOtherDoors: other paths and methods are answered in JSON too.
func TestOtherDoors(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	server := strings.TrimSuffix(p.server.URL, "/mcp")
	for _, c := range []struct {
		method, url, contentType string
		status                   int
	}{
		{"GET", server + "/mcp", "", http.StatusMethodNotAllowed},
		{"DELETE", server + "/mcp", "", http.StatusMethodNotAllowed},
		{"POST", server + "/mcp", "text/plain", http.StatusUnsupportedMediaType},
		{"POST", server + "/", "application/json", http.StatusNotFound},
		{"POST", server + "/mcp/x", "application/json", http.StatusNotFound},
		{"POST", server + "/mcp/../x", "application/json", http.StatusNotFound},
		{"GET", p.agent.URL + "/a2a", "", http.StatusMethodNotAllowed},
		{"PUT", p.agent.URL + "/a2a/", "application/json", http.StatusMethodNotAllowed},
		{"POST", p.agent.URL + "/.well-known/agent-card.json", "application/json", http.StatusMethodNotAllowed},
		{"GET", p.agent.URL + "/", "", http.StatusNotFound},
		{"POST", p.agent.URL + "/a2a/x", "application/json", http.StatusNotFound},
		{"GET", p.agent.URL + "/.well-known/", "", http.StatusNotFound},
	} {
		a := mustExchange(t, c.method, c.url, map[string]string{"Content-Type": c.contentType}, []byte("{}"))
		if a.status != c.status {
			t.Errorf("%s %s: expected HTTP %d, got HTTP %d: %s", c.method, c.url, c.status, a.status, a.body)
		}
		if r, err := a.rpc(); err != nil || r.Error == nil {
			t.Errorf("%s %s: expected a JSON-RPC error, got: %s (%v)", c.method, c.url, a.body, err)
		}
		if c.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
			t.Errorf("%s %s: expected an Allow header with HTTP 405", c.method, c.url)
		}
	}
}
