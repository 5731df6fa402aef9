package e2e

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// telling is the params of SendMessage, with where to tell of the Task.
func telling(text string, config object) object {
	params := say("", text)
	params["configuration"] = object{"taskPushNotificationConfig": config}
	return params
}

// create is CreateTaskPushNotificationConfig, and returns the config's id.
func (c *a2aClient) create(t testing.TB, taskID string, config object) string {
	t.Helper()
	config["taskId"] = taskID
	var made struct {
		ID  string `json:"id"`
		URL string `json:"url"`
	}
	a := c.call(t, "CreateTaskPushNotificationConfig", config)
	if err := a.result(&made); err != nil || made.ID == "" || made.URL != config["url"] {
		t.Fatalf("expected the config with an id, got %s (%v)", a.body, err)
	}
	return made.ID
}

// TestPushTellsOfATask: whoever asked in the message is told of the pause and of
// the end, with the credentials it gave, and nobody else sees these.
func TestPushTellsOfATask(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	b := startBorder(t, server.URL)
	agent := startAgent(t, b.url, everything(t)...)
	c := &a2aClient{base: agent.URL}
	hook := startWebhook(t, nil)
	tk := c.sendParams(t, telling(conflict.text(), hook.config()))
	wantTask(t, tk, inputRequired, line)
	paused := hook.want(t, tk.ID, inputRequired, 1)
	wantTask(t, paused.task, inputRequired, line)
	paused.wantCurrent(t, c)
	wantTask(t, c.reply(t, tk.ID, "escolha=sala-nove"), inputRequired, line) // tells of a change, too
	hook.want(t, tk.ID, inputRequired, 2).wantCurrent(t, c)
	wantBooked(t, c.reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	done := hook.want(t, tk.ID, completed, 1)
	wantBooked(t, done.task, "sala-fusca", conflict)
	done.wantCurrent(t, c)
	agent.stop(t) // which finishes what is being told

	// Steps may have been told as one, but in their order, and none twice.
	order := []string{submitted, working, inputRequired, inputRequired, working, completed}
	for i, state := range hook.states(tk.ID) {
		at := slices.Index(order, state)
		if at < 0 {
			t.Fatalf("notification %d: expected the steps in their order, each once, got %q", i, hook.states(tk.ID))
		}
		order = order[at+1:]
	}
	states := b.states()
	if len(states) == 0 {
		t.Fatal("expected a requestState at the border")
	}
	for _, d := range hook.deliveries(tk.ID, "") {
		for _, state := range states {
			if bytes.Contains(d.body, []byte(state)) {
				t.Errorf("expected no requestState in a notification, got %s", d.body)
			}
		}
	}
	for _, s := range []string{hookToken, hookCredentials} {
		if lines := agent.log.matching(s); len(lines) > 0 {
			t.Errorf("expected no secret of the receiver's in the log, got %q", lines)
		}
	}
	for _, raw := range c.seen() {
		if bytes.Contains(raw, []byte(hookCredentials)) {
			t.Errorf("expected no credentials in an answer, got %s", raw)
		}
	}
}

// TestPushIsRetried: a receiver that is at a loss hears the same again.
func TestPushIsRetried(t *testing.T) {
	t.Parallel()
	p := startPairWith(t, everything(t)...)
	for name, status := range map[string]int{"error 500": 500, "hangs up": 0, "not now": 429} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := true
			hook := startWebhook(t, func(d delivery) int {
				if d.task.Status.State == inputRequired && first {
					first = false
					return status
				}
				return 200
			})
			tk := p.a2a.sendParams(t, telling(conflict.text(), hook.config()))
			again := hook.want(t, tk.ID, inputRequired, 2)
			if failed := hook.deliveries(tk.ID, inputRequired)[0]; !bytes.Equal(failed.body, again.body) {
				t.Errorf("expected the same again,\n%s\ngot\n%s", failed.body, again.body)
			}
			wantTask(t, p.a2a.reply(t, tk.ID, "escolha=recusar"), canceled)
			hook.want(t, tk.ID, canceled, 1)
		})
	}
}

// TestPushGoesNowhereElse: an agent that is not told otherwise sends nothing to
// this machine or to its network, and refuses what names them.
func TestPushGoesNowhereElse(t *testing.T) {
	t.Parallel()
	p := startPairWith(t, "-perfil", declaring(t), "-httpjson")
	hook := startWebhook(t, nil)
	tk := p.a2a.pause(t, conflict, line)
	_, at, _ := strings.Cut(hook.url, "127.0.0.1")
	for _, url := range []string{hook.url, "http://localhost" + at, "http://[::1]" + at, "http://127.1" + at, "http://10.0.0.1/", "https://169.254.169.254/", "file:///etc/passwd", ""} {
		config := hook.config()
		config["url"] = url
		for field, a := range map[string]answer{
			"configuration.taskPushNotificationConfig.url": p.a2a.call(t, "SendMessage", telling(conflict.text(), config)),
			"url": p.a2a.call(t, "CreateTaskPushNotificationConfig", object{"taskId": tk.ID, "url": url}),
		} {
			if e := wantError(t, a, 200, -32602); !bytes.Contains(e.Data, []byte(`"field":"`+field+`"`)) {
				t.Errorf("%q: expected an error that names %s, got %s", url, field, e.Data)
			}
		}
	}
	if all := p.listed(t, nil); !slices.Equal(all, []string{tk.ID}) {
		t.Errorf("expected the refused messages to open no Task, got %q", all)
	}
	wantBooked(t, p.a2a.reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	p.agent.stop(t)
	if states := hook.states(tk.ID); len(states) > 0 {
		t.Errorf("expected nothing to be told, got %q", states)
	}
}

// TestPushDeleted: a config that is deleted tells nothing more, and the others
// go on.
func TestPushDeleted(t *testing.T) {
	t.Parallel()
	p := startPairWith(t, everything(t)...)
	tk := p.a2a.pause(t, conflict, line)
	deleted, kept := startWebhook(t, nil), startWebhook(t, nil)
	id, other := p.a2a.create(t, tk.ID, deleted.config()), p.a2a.create(t, tk.ID, kept.config())
	wantTask(t, p.a2a.reply(t, tk.ID, "escolha=sala-nove"), inputRequired, line)
	deleted.want(t, tk.ID, inputRequired, 1)
	kept.want(t, tk.ID, inputRequired, 1)

	named := object{"taskId": tk.ID, "id": id}
	for range 2 { // as often as one likes
		if err := p.a2a.call(t, "DeleteTaskPushNotificationConfig", named).result(&object{}); err != nil {
			t.Fatalf("DeleteTaskPushNotificationConfig: %v", err)
		}
	}
	wantError(t, p.a2a.call(t, "GetTaskPushNotificationConfig", named), 200, -32001)
	var left struct {
		Configs []struct {
			ID string `json:"id"`
		} `json:"configs"`
	}
	if err := p.a2a.call(t, "ListTaskPushNotificationConfigs", object{"taskId": tk.ID}).result(&left); err != nil || len(left.Configs) != 1 || left.Configs[0].ID != other {
		t.Errorf("expected the config %s to be left, got %+v (%v)", other, left.Configs, err)
	}
	wantBooked(t, p.a2a.reply(t, tk.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	kept.want(t, tk.ID, completed, 1)
	p.agent.stop(t) // which finishes what is being told
	if states := deleted.states(tk.ID); !slices.Equal(states, []string{inputRequired}) {
		t.Errorf("expected nothing after the config was deleted, got %q", states)
	}
}

// TestPushNotDeclared: the default agent has no push notifications, and says so.
func TestPushNotDeclared(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	hook := startWebhook(t, nil)
	tk := p.a2a.pause(t, conflict, line)
	if card := p.a2a.card(t).body; !bytes.Contains(card, []byte(`"pushNotifications":false`)) {
		t.Errorf("expected the default card to say pushNotifications false, got %s", card)
	}
	config := hook.config()
	config["taskId"] = tk.ID
	for method, params := range map[string]object{
		"CreateTaskPushNotificationConfig": config,
		"GetTaskPushNotificationConfig":    {"taskId": tk.ID, "id": "x"},
		"ListTaskPushNotificationConfigs":  {"taskId": tk.ID},
		"DeleteTaskPushNotificationConfig": {"taskId": tk.ID, "id": "x"},
		"SendMessage":                      telling(conflict.text(), hook.config()),
	} {
		if r, err := p.a2a.call(t, method, params).rpc(); err != nil || r.Error == nil || r.Error.Code != -32003 {
			t.Errorf("%s: expected error -32003, got %+v (%v)", method, r.Error, err)
		}
	}
	if all := p.listed(t, nil); !slices.Equal(all, []string{tk.ID}) {
		t.Errorf("expected the refused message to open no Task, got %q", all)
	}
}

// TestPushSurvivesAKill: what could not be told before a kill is told after the
// restart, with the same credentials, which the file does not show.
func TestPushSurvivesAKill(t *testing.T) {
	t.Parallel()
	f := startInFile(t, append(everythingEnv(t), "TAREFAS_CHAVE="+secret())...)
	hook := startWebhook(t, func(delivery) int { return 0 })
	tk := f.sendParams(t, telling(conflict.text(), hook.config()))
	wantTask(t, tk, inputRequired, line)
	hook.want(t, tk.ID, inputRequired, 1)
	eventually(t, "the agent to find the receiver down", func() bool { return len(f.agent.log.matching("push notification failed")) > 0 })
	f.pause(t, conflict, line) // stored after that was noted
	for _, s := range []string{hookToken, hookCredentials} {
		if bytes.Contains(f.stored(t), []byte(s)) {
			t.Errorf("expected no secret of the receiver's in the file of an agent that has a key, found one of %d bytes", len(s))
		}
	}
	f.agent.kill()
	before := len(hook.deliveries(tk.ID, inputRequired))
	hook.set(nil)
	f.agent.restart(t)
	// A kill in the middle of an attempt, which is rare here, leaves a claim of
	// 40 s behind.
	for end := time.Now().Add(time.Minute); len(hook.deliveries(tk.ID, inputRequired)) == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("expected the notification of the pause after the restart")
		}
	}
	hook.want(t, tk.ID, inputRequired, before+1).wantCurrent(t, f.a2aClient)
	wantBooked(t, f.reply(t, tk.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	hook.want(t, tk.ID, completed, 1).wantCurrent(t, f.a2aClient)
}

// pushAcross: what is asked at one agent and happens at another is told once.
func pushAcross(t *testing.T, c *cluster) {
	hook := startWebhook(t, nil)
	tk := c.clients[0].sendParams(t, telling(conflict.text(), hook.config()))
	hook.want(t, tk.ID, inputRequired, 1)
	wantBooked(t, c.clients[1].reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	hook.want(t, tk.ID, completed, 1).wantCurrent(t, c.clients[2])
	for _, agent := range c.agents {
		agent.stop(t) // which finishes what is being told
	}
	if n := len(hook.deliveries(tk.ID, completed)); n != 1 {
		t.Errorf("expected one notification of the end from three agents, got %d", n)
	}
}
