package porta

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestCaminhos(t *testing.T) {
	a := novoAgente(t)
	get := func(method, path, host, origin, etag string) *http.Response {
		req, _ := http.NewRequest(method, a.URL+path, nil)
		if host != "" {
			req.Host = host
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	res := get("GET", CaminhoCartao, "", "", "")
	etag := res.Header.Get("ETag")
	if res.StatusCode != 200 || etag == "" || !strings.Contains(res.Header.Get("Cache-Control"), "max-age") || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("card: %d %v", res.StatusCode, res.Header)
	}
	if h := get("HEAD", CaminhoCartao, "", "", ""); h.StatusCode != 200 || h.ContentLength != res.ContentLength || h.ContentLength <= 0 || h.Header.Get("ETag") != etag {
		t.Errorf("HEAD: %d, %d bytes", h.StatusCode, h.ContentLength)
	}
	for _, tag := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
		if r := get("GET", CaminhoCartao, "", "", tag); r.StatusCode != 304 {
			t.Errorf("If-None-Match %s: want 304, got %d", tag, r.StatusCode)
		}
	}
	if r := get("GET", CaminhoCartao, "", "", `"x"`); r.StatusCode != 200 {
		t.Errorf("another tag: %d", r.StatusCode)
	}
	for _, c := range []struct {
		method, path, host, origin string
		status                     int
	}{
		{"POST", CaminhoCartao, "", "", 405}, {"GET", CaminhoRPC, "", "", 405}, {"GET", CaminhoRPC + "/", "", "", 405},
		{"GET", "/", "", "", 404}, {"GET", CaminhoRPC + CaminhoCartao, "", "", 404}, {"POST", CaminhoRPC + "/x", "", "", 404},
		{"GET", CaminhoCartao, "evil.example", "", 403}, {"GET", CaminhoCartao, "agentes.example", "", 200},
		{"GET", CaminhoCartao, "", "https://evil.example", 403}, {"POST", CaminhoRPC, "", "https://evil.example", 403},
	} {
		if r := get(c.method, c.path, c.host, c.origin, ""); r.StatusCode != c.status {
			t.Errorf("%s %s host %q origin %q: want %d, got %d", c.method, c.path, c.host, c.origin, c.status, r.StatusCode)
		}
	}
	req, _ := http.NewRequest("POST", a.URL+CaminhoRPC+"/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`))
	if r, err := http.DefaultClient.Do(req); err != nil || r.StatusCode != 200 {
		t.Errorf("the endpoint with a slash: %v, %v", r, err)
	}
}

func TestCartaoNaoDependeDeQuemPede(t *testing.T) {
	a := novoAgente(t)
	res, err := http.Get(a.URL + CaminhoCartao)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	var card struct {
		Capabilities        map[string]bool
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
	}
	if err := json.Unmarshal(raw, &card); err != nil {
		t.Fatal(err)
	}
	if i := card.SupportedInterfaces; len(i) != 1 || i[0].URL != "https://agentes.example/oficina/a2a" || i[0].ProtocolBinding != "JSONRPC" || i[0].ProtocolVersion != "1.0" {
		t.Errorf("interfaces: %+v", i)
	}
	if s, declared := card.Capabilities["streaming"]; s || !declared {
		t.Errorf("streaming must be said to be absent: %s", raw)
	}
}
