package e2e

import (
	"bytes"
	"strconv"
	"testing"
)

// TestCardOverHTTP: the card is cacheable, and says so.
func TestCardOverHTTP(t *testing.T) {
	t.Parallel()
	agent := startAgent(t, "http://127.0.0.1:1/mcp") // nobody is there, and the card does not mind
	c := &a2aClient{base: agent.URL}
	card := c.card(t)
	etag := card.header.Get("ETag")
	if card.status != 200 || card.header.Get("Content-Type") != "application/json" || etag == "" || card.header.Get("Cache-Control") == "" {
		t.Fatalf("expected HTTP 200, application/json, an ETag and a Cache-Control, got HTTP %d %v", card.status, card.header)
	}
	url := agent.URL + "/.well-known/agent-card.json"
	head := mustExchange(t, "HEAD", url, nil, nil)
	if head.status != 200 || len(head.body) != 0 || head.header.Get("ETag") != etag || head.header.Get("Content-Length") != strconv.Itoa(len(card.body)) {
		t.Errorf("HEAD: expected HTTP 200, the ETag %s, Content-Length %d and no body, got HTTP %d %v and %d bytes", etag, len(card.body), head.status, head.header, len(head.body))
	}
	for _, c := range []struct {
		name, match string
		status      int
	}{
		{"the same", etag, 304},
		{"weak", "W/" + etag, 304},
		{"one of several", `"x", ` + etag, 304},
		{"any", "*", 304},
		{"another", `"x"`, 200},
		{"not quoted", "x", 200},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := mustExchange(t, method, url, map[string]string{"If-None-Match": c.match}, nil)
			if a.status != c.status || a.header.Get("ETag") != etag {
				t.Errorf("%s, If-None-Match %s (%s): expected HTTP %d with the ETag, got HTTP %d %v", method, c.match, c.name, c.status, a.status, a.header)
			}
			if a.status == 304 && len(a.body) != 0 {
				t.Errorf("%s, If-None-Match %s: expected no body with 304, got %d bytes", method, c.match, len(a.body))
			}
		}
	}
	if again := c.card(t); !bytes.Equal(again.body, card.body) {
		t.Errorf("expected the same card again, got\n%s\nand\n%s", card.body, again.body)
	}
}

// TestVersions: which A2A-Version is served.
func TestVersions(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	for version, served := range map[string]bool{
		"": true, "1.0": true, "1.0.0": true, "1.0.1": true, "1.0.25": true,
		"9.9": false, "0.3": false, "1.1": false, "1": false, "2.0": false, "1.0.x": false, "1.0-beta": false, "v1.0": false, "1.00": false,
	} {
		c := p.a2a
		if version != "" {
			c = c.with("A2A-Version", version)
		}
		a := c.call(t, "ListTasks", object{})
		if served {
			if err := a.result(&struct{}{}); err != nil {
				t.Errorf("A2A-Version %q: expected a result, got: %v", version, err)
			}
			continue
		}
		if r, err := a.rpc(); err != nil || r.Error == nil || r.Error.Code != -32009 {
			t.Errorf("A2A-Version %q: expected error -32009, got: %s (%v)", version, a.body, err)
		}
	}
	// A refused message opens no Task.
	wantError(t, p.a2a.with("A2A-Version", "9.9").call(t, "SendMessage", say("", conflict.text())), 200, -32009)
	if n := len(p.listed(t, nil)); n != 0 {
		t.Errorf("expected no Task after a refused version, got %d", n)
	}

	// Both spellings of the endpoint are one.
	slash := mustExchange(t, "POST", p.agent.URL+"/a2a/", map[string]string{"Content-Type": "application/json"}, []byte(`{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`))
	if err := slash.result(&struct{}{}); err != nil {
		t.Errorf("/a2a/: expected a result, got: %v", err)
	}
}
