package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestComPrefixo(t *testing.T) {
	longa := strings.Repeat("x", maxLinha)
	tests := []struct {
		nome   string
		writes []string
		want   string
	}{
		{"one line", []string{"um\n"}, "[p] um\n"},
		{"several lines in one write", []string{"um\ndois\n\ntres\n"}, "[p] um\n[p] dois\n[p] \n[p] tres\n"},
		{"one line in several writes", []string{"u", "m", "\n"}, "[p] um\n"},
		{"cut at the line break", []string{"um", "\ndois", "\n"}, "[p] um\n[p] dois\n"},
		{"last line without an end", []string{"um\ndois"}, "[p] um\n[p] dois\n"},
		{"nothing", []string{""}, ""},
		{"not UTF-8 passes unchanged", []string{"\xff\x00\n"}, "[p] \xff\x00\n"},
		{"too long is cut", []string{longa, "yz", "fim\n"}, "[p] " + longa + "yz\n[p] fim\n"},
	}
	for _, tt := range tests {
		t.Run(tt.nome, func(t *testing.T) {
			var b bytes.Buffer
			w := comPrefixo(&b, "[p] ")
			for _, s := range tt.writes {
				if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
					t.Fatalf("Write = %d, %v, want %d, nil", n, err, len(s))
				}
			}
			w.fechar()
			w.fechar() // a second time changes nothing
			if b.String() != tt.want {
				t.Errorf("got %.80q, want %.80q", b.String(), tt.want)
			}
		})
	}
}

// TestComPrefixoNaoMistura writes from two sides at once, in pieces: every
// line must arrive whole and with the right prefix.
func TestComPrefixoNaoMistura(t *testing.T) {
	const quantas = 500
	var b bytes.Buffer
	destino := &vez{w: &b}
	var wg sync.WaitGroup
	for _, lado := range []string{"a", "b"} {
		w := comPrefixo(destino, "["+lado+"] ")
		wg.Go(func() {
			for i := range quantas {
				for _, pedaco := range []string{lado + " ", fmt.Sprint(i), " fim\n" + lado, "\n"} {
					_, _ = w.Write([]byte(pedaco))
				}
			}
		})
	}
	wg.Wait()
	proxima := map[string]int{}
	n := 0
	for linha := range strings.Lines(b.String()) {
		n++
		lado := linha[1:2]
		switch i := proxima[lado] / 2; {
		case proxima[lado]%2 == 0 && linha != fmt.Sprintf("[%s] %s %d fim\n", lado, lado, i),
			proxima[lado]%2 == 1 && linha != fmt.Sprintf("[%s] %s\n", lado, lado):
			t.Fatalf("line %d is %q", n, linha)
		}
		proxima[lado]++
	}
	if n != 4*quantas {
		t.Errorf("%d lines, want %d", n, 4*quantas)
	}
}
