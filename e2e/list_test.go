package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// page is an answer to ListTasks.
type page struct {
	Tasks    []task  `json:"tasks"`
	Next     *string `json:"nextPageToken"`
	PageSize int     `json:"pageSize"`
	Total    int     `json:"totalSize"`
}

// list is ListTasks.
func (p *pair) list(t *testing.T, params object) page {
	t.Helper()
	var got page
	a := p.a2a.call(t, "ListTasks", params)
	if err := a.result(&got); err != nil {
		t.Fatalf("ListTasks: %v", err)
	}
	if got.Next == nil || got.Tasks == nil {
		t.Fatalf("expected tasks to be a list and nextPageToken to be there, got: %s", a.body)
	}
	return got
}

// listed are the ids on one page.
func (p *pair) listed(t *testing.T, params object) []string {
	t.Helper()
	found := []string{}
	for _, tk := range p.list(t, params).Tasks {
		found = append(found, tk.ID)
	}
	return found
}

// TestListTasks: order, pages, filters, and what each Task shows.
func TestListTasks(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	empty := p.a2a.call(t, "ListTasks", object{})
	for _, want := range []string{`"tasks":[]`, `"nextPageToken":""`, `"totalSize":0`} {
		if !bytes.Contains(empty.body, []byte(want)) {
			t.Errorf("expected %s in an empty list, got: %s", want, empty.body)
		}
	}

	var order []string // newest first
	for day := range 5 {
		b := booking{sala: "sala-porao", responsavel: "Marty"}.at(fmt.Sprintf("12-%02d", day+1), "09:00", "10:00")
		tk := p.a2a.send(t, b.text())
		wantTask(t, tk, completed)
		order = slices.Insert(order, 0, tk.ID)
	}
	if got := p.listed(t, object{}); !slices.Equal(got, order) {
		t.Errorf("expected the newest first, %q, got %q", order, got)
	}

	// A Task that changes is new again.
	paused := p.a2a.pause(t, conflict, line)
	other := p.a2a.pause(t, conflict, line)
	wantTask(t, p.a2a.reply(t, paused.ID, "escolha=recusar"), canceled)
	order = append([]string{paused.ID, other.ID}, order...)
	if got := p.listed(t, object{}); !slices.Equal(got, order) {
		t.Errorf("expected the last changed first, %q, got %q", order, got)
	}

	// Pages join to the whole.
	var joined []string
	token := ""
	for pages := 1; ; pages++ {
		params := object{"pageSize": 3}
		if token != "" {
			params["pageToken"] = token
		}
		got := p.list(t, params)
		if got.Total != len(order) || got.PageSize != 3 || len(got.Tasks) > 3 {
			t.Errorf("expected at most 3 of %d Tasks on a page, got %d of %d with pageSize %d", len(order), len(got.Tasks), got.Total, got.PageSize)
		}
		for _, tk := range got.Tasks {
			joined = append(joined, tk.ID)
		}
		if token = *got.Next; token == "" || pages > 5 {
			break
		}
	}
	if !slices.Equal(joined, order) {
		t.Errorf("expected the pages to be %q, got %q", order, joined)
	}

	// Filters.
	if got := p.listed(t, object{"status": inputRequired}); !slices.Equal(got, []string{other.ID}) {
		t.Errorf("expected the one paused Task %s, got %q", other.ID, got)
	}
	if got := p.listed(t, object{"contextId": paused.ContextID}); !slices.Equal(got, []string{paused.ID}) {
		t.Errorf("expected the one Task of the context, %s, got %q", paused.ID, got)
	}

	// Artifacts and history only as asked for.
	for _, tk := range p.list(t, object{"status": completed}).Tasks {
		if tk.Artifacts != nil {
			t.Errorf("expected no artifacts in a list that did not ask for them, got %+v", tk.Artifacts)
		}
	}
	for _, tk := range p.list(t, object{"status": completed, "includeArtifacts": true, "historyLength": 1}).Tasks {
		if tk.artifact() == "" || len(tk.History) != 1 {
			t.Errorf("expected an artifact and one message, got %+v", tk)
		}
	}
}
