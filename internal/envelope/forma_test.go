package envelope

import (
	"encoding/json"
	"strings"
	"testing"
)

var formas = []string{
	``, ` `, "\ufeff{}", `{}`, `[]`, ` [ ] `, `{ }`, `{"a":1}`, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{'a':1}`, `{1:1}`,
	`[[[]]]`, `[[]`, `[]]`, `{]`, `[}`, `{"a":[}`, `[{]}`, `{"a":{"b":[{}]}}`,
	`"`, `""`, `"a`, `"\"`, `"\\"`, `"\x"`, `"\u"`, `"\u12"`, `"\u123"`, `"\u1234"`, `"\u12g4"`, `"\uABcd"`, `"\/\b\f\n\r\t"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\n\"",
	`0`, `-0`, `-`, `01`, `-01`, `1`, `10`, `1.`, `.1`, `1.0`, `1.e1`, `1e`, `1e+`, `1e-1`, `1E+01`, `1e1.0`, `+1`, `0x1`, `1_0`, `-1.5e300`, `Infinity`, `NaN`, `--1`,
	`true`, `false`, `null`, `tru`, `truee`, `nul`, `True`, `t`, `n`, `true false`, `{"a":true}x`, "\v1", "1\x00", `[1]` + "\u00a0",
	strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 100) + strings.Repeat("]", 99),
	strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting), strings.Repeat("[", maxNesting+1) + strings.Repeat("]", maxNesting+1),
	strings.Repeat(`{"a":`, maxNesting) + "1" + strings.Repeat("}", maxNesting), strings.Repeat(`{"a":`, maxNesting+1) + "1" + strings.Repeat("}", maxNesting+1),
	strings.Repeat("[{}", 5),
}

func wellFormed(b []byte) bool { return check(b, maxNesting) == "" }

func TestBemFormado(t *testing.T) {
	for _, s := range formas {
		for i := range min(len(s), 40) + 1 { // and whatever is cut off
			if cut := []byte(s[:len(s)-i]); wellFormed(cut) != json.Valid(cut) {
				t.Errorf("%.60q: encoding/json says %v", cut, json.Valid(cut))
			}
		}
	}
}

func FuzzBemFormado(f *testing.F) {
	for _, s := range formas {
		f.Add([]byte(s))
	}
	f.Add([]byte(chamada))
	f.Fuzz(func(t *testing.T, b []byte) {
		if wellFormed(b) != json.Valid(b) {
			t.Fatalf("%.200q: encoding/json says %v", b, json.Valid(b))
		}
	})
}

// BenchmarkBemFormado compares with encoding/json: the same body, both ways.
func BenchmarkBemFormado(b *testing.B) {
	body := []byte(chamada)
	for _, way := range []struct {
		name string
		f    func([]byte) bool
	}{{"check", wellFormed}, {"encoding-json", json.Valid}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if !way.f(body) {
					b.Fatal("not valid")
				}
			}
		})
	}
}

// The bound of the nesting is that of arrays and objects, wherever they stand.
func TestFundo(t *testing.T) {
	for _, c := range []struct {
		b    string
		fits int // the least bound
	}{
		{"1", 0}, {`"[[["`, 0}, {"[]", 1}, {`{"a":[1,[2],{}]}`, 3}, {"[[],[],[]]", 2},
	} {
		for bound := range 5 {
			if got := check([]byte(c.b), bound) == ""; got != (bound >= c.fits) {
				t.Errorf("%s nests %d deep: with at most %d it passes: %v", c.b, c.fits, bound, got)
			}
		}
	}
}
