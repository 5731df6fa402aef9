package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// limiteMotivo bounds the printed reason of a FAIL, in bytes.
const limiteMotivo = 400

// relato writes the report, in the form of the contract's section 4, and
// counts. Reasons quote what a server said, so every line goes through
// umaLinha: a server must not be able to print a PASS of its own.
type relato struct {
	w                  io.Writer
	passaram, falharam int
}

func (r *relato) abrir(rastro string) {
	fmt.Fprintf(r.w, "trace-id desta execucao: %s\n", rastro)
}

// linha reports one check; a nil reason is a PASS.
func (r *relato) linha(v verificacao, motivo error) {
	if motivo == nil {
		r.passaram++
		fmt.Fprintf(r.w, "PASS %02d %s\n", v.numero, v.texto)
		return
	}
	r.falharam++
	fmt.Fprintf(r.w, "FAIL %02d %s: %s\n", v.numero, v.texto, umaLinha(motivo.Error()))
}

// fechar writes the summary and says whether every check passed.
func (r *relato) fechar() bool {
	fmt.Fprintf(r.w, "resumo: %d passaram, %d falharam, de %d verificacoes\n",
		r.passaram, r.falharam, r.passaram+r.falharam)
	return r.falharam == 0 && r.passaram > 0
}

// umaLinha makes any text printable ASCII on one line of at most limiteMotivo
// bytes: control characters, non-ASCII (which includes the Unicode line and
// direction marks) and invalid UTF-8 come out as escapes.
func umaLinha(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		var pedaco string
		switch {
		case r == utf8.RuneError && n == 1:
			pedaco = fmt.Sprintf(`\x%02x`, s[i])
		case r == '\n':
			pedaco = `\n`
		case r == '\r':
			pedaco = `\r`
		case r == '\t':
			pedaco = `\t`
		case r < 0x20 || r >= 0x7f:
			pedaco = fmt.Sprintf(`\u%04x`, r)
		default:
			pedaco = s[i : i+n]
		}
		if b.Len()+len(pedaco) > limiteMotivo-3 {
			b.WriteString("...")
			break
		}
		b.WriteString(pedaco)
		i += n
	}
	return b.String()
}
