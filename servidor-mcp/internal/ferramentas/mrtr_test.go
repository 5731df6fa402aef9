package ferramentas

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var ocupada = func() obj { return pedidoDe("sala-garagem", "14:00:00", "15:00:00") }

func TestConflitoPergunta(t *testing.T) {
	c := novaCentral(t)
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	c.retomar(t, ocupada(), estado, aceitar("sala-fusca")).querReserva(t, "res-0003", "sala-fusca")
	// One alternative is still an enumeration, and none is an error.
	c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-mirante")
	c.tool(t, "reservar_sala", pedidoDe("sala-mirante", "14:00:00", "15:00:00")).querReserva(t, "res-0004", "sala-mirante")
	c.tool(t, "reservar_sala", ocupada()).querRecusa(t, "Sem alternativas disponiveis no intervalo")
}

// Form elicitation counts by mode, only when it is needed, on this request.
func TestCapacidadeDeElicitation(t *testing.T) {
	c := novaCentral(t)
	for _, caso := range []struct {
		capabilities obj
		ok           bool
	}{
		{obj{"elicitation": obj{"form": obj{}}}, true},
		{obj{"elicitation": obj{}}, true},
		{obj{"elicitation": obj{"form": obj{}, "url": obj{}}}, true},
		{obj{"elicitation": obj{"url": obj{}}}, false},
		{obj{}, false},
		{obj{"roots": obj{}}, false},
	} {
		r := c.chamar(t, "tools/call", caso.capabilities, obj{"name": "reservar_sala", "arguments": ocupada()})
		if caso.ok {
			r.querPergunta(t, "sala-fusca", "sala-mirante")
			continue
		}
		r.querErro(t, -32021)
		if string(r.Error.Data) != `{"requiredCapabilities":{"elicitation":{"form":{}}}}` {
			t.Errorf("%v: want exactly what is missing, got %s", caso.capabilities, r.Error.Data)
		}
	}
	// Not needed: an invalid request, and a conflict without alternatives.
	c.chamar(t, "tools/call", obj{}, obj{"name": "reservar_sala", "arguments": pedidoDe("sala-x", "14:00:00", "15:00:00")}).querRecusa(t, "Sala inexistente: sala-x")
	c.tool(t, "reservar_sala", pedidoDe("sala-mirante", "18:00:00", "19:00:00")).querReserva(t, "res-0003", "sala-mirante")
	c.chamar(t, "tools/call", obj{}, obj{"name": "reservar_sala", "arguments": pedidoDe("sala-mirante", "18:00:00", "19:00:00")}).querRecusa(t, "Sem alternativas disponiveis no intervalo")
	// Asking again needs it as much as asking first.
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	c.chamar(t, "tools/call", obj{}, obj{"name": "reservar_sala", "arguments": ocupada(), "requestState": estado}).querErro(t, -32021)
}

func TestEstadoRuim(t *testing.T) {
	c := novaCentral(t)
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	meio := []byte(estado)
	meio[len(meio)/2] ^= 1
	for nome, mau := range map[string]string{"altered": string(meio), "cut": estado[:len(estado)-1], "long": estado + "A", "other version": "v2" + estado[2:], "nonsense": "x"} {
		r := c.retomar(t, ocupada(), mau, aceitar("sala-fusca"))
		r.querErro(t, -32602)
		if r.Error.Message != "requestState invalid or expired" {
			t.Errorf("%s: the message must say nothing more, got %q", nome, r.Error.Message)
		}
	}
	c.retomar(t, ocupada(), "", aceitar("sala-fusca")).querErro(t, -32602)
	// To another tool it means nothing: that tool asks nobody.
	r := c.chamar(t, "tools/call", comFormulario, obj{"name": "listar_salas", "arguments": obj{}, "requestState": estado})
	r.querErro(t, -32602)
	c.avancar(15 * time.Minute)
	c.retomar(t, ocupada(), estado, aceitar("sala-fusca")).querErro(t, -32602)
	if got := c.conflitos(t, pedidoDe("sala-fusca", "14:00:00", "15:00:00")); !strings.Contains(got, `"livre":true`) {
		t.Errorf("a refused state booked something: %s", got)
	}
}

func TestRespostas(t *testing.T) {
	for _, caso := range []struct {
		nome     string
		resposta any
		reserva  string // room booked
		motivo   string
		erro     int
		pergunta bool // asked again
	}{
		{nome: "accept", resposta: aceitar("sala-mirante"), reserva: "sala-mirante"},
		{nome: "decline", resposta: obj{"action": "decline"}, motivo: "recusado"},
		{nome: "decline with content", resposta: obj{"action": "decline", "content": obj{"sala": "sala-fusca"}}, motivo: "recusado"},
		{nome: "cancel", resposta: obj{"action": "cancel"}, motivo: "cancelado"},
		{nome: "no answers", resposta: nil, pergunta: true},
		{nome: "accept without content", resposta: obj{"action": "accept"}, pergunta: true},
		{nome: "accept with null content", resposta: obj{"action": "accept", "content": nil}, pergunta: true},
		{nome: "accept of a number", resposta: obj{"action": "accept", "content": obj{"sala": 1}}, pergunta: true},
		{nome: "room not offered", resposta: aceitar("sala-porao"), pergunta: true},
		{nome: "room first asked for", resposta: aceitar("sala-garagem"), pergunta: true},
		{nome: "room that does not exist", resposta: aceitar("sala-x"), pergunta: true},
		{nome: "other case", resposta: aceitar("SALA-FUSCA"), pergunta: true},
		{nome: "unknown action", resposta: obj{"action": "maybe"}, erro: -32602},
		{nome: "no action", resposta: obj{}, pergunta: true},
		{nome: "null", resposta: json.RawMessage("null"), pergunta: true},
		{nome: "answer of a wrong type", resposta: "sim", pergunta: true},
	} {
		t.Run(caso.nome, func(t *testing.T) {
			c := novaCentral(t)
			estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
			r := c.retomar(t, ocupada(), estado, caso.resposta)
			switch {
			case caso.erro != 0:
				r.querErro(t, caso.erro)
				if len(r.Error.Message) > 310 || strings.Contains(r.Error.Message, estado[:40]) {
					t.Errorf("the message quotes what it could not read: %q", r.Error.Message)
				}
			case caso.pergunta:
				if novo := r.querPergunta(t, "sala-fusca", "sala-mirante"); novo == estado {
					t.Error("asked again with the old state")
				}
			case caso.motivo != "":
				want := fmt.Sprintf(`{"reserva":null,"reservado":false,"sala":null,"inicio":null,"fim":null,"responsavel":null,"politica":null,"motivo":"%s"}`, caso.motivo)
				if string(r.Result.StructuredContent) != want || r.Result.IsError {
					t.Errorf("want %s, got %s", want, r.Raw)
				}
			default:
				r.querReserva(t, "res-0003", caso.reserva)
			}
			if caso.reserva == "" {
				for _, sala := range []string{"sala-fusca", "sala-mirante"} {
					if got := c.conflitos(t, pedidoDe(sala, "14:00:00", "15:00:00")); !strings.Contains(got, `"livre":true`) {
						t.Errorf("something was booked: %s", got)
					}
				}
			}
		})
	}
}

// The sealed values win over the arguments that come with a retry.
func TestArgumentosAdulterados(t *testing.T) {
	c := novaCentral(t)
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	adulterado := pedidoDe("sala-aquario", "08:00:00", "09:00:00")
	adulterado["responsavel"] = "Biff"
	r := c.retomar(t, adulterado, estado, aceitar("sala-fusca"))
	r.querReserva(t, "res-0003", "sala-fusca")
	if strings.Contains(r.Raw, "Biff") || !strings.Contains(r.Raw, "Marty") || !strings.Contains(r.Raw, "T14:00:00-03:00") {
		t.Errorf("altered arguments took effect: %s", r.Raw)
	}
}

// White space around the arguments, however much, does not go into the state.
func TestArgumentosEspacados(t *testing.T) {
	c := novaCentral(t)
	raw, _ := json.Marshal(ocupada())
	espacado := json.RawMessage(strings.Replace(string(raw), ",", ","+strings.Repeat(" ", 200_000), 1))
	estado := c.tool(t, "reservar_sala", espacado).querPergunta(t, "sala-fusca", "sala-mirante")
	c.retomar(t, ocupada(), estado, aceitar("sala-fusca")).querReserva(t, "res-0003", "sala-fusca")
}

// Answers that nobody asked for make no reservation of their own.
func TestRespostasSemEstado(t *testing.T) {
	c := novaCentral(t)
	for _, respostas := range []any{obj{chavePergunta: aceitar("sala-fusca")}, []any{}, 5, nil, obj{"k": obj{}}, obj{"k": nil}} {
		r := c.chamar(t, "tools/call", comFormulario, obj{"name": "reservar_sala", "arguments": ocupada(), "inputResponses": respostas})
		r.querPergunta(t, "sala-fusca", "sala-mirante")
	}
	// And one that is asked for is found among others that are not.
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	r := c.chamar(t, "tools/call", comFormulario, obj{"name": "reservar_sala", "arguments": ocupada(), "requestState": estado,
		"inputResponses": obj{"junk": obj{"foo": 1}, "mais": 7, chavePergunta: aceitar("sala-fusca")}})
	r.querReserva(t, "res-0003", "sala-fusca")
}

// The alternative was taken before the choice: asked again, never booked twice.
func TestEscolhaTomada(t *testing.T) {
	c := novaCentral(t)
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	c.tool(t, "reservar_sala", pedidoDe("sala-fusca", "14:30:00", "15:30:00")).querReserva(t, "res-0003", "sala-fusca")
	novo := c.retomar(t, ocupada(), estado, aceitar("sala-fusca")).querPergunta(t, "sala-mirante")
	c.retomar(t, ocupada(), novo, aceitar("sala-mirante")).querReserva(t, "res-0004", "sala-mirante")

	estado = c.tool(t, "reservar_sala", pedidoDe("sala-fusca", "16:00:00", "17:00:00")).querPergunta(t, "sala-garagem", "sala-mirante")
	c.tool(t, "reservar_sala", pedidoDe("sala-garagem", "16:00:00", "17:00:00"))
	c.tool(t, "reservar_sala", pedidoDe("sala-mirante", "16:00:00", "17:00:00"))
	c.retomar(t, pedidoDe("sala-fusca", "16:00:00", "17:00:00"), estado, aceitar("sala-garagem")).querRecusa(t, "Sem alternativas disponiveis no intervalo")
}

// A lost answer can be fetched again; a state never books twice, not even
// through the states that asked again for the same request.
func TestRepeticao(t *testing.T) {
	c := novaCentral(t)
	a := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	b := c.retomar(t, ocupada(), a, aceitar("sala-porao")).querPergunta(t, "sala-fusca", "sala-mirante")
	c.retomar(t, ocupada(), b, aceitar("sala-fusca")).querReserva(t, "res-0003", "sala-fusca")
	c.retomar(t, ocupada(), b, aceitar("sala-fusca")).querReserva(t, "res-0003", "sala-fusca")
	c.retomar(t, ocupada(), a, aceitar("sala-fusca")).querReserva(t, "res-0003", "sala-fusca")
	for _, outra := range []any{aceitar("sala-mirante"), aceitar("sala-porao"), obj{"action": "decline"}, obj{"action": "cancel"}, nil} {
		c.retomar(t, ocupada(), a, outra).querErro(t, -32602)
		c.retomar(t, ocupada(), b, outra).querErro(t, -32602)
	}
}

// Many answers at once to one state: one reservation, whoever wins.
func TestRespostasAoMesmoTempo(t *testing.T) {
	c := novaCentral(t)
	estado := c.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	var wg sync.WaitGroup
	var mu sync.Mutex
	reservas := map[string]bool{}
	for i := range 32 {
		wg.Go(func() {
			sala := []string{"sala-fusca", "sala-mirante"}[i%2]
			r := c.retomar(t, ocupada(), estado, aceitar(sala))
			if r.Error == nil {
				mu.Lock()
				reservas[string(r.Result.StructuredContent)] = true
				mu.Unlock()
			} else if r.Error.Code != -32602 {
				t.Errorf("want the reservation or -32602, got %s", r.Raw)
			}
		})
	}
	wg.Wait()
	if len(reservas) != 1 {
		t.Errorf("want one reservation, got %d: %v", len(reservas), reservas)
	}
}

// Another process with the same secret takes the state up: nothing is kept in
// memory between the two calls.
func TestOutroProcesso(t *testing.T) {
	antes, depois := novaCentral(t), novaCentral(t)
	estado := antes.tool(t, "reservar_sala", ocupada()).querPergunta(t, "sala-fusca", "sala-mirante")
	depois.retomar(t, ocupada(), estado, aceitar("sala-fusca")).querReserva(t, "res-0003", "sala-fusca")

	// Not even if the room first asked for has come free there: neither an
	// acceptance nor a refusal books it.
	pedido := pedidoDe("sala-garagem", "10:00:00", "11:00:00")
	antes.tool(t, "reservar_sala", pedido).querReserva(t, "res-0003", "sala-garagem")
	estado = antes.tool(t, "reservar_sala", pedido).querPergunta(t, "sala-fusca", "sala-mirante")
	if r := depois.retomar(t, pedido, estado, obj{"action": "decline"}); !strings.Contains(r.Raw, "recusado") {
		t.Errorf("want a refusal, got %s", r.Raw)
	}
	depois.retomar(t, pedido, estado, aceitar("sala-garagem")).querPergunta(t, "sala-fusca", "sala-mirante")
	depois.retomar(t, pedido, estado, aceitar("sala-mirante")).querReserva(t, "res-0004", "sala-mirante")
	if got := depois.conflitos(t, pedido); !strings.Contains(got, `"livre":true`) {
		t.Errorf("the room first asked for was booked: %s", got)
	}
}
