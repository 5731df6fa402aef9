package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Task states as they stand on the wire.
const (
	submitted     = "TASK_STATE_SUBMITTED"
	working       = "TASK_STATE_WORKING"
	completed     = "TASK_STATE_COMPLETED"
	failed        = "TASK_STATE_FAILED"
	canceled      = "TASK_STATE_CANCELED"
	rejected      = "TASK_STATE_REJECTED"
	inputRequired = "TASK_STATE_INPUT_REQUIRED"
)

// message is an A2A message, as far as the tests read it.
type message struct {
	ID    string `json:"messageId"`
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

func (m *message) texts() []string {
	var texts []string
	if m != nil {
		for _, p := range m.Parts {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// task is an A2A Task, as far as the tests read it.
type task struct {
	ID        string `json:"id"`
	ContextID string `json:"contextId"`
	Status    struct {
		State     string   `json:"state"`
		Message   *message `json:"message"`
		Timestamp string   `json:"timestamp"`
	} `json:"status"`
	Artifacts []struct {
		Name  string `json:"name"`
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	} `json:"artifacts"`
	History []message `json:"history"`
}

// artifact is the text of the Task's one artifact, or "".
func (tk task) artifact() string {
	if len(tk.Artifacts) != 1 || len(tk.Artifacts[0].Parts) != 1 {
		return ""
	}
	return tk.Artifacts[0].Parts[0].Text
}

// said is the conversation, as "role: text" lines.
func (tk task) said() []string {
	var lines []string
	for _, m := range tk.History {
		lines = append(lines, strings.ToLower(strings.TrimPrefix(m.Role, "ROLE_"))+": "+strings.Join(m.texts(), " | "))
	}
	return lines
}

// wantTask checks a Task's state and, unless none is given, the text parts of
// its status message.
func wantTask(t testing.TB, tk task, state string, parts ...string) {
	t.Helper()
	if tk.Status.State != state || len(parts) > 0 && !slices.Equal(tk.Status.Message.texts(), parts) {
		t.Fatalf("expected %s with the message %q, got %s with %q", state, parts, tk.Status.State, tk.Status.Message.texts())
	}
}

// a2aClient speaks to an agent, and keeps every body that came back.
type a2aClient struct {
	base string
	// header goes with every request.
	header map[string]string

	mu     sync.Mutex
	bodies [][]byte
}

// with returns a client of the same agent that sends one more header.
func (c *a2aClient) with(name, value string) *a2aClient {
	header := map[string]string{name: value}
	maps.Copy(header, c.header)
	return &a2aClient{base: c.base, header: header}
}

// post sends a body to the JSON-RPC endpoint.
func (c *a2aClient) post(ctx context.Context, body []byte) (answer, error) {
	header := map[string]string{"Content-Type": "application/json"}
	maps.Copy(header, c.header)
	a, err := exchange(ctx, "POST", c.base+"/a2a", header, body)
	c.mu.Lock()
	c.bodies = append(c.bodies, a.body)
	c.mu.Unlock()
	return a, err
}

// try calls a method; the error is that of the exchange.
func (c *a2aClient) try(ctx context.Context, method string, params any) (answer, error) {
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return answer{}, err
	}
	return c.post(ctx, body)
}

// call calls a method that must be answered.
func (c *a2aClient) call(t testing.TB, method string, params any) answer {
	t.Helper()
	a, err := c.try(t.Context(), method, params)
	if err != nil {
		t.Fatalf("%s: expected an answer, got: %v", method, err)
	}
	return a
}

// say is the params of SendMessage: a text with a fresh messageId, for the
// given Task ("" for a new one).
func say(taskID, text string) object {
	m := object{"messageId": rand.Text(), "role": "ROLE_USER", "parts": []object{{"text": text}}}
	if taskID != "" {
		m["taskId"] = taskID
	}
	return object{"message": m}
}

// taskOf reads the Task in an answer to SendMessage.
func taskOf(a answer) (task, error) {
	var r struct {
		Task task `json:"task"`
	}
	err := a.result(&r)
	return r.Task, err
}

// send opens a Task and waits until it stops.
func (c *a2aClient) send(t testing.TB, text string) task {
	t.Helper()
	return c.reply(t, "", text)
}

// reply sends a message to a Task, which must take it.
func (c *a2aClient) reply(t testing.TB, taskID, text string) task {
	t.Helper()
	return c.sendParams(t, say(taskID, text))
}

// sendParams is SendMessage with the given params, answered with a Task.
func (c *a2aClient) sendParams(t testing.TB, params object) task {
	t.Helper()
	tk, err := taskOf(c.call(t, "SendMessage", params))
	if err != nil {
		t.Fatalf("SendMessage: %v", err)
	}
	return tk
}

// get is GetTask.
func (c *a2aClient) get(t testing.TB, id string) task {
	t.Helper()
	var tk task
	if err := c.call(t, "GetTask", object{"id": id}).result(&tk); err != nil {
		t.Fatalf("GetTask: %v", err)
	}
	return tk
}

// pause opens a Task that must pause with the line.
func (c *a2aClient) pause(t testing.TB, b booking, line string) task {
	t.Helper()
	tk := c.send(t, b.text())
	wantTask(t, tk, inputRequired, line)
	return tk
}

// card fetches the Agent Card.
func (c *a2aClient) card(t testing.TB) answer {
	t.Helper()
	return mustExchange(t, "GET", c.base+"/.well-known/agent-card.json", c.header, nil)
}

// seen are all the bodies that came back.
func (c *a2aClient) seen() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies)
}
