package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// delivery is one push notification, as it came.
type delivery struct {
	header http.Header
	body   []byte
	task   task
}

// webhook receives push notifications.
type webhook struct {
	url string

	mu  sync.Mutex
	got []delivery
	// answer gives the HTTP status of an answer; 0 hangs up without one. nil
	// accepts everything.
	answer func(delivery) int
	// wrong are deliveries that are none.
	wrong []string
}

const (
	hookToken       = "token-deste-receptor"
	hookScheme      = "Bearer"
	hookCredentials = "segredo-deste-receptor"
)

func startWebhook(t testing.TB, answer func(delivery) int) *webhook {
	t.Helper()
	w := &webhook{answer: answer}
	srv := httptest.NewServer(w)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, wrong := range w.wrong {
			t.Errorf("push notification: %s", wrong)
		}
	})
	w.url = srv.URL + "/avisos"
	return w
}

// ServeHTTP implements [http.Handler].
func (w *webhook) ServeHTTP(res http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	d := delivery{r.Header.Clone(), body, task{}}
	e, bad := parseEvent(body)
	w.mu.Lock()
	switch {
	case err != nil, bad != nil, e.Task == nil:
		w.wrong = append(w.wrong, fmt.Sprintf("expected a StreamResponse with a Task, got %.300s (%v, %v)", body, err, bad))
	default:
		d.task = *e.Task
	}
	for name, want := range map[string]string{
		"Content-Type":             "application/a2a+json",
		"Authorization":            hookScheme + " " + hookCredentials,
		"X-A2A-Notification-Token": hookToken,
		"A2A-Notification-Token":   hookToken,
	} {
		if got := r.Header.Get(name); got != want {
			w.wrong = append(w.wrong, fmt.Sprintf("expected %s %q, got %q", name, want, got))
		}
	}
	if r.Method != http.MethodPost {
		w.wrong = append(w.wrong, "expected POST, got "+r.Method)
	}
	w.got = append(w.got, d)
	status := http.StatusNoContent
	if w.answer != nil {
		status = w.answer(d)
	}
	w.mu.Unlock()
	if status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	res.WriteHeader(status)
}

// set changes what is answered.
func (w *webhook) set(answer func(delivery) int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = answer
}

// deliveries are those so far about a Task in a state, "" for any.
func (w *webhook) deliveries(id, state string) []delivery {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []delivery
	for _, d := range w.got {
		if d.task.ID == id && (state == "" || d.task.Status.State == state) {
			found = append(found, d)
		}
	}
	return found
}

// states are the states of a Task as the receiver was told of them, in order.
func (w *webhook) states(id string) []string {
	var states []string
	for _, d := range w.deliveries(id, "") {
		states = append(states, d.task.Status.State)
	}
	return states
}

// want waits until the receiver was told n times of a Task in a state, and
// returns the last of these.
func (w *webhook) want(t testing.TB, id, state string, n int) delivery {
	t.Helper()
	eventually(t, fmt.Sprintf("%d push notification(s) of %s", n, state), func() bool { return len(w.deliveries(id, state)) >= n })
	return w.deliveries(id, state)[n-1]
}

// wantCurrent checks that a notification has the Task as GetTask shows it.
func (d delivery) wantCurrent(t testing.TB, c *a2aClient) {
	t.Helper()
	var told struct {
		Task json.RawMessage `json:"task"`
	}
	var shown json.RawMessage
	if err := json.Unmarshal(d.body, &told); err != nil {
		t.Fatal(err)
	}
	if err := c.call(t, "GetTask", object{"id": d.task.ID}).result(&shown); err != nil {
		t.Fatalf("GetTask: %v", err)
	}
	if want, got := canonical(t, shown), canonical(t, told.Task); got != want {
		t.Errorf("expected the notification to have the Task that GetTask shows,\n%s\ngot\n%s", want, got)
	}
}

// config is the push notification config of the receiver.
func (w *webhook) config() object {
	return object{"url": w.url, "token": hookToken, "authentication": object{"scheme": hookScheme, "credentials": hookCredentials}}
}
