package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// canonical is JSON with its members in order, for comparison.
func canonical(t testing.TB, raw []byte) string {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("expected JSON, got %.300q: %v", raw, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// event is a StreamResponse, as far as the tests read it. One member stands.
type event struct {
	raw      json.RawMessage
	Task     *task
	Status   *taskEvent
	Artifact *taskEvent
}

// taskEvent is a statusUpdate or an artifactUpdate.
type taskEvent struct {
	TaskID string `json:"taskId"`
	task
	Artifact struct {
		Name  string `json:"name"`
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	} `json:"artifact"`
}

func parseEvent(raw []byte) (event, error) {
	e := event{raw: raw}
	var members map[string]json.RawMessage
	err := json.Unmarshal(raw, &members)
	if err == nil && len(members) != 1 {
		err = fmt.Errorf("expected one member, got %d", len(members))
	}
	for name, value := range members {
		var to any
		switch name {
		case "task":
			to = &e.Task
		case "statusUpdate":
			to = &e.Status
		case "artifactUpdate":
			to = &e.Artifact
		default:
			err = fmt.Errorf("unexpected member %q", name)
			continue
		}
		if err == nil {
			err = json.Unmarshal(value, to)
		}
	}
	if err != nil {
		return e, fmt.Errorf("StreamResponse: %w: %.300s", err, raw)
	}
	return e, nil
}

// ids are the Task and the context that the event is about.
func (e event) ids() [2]string {
	switch {
	case e.Task != nil:
		return [2]string{e.Task.ID, e.Task.ContextID}
	case e.Status != nil:
		return [2]string{e.Status.TaskID, e.Status.ContextID}
	}
	return [2]string{e.Artifact.TaskID, e.Artifact.ContextID}
}

// String is "task STATE", "STATE" or "artifact NAME".
func (e event) String() string {
	switch {
	case e.Task != nil:
		return "task " + e.Task.Status.State
	case e.Status != nil:
		return e.Status.task.Status.State
	}
	return "artifact " + e.Artifact.Artifact.Name
}

// streamEnd is the step that stands for an orderly end.
const streamEnd = "end of the stream"

// stream is a stream as its caller reads it.
type stream struct {
	t     testing.TB
	name  string
	leave context.CancelFunc
	// events is closed at the end; failure is then why, nil for an orderly end.
	events  chan event
	failure error
	seen    []event
}

// streamClient has no timeout: a stream lasts as long as its Task.
var streamClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// binding is one of the two over HTTP, as far as streams go.
type binding struct {
	name      string
	send      func(c *a2aClient, t testing.TB, params object) *stream
	subscribe func(c *a2aClient, t testing.TB, id string) *stream
}

var (
	overRPC = binding{
		"JSON-RPC",
		func(c *a2aClient, t testing.TB, params object) *stream {
			t.Helper()
			return c.open(t, "/a2a", object{"jsonrpc": "2.0", "id": "s-1", "method": "SendStreamingMessage", "params": params})
		},
		(*a2aClient).subscribe,
	}
	overREST = binding{
		"HTTP+JSON",
		func(c *a2aClient, t testing.TB, params object) *stream {
			t.Helper()
			return c.open(t, "/rest/message:stream", params)
		},
		func(c *a2aClient, t testing.TB, id string) *stream {
			t.Helper()
			return c.open(t, "/rest/tasks/"+id+":subscribe", nil)
		},
	}
)

// subscribe is SubscribeToTask.
func (c *a2aClient) subscribe(t testing.TB, id string) *stream {
	t.Helper()
	return c.open(t, "/a2a", object{"jsonrpc": "2.0", "id": "s-1", "method": "SubscribeToTask", "params": object{"id": id}})
}

// open sends a request that must be answered with a stream.
func (c *a2aClient) open(t testing.TB, path string, request any) *stream {
	t.Helper()
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			t.Fatal(err)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	req, err := http.NewRequestWithContext(ctx, "POST", c.base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	// Should the stream not open, nobody waits for it for ever.
	slow := time.AfterFunc(patience, leave)
	res, err := streamClient.Do(req)
	if !slow.Stop() || err != nil {
		t.Fatalf("%s: expected a stream within %s: %v", path, patience, err)
	}
	if ct := res.Header.Get("Content-Type"); res.StatusCode != 200 || !strings.HasPrefix(ct, "text/event-stream") {
		raw, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		_ = res.Body.Close()
		t.Fatalf("%s: expected HTTP 200 with text/event-stream, got HTTP %d with %q: %s", path, res.StatusCode, ct, raw)
	}
	s := &stream{t: t, name: path, leave: leave, events: make(chan event, 100)}
	go func() {
		defer close(s.events)
		defer func() { _ = res.Body.Close() }()
		s.failure = s.read(ctx, res.Body, path == "/a2a")
	}()
	return s
}

// read turns server-sent events into events. wrapped ones are in a JSON-RPC
// response.
func (s *stream) read(ctx context.Context, body io.Reader, wrapped bool) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	var data []byte
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, ":"): // a comment keeps the connection awake
		case line != "":
			text, ok := strings.CutPrefix(line, "data: ")
			if !ok || data != nil {
				return fmt.Errorf("expected events of one data line, got %.200q", line)
			}
			data = []byte(text)
		case data != nil:
			raw := data
			data = nil
			if wrapped {
				var r response
				if err := json.Unmarshal(raw, &r); err != nil || r.Version != "2.0" || string(r.ID) != `"s-1"` || r.Result == nil {
					return fmt.Errorf("expected a JSON-RPC result with the request's id, got %.300s", raw)
				}
				raw = r.Result
			}
			e, err := parseEvent(raw)
			if err != nil {
				return err
			}
			select {
			case s.events <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if data != nil {
		return fmt.Errorf("expected whole events, got the half of one: %.200s", data)
	}
	return nil
}

// next waits for an event; ok is false at the end, orderly or not.
func (s *stream) next(expected string) (e event, ok bool) {
	s.t.Helper()
	select {
	case e, ok = <-s.events:
	case <-time.After(patience):
		s.t.Fatalf("%s: expected %s within %s, got nothing; before that: %v", s.name, expected, patience, s.seen)
	}
	if ok {
		s.seen = append(s.seen, e)
		if first := s.seen[0].ids(); e.ids() != first {
			s.t.Fatalf("%s: expected events about the Task and context %q, got one about %q", s.name, first, e.ids())
		}
	}
	return e, ok
}

// want reads the stream as far as the steps go, and returns the last of them.
func (s *stream) want(steps ...string) (last event) {
	s.t.Helper()
	for _, step := range steps {
		e, ok := s.next(step)
		got := streamEnd
		switch {
		case ok:
			got = e.String()
		case s.failure != nil:
			got = "a broken stream: " + s.failure.Error()
		}
		if got != step {
			s.t.Fatalf("%s: expected %s, got %s; all of it: %v", s.name, step, got, s.seen)
		}
		last = e
	}
	return last
}

// wantBroken waits for the end of a stream whose agent was killed.
func (s *stream) wantBroken() {
	s.t.Helper()
	if e, ok := s.next("the connection to break"); ok || s.failure == nil {
		s.t.Fatalf("%s: expected the connection to break, got %v (an orderly end: %v)", s.name, e.raw, !ok)
	}
}

// wantSecret checks that no event shows one of the texts.
func (s *stream) wantSecret(texts []string) {
	s.t.Helper()
	for _, e := range s.seen {
		for _, text := range texts {
			if bytes.Contains(e.raw, []byte(text)) {
				s.t.Errorf("%s: expected no requestState in an event, got one: %s", s.name, e.raw)
			}
		}
	}
}
