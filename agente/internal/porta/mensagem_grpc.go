package porta

import (
	"fmt"
	"math"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// conferirMensagemGRPC checks in a message what the SDK's translation loses, or
// lets through: what another binding refuses has to be refused here too, and what
// is stored has to be shown over all of them.
func (p *Porta) conferirMensagemGRPC(req any) error {
	var c conferencia
	switch m := req.(type) {
	case *a2apb.SendMessageRequest:
		if err := p.conferirTamanho(proto.Size(m)); err != nil {
			return err
		}
		if cfg := m.GetConfiguration(); cfg != nil {
			c.historicoGRPC("configuration.historyLength", cfg.HistoryLength)
		}
		c.livre("metadata", structpb.NewStructValue(m.GetMetadata()), p.Limites.Profundidade)
		c.livre("message.metadata", structpb.NewStructValue(m.GetMessage().GetMetadata()), p.Limites.Profundidade)
		for i, parte := range m.GetMessage().GetParts() {
			campo := fmt.Sprintf("message.parts[%d].", i)
			c.livre(campo+"metadata", structpb.NewStructValue(parte.GetMetadata()), p.Limites.Profundidade)
			if d, ok := parte.GetContent().(*a2apb.Part_Data); ok {
				if d.Data.GetStructValue() == nil {
					c.falta(campo+"data", "must be an object over gRPC")
				}
				c.livre(campo+"data", d.Data, p.Limites.Profundidade)
			}
		}
	case *a2apb.GetTaskRequest:
		c.historicoGRPC("historyLength", m.HistoryLength)
	case *a2apb.ListTasksRequest:
		c.historicoGRPC("historyLength", m.HistoryLength)
		// 0 stands for none here: the official Go client sends it when its caller
		// names no size.
		if n := m.GetPageSize(); n < 0 || n > paginaMaxima {
			c.pagina(int(n))
		}
		if _, sabido := a2apb.TaskState_name[int32(m.GetStatus())]; !sabido {
			c.falta("status", "is not a task state")
		}
	}
	return c.erro()
}

func (c *conferencia) historicoGRPC(campo string, n *int32) {
	if n != nil {
		inteiro := int(*n)
		c.historico(campo, &inteiro)
	}
}

// livre checks a value of the caller's: that it nests no deeper than JSON may, and
// that JSON has all its numbers.
func (c *conferencia) livre(campo string, v *structpb.Value, profundidade int) {
	if motivo := valorLivre(v, profundidade); motivo != "" {
		c.falta(campo, "%s", motivo)
	}
}

// valorLivre returns what is wrong with a value, empty for nothing.
func valorLivre(v *structpb.Value, resta int) string {
	var dentro []*structpb.Value
	switch k := v.GetKind().(type) {
	case *structpb.Value_NumberValue:
		if math.IsNaN(k.NumberValue) || math.IsInf(k.NumberValue, 0) {
			return "must not have a number that JSON has not"
		}
		return ""
	case *structpb.Value_StructValue:
		for _, f := range k.StructValue.GetFields() {
			dentro = append(dentro, f)
		}
	case *structpb.Value_ListValue:
		dentro = k.ListValue.GetValues()
	default:
		return ""
	}
	if resta == 0 {
		return "nests too deep"
	}
	for _, f := range dentro {
		if motivo := valorLivre(f, resta-1); motivo != "" {
			return motivo
		}
	}
	return ""
}
