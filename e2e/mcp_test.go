package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
)

const (
	mcpRevision = "2026-07-28"

	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// object is a JSON object in the making.
type object = map[string]any

// withForm declares elicitation in form mode.
var withForm = object{"elicitation": object{"form": object{}}}

// booking is one request for a room, in the words of both protocols.
type booking struct{ sala, inicio, fim, responsavel string }

// conflict asks for a room that the data have as taken; sala-fusca and
// sala-mirante are the alternatives.
var conflict = booking{"sala-garagem", "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00", "Marty"}

// at returns the booking for another interval of one day in 2026.
func (b booking) at(day, from, to string) booking {
	b.inicio, b.fim = "2026-"+day+"T"+from+":00-03:00", "2026-"+day+"T"+to+":00-03:00"
	return b
}

// text is the booking as the agent takes it.
func (b booking) text() string {
	return "reservar sala=" + b.sala + " inicio=" + b.inicio + " fim=" + b.fim + " responsavel=" + b.responsavel
}

// args is the booking as the tool takes it.
func (b booking) args() object {
	return object{"sala": b.sala, "inicio": b.inicio, "fim": b.fim, "responsavel": b.responsavel}
}

// mcpClient speaks to an MCP server: raw JSON-RPC over Streamable HTTP, every
// request complete in itself.
type mcpClient struct {
	url    string
	lastID atomic.Int64
}

// mcpHeader are the headers that mirror a request's body. name is "" for
// methods without one.
func mcpHeader(method, name string) map[string]string {
	h := map[string]string{
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
		"MCP-Protocol-Version": mcpRevision,
		"Mcp-Method":           method,
	}
	if name != "" {
		h["Mcp-Name"] = name
	}
	return h
}

// call sends one request. params are those without _meta.
func (c *mcpClient) call(ctx context.Context, method, name string, params, capabilities object) (answer, error) {
	all := object{"_meta": object{metaVersion: mcpRevision, metaCapabilities: capabilities}}
	maps.Copy(all, params)
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": c.lastID.Add(1), "method": method, "params": all})
	if err != nil {
		return answer{}, err
	}
	return exchange(ctx, "POST", c.url, mcpHeader(method, name), body)
}

// tool calls a tool. extra are further params: requestState, inputResponses.
func (c *mcpClient) tool(t testing.TB, name string, args, extra object) answer {
	t.Helper()
	return c.toolWith(t, withForm, name, args, extra)
}

// toolWith calls a tool with the given capabilities declared.
func (c *mcpClient) toolWith(t testing.TB, capabilities object, name string, args, extra object) answer {
	t.Helper()
	params := object{"name": name, "arguments": args}
	maps.Copy(params, extra)
	a, err := c.call(t.Context(), "tools/call", name, params, capabilities)
	if err != nil {
		t.Fatalf("tools/call %s: expected an answer, got: %v", name, err)
	}
	return a
}

// toolResult is what the tests read of a tool's result.
type toolResult struct {
	ResultType string `json:"resultType"`
	IsError    bool   `json:"isError"`
	Content    []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured    json.RawMessage `json:"structuredContent"`
	InputRequests map[string]struct {
		Method string `json:"method"`
		Params struct {
			Mode   string `json:"mode"`
			Schema struct {
				Properties map[string]struct {
					Enum []string `json:"enum"`
				} `json:"properties"`
			} `json:"requestedSchema"`
		} `json:"params"`
	} `json:"inputRequests"`
	RequestState string `json:"requestState"`
}

// toolResultOf reads a result that must be one.
func toolResultOf(t testing.TB, a answer) toolResult {
	t.Helper()
	var r toolResult
	if err := a.result(&r); err != nil {
		t.Fatalf("tools/call: %v", err)
	}
	return r
}

// question is what came back of a call that must have been answered with
// input_required: the key of the one question, its choices and the state.
type question struct {
	key, state string
	rooms      []string
}

// ask makes a call that must end in a question.
func (c *mcpClient) ask(t testing.TB, b booking) question {
	t.Helper()
	a := c.tool(t, "reservar_sala", b.args(), nil)
	r := toolResultOf(t, a)
	if r.ResultType != "input_required" || len(r.InputRequests) != 1 || r.RequestState == "" {
		t.Fatalf("expected input_required with one question and a requestState, got: %s", a.body)
	}
	q := question{state: r.RequestState}
	for key, input := range r.InputRequests {
		if input.Method != "elicitation/create" || input.Params.Mode != "form" {
			t.Errorf("expected elicitation/create in form mode, got %s in mode %s", input.Method, input.Params.Mode)
		}
		q.key, q.rooms = key, input.Params.Schema.Properties["sala"].Enum
	}
	return q
}

// accepting and declining are the params that answer a question.
func (q question) accepting(room string) object {
	return object{
		"requestState":   q.state,
		"inputResponses": object{q.key: object{"action": "accept", "content": object{"sala": room}}},
	}
}

// holders are the names under which a room is booked in the booking's
// interval, as the server tells it.
func (c *mcpClient) holders(t testing.TB, b booking) []string {
	t.Helper()
	args := b.args()
	delete(args, "responsavel")
	r := toolResultOf(t, c.tool(t, "consultar_disponibilidade", args, nil))
	var found struct {
		Conflitos []struct {
			Responsavel string `json:"responsavel"`
		} `json:"conflitos"`
	}
	if err := json.Unmarshal(r.Structured, &found); err != nil {
		t.Fatalf("consultar_disponibilidade: expected structuredContent, got %s: %v", r.Structured, err)
	}
	names := []string{}
	for _, conflito := range found.Conflitos {
		names = append(names, conflito.Responsavel)
	}
	return names
}

// wantHolders checks who holds a room in an interval.
func (c *mcpClient) wantHolders(t testing.TB, b booking, names ...string) {
	t.Helper()
	if got := c.holders(t, b); strings.Join(got, ",") != strings.Join(names, ",") {
		t.Errorf("expected %s from %s to %s to be booked by %q, got %q", b.sala, b.inicio, b.fim, names, got)
	}
}
