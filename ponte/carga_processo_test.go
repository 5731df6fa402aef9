package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestConsumoDe(t *testing.T) {
	raiz := t.TempDir()
	if _, err := consumoDe(raiz, 42); !errors.Is(err, errSemProc) {
		t.Errorf("without /proc: %v, want %v", err, errSemProc)
	}
	escrever := func(pid, texto string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(raiz, pid), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(raiz, pid, "stat"), []byte(texto), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	escrever("self", "1 (x) S")
	// utime 150 and stime 50 ticks, rss 1000 pages, a name to fall over
	escrever("42", "42 (a b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 9 0 12345 999999 1000 18446744073709551615 1\n")
	c, err := consumoDe(raiz, 42)
	if err != nil || c.cpu != 2*time.Second || c.rss != 1000*int64(os.Getpagesize()) {
		t.Errorf("%+v, %v, want 2 s and 1000 pages", c, err)
	}
	if _, err := consumoDe(raiz, 43); err == nil || errors.Is(err, errSemProc) {
		t.Errorf("a process that is not there: %v", err)
	}
	for i, texto := range []string{"", "44", "44 (x) S 1 2", "44 (x) S 1 2 3 4 5 6 7 8 9 10 x 50 0 0 20 0 9 0 12345 999999 1000 1 1"} {
		escrever(strconv.Itoa(100+i), texto)
		if _, err := consumoDe(raiz, 100+i); err == nil {
			t.Errorf("%q was read", texto)
		}
	}
}

func TestConsumoProprio(t *testing.T) {
	antes, err := consumoDe(raizProc, os.Getpid())
	if err != nil {
		t.Skip(err)
	}
	if antes.rss < 1<<20 {
		t.Errorf("this process holds %d bytes, want at least a megabyte", antes.rss)
	}
	for fim := time.Now().Add(20 * time.Second); time.Now().Before(fim); {
		if agora, err := consumoDe(raizProc, os.Getpid()); err != nil || agora.cpu > antes.cpu {
			return // it grows
		}
	}
	t.Error("the CPU time of a busy process does not grow")
}
