package porta

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/internal/envelope"
)

// CaminhoREST is below which the HTTP+JSON binding is served.
const CaminhoREST = "/rest"

func ehREST(path string) bool { return strings.HasPrefix(path, CaminhoREST+"/") }

// tipoA2A is the media type of the binding (A2A v1.0, 14.1.1).
const tipoA2A = "application/a2a+json"

// rota is one operation of the binding (A2A v1.0, 11.3). The groups of caminho
// are the parameters named in campos.
type rota struct {
	metodos  []string
	caminho  *regexp.Regexp
	operacao string
	campos   []string
	// corpo: the parameters are in the body, besides those in the path.
	corpo bool
}

// segmento is one segment of a path.
const segmento = `([^/]+)`

func rotaDe(metodos, caminho, operacao string, corpo bool, campos ...string) rota {
	return rota{strings.Fields(metodos), regexp.MustCompile("^" + CaminhoREST + caminho + "$"), operacao, campos, corpo}
}

// rotas are tried in their order, those with an action after a colon before those
// with an id alone. The text of the specification subscribes with POST, its
// protocol buffers with GET; both work.
var rotas = []rota{
	rotaDe("POST", "/message:send", "SendMessage", true),
	rotaDe("POST", "/message:stream", "SendStreamingMessage", true),
	rotaDe("GET", "/tasks", "ListTasks", false),
	rotaDe("POST", "/tasks/"+segmento+":cancel", "CancelTask", true, "id"),
	rotaDe("POST GET", "/tasks/"+segmento+":subscribe", "SubscribeToTask", true, "id"),
	rotaDe("GET", "/tasks/"+segmento, "GetTask", false, "id"),
	rotaDe("POST", "/tasks/"+segmento+"/pushNotificationConfigs", "CreateTaskPushNotificationConfig", true, "taskId"),
	rotaDe("GET", "/tasks/"+segmento+"/pushNotificationConfigs", "ListTaskPushNotificationConfigs", false, "taskId"),
	rotaDe("GET", "/tasks/"+segmento+"/pushNotificationConfigs/"+segmento, "GetTaskPushNotificationConfig", false, "taskId", "id"),
	rotaDe("DELETE", "/tasks/"+segmento+"/pushNotificationConfigs/"+segmento, "DeleteTaskPushNotificationConfig", false, "taskId", "id"),
	rotaDe("GET", "/extendedAgentCard", "GetExtendedAgentCard", false),
}

// rotear finds the operation of a request. Where the path is one of the
// binding's and the method is not, permitidos are the methods that are.
func rotear(metodo, caminho string) (r rota, valores []string, permitidos []string) {
	for _, r := range rotas {
		m := r.caminho.FindStringSubmatch(caminho)
		if m == nil {
			continue
		}
		for _, aceito := range r.metodos {
			if aceito == metodo {
				return r, m[1:], nil
			}
		}
		permitidos = append(permitidos, r.metodos...)
	}
	return rota{}, nil, permitidos
}

// rest serves one request of the HTTP+JSON binding (A2A v1.0, 11).
func (p *Porta) rest(w http.ResponseWriter, r *http.Request, reg *registro) {
	ctx := p.contexto(r, w, reg, r.Header.Values(a2a.SvcParamExtensions))
	tipo := tipoDaResposta(r.Header)
	falhar := func(err error) {
		e := recusar(ctx, err)
		p.falhar(w, reg, e.http, e.rest(), e)
	}
	// The path as it was sent: an id may hold an escaped slash.
	rt, valores, permitidos := rotear(r.Method, r.URL.EscapedPath())
	if rt.operacao == "" {
		if permitidos != nil {
			w.Header().Set("Allow", strings.Join(permitidos, ", "))
			falhar(novoErro(a2a.ErrMethodNotFound, "Method not allowed: use "+strings.Join(permitidos, " or ")).com(http.StatusMethodNotAllowed))
			return
		}
		falhar(novoErro(a2a.ErrMethodNotFound, "Not found: no such operation").com(http.StatusNotFound))
		return
	}
	reg.method = rt.operacao
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		falhar(invalido([]violacao{{"query", "is not URL-encoded"}}))
		return
	}
	if e := conferirVersao(versoesDe(r.Header, query)); e != nil {
		falhar(e)
		return
	}
	op := operacoes[rt.operacao]
	if err := op.falta(p.Capacidades); err != nil {
		falhar(err)
		return
	}
	params, err := p.parametrosREST(w, r, rt, valores, query)
	if err != nil {
		falhar(err)
		return
	}
	p.executar(ctx, w, reg, op, params, grafia{
		falhar:    falhar,
		resultado: func(corpo json.RawMessage) (string, []byte) { return tipo, corpo },
		evento:    func(e a2a.Event) ([]byte, error) { return envelope.Marshal(formaEvento(e)) },
		erro:      (*erro).rest,
	})
}

// tipoDaResposta is the binding's own media type for callers that speak of it, and
// plain JSON for others. Errors are always plain JSON: there are clients that read
// their bodies only then.
func tipoDaResposta(h http.Header) string {
	for _, v := range append(h.Values("Accept"), h.Values("Content-Type")...) {
		if strings.Contains(v, tipoA2A) {
			return tipoA2A
		}
	}
	return tipoJSON
}

// parametrosREST makes one JSON object of the parameters of a request: those in
// its path, in its query, and in its body. What stands in the path counts; the
// body may repeat it, but not contradict it.
func (p *Porta) parametrosREST(w http.ResponseWriter, r *http.Request, rt rota, valores []string, query url.Values) (json.RawMessage, error) {
	body, bad := p.lerCorpo(w, r)
	if bad != nil {
		return nil, bad
	}
	var members []envelope.Member
	if rt.corpo && (len(body) > 0 || len(rt.campos) == 0) {
		if err := envelope.Valid(body, p.Limites.Profundidade); err != nil {
			return nil, doEnvelope(err)
		}
		var err error
		if members, err = envelope.Split(nil, body); err != nil {
			return nil, invalido([]violacao{{"body", "must be a JSON object: " + limitar(err.Error())}})
		}
	}
	noCaminho := make(map[string]string, len(rt.campos))
	for i, campo := range rt.campos {
		valor, err := url.PathUnescape(valores[i])
		if err != nil {
			return nil, invalido([]violacao{{campo, "is not URL-encoded"}})
		}
		noCaminho[campo] = valor
	}
	outros := members[:0]
	for _, m := range members {
		nome := m.Name
		if j, ok := emJSON[nome]; ok {
			nome = j
		}
		valor, tem := noCaminho[nome]
		if !tem {
			outros = append(outros, m)
			continue
		}
		if s, ok := envelope.String(m.Value); !ok || s != "" && s != valor {
			return nil, invalido([]violacao{{nome, "is not the one in the path"}})
		}
	}
	members = outros
	for _, campo := range rt.campos {
		raw, _ := envelope.Marshal(noCaminho[campo]) // a string: cannot fail
		members = append(members, envelope.Member{Name: campo, Value: raw})
	}
	if !rt.corpo {
		doQuery, err := parametrosDoQuery(query)
		if err != nil {
			return nil, err
		}
		members = append(members, doQuery...)
	}
	return envelope.Encode(members), nil
}

// Parameters that a query may carry, and whether their JSON is that of a string
// (A2A v1.0, 11.5). Others are not the protocol's, and passed over.
var noQuery = map[string]bool{
	"contextId": true, "status": true, "pageToken": true, "statusTimestampAfter": true,
	"pageSize": false, "historyLength": false, "includeArtifacts": false,
}

func parametrosDoQuery(query url.Values) ([]envelope.Member, error) {
	var members []envelope.Member
	vistos := make(map[string]bool, len(query))
	for nome, valores := range query {
		if j, ok := emJSON[nome]; ok {
			nome = j
		}
		texto, sabido := noQuery[nome]
		if !sabido {
			continue
		}
		if len(valores) != 1 || vistos[nome] {
			return nil, invalido([]violacao{{nome, "stands more than once"}})
		}
		vistos[nome] = true
		if valores[0] == "" {
			continue // as good as absent
		}
		members = append(members, envelope.Member{Name: nome, Value: valorDoQuery(valores[0], texto)})
	}
	return members, nil
}

// valorDoQuery is the JSON of a value. What is no number where one should stand is
// a string, which the decoding refuses by the name of its field.
func valorDoQuery(valor string, texto bool) json.RawMessage {
	if !texto {
		if n, err := strconv.ParseInt(valor, 10, 32); err == nil {
			return strconv.AppendInt(nil, n, 10)
		}
		if valor == "true" || valor == "false" {
			return json.RawMessage(valor)
		}
	}
	raw, _ := envelope.Marshal(valor) // a string: cannot fail
	return raw
}

// rest spells an error for HTTP+JSON (A2A v1.0, 11.6).
func (e *erro) rest() []byte {
	corpo, _ := envelope.Marshal(map[string]any{"error": map[string]any{ // strings only: cannot fail
		"code": e.http, "status": e.status, "message": e.texto, "details": e.detalhes(),
	}})
	return corpo
}
