package ferramentas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"testing"
	"time"

	"hillvalley.example/ponte"
	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/servidor-mcp/internal/acervo"
	"hillvalley.example/ponte/servidor-mcp/internal/porta"
	"hillvalley.example/ponte/servidor-mcp/internal/selo"
)

// descarte is the least that a front can write to.
type descarte struct {
	header http.Header
	status int
	corpo  bytes.Buffer
}

func (d *descarte) Header() http.Header         { return d.header }
func (d *descarte) WriteHeader(status int)      { d.status = status }
func (d *descarte) Write(b []byte) (int, error) { return d.corpo.Write(b) }

// bancada serves whole requests without a network.
type bancada struct{ frente http.Handler }

func novaBancada(b *testing.B, direta bool) bancada {
	b.Helper()
	dados, _ := fs.Sub(ponte.Dados, "dados")
	agenda, err := acervo.Carregar(dados, "teste")
	if err != nil {
		b.Fatal(err)
	}
	chaveiro, err := selo.NovoChaveiro(segredo)
	if err != nil {
		b.Fatal(err)
	}
	log := processo.NovoLog(io.Discard)
	f := Novo(Config{Agenda: agenda, Chaveiro: chaveiro, TTL: 15 * time.Minute, Agora: time.Now, Log: log})
	cfg := porta.Config{Servidor: f.Servidor(), Versao: VersaoProtocolo, Limites: processo.LimitesPadrao, Log: log}
	if direta {
		cfg.Chamador = f
	}
	p, err := porta.Nova(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Fechar)
	return bancada{p}
}

func corpoDe(params obj) []byte {
	params["_meta"] = obj{
		"io.modelcontextprotocol/protocolVersion":    VersaoProtocolo,
		"io.modelcontextprotocol/clientInfo":         obj{"name": "agente-central-de-salas", "version": "1.0.0"},
		"io.modelcontextprotocol/clientCapabilities": comFormulario,
		"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba90202-01",
	}
	body, _ := json.Marshal(obj{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
	return body
}

func (b bancada) chamar(d *descarte, nome string, body []byte) {
	r := &http.Request{
		Method: "POST",
		URL:    &url.URL{Path: porta.Caminho},
		Body:   io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{
			"Accept":               {"application/json, text/event-stream"},
			"Content-Type":         {"application/json"},
			"Mcp-Protocol-Version": {VersaoProtocolo},
			"Mcp-Method":           {"tools/call"},
			"Mcp-Name":             {nome},
		},
	}
	d.header, d.status = http.Header{}, 0
	d.corpo.Reset()
	b.frente.ServeHTTP(d, r)
}

// BenchmarkChamada is a tool call from the front's ServeHTTP to the written
// answer, with its line in the log, on either way. "so o pedido" is what of it
// the making of the request costs.
func BenchmarkChamada(b *testing.B) {
	b.Run("direta", func(b *testing.B) { medirChamadas(b, true) })
	b.Run("sdk", func(b *testing.B) { medirChamadas(b, false) })
	b.Run("so o pedido", func(b *testing.B) {
		banca := bancada{http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
		var d descarte
		body := corpoDe(obj{"name": "listar_salas", "arguments": obj{}})
		b.ReportAllocs()
		for b.Loop() {
			banca.chamar(&d, "listar_salas", body)
		}
	})
}

func medirChamadas(b *testing.B, direta bool) {
	medir := func(nome, ferramenta string, params obj, tem string) {
		b.Run(nome, func(b *testing.B) {
			banca := novaBancada(b, direta)
			var d descarte
			body := corpoDe(params)
			b.ReportAllocs()
			for b.Loop() {
				banca.chamar(&d, ferramenta, body)
			}
			d.conferir(b, tem)
		})
	}
	medir("listar", "listar_salas", obj{"name": "listar_salas", "arguments": obj{}}, "sala-mirante")
	livre := pedidoDe("sala-porao", "10:00:00", "11:00:00")
	delete(livre, "responsavel")
	medir("consultar", "consultar_disponibilidade", obj{"name": "consultar_disponibilidade", "arguments": livre}, `"livre":true`)
	medir("recusa", "reservar_sala", obj{"name": "reservar_sala", "arguments": pedidoDe("sala-x", "10:00:00", "11:00:00")}, "isError")
	medir("conflito", "reservar_sala", obj{"name": "reservar_sala", "arguments": ocupada()}, "input_required")

	// A new hour each time.
	b.Run("reservar", func(b *testing.B) {
		banca := novaBancada(b, direta)
		var d descarte
		hora := time.Date(2027, 1, 1, 8, 0, 0, 0, time.UTC)
		b.ReportAllocs()
		for b.Loop() {
			fim := hora.Add(time.Hour)
			body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"reservar_sala","arguments":{"sala":"sala-porao","inicio":"%s-03:00","fim":"%s-03:00","responsavel":"Doc"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`, hora.Format("2006-01-02T15:04:05"), fim.Format("2006-01-02T15:04:05"))
			if hora = fim; hora.Hour() == 20 {
				hora = hora.Add(12 * time.Hour)
			}
			if hora.Year() > 2030 { // both ways book into an agenda of the same size
				b.StopTimer()
				banca, hora = novaBancada(b, direta), time.Date(2027, 1, 1, 8, 0, 0, 0, time.UTC)
				b.StartTimer()
			}
			banca.chamar(&d, "reservar_sala", body)
		}
		d.conferir(b, `"reservado":true`)
	})

	// The same choice again and again: the state opens, the reservation is found.
	b.Run("retomada", func(b *testing.B) {
		banca := novaBancada(b, direta)
		var d descarte
		banca.chamar(&d, "reservar_sala", corpoDe(obj{"name": "reservar_sala", "arguments": ocupada()}))
		var r resposta
		if err := json.Unmarshal(d.corpo.Bytes(), &r); err != nil || r.Result.RequestState == "" {
			b.Fatalf("want a question, got %s", d.corpo.String())
		}
		body := corpoDe(obj{"name": "reservar_sala", "arguments": ocupada(), "requestState": r.Result.RequestState, "inputResponses": obj{chavePergunta: aceitar("sala-fusca")}})
		b.ReportAllocs()
		for b.Loop() {
			banca.chamar(&d, "reservar_sala", body)
		}
		d.conferir(b, `"reservado":true`)
	})
}

func (d *descarte) conferir(b *testing.B, tem string) {
	b.Helper()
	if d.status != 200 || !bytes.Contains(d.corpo.Bytes(), []byte(tem)) {
		b.Fatalf("want 200 and %s, got %d %s", tem, d.status, d.corpo.String())
	}
}
