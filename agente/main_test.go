package main

import (
	"net"
	"testing"
)

func TestHostDoCartao(t *testing.T) {
	bound := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7999}
	for addr, want := range map[string]string{
		"localhost:7300": "localhost:7999",
		"localhost:0":    "localhost:7999",
		":0":             "localhost:7999",
		"0.0.0.0:7300":   "localhost:7999",
		"[::]:7300":      "localhost:7999",
		"127.0.0.1:7300": "127.0.0.1:7999",
		"[::1]:7300":     "[::1]:7999",
		"agentes.lan:80": "agentes.lan:7999",
	} {
		if got := hostDe(addr, bound); got != want {
			t.Errorf("%s: want %s, got %s", addr, want, got)
		}
	}
}
