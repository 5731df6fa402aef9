package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// maxLogs is how large a log may grow before it is emptied.
const maxLogs = 64 << 20

// guardaLogs lets the two processes write their logs to files, as services do,
// and not through pipes that this process reads: every line of a load would
// wake it, and take time from what is measured.
type guardaLogs struct {
	// bins start the binaries with their stderr in a file. Where there is no
	// shell they are the binaries themselves.
	bins binarios
	// avisos get what comes through a pipe all the same.
	avisos map[string]*diario

	pasta string
	fim   chan struct{}
}

// novoGuardaLogs makes the files. They are in a folder of their own until
// apagar.
func novoGuardaLogs(bins binarios) (*guardaLogs, error) {
	g := &guardaLogs{bins: bins, avisos: map[string]*diario{dupla.Servidor: {}, dupla.Agente: {}}, fim: make(chan struct{})}
	sh, err := exec.LookPath("sh")
	if err != nil {
		return g, nil
	}
	if g.pasta, err = os.MkdirTemp("", "ponte-carga-"); err != nil {
		return nil, err
	}
	g.bins = binarios{}
	for nome, bin := range bins {
		// exec keeps the process id; >> lets the file be emptied while it is open.
		texto := fmt.Sprintf("#!%s\nexec %s \"$@\" 2>>%s\n", sh, citado(bin), citado(g.log(nome)))
		g.bins[nome] = filepath.Join(g.pasta, nome)
		if err := os.WriteFile(g.bins[nome], []byte(texto), 0o700); err != nil {
			g.apagar()
			return nil, err
		}
	}
	go g.esvaziar()
	return g, nil
}

// citado is a text as one word of the shell.
func citado(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (g *guardaLogs) log(nome string) string { return filepath.Join(g.pasta, nome+".log") }

// esvaziar keeps the files small.
func (g *guardaLogs) esvaziar() {
	for {
		select {
		case <-time.After(time.Second):
		case <-g.fim:
			return
		}
		for nome := range g.bins {
			if info, err := os.Stat(g.log(nome)); err == nil && info.Size() > maxLogs {
				_ = os.Truncate(g.log(nome), 0) // or they grow: a full disk shows itself
			}
		}
	}
}

func (g *guardaLogs) apagar() {
	close(g.fim)
	if g.pasta != "" {
		_ = os.RemoveAll(g.pasta)
	}
}

// mostrar shows the last lines that are not of everyday.
func (g *guardaLogs) mostrar(t *tela) {
	for _, nome := range []string{dupla.Servidor, dupla.Agente} {
		d := g.avisos[nome]
		for linha := range bytes.Lines(fimDoArquivo(g.log(nome), 1<<20)) {
			if linha = bytes.TrimSpace(linha); !bytes.Contains(linha, []byte(" level=INFO ")) {
				d.anotar(linha)
			}
		}
		if len(d.ultimas(1)) > 0 {
			mostrarDiario(t, nome, d)
		}
	}
}

// fimDoArquivo is at most the last n bytes of a file; of none, nothing.
func fimDoArquivo(nome string, n int64) []byte {
	f, err := os.Open(nome)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > n {
		if _, err := f.Seek(-n, io.SeekEnd); err != nil {
			return nil
		}
	}
	fim, _ := io.ReadAll(io.LimitReader(f, n))
	return fim
}
