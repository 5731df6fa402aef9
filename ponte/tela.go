package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// larguraTela is the longest line that a tela prints, in characters, except
// for words that are longer.
const larguraTela = 92

// tela prints for people: labelled lines, broken at a width, with colours
// where they can be seen.
type tela struct {
	w     io.Writer
	cores bool
}

// novaTela decides about colours: only on a terminal, and not when NO_COLOR
// says otherwise (https://no-color.org).
func novaTela(w io.Writer, getenv func(string) string) *tela {
	t := &tela{w: w}
	if f, ok := w.(*os.File); ok && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		info, err := f.Stat()
		t.cores = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return t
}

type cor string

const (
	semCor   cor = ""
	negrito  cor = "\x1b[1m"
	apagado  cor = "\x1b[2m"
	verde    cor = "\x1b[32m"
	vermelho cor = "\x1b[31m"
	ciano    cor = "\x1b[36m"
)

func (t *tela) tingir(c cor, s string) string {
	if !t.cores || c == semCor || s == "" {
		return s
	}
	return string(c) + s + "\x1b[0m"
}

// titulo begins a section.
func (t *tela) titulo(s string) { fmt.Fprintf(t.w, "\n%s\n", t.tingir(negrito, s)) }

// larguraRotulo is the room for a label, indentation included.
const larguraRotulo = 13

// frase prints a text of its own, without a label.
func (t *tela) frase(c cor, texto string) {
	for _, pedaco := range quebrar(texto, larguraTela-2) {
		fmt.Fprintf(t.w, "  %s\n", t.tingir(c, imprimivel(pedaco)))
	}
}

// linha prints texto beside a label, which may be empty, and below itself when
// it is long.
func (t *tela) linha(c cor, rotulo, texto string) {
	for i, pedaco := range quebrar(texto, larguraTela-larguraRotulo) {
		if i > 0 {
			rotulo = ""
		}
		inicio := fmt.Sprintf("  %-*s", larguraRotulo-2, rotulo)
		fmt.Fprintf(t.w, "%s%s\n", t.tingir(ciano, inicio), t.tingir(c, imprimivel(pedaco)))
	}
}

// quebrar cuts a text into lines: at its line breaks, and where it is longer
// than largura after a space or a comma.
func quebrar(texto string, largura int) []string {
	var linhas []string
	for linha := range strings.SplitSeq(texto, "\n") {
		for utf8.RuneCountInString(linha) > largura {
			corte := 0
			for i, n := 0, 0; i < len(linha) && n < largura; n++ {
				r, tamanho := utf8.DecodeRuneInString(linha[i:])
				i += tamanho
				if r == ' ' || r == ',' {
					corte = i
				}
			}
			if corte == 0 { // a word longer than the line stands on its own
				if corte = strings.IndexAny(linha, " ,") + 1; corte == 0 {
					break
				}
			}
			linhas = append(linhas, strings.TrimRight(linha[:corte], " "))
			linha = linha[corte:]
		}
		linhas = append(linhas, linha)
	}
	return linhas
}

// imprimivel keeps what came from a process from steering the terminal.
func imprimivel(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
