package processo

import (
	"net"
	"strings"
	"testing"
)

func TestEscutarLocalhost(t *testing.T) {
	for _, addr := range []string{"localhost:0", "LOCALHOST:0", ":0"} {
		t.Run(addr, func(t *testing.T) { testarLoopback(t, addr) })
	}
}

func testarLoopback(t *testing.T, addr string) {
	ls, err := Escutar(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	ports := map[int]bool{}
	for _, l := range ls {
		defer l.Close()
		a := l.Addr().(*net.TCPAddr)
		if !a.IP.IsLoopback() {
			t.Errorf("%s is not loopback", a)
		}
		ports[a.Port] = true
	}
	if len(ports) != 1 {
		t.Errorf("want one port on all families, got %v", ports)
	}
	_, err = Escutar(t.Context(), ls[0].Addr().String())
	if err == nil || !strings.Contains(err.Error(), "em uso") || !strings.Contains(err.Error(), ls[0].Addr().String()) {
		t.Errorf("taken port: want an error that says so and names it, got %v", err)
	}
	for _, bad := range []string{"", "localhost", "localhost:x", "localhost:99999", "x:-1", "192.0.2.1:0"} {
		if ls, err := Escutar(t.Context(), bad); err == nil {
			t.Errorf("%q: want an error, got %v", bad, ls)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %q", bad, err)
		}
	}
}
