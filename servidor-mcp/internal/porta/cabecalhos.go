package porta

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hillvalley.example/ponte/internal/envelope"
)

// Headers that mirror the body (MCP 2026-07-28, Streamable HTTP, "Request
// Metadata").
const (
	cabVersao = "Mcp-Protocol-Version"
	cabMetodo = "Mcp-Method"
	cabNome   = "Mcp-Name"
)

func divergencia(format string, args ...any) *envelope.Error {
	return &envelope.Error{Code: mcp.CodeHeaderMismatch, Message: "Header mismatch: " + fmt.Sprintf(format, args...)}
}

func invalido(format string, args ...any) *envelope.Error {
	return &envelope.Error{Code: envelope.CodeInvalidParams, Message: "Invalid params: " + fmt.Sprintf(format, args...)}
}

// nomeEspelhado is the member of params that Mcp-Name mirrors, by method.
var nomeEspelhado = map[string]string{
	"tools/call":     "name",
	"prompts/get":    "name",
	"resources/read": "uri",
}

// unico returns the value of a header that may stand once.
func unico(h http.Header, nome string) (string, *envelope.Error) {
	v := h.Values(nome)
	switch len(v) {
	case 0:
		return "", divergencia("%s header is missing", nome)
	case 1:
		return strings.Trim(v[0], " \t"), nil
	}
	return "", divergencia("%s header stands %d times", nome, len(v))
}

// conferirVersao checks the version header alone: what the server speaks is
// decided before anything of the body counts.
func conferirVersao(h http.Header, versao string) *envelope.Error {
	v, err := unico(h, cabVersao)
	if err != nil {
		return err
	}
	if v != versao {
		return naoSuportada(v, versao)
	}
	return nil
}

// naoSuportada is the UnsupportedProtocolVersionError of the specification.
func naoSuportada(pedida, versao string) *envelope.Error {
	data, _ := envelope.Marshal(map[string]any{"supported": []string{versao}, "requested": pedida})
	return &envelope.Error{
		Code:    mcp.CodeUnsupportedProtocolVersion,
		Message: "Unsupported protocol version: this server speaks " + versao,
		Data:    data,
	}
}

// conferirEspelhos checks that Mcp-Method and Mcp-Name say what the body says.
func conferirEspelhos(h http.Header, method string, params []envelope.Member) *envelope.Error {
	v, err := unico(h, cabMetodo)
	if err != nil {
		return err
	}
	if v != method {
		return divergencia("%s header %q does not match body value %q", cabMetodo, v, method)
	}
	member, ok := nomeEspelhado[method]
	if !ok {
		return nil
	}
	body, ok := envelope.String(envelope.Find(params, member))
	if !ok {
		return invalido("%s must be a string", member)
	}
	if v, err = unico(h, cabNome); err != nil {
		return err
	}
	name, ok := decodificar(v)
	if !ok {
		return divergencia("%s header is not validly encoded", cabNome)
	}
	if name != body {
		return divergencia("%s header value %q does not match body value %q", cabNome, name, body)
	}
	return nil
}

// decodificar undoes the Base64 sentinel encoding of a header value
// (Streamable HTTP, "Value Encoding").
func decodificar(v string) (string, bool) {
	inner, ok := strings.CutPrefix(v, "=?base64?")
	if !ok {
		return v, plano(v)
	}
	if inner, ok = strings.CutSuffix(inner, "?="); !ok {
		return v, plano(v)
	}
	raw, err := base64.StdEncoding.DecodeString(inner)
	if err != nil || !utf8.Valid(raw) {
		return "", false
	}
	return string(raw), true
}

// plano reports whether a header value is plain ASCII, as values that are not
// encoded must be.
func plano(v string) bool {
	for i := range len(v) {
		if c := v[i]; (c < ' ' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// conferirMeta checks the fields that every request must carry in _meta, and
// that the version in it is the one of the header. Nothing is inferred from an
// earlier request.
func conferirMeta(meta []envelope.Member, versao string) *envelope.Error {
	v, ok := envelope.String(envelope.Find(meta, mcp.MetaKeyProtocolVersion))
	if !ok {
		return invalido("missing or invalid _meta field %q", mcp.MetaKeyProtocolVersion)
	}
	if v != versao {
		return divergencia("%s header %q does not match _meta value %q", cabVersao, versao, v)
	}
	if c := envelope.Find(meta, mcp.MetaKeyClientCapabilities); len(c) == 0 || c[0] != '{' {
		return invalido("missing or invalid _meta field %q", mcp.MetaKeyClientCapabilities)
	}
	return nil
}

// tipoJSON is the form of an answer without notifications; the other one is
// [processo.TipoEventos].
const tipoJSON = "application/json"

// aceita reports whether an Accept header lets us answer in a form. Clients
// must list both; one that lists JSON only is served as well, without
// notifications. JSON may also be meant by a wildcard, or by no header at all
// (RFC 9110, 12.5.1); nobody is given a stream who did not ask for one.
func aceita(values []string, tipo string) bool {
	if len(values) == 0 {
		return tipo == tipoJSON
	}
	for _, v := range values {
		for item := range strings.SplitSeq(v, ",") {
			if strings.TrimSpace(item) == tipo {
				return true
			}
			t, params, err := mime.ParseMediaType(item)
			if err != nil || params["q"] == "0" {
				continue
			}
			if t == tipo || tipo == tipoJSON && (t == "application/*" || t == "*/*") {
				return true
			}
		}
	}
	return false
}

// ehJSON reports whether a Content-Type is JSON in UTF-8.
func ehJSON(v string) bool {
	if v == tipoJSON {
		return true
	}
	t, params, err := mime.ParseMediaType(v)
	charset, has := params["charset"]
	return err == nil && t == tipoJSON && (!has || strings.EqualFold(charset, "utf-8"))
}
