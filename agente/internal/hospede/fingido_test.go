package hospede

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// pedido is a request as the fake server saw it.
type pedido struct {
	Method string
	ID     json.RawMessage
	Params struct {
		Name           string
		URI            string
		Cursor         string
		Arguments      json.RawMessage
		RequestState   *string
		InputResponses json.RawMessage
		Meta           map[string]json.RawMessage `json:"_meta"`
	}
	header http.Header
}

// fingido is an MCP server that answers what a test tells it to. What responde
// returns is the result, as JSON; "" leaves the answer to w.
type fingido struct {
	*httptest.Server
	mu       sync.Mutex
	pedidos  []pedido
	responde func(w http.ResponseWriter, p pedido) string
}

const ferramentas = `{"resultType":"complete","ttlMs":%d,"cacheScope":"public","tools":[{"name":"pinta","inputSchema":{"type":"object","properties":{"cor":{"type":"string"},"n":{"type":"integer"},"ok":{"type":"boolean"},"xs":{"type":"array"},"dois":{"type":["string","null"]}},"required":["cor"]}}]}`

// normal answers discovery and lists, and leaves tools/call to f.
func normal(ttl int, f func(w http.ResponseWriter, p pedido) string) func(http.ResponseWriter, pedido) string {
	return func(w http.ResponseWriter, p pedido) string {
		switch p.Method {
		case "server/discover":
			return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
		case "tools/list":
			return fmt.Sprintf(ferramentas, ttl)
		case "resources/read":
			return fmt.Sprintf(`{"resultType":"complete","ttlMs":%d,"contents":[{"uri":"x://y","text":"v: 1"}]}`, ttl)
		}
		return f(w, p)
	}
}

func novoFingido(t *testing.T, responde func(http.ResponseWriter, pedido) string) *fingido {
	t.Helper()
	f := &fingido{responde: responde}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p pedido
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Errorf("request is not JSON: %v", err)
		}
		p.header = r.Header
		f.mu.Lock()
		f.pedidos = append(f.pedidos, p)
		responde := f.responde
		f.mu.Unlock()
		if res := responde(w, p); res != "" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, p.ID, res)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fingido) trocar(responde func(http.ResponseWriter, pedido) string) {
	f.mu.Lock()
	f.responde = responde
	f.mu.Unlock()
}

func (f *fingido) de(method string) []pedido {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ps []pedido
	for _, p := range f.pedidos {
		if p.Method == method {
			ps = append(ps, p)
		}
	}
	return ps
}

func novoHospede(t *testing.T, url string) *Hospede {
	t.Helper()
	h := Novo(Config{URL: url, Nome: "agente-de-teste", Versao: "1.2.3", Agora: time.Now})
	t.Cleanup(h.Fechar)
	return h
}

func ver(d Desfecho) string {
	switch d := d.(type) {
	case Concluido:
		return "Concluido " + string(d.Estruturado)
	case Recusado:
		return "Recusado " + d.Mensagem
	case PedeEntrada:
		s := "PedeEntrada " + d.RequestState
		for _, q := range d.Perguntas {
			s += " " + q.Chave + " " + q.Mensagem + " " + string(q.Esquema)
		}
		return s
	case ErroDeProtocolo:
		return fmt.Sprintf("ErroDeProtocolo %d", d.Codigo)
	case Inacessivel:
		return "Inacessivel " + d.Motivo + " " + d.Causa
	}
	return fmt.Sprintf("%T", d)
}
