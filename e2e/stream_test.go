package e2e

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bothWays runs a test over each binding that streams over HTTP.
func bothWays(t *testing.T, test func(*testing.T, binding)) {
	t.Parallel()
	for _, b := range []binding{overRPC, overREST} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

// cancel is CancelTask of a Task that has not ended.
func (c *a2aClient) cancel(t testing.TB, id string) {
	t.Helper()
	var tk task
	if err := c.call(t, "CancelTask", object{"id": id}).result(&tk); err != nil {
		t.Fatalf("CancelTask: %v", err)
	}
	wantTask(t, tk, canceled)
}

// TestStreamOfAMessage: each step is shown as it happens, and the stream ends
// where a blocking call would have returned (A2A v1.0, 3.1.2 and 11.7).
func TestStreamOfAMessage(t *testing.T) {
	bothWays(t, func(t *testing.T, b binding) {
		h := startHeld(t, everything(t)...)
		s := b.send(h.client, t, say("", conflict.text()))
		begun := s.want("task " + submitted)
		s.want(working) // while the call stands at the gate
		h.gate.wait()
		h.gate.open()
		paused := s.want(inputRequired)
		wantTask(t, paused.Status.task, inputRequired, line)
		s.want(streamEnd)
		id := begun.Task.ID
		if tk := h.client.get(t, id); !reflect.DeepEqual(tk.Status, paused.Status.task.Status) {
			t.Errorf("expected the last event to have the status that GetTask shows, %+v, got %+v", tk.Status, paused.Status.task.Status)
		}

		insisted := b.send(h.client, t, say(id, "escolha=sala-nove"))
		insisted.want("task "+inputRequired, streamEnd)

		s2 := b.send(h.client, t, say(id, "escolha=sala-mirante"))
		s2.want("task " + working)
		product := s2.want("artifact reserva")
		done := s2.want(completed)
		s2.want(streamEnd)
		end := h.client.get(t, id)
		wantBooked(t, end, "sala-mirante", conflict)
		if parts := product.Artifact.Artifact.Parts; len(parts) != 1 || parts[0].Text != end.artifact() {
			t.Errorf("expected the event to have the artifact that GetTask shows, %s, got %+v", end.artifact(), parts)
		}
		if !reflect.DeepEqual(end.Status, done.Status.task.Status) {
			t.Errorf("expected the last event to have the status that GetTask shows, %+v, got %+v", end.Status, done.Status.task.Status)
		}

		b.send(h.client, t, say("", "oi")).want("task "+submitted, rejected, streamEnd)
		states := h.border.states()
		if len(states) == 0 {
			t.Fatal("expected a requestState at the border")
		}
		for _, s := range []*stream{s, insisted, s2} {
			s.wantSecret(states)
		}
	})
}

// TestStreamSubscription: everybody who follows a Task sees the same, through
// the pause to its end, whoever else comes and goes (A2A v1.0, 3.1.6 and 3.5.2).
func TestStreamSubscription(t *testing.T) {
	t.Parallel()
	t.Run("through a pause", func(t *testing.T) {
		t.Parallel()
		p := startPairWith(t, everything(t)...)
		tk := p.a2a.pause(t, conflict, line)
		leaver := p.a2a.subscribe(t, tk.ID)
		staying := []*stream{p.a2a.subscribe(t, tk.ID), overREST.subscribe(p.a2a, t, tk.ID), p.a2a.subscribe(t, tk.ID)}
		for _, s := range append(staying, leaver) {
			if begun := s.want("task " + inputRequired); !reflect.DeepEqual(*begun.Task, tk) {
				t.Errorf("expected the stream to begin with the Task as it stands, %+v, got %+v", tk, *begun.Task)
			}
		}
		wantTask(t, p.a2a.reply(t, tk.ID, "escolha=sala-nove"), inputRequired, line)
		leaver.want(inputRequired)
		leaver.leave()
		wantEndedStreams(t, p.agent, 1)
		wantBooked(t, p.a2a.reply(t, tk.ID, "escolha=sala-fusca"), "sala-fusca", conflict)
		var heard []string
		for i, s := range staying {
			s.want(inputRequired, working, "artifact reserva", completed, streamEnd)
			var all []string
			for _, e := range s.seen {
				all = append(all, canonical(t, e.raw))
			}
			if heard == nil {
				heard = all
			} else if !slices.Equal(all, heard) {
				t.Errorf("expected subscriber %d to see what the first one saw,\n%s\ngot\n%s", i, strings.Join(heard, "\n"), strings.Join(all, "\n"))
			}
		}
	})
	t.Run("nobody who leaves stops anything", func(t *testing.T) {
		t.Parallel()
		h := startHeld(t, everything(t)...)
		sender := h.client.open(t, "/a2a", object{"jsonrpc": "2.0", "id": "s-1", "method": "SendStreamingMessage", "params": say("", conflict.text())})
		id := sender.want("task " + submitted).Task.ID
		sender.want(working)
		h.gate.wait()
		follower, other := h.client.subscribe(t, id), overREST.subscribe(h.client, t, id)
		follower.want("task " + working)
		other.want("task " + working)
		sender.leave()
		other.leave()
		wantEndedStreams(t, h.agent, 2)
		h.gate.open()
		follower.want(inputRequired)
		wantTask(t, h.client.get(t, id), inputRequired, line)
		wantBooked(t, h.client.reply(t, id, "escolha=sala-mirante"), "sala-mirante", conflict)
		follower.want(working, "artifact reserva", completed, streamEnd)
	})
}

// wantEndedStreams waits until so many streams have ended for the agent, whose
// callers have left.
func wantEndedStreams(t testing.TB, agent *process, n int) {
	t.Helper()
	eventually(t, "the agent to notice who has left", func() bool {
		return len(agent.log.requests(func(e entry) bool { return e["method"] == "SubscribeToTask" || e["method"] == "SendStreamingMessage" })) == n
	})
}

// TestStreamCancel: a cancel ends every stream of its Task, also while the
// server is at work, whose answer changes nothing then.
func TestStreamCancel(t *testing.T) {
	bothWays(t, func(t *testing.T, b binding) {
		h := startHeld(t, everything(t)...)
		h.gate = h.border.hold(t, true) // the server has acted, its answer is held
		s := b.send(h.client, t, say("", conflict.text()))
		id := s.want("task " + submitted).Task.ID
		s.want(working)
		h.gate.wait()
		follower := b.subscribe(h.client, t, id)
		follower.want("task " + working)
		h.client.cancel(t, id)
		s.want(canceled, streamEnd)
		follower.want(canceled, streamEnd)
		h.gate.open()
		eventually(t, "the held answer to have crossed the border", func() bool { return len(h.border.exchanges("tools/call")) == 1 })

		paused := h.client.pause(t, conflict, line) // one more exchange, after that answer
		wantTask(t, h.client.get(t, id), canceled)
		follower = b.subscribe(h.client, t, paused.ID)
		follower.want("task " + inputRequired)
		h.client.cancel(t, paused.ID)
		follower.want(canceled, streamEnd)
	})
}

// TestStreamRefusals: what cannot be followed is refused in the ordinary way,
// with no stream; an agent whose card declares no streaming has none.
func TestStreamRefusals(t *testing.T) {
	t.Parallel()
	streaming := func(t *testing.T, c *a2aClient) *bool {
		t.Helper()
		var card struct {
			Capabilities struct {
				Streaming *bool `json:"streaming"`
			} `json:"capabilities"`
		}
		if err := json.Unmarshal(c.card(t).body, &card); err != nil || card.Capabilities.Streaming == nil {
			t.Fatalf("expected a card that says whether there is streaming: %v", err)
		}
		return card.Capabilities.Streaming
	}
	t.Run("declared", func(t *testing.T) {
		t.Parallel()
		p := startPairWith(t, everything(t)...)
		if !*streaming(t, p.a2a) {
			t.Error("expected the card to say streaming true")
		}
		ended := p.a2a.send(t, "oi")
		for _, c := range []struct {
			method string
			params object
			code   int
		}{
			{"SubscribeToTask", object{"id": "nenhuma"}, -32001},
			{"SubscribeToTask", object{"id": ended.ID}, -32004},
			{"SubscribeToTask", object{}, -32602},
			{"SendStreamingMessage", say("nenhuma", "escolha=sala-fusca"), -32001},
			{"SendStreamingMessage", say(ended.ID, "escolha=sala-fusca"), -32004},
			{"SendStreamingMessage", object{}, -32602},
		} {
			wantError(t, p.a2a.call(t, c.method, c.params), 200, c.code)
		}
	})
	t.Run("not declared", func(t *testing.T) {
		t.Parallel()
		p := startPair(t)
		if *streaming(t, p.a2a) {
			t.Error("expected the default card to say streaming false")
		}
		tk := p.a2a.pause(t, conflict, line)
		wantError(t, p.a2a.call(t, "SubscribeToTask", object{"id": tk.ID}), 200, -32004)
		wantError(t, p.a2a.call(t, "SendStreamingMessage", say(tk.ID, "escolha=sala-fusca")), 200, -32004)
		wantError(t, p.a2a.call(t, "SendStreamingMessage", say("", conflict.text())), 200, -32004)
		wantError(t, p.a2a.call(t, "tasks/resubscribe", object{"id": tk.ID}), 200, -32004) // v0.3
		if all := p.listed(t, nil); !slices.Equal(all, []string{tk.ID}) {
			t.Errorf("expected the refused messages to open no Task, got %q", all)
		}
		wantTask(t, p.a2a.get(t, tk.ID), inputRequired, line)
	})
}

// TestStreamAndPushAcrossAgents: agents on one PostgreSQL are one agent, also
// for those who listen.
func TestStreamAndPushAcrossAgents(t *testing.T) {
	t.Parallel()
	c := startCluster(t, postgres(t), everything(t)...)
	t.Run("followed here, answered there", func(t *testing.T) { followAcross(t, c) })
	t.Run("streamed here, canceled there", func(t *testing.T) { cancelAcross(t, c) })
	t.Run("told of here, answered there", func(t *testing.T) { pushAcross(t, c) })
}

func followAcross(t *testing.T, c *cluster) {
	tk := c.clients[0].pause(t, conflict, line)
	var following []*stream
	for _, client := range c.clients {
		s := client.subscribe(t, tk.ID)
		s.want("task " + inputRequired)
		following = append(following, s)
	}
	wantTask(t, c.clients[2].reply(t, tk.ID, "escolha=sala-nove"), inputRequired, line)
	wantBooked(t, c.clients[1].reply(t, tk.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	for i, s := range following {
		// What followed each other fast may be told as one, at another agent.
		step := inputRequired
		for step == inputRequired || step == working {
			e, ok := s.next("the Task's end")
			if !ok {
				t.Fatalf("agent %d: expected the stream to go on to the Task's end, got %v: %v", i, s.seen, s.failure)
			}
			step = e.String()
		}
		if step != "artifact reserva" {
			t.Fatalf("agent %d: expected the artifact before the last status, got %v", i, s.seen)
		}
		s.want(completed, streamEnd)
	}
}

func cancelAcross(t *testing.T, c *cluster) {
	gate := c.borders[0].hold(t, true)
	defer c.borders[0].set(nil)
	s := overREST.send(c.clients[0], t, say("", conflict.text()))
	id := s.want("task " + submitted).Task.ID
	s.want(working)
	gate.wait()
	c.clients[1].cancel(t, id)
	s.want(canceled, streamEnd)
}

// TestStreamAgentKilled: a subscription breaks with its agent; after a restart a
// new one shows the Task as it stands and goes on to its end.
func TestStreamAgentKilled(t *testing.T) {
	t.Parallel()
	f := startInFile(t, everythingEnv(t)...)
	quiet, asked := f.pause(t, conflict, line), f.pause(t, conflict, line)
	gate := f.border.hold(t, false)
	unanswered, underWay := f.subscribe(t, quiet.ID), f.subscribe(t, asked.ID)
	before := unanswered.want("task " + inputRequired)
	underWay.want("task " + inputRequired)
	gone := make(chan error, 1)
	go func() {
		_, err := f.try(t.Context(), "SendMessage", say(asked.ID, "escolha=sala-mirante"))
		gone <- err
	}()
	underWay.want(working)
	gate.wait()
	f.agent.kill()
	unanswered.wantBroken()
	underWay.wantBroken()
	if err := <-gone; err == nil {
		t.Error("expected no answer of a killed agent")
	}
	f.border.set(nil)
	f.agent.restart(t)

	unanswered, underWay = f.subscribe(t, quiet.ID), f.subscribe(t, asked.ID)
	if after := unanswered.want("task " + inputRequired); canonical(t, after.raw) != canonical(t, before.raw) {
		t.Errorf("expected the Task as it was before the kill,\n%s\ngot\n%s", before.raw, after.raw)
	}
	wantTask(t, *underWay.want("task " + inputRequired).Task, inputRequired, line, cutAnswer)
	wantBooked(t, f.reply(t, asked.ID, "escolha=sala-mirante"), "sala-mirante", conflict)
	underWay.want(working, "artifact reserva", completed, streamEnd)
	wantTask(t, f.reply(t, quiet.ID, "escolha=recusar"), canceled)
	unanswered.want(working, canceled, streamEnd)
}

// TestStreamShutdown: a subscription to a paused Task, to which nothing may come
// for hours, keeps no agent from its end; one to a Task at work sees it stop.
func TestStreamShutdown(t *testing.T) {
	bothWays(t, func(t *testing.T, b binding) {
		t.Run("paused", func(t *testing.T) {
			t.Parallel()
			p := startPairWith(t, everything(t)...)
			s := b.subscribe(p.a2a, t, p.a2a.pause(t, conflict, line).ID)
			s.want("task " + inputRequired)
			p.agent.signal(t, syscall.SIGTERM)
			wantExit(t, p.agent, 3*time.Second) // it gives calls in flight 5 s
			s.want(streamEnd)
		})
		t.Run("at work", func(t *testing.T) {
			t.Parallel()
			h := startHeld(t, everything(t)...)
			s := b.send(h.client, t, say("", conflict.text()))
			id := s.want("task " + submitted).Task.ID
			s.want(working)
			h.gate.wait()
			follower := b.subscribe(h.client, t, id)
			follower.want("task " + working)
			h.agent.signal(t, syscall.SIGTERM)
			eventually(t, "the agent to accept no more connections", func() bool { return h.agent.refusing(t) })
			if !h.agent.running() {
				t.Fatal("expected the agent to wait for the streams of a Task at work, it has ended")
			}
			h.gate.open()
			s.want(inputRequired, streamEnd)
			follower.want(inputRequired, streamEnd)
			wantExit(t, h.agent, 3*time.Second)
		})
	})
}
