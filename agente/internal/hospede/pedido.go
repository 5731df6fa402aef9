package hospede

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"hillvalley.example/ponte/internal/envelope"
	"hillvalley.example/ponte/internal/rastro"
)

// molde is what all calls of a host have in common. A tools/call is what the agent
// does all day, and goes out without the SDK, in which it costs several times what
// the exchange itself does. It is the request that the SDK would send, for
// compact arguments byte for byte: TestChamadaComoADoSDK compares the two.
type molde struct {
	url string
	// cabecalho is what all have; requests share its values, into which nobody writes.
	cabecalho http.Header
	meta      []byte // the members of _meta that say who calls
}

func novoMolde(cfg Config) molde {
	meta := []byte(`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":`)
	meta = envelope.AppendString(meta, cfg.Nome)
	meta = append(meta, `,"version":`...)
	meta = envelope.AppendString(meta, cfg.Versao)
	meta = append(meta, `},"io.modelcontextprotocol/protocolVersion":"`+VersaoProtocolo+`"`...)
	return molde{cfg.URL, http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {VersaoProtocolo},
		"Mcp-Method":           {"tools/call"},
	}, meta}
}

// chamada is one tools/call request.
type chamada struct {
	id         json.RawMessage
	ferramenta string
	espelhos   []espelho // of the tool's
	argumentos json.RawMessage
	retomada   *Retomada // nil in a first call
}

// pedido writes a call, with the trace of the context and a span of its own.
func (m molde) pedido(ctx context.Context, c chamada) (*http.Request, error) {
	body, err := m.corpo(ctx, c)
	if err != nil {
		return nil, err
	}
	// Of a bytes.Reader net/http can take the body again, which it needs to go to
	// another connection when it could write nothing to the first (see conexao).
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = maps.Clone(m.cabecalho)
	r.Header["Mcp-Name"] = []string{emCabecalho(c.ferramenta)}
	espelhar(r.Header, c.espelhos, c.argumentos)
	if u := r.URL.User; u != nil {
		senha, _ := u.Password()
		r.SetBasicAuth(u.Username(), senha)
	}
	return r, nil
}

func (m molde) corpo(ctx context.Context, c chamada) ([]byte, error) {
	rastro, rastreado := rastro.DoContexto(ctx)
	size := 256 + len(m.meta) + len(c.ferramenta) + len(c.argumentos) + len(rastro.State) + len(rastro.Baggage)
	if c.retomada != nil {
		size += 128 + len(c.retomada.RequestState)
	}
	b := append(make([]byte, 0, size), `{"jsonrpc":"2.0","id":`...)
	b = append(b, c.id...)
	b = append(b, `,"method":"tools/call","params":{"_meta":{`...)
	if rastreado && rastro.Baggage != "" {
		b = append(b, `"baggage":`...)
		b = envelope.AppendString(b, rastro.Baggage)
		b = append(b, ',')
	}
	b = append(b, m.meta...)
	if rastreado {
		b = append(b, `,"traceparent":`...)
		b = envelope.AppendString(b, rastro.Filho().Traceparent())
		if rastro.State != "" {
			b = append(b, `,"tracestate":`...)
			b = envelope.AppendString(b, rastro.State)
		}
	}
	b = append(b, `},"name":`...)
	b = envelope.AppendString(b, c.ferramenta)
	b = append(b, `,"arguments":`...)
	b = append(b, c.argumentos...)
	b, err := appendRetomada(b, c.retomada)
	return append(b, "}}"...), err
}

func appendRetomada(b []byte, r *Retomada) ([]byte, error) {
	if r == nil {
		return b, nil
	}
	if len(r.Respostas) > 0 {
		b = append(b, `,"inputResponses":{`...)
		for i, chave := range slices.Sorted(maps.Keys(r.Respostas)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = envelope.AppendString(b, chave)
			b = append(b, `:{"action":`...)
			b = envelope.AppendString(b, r.Respostas[chave].Acao)
			if conteudo := r.Respostas[chave].Conteudo; len(conteudo) > 0 {
				raw, err := envelope.Marshal(conteudo)
				if err != nil {
					return nil, err
				}
				b = append(b, `,"content":`...)
				b = append(b, raw...)
			}
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	if r.RequestState != "" {
		b = append(b, `,"requestState":`...)
		b = envelope.AppendString(b, r.RequestState)
	}
	return b, nil
}

// emCabecalho spells text as the value of a header: as it is, or in base64 when
// it has characters that a header would lose, or could be taken for base64 (MCP
// 2026-07-28, Streamable HTTP, "Value Encoding").
func emCabecalho(text string) string {
	const antes, depois = "=?base64?", "?="
	simples := strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	if simples && !(strings.HasPrefix(text, antes) && strings.HasSuffix(text, depois)) {
		return text
	}
	return antes + base64.StdEncoding.EncodeToString([]byte(text)) + depois
}
