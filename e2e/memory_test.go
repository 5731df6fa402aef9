package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// residentMemory is the VmRSS of a process, in bytes; ok is false where the
// system does not tell.
func residentMemory(t testing.TB, pid int) (bytes int64, ok bool) {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			if err != nil {
				t.Fatalf("expected VmRSS in kB, got %q", line)
			}
			return kib << 10, true
		}
	}
	return 0, false
}

// TestIdleMemory measures each process after one exchange. The goal is 25 MiB;
// what fails the test leaves room for other machines.
func TestIdleMemory(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the race detector's own memory is not the process's")
	}
	p := startPair(t)
	wantBooked(t, p.a2a.reply(t, p.a2a.pause(t, conflict, line).ID, "escolha=sala-fusca"), "sala-fusca", conflict)
	for _, proc := range []*process{p.server, p.agent} {
		const limit = 40 << 20
		rss, ok := residentMemory(t, proc.PID())
		if !ok {
			t.Skip("this system does not tell how much memory a process has")
		}
		t.Logf("%s: %s resident (goal 25 MiB)", proc.name, mib(rss))
		if rss > limit {
			t.Errorf("expected %s to stay below %s, got %s", proc.name, mib(limit), mib(rss))
		}
	}
}
