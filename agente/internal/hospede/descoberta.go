package hospede

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Ferramenta is a tool as the server describes it.
type Ferramenta struct {
	Nome string
	// tipos are the property names of the inputSchema with their JSON types.
	tipos map[string]string
	// Obrigatorias are the required properties, in the server's order.
	Obrigatorias []string
}

// Chaves are the property names of the inputSchema, sorted.
func (f Ferramenta) Chaves() []string { return slices.Sorted(maps.Keys(f.tipos)) }

// Valor reads the text of an argument as the type that the schema gives it.
func (f Ferramenta) Valor(chave, texto string) (any, error) {
	switch tipo := f.tipos[chave]; tipo {
	case "integer", "number":
		if n := json.Number(texto); json.Valid([]byte(texto)) {
			if _, err := strconv.ParseFloat(texto, 64); err == nil {
				return n, nil
			}
		}
		return nil, fmt.Errorf("%s deve ser um numero", chave)
	case "boolean":
		if v, err := strconv.ParseBool(texto); err == nil {
			return v, nil
		}
		return nil, fmt.Errorf("%s deve ser true ou false", chave)
	case "array", "object", "null":
		if json.Valid([]byte(texto)) {
			return json.RawMessage(texto), nil
		}
		return nil, fmt.Errorf("%s deve ser JSON", chave)
	}
	return texto, nil
}

// maxPaginas bounds a tools/list that never ends.
const maxPaginas = 100

// oferta is a tool as tools/list gave it. err is what keeps it from being of use.
type oferta struct {
	Ferramenta
	espelhos []espelho
	err      error
}

// Ferramenta returns a tool of the server's by its name. The list is asked for
// at the first use and kept for as long as the server's ttlMs says; ok is
// false when the server has no such tool. A Desfecho says what kept the list,
// or the tool's schema, from being of use. What is wrong with other tools is no
// matter of this one's.
func (h *Hospede) Ferramenta(ctx context.Context, nome string) (f Ferramenta, ok bool, falhou Desfecho) {
	o, ok, falhou := h.ferramenta(ctx, nome)
	if !ok || falhou != nil {
		return Ferramenta{}, false, falhou
	}
	return o.Ferramenta, true, nil
}

func (h *Hospede) ferramenta(ctx context.Context, nome string) (o *oferta, ok bool, falhou Desfecho) {
	todas, err := h.ferramentas.obter(ctx, h.cfg.Agora, h.listar)
	if err != nil {
		return nil, false, desfechoDe(ctx, err)
	}
	o, ok = todas[nome]
	if ok && o.err != nil {
		return nil, false, falha(ctx, o.err)
	}
	return o, ok, nil
}

// listar fetches the list for [Hospede.ferramenta].
func (h *Hospede) listar(ctx context.Context) (todas map[string]*oferta, ttl time.Duration, err error) {
	if falhou := h.usar(ctx, func(ctx context.Context, s *mcp.ClientSession) (err error) {
		todas, ttl, err = listar(ctx, s)
		return err
	}); falhou != nil {
		return nil, 0, &semBusca{falhou}
	}
	return todas, ttl, nil
}

// semBusca carries the outcome of a failed fetch as an error.
type semBusca struct{ Desfecho }

func (*semBusca) Error() string { return "fetch failed" }

// desfechoDe is the outcome of a fetch that failed, perhaps another caller's.
func desfechoDe(ctx context.Context, err error) Desfecho {
	var s *semBusca
	if errors.As(err, &s) {
		return s.Desfecho
	}
	return falha(ctx, err)
}

func listar(ctx context.Context, s *mcp.ClientSession) (map[string]*oferta, time.Duration, error) {
	todas := make(map[string]*oferta)
	ttl := maxTTL
	params := &mcp.ListToolsParams{}
	for range maxPaginas {
		res, err := s.ListTools(ctx, params)
		if err != nil {
			return nil, 0, err
		}
		ttl = min(ttl, ttlDe(res.TTLMs))
		for _, t := range res.Tools {
			schema, err := json.Marshal(t.InputSchema)
			if err != nil {
				return nil, 0, err
			}
			espelhos, err := espelhosDe(schema)
			if err != nil {
				continue // the SDK leaves such a tool out as well, when it sees it
			}
			f, err := LerFerramenta(t.Name, schema)
			todas[t.Name] = &oferta{f, espelhos, err}
		}
		if res.NextCursor == "" {
			return todas, ttl, nil
		}
		params = &mcp.ListToolsParams{Cursor: res.NextCursor}
	}
	return nil, 0, fmt.Errorf("%w: tools/list does not end", errSemSentido)
}

// LerFerramenta reads what the grammar needs of a tool's inputSchema. A
// property whose schema says nothing of its type is taken for text.
func LerFerramenta(nome string, inputSchema json.RawMessage) (Ferramenta, error) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   json.RawMessage            `json:"required"`
	}
	if err := json.Unmarshal(inputSchema, &schema); err != nil {
		return Ferramenta{}, fmt.Errorf("%w: inputSchema of a tool: %v", errSemSentido, err)
	}
	f := Ferramenta{Nome: nome, tipos: make(map[string]string)}
	for chave, raw := range schema.Properties {
		var p struct {
			Type any `json:"type"`
		}
		_ = json.Unmarshal(raw, &p) // true and false are schemas too
		f.tipos[chave], _ = p.Type.(string)
	}
	_ = json.Unmarshal(schema.Required, &f.Obrigatorias) // the server will say what is missing
	return f, nil
}

// Recurso returns the text of a resource, kept for as long as the server's
// ttlMs says.
func (h *Hospede) Recurso(ctx context.Context, uri string) (string, Desfecho) {
	g, _ := h.recursos.LoadOrStore(uri, novoGuardado[string]())
	texto, err := g.(*guardado[string]).obter(ctx, h.cfg.Agora, func(ctx context.Context) (texto string, ttl time.Duration, err error) {
		if falhou := h.usar(ctx, func(ctx context.Context, s *mcp.ClientSession) error {
			res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				return err
			}
			if res.NeedsInput() || len(res.Contents) == 0 {
				return fmt.Errorf("%w: resource without text", errSemSentido)
			}
			texto, ttl = res.Contents[0].Text, ttlDe(res.TTLMs)
			return nil
		}); falhou != nil {
			return "", 0, &semBusca{falhou}
		}
		return texto, ttl, nil
	})
	if err != nil {
		return "", desfechoDe(ctx, err)
	}
	return texto, nil
}
