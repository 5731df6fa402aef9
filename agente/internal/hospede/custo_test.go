package hospede

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/rastro"
)

// gravado is the result of a recorded example, compact as on the wire.
func gravado(tb testing.TB, nome string) json.RawMessage {
	tb.Helper()
	raw, err := os.ReadFile("../../../exemplos/wire/" + nome)
	if err != nil {
		tb.Fatal(err)
	}
	var exemplo struct {
		Response struct {
			Body struct{ Result json.RawMessage }
		}
	}
	if err := json.Unmarshal(raw, &exemplo); err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, exemplo.Response.Body.Result); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkChamar is a call with all that belongs to it, and what net/http alone
// costs for the same bytes. The server is in the same process, and its cost in
// both.
func BenchmarkChamar(b *testing.B) {
	result := gravado(b, "03-tools-call-conflito-input-required.json")
	var gravada struct {
		cabecalho http.Header
		corpo     []byte
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		i := bytes.Index(body, []byte(`"id":`)) + len(`"id":`)
		id := string(body[i : i+bytes.IndexByte(body[i:], ',')])
		w.Header().Set("Content-Type", "application/json")
		answer := result
		switch r.Header.Get("Mcp-Method") {
		case "server/discover":
			answer = json.RawMessage(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		case "tools/list":
			answer = json.RawMessage(`{"resultType":"complete","ttlMs":3600000,"tools":[{"name":"pinta","inputSchema":{"type":"object","properties":{"cor":{"type":"string"},"inicio":{"type":"string"},"fim":{"type":"string"},"nome":{"type":"string"}},"required":["cor","inicio","fim","nome"]}}]}`)
		default:
			gravada.cabecalho, gravada.corpo = r.Header, body
		}
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":` + string(answer) + `}`))
	}))
	defer s.Close()
	h := Novo(Config{URL: s.URL, Nome: "agente-de-teste", Versao: "1.2.3", Agora: time.Now})
	defer h.Fechar()
	ctx := rastro.ComContexto(b.Context(), rastro.Novo())
	args := []byte(`{"cor":"azul","inicio":"2026-11-03T14:00:00-03:00","fim":"2026-11-03T15:00:00-03:00","nome":"Marty"}`)
	call := func(b *testing.B) {
		if d, ok := h.Chamar(ctx, "pinta", args, nil).(PedeEntrada); !ok || len(d.Perguntas) != 1 {
			b.Fatalf("got %v", d)
		}
	}
	call(b)
	cabecalho, corpo := gravada.cabecalho, gravada.corpo
	delete(cabecalho, "Accept-Encoding") // net/http's own
	b.Run("hospede", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(b)
		}
	})
	b.Run("net/http", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(corpo))
			req.Header = cabecalho
			res, err := h.transporte.RoundTrip(req)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadAll(res.Body); err != nil {
				b.Fatal(err)
			}
			res.Body.Close()
		}
	})
}

func BenchmarkClassificar(b *testing.B) {
	raw := gravado(b, "03-tools-call-conflito-input-required.json")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := classificar(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLerResposta(b *testing.B) {
	body := `{"jsonrpc":"2.0","id":1234567890123,"result":` + string(gravado(b, "03-tools-call-conflito-input-required.json")) + `}`
	id := json.RawMessage("1234567890123")
	b.ReportAllocs()
	for b.Loop() {
		res := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body))}
		if _, why := lerResposta(res, id); why != nil {
			b.Fatal(why)
		}
	}
}
