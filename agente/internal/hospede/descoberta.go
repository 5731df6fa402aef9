package hospede

import (
	"context"
	"encoding/json"
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

// Ferramenta returns a tool of the server's by its name. The list is asked for
// at the first use and kept for as long as the server's ttlMs says; ok is
// false when the server has no such tool. err is a Desfecho: what kept the
// list from coming.
func (h *Hospede) Ferramenta(ctx context.Context, nome string) (f Ferramenta, ok bool, falhou Desfecho) {
	var why Desfecho
	todas, err := h.ferramentas.obter(ctx, h.cfg.Agora, func(ctx context.Context) (map[string]Ferramenta, time.Duration, error) {
		var todas map[string]Ferramenta
		var ttl time.Duration
		why = h.usar(ctx, func(ctx context.Context, s *mcp.ClientSession) (err error) {
			todas, ttl, err = listar(ctx, s)
			return err
		})
		if why != nil {
			return nil, 0, errFalhou
		}
		return todas, ttl, nil
	})
	if err != nil {
		if why == nil {
			why = falha(ctx, err)
		}
		return Ferramenta{}, false, why
	}
	f, ok = todas[nome]
	return f, ok, nil
}

var errFalhou = fmt.Errorf("fetch failed")

func listar(ctx context.Context, s *mcp.ClientSession) (map[string]Ferramenta, time.Duration, error) {
	todas := make(map[string]Ferramenta)
	ttl := maxTTL
	params := &mcp.ListToolsParams{}
	for range maxPaginas {
		res, err := s.ListTools(ctx, params)
		if err != nil {
			return nil, 0, err
		}
		ttl = min(ttl, time.Duration(res.TTLMs)*time.Millisecond)
		for _, t := range res.Tools {
			f, err := ferramentaDe(t)
			if err != nil {
				return nil, 0, err
			}
			todas[f.Nome] = f
		}
		if res.NextCursor == "" {
			return todas, ttl, nil
		}
		params = &mcp.ListToolsParams{Cursor: res.NextCursor}
	}
	return nil, 0, fmt.Errorf("%w: tools/list does not end", errSemSentido)
}

func ferramentaDe(t *mcp.Tool) (Ferramenta, error) {
	raw, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Ferramenta{}, err
	}
	return LerFerramenta(t.Name, raw)
}

// LerFerramenta reads what the grammar needs of a tool's inputSchema.
func LerFerramenta(nome string, inputSchema json.RawMessage) (Ferramenta, error) {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(inputSchema, &schema); err != nil {
		return Ferramenta{}, fmt.Errorf("%w: inputSchema of %q: %v", errSemSentido, nome, err)
	}
	f := Ferramenta{Nome: nome, tipos: make(map[string]string), Obrigatorias: schema.Required}
	for chave, p := range schema.Properties {
		f.tipos[chave], _ = p.Type.(string) // several types, or none: as text
	}
	return f, nil
}

// Recurso returns the text of a resource, kept for as long as the server's
// ttlMs says.
func (h *Hospede) Recurso(ctx context.Context, uri string) (string, Desfecho) {
	g, _ := h.recursos.LoadOrStore(uri, novoGuardado[string]())
	var why Desfecho
	texto, err := g.(*guardado[string]).obter(ctx, h.cfg.Agora, func(ctx context.Context) (string, time.Duration, error) {
		var texto string
		var ttl time.Duration
		why = h.usar(ctx, func(ctx context.Context, s *mcp.ClientSession) error {
			res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				return err
			}
			if res.NeedsInput() || len(res.Contents) == 0 {
				return fmt.Errorf("%w: resource without text", errSemSentido)
			}
			texto, ttl = res.Contents[0].Text, time.Duration(res.TTLMs)*time.Millisecond
			return nil
		})
		if why != nil {
			return "", 0, errFalhou
		}
		return texto, ttl, nil
	})
	if err != nil {
		if why == nil {
			why = falha(ctx, err)
		}
		return "", why
	}
	return texto, nil
}
