package e2e

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// logbook takes what a process writes to its stderr, line by line.
type logbook struct {
	mu      sync.Mutex
	partial []byte
	whole   []string
}

// Write implements [io.Writer].
func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, b...)
	for {
		line, rest, ok := bytes.Cut(l.partial, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.whole = append(l.whole, string(line))
		l.partial = bytes.Clone(rest)
	}
}

// lines returns the whole lines so far.
func (l *logbook) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.whole[:len(l.whole):len(l.whole)]
}

// requests returns the request lines so far, in their order, that keep chooses
// (nil for all).
func (l *logbook) requests(keep func(entry) bool) []entry {
	var es []entry
	for _, line := range l.lines() {
		if e := parseEntry(line); e["msg"] == "request" && !strings.Contains(e["id"], barrier) && (keep == nil || keep(e)) {
			es = append(es, e)
		}
	}
	return es
}

// inspect fails a test whose process reported what must never happen, and
// shows the log of one that failed already.
func (l *logbook) inspect(t testing.TB, name string) {
	t.Helper()
	for _, line := range l.lines() {
		if strings.Contains(line, "DATA RACE") || strings.Contains(line, "panic") || strings.HasPrefix(line, "fatal error:") {
			t.Errorf("expected no panic and no data race in the log of %s, got: %s", name, line)
		}
	}
	if t.Failed() {
		const most = 20
		lines := l.lines()
		t.Logf("stderr of %s (last %d of %d lines):\n%s", name, min(most, len(lines)), len(lines), strings.Join(lines[max(0, len(lines)-most):], "\n"))
	}
}

// entry is one line of a log: key=value pairs, values quoted where needed.
type entry map[string]string

func parseEntry(line string) entry {
	e := entry{}
	for line != "" {
		key, rest, ok := strings.Cut(line, "=")
		if !ok {
			break
		}
		value := rest
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			value, _ = strconv.Unquote(quoted)
			line = strings.TrimPrefix(rest[len(quoted):], " ")
		} else {
			value, line, _ = strings.Cut(rest, " ")
		}
		e[key] = value
	}
	return e
}

// traceID is the trace-id in the entry's traceparent, or "".
func (e entry) traceID() string {
	if fields := strings.Split(e["traceparent"], "-"); len(fields) == 4 {
		return fields[1]
	}
	return ""
}
