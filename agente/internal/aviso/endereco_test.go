package aviso

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// privados are addresses of every kind that is not a public one.
var privados = []string{
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "100.100.100.200",
	"127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255",
	"192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255",
	"198.51.100.1", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::2", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1",
	"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:0",
	"::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1",
	"64:ff9b::127.0.0.1", "64:ff9b::10.1.2.3", "64:ff9b::169.254.169.254", "64:ff9b::0.0.0.0",
	"64:ff9b:1::1", "64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff::1",
	"2002:7f00:1::1", "2002:a00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1",
	"2001::1", "2001:0:7f00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:1ff::1",
	"2001:db8::1", "3fff::1", "3fff:fff::1", "100::1", "5f00::1", "4000::1", "8000::1",
	"fe80::1%eth0", "2606:4700::1111%eth0",
}

var publicos = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
	"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.0.3.1", "192.167.255.255", "192.169.0.0",
	"198.17.255.255", "198.20.0.0", "203.0.112.1", "203.0.114.1", "223.255.255.255",
	"2606:4700:4700::1111", "2001:4860:4860::8888", "2001:200::1", "2a00:1450::1", "3ffe::1", "2000::1",
	"::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
}

func TestPublico(t *testing.T) {
	for _, s := range privados {
		if publico(netip.MustParseAddr(s)) {
			t.Errorf("%s should be refused", s)
		}
	}
	for _, s := range publicos {
		if !publico(netip.MustParseAddr(s)) {
			t.Errorf("%s should be let through", s)
		}
	}
	if publico(netip.Addr{}) {
		t.Error("no address should be refused")
	}
}

func TestSoPublicos(t *testing.T) {
	for _, s := range privados {
		porta := netip.AddrPortFrom(netip.MustParseAddr(s), 443).String()
		if err := soPublicos(t.Context(), "tcp", porta, nil); !errors.Is(err, errPrivado) {
			t.Errorf("%s: want errPrivado, got %v", porta, err)
		}
	}
	for _, s := range []string{"", "localhost:80", "example.com:80", "8.8.8.8", "[::1", "8.8.8.8:https"} {
		if err := soPublicos(t.Context(), "tcp", s, nil); !errors.Is(err, errPrivado) {
			t.Errorf("%q is no resolved address: want errPrivado, got %v", s, err)
		}
	}
	for _, s := range []string{"8.8.8.8:80", "[2606:4700:4700::1111]:443"} {
		if err := soPublicos(t.Context(), "tcp", s, nil); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestConferirURL(t *testing.T) {
	const sempre, soPublico, passa = "always", "unless private ones are let", "never"
	for s, c := range map[string]struct{ recusa, motivo string }{
		"https://example.com/a?b=c":                        {passa, ""},
		"HTTPS://Example.COM":                              {passa, ""},
		"http://example.com:8080/":                         {passa, ""},
		"http://8.8.8.8/":                                  {passa, ""},
		"http://[2606:4700:4700::1111]:80/":                {passa, ""},
		"http://ção.example/":                              {passa, ""},
		"http://a.b.c./":                                   {passa, ""},
		"http://0xg/":                                      {passa, ""},
		"https://example.com/" + strings.Repeat("x", 2028): {passa, ""},
		"https://example.com/" + strings.Repeat("x", 2029): {sempre, "at most 2048"},
		"":                                {sempre, "missing"},
		"/a":                              {sempre, "absolute"},
		"example.com":                     {sempre, "absolute"},
		"ftp://example.com/":              {sempre, "http"},
		"file:///etc/passwd":              {sempre, "http"},
		"http:example.com":                {sempre, "host"},
		"http:///a":                       {sempre, "host"},
		"https://:443/":                   {sempre, "host"},
		"http://u@example.com/":           {sempre, "user"},
		"http://u:segredo@example.com/":   {sempre, "user"},
		"http://@example.com/":            {sempre, "user"},
		"http://example.com/#a":           {sempre, "fragment"},
		"http://example.com/#":            {sempre, "fragment"},
		"http://example.com:0/":           {sempre, "port"},
		"http://example.com:65536/":       {sempre, "port"},
		"http://example.com:99999999999/": {sempre, "port"},
		"http://example.com:/":            {sempre, "port"},
		"http://example.com:a/":           {sempre, "not a URL"},
		"http://example.com/\n":           {sempre, "not a URL"},
		"http://exa mple.com/":            {sempre, "not a URL"},
		"http://[::1/":                    {sempre, "not a URL"},
		"http://[v1.x]/":                  {sempre, "not a URL"},
		"http://127.1/":                   {sempre, "neither"},
		"http://2130706433/":              {sempre, "neither"},
		"http://0x7f000001/":              {sempre, "neither"},
		"http://0X7f.1/":                  {sempre, "neither"},
		"http://0177.0.0.1/":              {sempre, "neither"},
		"http://127.0.0.1/":               {soPublico, "private"},
		"http://127.0.0.1.:80/":           {soPublico, "private"},
		"http://%31%32%37.0.0.1/":         {sempre, "not a URL"},
		"http://[::1]:80/":                {soPublico, "private"},
		"http://[::ffff:10.0.0.1]/":       {soPublico, "private"},
		"http://[fe80::1%25eth0]/":        {soPublico, "private"},
		"http://169.254.169.254/latest":   {soPublico, "private"},
		"http://localhost/":               {soPublico, "private"},
		"http://LocalHost.:80/":           {soPublico, "private"},
		"http://a.localhost/":             {soPublico, "private"},
		"http://localhost.example.com/":   {passa, ""},
	} {
		for _, privados := range []bool{false, true} {
			err := Conferir(tarefa.Aviso{URL: s}, privados)
			recusa := c.recusa == sempre || c.recusa == soPublico && !privados
			if recusa != (err != nil) {
				t.Errorf("%.80q, private ones let: %v: want it refused: %v, got %v", s, privados, recusa, err)
				continue
			}
			if err == nil {
				continue
			}
			var campo *CampoError
			if !errors.Is(err, ErrURL) || !errors.As(err, &campo) || campo.Campo != "url" || !strings.Contains(err.Error(), c.motivo) || strings.Contains(err.Error(), "segredo") {
				t.Errorf("%.80q: want ErrURL with %q, got %v", s, c.motivo, err)
			}
		}
	}
}

func TestConferirSegredos(t *testing.T) {
	grande := strings.Repeat("x", MaxSegredo)
	for _, c := range []struct{ token, esquema, credenciais, campo string }{
		{"", "", "", ""},
		{"token", "Bearer", "a b", ""},
		{"", "Bearer", "", ""},
		{grande, "x", grande, ""},
		{"ção", "bEaReR-1!#$%&'*+.^_`|~", "ç\t\"x", ""},
		{grande + "x", "", "", "token"},
		{"a\nb", "", "", "token"},
		{"a\r", "", "", "token"},
		{"\x00", "", "", "token"},
		{"\x7f", "", "", "token"},
		{" a", "", "", "token"},
		{"a\t", "", "", "token"},
		{"", "", "c", "authentication.scheme"},
		{"", "Bearer ", "c", "authentication.scheme"},
		{"", "Be:arer", "c", "authentication.scheme"},
		{"", "Be\narer", "c", "authentication.scheme"},
		{"", "ção", "c", "authentication.scheme"},
		{"", grande + "x", "c", "authentication.scheme"},
		{"", "Bearer", grande + "x", "authentication.credentials"},
		{"", "Bearer", "c\r\nX-Evil: 1", "authentication.credentials"},
	} {
		err := Conferir(tarefa.Aviso{URL: "https://example.com/", Token: c.token, Esquema: c.esquema, Credenciais: c.credenciais}, false)
		var campo *CampoError
		switch {
		case c.campo == "" && err != nil:
			t.Errorf("%.20q %.20q %.20q: %v", c.token, c.esquema, c.credenciais, err)
		case c.campo != "" && (!errors.As(err, &campo) || campo.Campo != c.campo || errors.Is(err, ErrURL)):
			t.Errorf("%.20q %.20q %.20q: want %s refused, got %v", c.token, c.esquema, c.credenciais, c.campo, err)
		}
	}
}
