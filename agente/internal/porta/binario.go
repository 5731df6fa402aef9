package porta

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// The SDK's protocol buffers hold the data of a part only when it is an object.
// A caller may have sent any JSON value over another binding; over gRPC it is
// shown as {"value": …}, marked as the SDK marks the same thing in v0.3.
const (
	campoValor   = "value"
	marcaDeValor = "data_part_compat"
)

// todasBinarias are messages that can be written in protocol buffers. Those that
// can already are the same.
func todasBinarias(ms []*a2a.Message) []*a2a.Message {
	copiadas := false
	for i, m := range ms {
		if !slices.ContainsFunc(m.Parts, semObjeto) {
			continue
		}
		if !copiadas {
			ms, copiadas = slices.Clone(ms), true
		}
		c := *m
		c.Parts = slices.Clone(m.Parts)
		for j, p := range c.Parts {
			if !semObjeto(p) {
				continue
			}
			q := *p
			q.Content = a2a.Data{Value: map[string]any{campoValor: p.Content.(a2a.Data).Value}}
			q.Metadata = map[string]any{marcaDeValor: true}
			for k, v := range p.Metadata {
				q.Metadata[k] = v
			}
			c.Parts[j] = &q
		}
		ms[i] = &c
	}
	return ms
}

// semObjeto reports whether a part has data that is no object.
func semObjeto(p *a2a.Part) bool {
	d, ok := p.Content.(a2a.Data)
	if !ok {
		return false
	}
	_, objeto := d.Value.(map[string]any)
	return !objeto
}
