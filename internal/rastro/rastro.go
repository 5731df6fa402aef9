// Package rastro carries W3C Trace Context from one border to the next: it
// reads a traceparent, makes a child of it for each outgoing request, and
// starts a new trace where none came or the one that came is malformed.
//
// Follows https://www.w3.org/TR/trace-context/ (version 00).
package rastro

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Rastro is the trace context of one request. The zero value is no trace.
type Rastro struct {
	// TraceID is 32 lower-case hexadecimal digits, not all zero.
	TraceID string
	// SpanID is 16 lower-case hexadecimal digits, not all zero.
	SpanID string
	// Flags is 2 hexadecimal digits; 01 means sampled.
	Flags string
	// State and Baggage are the tracestate and baggage values that came along,
	// passed on unread. Empty when absent or unusable.
	State, Baggage string
}

// MaxCarried bounds tracestate and baggage, in bytes. Longer ones are dropped,
// as the specifications allow.
const MaxCarried = 8192

// Novo starts a new sampled trace.
func Novo() Rastro {
	return Rastro{TraceID: digits(16), SpanID: digits(8), Flags: "01"}
}

// Ler reads a traceparent header value. ok is false when it is malformed, of
// the forbidden version ff, or has an all-zero id: the caller then starts
// anew. Versions above 00 are read as 00, as the specification asks.
func Ler(traceparent string) (r Rastro, ok bool) {
	s := strings.TrimSpace(traceparent)
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return Rastro{}, false
	}
	version, trace, span, flags := s[:2], s[3:35], s[36:52], s[53:55]
	if !isHex(version) || version == "ff" || !isHex(trace) || !isHex(span) || !isHex(flags) {
		return Rastro{}, false
	}
	if version == "00" && len(s) != 55 || len(s) > 55 && s[55] != '-' {
		return Rastro{}, false
	}
	if strings.Trim(trace, "0") == "" || strings.Trim(span, "0") == "" {
		return Rastro{}, false
	}
	return Rastro{TraceID: trace, SpanID: span, Flags: flags}, true
}

// Com returns r with the tracestate and baggage that came with it. Values that
// are too long or not printable are dropped.
func (r Rastro) Com(state, baggage string) Rastro {
	r.State, r.Baggage = carried(state), carried(baggage)
	return r
}

func carried(s string) string {
	if len(s) > MaxCarried || !utf8.ValidString(s) || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return ""
	}
	return s
}

// Filho returns the same trace with a new span id: what an outgoing request
// carries.
func (r Rastro) Filho() Rastro {
	r.SpanID = digits(8)
	return r
}

// Traceparent renders r as a version 00 header value, or "" for no trace.
func (r Rastro) Traceparent() string {
	if r.TraceID == "" {
		return ""
	}
	return "00-" + r.TraceID + "-" + r.SpanID + "-" + r.Flags
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// digits returns 2n random hexadecimal digits, not all zero.
func digits(n int) string {
	b := make([]byte, n)
	for {
		_, _ = rand.Read(b) // never fails: crypto/rand ends the process first
		if s := hex.EncodeToString(b); strings.Trim(s, "0") != "" {
			return s
		}
	}
}

type key struct{}

// ComContexto returns a context that carries r to whoever sends requests.
func ComContexto(ctx context.Context, r Rastro) context.Context {
	return context.WithValue(ctx, key{}, r)
}

// DoContexto returns the trace that ctx carries, and whether it carries one.
func DoContexto(ctx context.Context) (Rastro, bool) {
	r, ok := ctx.Value(key{}).(Rastro)
	return r, ok && r.TraceID != ""
}
