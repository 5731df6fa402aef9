package porta

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// Paths of the agent.
const (
	// CaminhoRPC is the JSON-RPC endpoint. The same with a slash at the end
	// answers too, and nothing below it.
	CaminhoRPC = "/a2a"
	// CaminhoCartao is the Agent Card's well-known place (A2A v1.0, 14.3).
	CaminhoCartao = "/.well-known/agent-card.json"
	// CaminhoCartaoAntigo has a card of v0.3, for callers of that version that are
	// told of it. By themselves they look where the card of 1.0 is, which has
	// none of the fields by which they find the endpoint, unless it is asked to
	// (see Config.CartaoComAntigo).
	CaminhoCartaoAntigo = "/.well-known/agent.json"
)

// cartao serves the Agent Card: encoded once, cacheable, the same for every
// caller whatever their Host header says (A2A v1.0, 8.6.1).
type cartao struct {
	body []byte
	etag string
}

// novoCartao completes the profile's card, a JSON object, with the interfaces
// of the agent, the preferred one first.
func novoCartao(members []envelope.Member, interfaces []*a2a.AgentInterface) (*cartao, error) {
	raw, err := envelope.Marshal(interfaces)
	if err != nil {
		return nil, err
	}
	return codificarCartao(append(slices.Clip(members), envelope.Member{Name: "supportedInterfaces", Value: raw}))
}

// comAntigo adds to a card the fields by which callers of v0.3 find the endpoint.
func comAntigo(members []envelope.Member, endpoint string) []envelope.Member {
	members = slices.Clip(members)
	for _, campo := range []struct{ nome, valor string }{
		{"url", endpoint}, {"preferredTransport", string(a2a.TransportProtocolJSONRPC)}, {"protocolVersion", versaoAntiga},
	} {
		raw, _ := envelope.Marshal(campo.valor) // a string: cannot fail
		members = append(members, envelope.Member{Name: campo.nome, Value: raw})
	}
	return members
}

func codificarCartao(members []envelope.Member) (*cartao, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, envelope.Encode(members)); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	return &cartao{b.Bytes(), `"` + hex.EncodeToString(sum[:16]) + `"`}, nil
}

// ServeHTTP implements [http.Handler] for GET and HEAD.
func (c *cartao) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", c.etag)
	h.Set("Cache-Control", "public, max-age=300")
	if combina(r.Header.Values("If-None-Match"), c.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	_, _ = w.Write(c.body) // net/http drops it for HEAD and keeps the length
}

// combina reports whether one of the entity tags in If-None-Match is ours, or
// any (RFC 9110, 13.1.2: weak comparison).
func combina(values []string, etag string) bool {
	for _, v := range values {
		for tag := range strings.SplitSeq(v, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == etag || tag == "*" {
				return true
			}
		}
	}
	return false
}
