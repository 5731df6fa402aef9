package main

import (
	"context"
	"maps"
	"testing"
	"time"
)

func TestCamposDe(t *testing.T) {
	tests := []struct {
		linha string
		want  map[string]string
	}{
		{`time=2026 level=INFO msg=request id=4`, map[string]string{"time": "2026", "level": "INFO", "msg": "request", "id": "4"}},
		{`msg=request id="\"r 1\"" traceparent="" outcome="error -32602" dur=1µs`, map[string]string{"msg": "request", "id": `"r 1"`, "traceparent": "", "outcome": "error -32602", "dur": "1µs"}},
		{`id="a=b msg=request"`, map[string]string{"id": "a=b msg=request"}},
		{`panic: boom`, map[string]string{}},
		{``, map[string]string{}},
		{`a=`, map[string]string{"a": ""}},
	}
	for _, tt := range tests {
		if got := camposDe(tt.linha); !maps.Equal(got, tt.want) {
			t.Errorf("camposDe(%q) = %v, want %v", tt.linha, got, tt.want)
		}
	}
}

const traceDeTeste = "4bf92f3577b34da6a3ce929d0e0e4736"

func linhaDeLog(metodo, id, trace string) string {
	return "time=x level=INFO msg=request method=" + metodo + " id=" + id + " traceparent=00-" + trace + "-00f067aa0ba902b7-01 outcome=ok\n"
}

func TestDiarioEspera(t *testing.T) {
	d := &diario{}
	w := d.saida()
	go func() {
		_, _ = w.Write([]byte("panic=" + traceDeTeste + "\n" + linhaDeLog("tools/list", "1", "aaaa2f3577b34da6a3ce929d0e0e4736")))
		time.Sleep(5 * time.Millisecond)
		_, _ = w.Write([]byte(linhaDeLog("tools/call", "2", traceDeTeste)))
	}()
	um := func(v []requestVisto) bool { return len(v) == 1 }
	vistos := d.esperar(context.Background(), traceDeTeste, 10*time.Second, um)
	if len(vistos) != 1 || vistos[0].metodo != "tools/call" || vistos[0].id != "2" {
		t.Errorf("got %v, want the tools/call of this trace alone", vistos)
	}
	nunca := func([]requestVisto) bool { return false }
	if vistos := d.esperar(context.Background(), traceDeTeste, time.Millisecond, nunca); len(vistos) != 1 {
		t.Errorf("after the time is over: %v, want what was seen", vistos)
	}
	if !d.antesDe("tools/list", "tools/call") || d.antesDe("tools/call", "tools/list") {
		t.Error("antesDe does not tell the order")
	}
}

func TestDiarioTemLimite(t *testing.T) {
	d := &diario{}
	for range maxDiario + 10 {
		d.anotar([]byte("x"))
	}
	if n := len(d.ultimas(maxDiario * 2)); n != maxDiario {
		t.Errorf("%d lines kept, want %d", n, maxDiario)
	}
}
