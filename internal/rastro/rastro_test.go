package rastro

import (
	"context"
	"strings"
	"testing"
)

const (
	trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	span  = "00f067aa0ba902b7"
)

func TestLer(t *testing.T) {
	for _, c := range []struct {
		in string
		ok bool
	}{
		{"00-" + trace + "-" + span + "-01", true},
		{" 00-" + trace + "-" + span + "-00 ", true},
		{"01-" + trace + "-" + span + "-01", true},
		{"cc-" + trace + "-" + span + "-01-what-comes-later", true},
		{"", false},
		{"00", false},
		{"00-" + trace + "-" + span, false},
		{"00-" + trace + "-" + span + "-01-more", false},
		{"01-" + trace + "-" + span + "-01more", false},
		{"ff-" + trace + "-" + span + "-01", false},
		{"00-" + strings.ToUpper(trace) + "-" + span + "-01", false},
		{"00-" + strings.Repeat("0", 32) + "-" + span + "-01", false},
		{"00-" + trace + "-" + strings.Repeat("0", 16) + "-01", false},
		{"00-" + trace[:31] + "g-" + span + "-01", false},
		{"00_" + trace + "-" + span + "-01", false},
		{"00-" + trace + "-" + span + "-0", false},
		{"é0-" + trace + "-" + span + "-01", false},
	} {
		r, ok := Ler(c.in)
		if ok != c.ok {
			t.Errorf("%q: want ok=%v, got %v", c.in, c.ok, ok)
		}
		if ok && (r.TraceID != trace || r.SpanID != span) {
			t.Errorf("%q: read as %+v", c.in, r)
		}
	}
}

func TestFilhoEContexto(t *testing.T) {
	r, _ := Ler("00-" + trace + "-" + span + "-01")
	r = r.Com("a=b", "k=v")
	f := r.Filho()
	if f.TraceID != trace || f.SpanID == span || f.State != "a=b" || f.Baggage != "k=v" {
		t.Errorf("a child keeps the trace and what comes with it, with a span of its own; got %+v", f)
	}
	if back, ok := Ler(f.Traceparent()); !ok || back.SpanID != f.SpanID {
		t.Errorf("%q is not readable", f.Traceparent())
	}
	if _, ok := DoContexto(context.Background()); ok {
		t.Error("a bare context carries no trace")
	}
	if got, ok := DoContexto(ComContexto(context.Background(), f)); !ok || got != f {
		t.Errorf("want %+v from the context, got %+v", f, got)
	}
	if a, b := Novo(), Novo(); a.TraceID == b.TraceID {
		t.Error("new traces must differ")
	}
	if (Rastro{}).Traceparent() != "" {
		t.Error("no trace has no traceparent")
	}
	if got := r.Com(strings.Repeat("a", MaxCarried+1), "a\nb"); got.State != "" || got.Baggage != "" {
		t.Error("what is too long or not printable must be dropped")
	}
}

func FuzzLer(f *testing.F) {
	f.Add("00-" + trace + "-" + span + "-01")
	f.Add("ff-")
	f.Fuzz(func(t *testing.T, s string) {
		r, ok := Ler(s)
		if !ok {
			return
		}
		if back, ok := Ler(r.Traceparent()); !ok || back != r {
			t.Fatalf("%q read as %+v, which renders to %q", s, r, r.Traceparent())
		}
	})
}
