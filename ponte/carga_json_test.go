package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

func TestMembroDe(t *testing.T) {
	const doc = ` { "a" : {"b":[1,{"x":"]}"}], "c\"":"\\\"", "d": null , "e":-1.5e3},"result":{"task":{"id":"7","status":{"state":"S"}}} ,"v":[],"o":{},"t":true,"z":0}`
	casos := []struct {
		caminho []string
		want    string
	}{
		{[]string{"a", "b"}, `[1,{"x":"]}"}]`},
		{[]string{"a", `c"`}, `"\\\""`},
		{[]string{"a", "d"}, `null`},
		{[]string{"a", "e"}, `-1.5e3`},
		{[]string{"result", "task", "id"}, `"7"`},
		{[]string{"result", "task", "status", "state"}, `"S"`},
		{[]string{"v"}, `[]`},
		{[]string{"o"}, `{}`},
		{[]string{"t"}, `true`},
		{[]string{"z"}, `0`},
		{[]string{"b"}, ``}, // not where it stands
		{[]string{"a", "b", "x"}, ``},
		{[]string{"nada"}, ``},
	}
	for _, c := range casos {
		if got := string(membroDe([]byte(doc), c.caminho...)); got != c.want {
			t.Errorf("%v: %q, want %q", c.caminho, got, c.want)
		}
	}
	for doc, want := range map[string]string{`[1,2]`: "1", ` [ "a" ]`: `"a"`, `[{"x":[]},1]`: `{"x":[]}`, `[]`: "", `{}`: "", ``: "", `[`: ""} {
		if got := string(primeiroDe([]byte(doc))); got != want {
			t.Errorf("first of %q: %q, want %q", doc, got, want)
		}
	}
}

// TestModelo reads what is written with the standard library.
func TestModelo(t *testing.T) {
	for _, modo := range []modoDeCarga{modoCiclo, modoCompleto, modoListar} {
		r, err := novoRoteiro(modo, func(int) string { return "http://127.0.0.1:9/a2a" })
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range r.etapas {
			var v valores
			for l, s := range []string{"17", "m-17", `t\"1`, "sala-fusca", "sala-porao", "2400-01-01T08:00:00-03:00", "2400-01-01T08:00:01-03:00"} {
				v.definir(lacuna(l), []byte(s))
			}
			req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(e.modelo.escrever(nil, &v))))
			if err != nil {
				t.Fatalf("%s %d: %v", modo, i, err)
			}
			body, err := io.ReadAll(req.Body)
			if err != nil || req.ContentLength != int64(len(body)) || req.Host != "127.0.0.1:9" || req.URL.Path != "/a2a" || req.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %d: %+v, %v", modo, i, req, err)
			}
			veio, err := lerJSON(body)
			if err != nil || em(veio, "id") != json.Number("17") {
				t.Fatalf("%s %d: %s, %v", modo, i, body, err)
			}
			if bytes.ContainsRune(body, '@') {
				t.Errorf("%s %d: a mark is left: %s", modo, i, body)
			}
			if i == 1 && em(veio, "params", "message", "taskId") != `t"1` {
				t.Errorf("%s: the taskId did not come through: %s", modo, body)
			}
		}
	}
	if _, err := novoModelo(pedido{"POST", "nada", nil, objeto{}}); err == nil {
		t.Error("an address that is none was taken")
	}
}
