package perfil

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestPadraoServe(t *testing.T) {
	p, err := Carregar(Padrao, "embutido")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Pedidos) == 0 || p.Cartao.Skills[0].ID != p.Pedidos[0].Skill {
		t.Errorf("the embedded profile serves no skill: %+v", p.Pedidos)
	}
}

// editar loads the embedded profile with one value changed; nil removes it.
func editar(t *testing.T, caminho string, valor any) error {
	t.Helper()
	var doc any
	if err := json.Unmarshal(Padrao, &doc); err != nil {
		t.Fatal(err)
	}
	at := doc
	keys := strings.Split(caminho, ".")
	for i, k := range keys {
		if list, ok := at.([]any); ok {
			at = list[0]
		}
		m := at.(map[string]any)
		if i < len(keys)-1 {
			at = m[k]
		} else if valor == nil {
			delete(m, k)
		} else {
			m[k] = valor
		}
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Carregar(raw, "teste.json")
	return err
}

func TestPerfisRuins(t *testing.T) {
	for _, c := range []struct {
		caminho string
		valor   any
		want    string // what the message names
	}{
		{"cartao.name", "", "cartao.name"},
		{"cartao.version", nil, "cartao.version"},
		{"cartao.skills", []any{}, "cartao.skills"},
		{"cartao.skills.tags", []any{}, "cartao.skills[0]"},
		{"cartao.defaultInputModes", nil, "defaultInputModes"},
		{"cartao.capabilities.extendedAgentCard", true, "extendedAgentCard"},
		{"cartao.capabilities.extensions", []any{map[string]any{"uri": "https://example.com/outra"}}, "cartao.capabilities.extensions"},
		{"cartao.capabilities.extensions", []any{map[string]any{"uri": URIElicitacao}, map[string]any{"uri": URIElicitacao}}, "uma vez"},
		{"cartao.supportedInterfaces", []any{map[string]any{"url": "x"}}, "supportedInterfaces"},
		{"cartao.supportedInterfaces", []any{}, "supportedInterfaces"},
		{"cartao.capabilities", nil, "capabilities"},
		{"cartao.defaultOutputModes", []any{""}, "defaultOutputModes"},
		{"cartao.provider.organization", "", "cartao.provider"},
		{"pedidos.verbo", "nao\u00a0quebra", "pedidos[0].verbo"},
		{"cartao.nome", "x", "nome"},
		{"desconhecido", 1, "desconhecido"},
		{"cliente", nil, "cliente"},
		{"pedidos", []any{}, "pedidos"},
		{"pedidos.verbo", "duas palavras", "pedidos[0].verbo"},
		{"pedidos.verbo", "", "pedidos[0].verbo"},
		{"pedidos.skill", "outra", "pedidos[0].skill"},
		{"pedidos.ferramenta", "", "ferramenta"},
		{"pedidos.artefato.campos", []any{map[string]any{"nome": "a"}, map[string]any{"nome": "a"}}, "repetido"},
		{"pedidos.artefato.campos", []any{map[string]any{"nome": "a", "recurso": "x"}}, `"x"`},
		{"pausa.chave", "a=b", "pausa.chave"},
		{"pausa.recusar", "", "pausa.recusar"},
		{"pausa.aceitar", "recusar", "pausa"},
		{"pausa.linha", "", "pausa"},
		{"recursos.politica.linha", 0, "recursos.politica"},
		{"recursos.politica.uri", "", "recursos.politica"},
	} {
		err := editar(t, c.caminho, c.valor)
		if err == nil {
			t.Errorf("%s = %v: want an error", c.caminho, c.valor)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "teste.json") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s = %v: want one line that names the file and %q, got %q", c.caminho, c.valor, c.want, err)
		}
	}
	dobrado := strings.Replace(string(Padrao), `"cliente"`, `"cliente": {"nome":"x","versao":"1"}, "cliente"`, 1)
	for _, raw := range []string{dobrado, "", "null", "[]", "{", string(Padrao) + "{}"} {
		if _, err := Carregar([]byte(raw), "teste.json"); err == nil {
			t.Errorf("%.20q: want an error", raw)
		}
	}
}

func TestSeparar(t *testing.T) {
	for _, c := range [][3]string{
		{"pedir a=1", "pedir", "a=1"},
		{"  pedir\t a=1  b=2 ", "pedir", "a=1  b=2"},
		{"pedir", "pedir", ""},
		{" \n", "", ""},
	} {
		if v, r := Separar(c[0]); v != c[1] || r != c[2] {
			t.Errorf("%q: want %q and %q, got %q and %q", c[0], c[1], c[2], v, r)
		}
	}
}

func TestPares(t *testing.T) {
	keys := []string{"cor", "nome", "fim", "meu-fim"}
	for _, c := range []struct{ texto, want, erro string }{
		{"", "", ""},
		{"cor=azul", "cor:azul", ""},
		{"cor=azul nome=Emmett Brown", "cor:azul nome:Emmett Brown", ""},
		{"nome=Emmett  'Doc'  Brown cor=azul", "nome:Emmett  'Doc'  Brown cor:azul", ""},
		{"  cor=azul \t nome= Ana ", "cor:azul nome:Ana", ""},
		{"nome=A=B cor==", "nome:A=B cor:=", ""},
		{"nome=x outra=1 cor=azul", "nome:x outra=1 cor:azul", ""},
		{"nome=sem fim meu-fim=1 fim=2", "nome:sem fim meu-fim:1 fim:2", ""},
		{"nome=confim=1", "nome:confim=1", ""},
		{"cor= nome=x", "cor: nome:x", ""},
		{"nome=Zoë 日本", "nome:Zoë 日本", ""},
		{`nome="a cor=b" cor=c`, "nome:a cor=b cor:c", ""},
		{`nome="diz \"oi\" \\ tchau"`, `nome:diz "oi" \ tchau`, ""},
		{`nome=""`, "nome:", ""},
		{`nome=" x "`, "nome: x ", ""},
		{`nome=dito "Doc"`, `nome:dito "Doc"`, ""},

		{"azul", "", "esperava chave=valor"},
		{"cor azul", "", "esperava chave=valor"},
		{"=azul", "", "esperava chave=valor"},
		{"tom=azul", "", "chave desconhecida: tom"},
		{"Cor=azul", "", "chave desconhecida: Cor"},
		{"cor=a nome=x cor=b", "", "chave repetida: cor"},
		{`nome="aberto`, "", "aspas sem fim em nome"},
		{`nome="a"b`, "", "espaco depois das aspas"},
		{`nome="a" solto`, "", "esperava chave=valor"},
	} {
		pares, err := Pares(c.texto, keys)
		if c.erro != "" {
			if err == nil || !strings.Contains(err.Error(), c.erro) {
				t.Errorf("%q: want error %q, got %v, %v", c.texto, c.erro, pares, err)
			}
			continue
		}
		got := make([]string, len(pares))
		for i, p := range pares {
			got[i] = p.Chave + ":" + p.Valor
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: want %q, got %q, %v", c.texto, c.want, got, err)
		}
	}
}

func FuzzPares(f *testing.F) {
	for _, s := range []string{"cor=azul nome=Emmett Brown", `nome="a\"b" cor=c`, "cor=", "= =", `nome="`} {
		f.Add(s)
	}
	keys := []string{"cor", "nome"}
	f.Fuzz(func(t *testing.T, s string) {
		pares, err := Pares(s, keys)
		if err != nil {
			return
		}
		// What was read can be written, quoted, and read again the same.
		var b strings.Builder
		for _, p := range pares {
			fmt.Fprintf(&b, `%s="%s" `, p.Chave, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.Valor))
		}
		again, err := Pares(b.String(), keys)
		if err != nil || len(again) != len(pares) {
			t.Fatalf("%q read as %v, written %q, read as %v, %v", s, pares, b.String(), again, err)
		}
		for i := range pares {
			if pares[i] != again[i] {
				t.Fatalf("%q: %v became %v", s, pares[i], again[i])
			}
		}
	})
}

func BenchmarkPares(b *testing.B) {
	keys := []string{"fim", "inicio", "lugar", "quem"}
	for b.Loop() {
		if _, err := Pares("lugar=garagem inicio=2026-11-03T14:00:00-03:00 fim=2026-11-03T15:00:00-03:00 quem=Emmett Brown", keys); err != nil {
			b.Fatal(err)
		}
	}
}

func TestExtrair(t *testing.T) {
	r := Recurso{URI: "x://y", Linha: 1, Prefixo: "versao:"}
	for texto, want := range map[string]string{
		"versao: 2026-11-01\n\n- regra": "2026-11-01",
		"versao:3\r\nresto":             "3",
		"\ufeffversao: 1":               "1",
	} {
		if got, err := r.Extrair(texto); err != nil || got != want {
			t.Errorf("%q: want %q, got %q, %v", texto, want, got, err)
		}
	}
	for _, texto := range []string{"", "\nversao: 1", "versao:", "versao: ", "Versao: 1", "outra"} {
		if got, err := r.Extrair(texto); err == nil {
			t.Errorf("%q: want an error, got %q", texto, got)
		}
	}
	if _, err := (Recurso{Linha: 3, Prefixo: ""}).Extrair("a\nb"); err == nil {
		t.Error("a line that is not there: want an error")
	}
}

func TestPalavraFinal(t *testing.T) {
	d := Pedido{Sucesso: "Feito {id} em {onde}. {}"}
	if got := d.PalavraFinal(func(n string) string { return "<" + n + ">" }); got != "Feito <id> em <onde>. <>" {
		t.Errorf("got %q", got)
	}
}
