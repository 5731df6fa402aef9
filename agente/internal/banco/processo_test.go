package banco

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// varAjudante makes this test binary another agent: see ajudar.
const varAjudante = "BANCO_AJUDANTE"

// ajudar is what another process does with a database:
//
//   - abrir says whether it could open it;
//   - segurar opens it and keeps it open until its input ends;
//   - gravar creates Tasks and says each id once it is acknowledged, until it is
//     killed.
func ajudar(modo, url string) int {
	b, err := Abrir(context.Background(), url, "", mudo)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("aberto")
	switch modo {
	case "segurar":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "gravar":
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 8 {
			wg.Go(func() {
				for {
					tk, err := b.Criar(context.Background(), nova().AtePrazo(agora.Add(time.Hour)))
					if err == nil {
						tk, err = b.Trocar(context.Background(), tk.Ouvindo(dizer("y"), ""))
					}
					if err != nil {
						fmt.Println(err)
						return
					}
					mu.Lock()
					fmt.Println(tk.ID)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}
	if err := b.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// outroProcesso runs ajudar in a process of its own, and returns its output.
func outroProcesso(t *testing.T, modo, url string) (cmd *exec.Cmd, entrada io.WriteCloser, saida *bufio.Scanner) {
	t.Helper()
	eu, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(eu, url)
	cmd.Env = append(os.Environ(), varAjudante+"="+modo)
	if entrada, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	saida = bufio.NewScanner(out)
	if !saida.Scan() {
		t.Fatalf("the other process says nothing: %v", saida.Err())
	}
	return cmd, entrada, saida
}

func TestUmAgentePorArquivo(t *testing.T) {
	url := arquivo(t)
	// A second one in this process.
	b := aberto(t, url, "")
	tk := criada(t, b, nova())
	recusa(t, url, "", "TAREFAS", "outro processo esta com o arquivo aberto", "postgres://")
	// Other code of this process that opens and closes the file does not undo
	// the lock.
	if runtime.GOOS == "linux" {
		if _, err := os.ReadFile(caminhoDe(url)); err != nil {
			t.Fatal(err)
		}
	}
	// A second process.
	_, _, saida := outroProcesso(t, "abrir", url)
	if !strings.Contains(saida.Text(), "outro processo esta com o arquivo aberto") {
		t.Errorf("want the other process refused, it says %q", saida.Text())
	}
	if _, err := b.Ler(t.Context(), tk.ID); err != nil {
		t.Errorf("the first one: %v", err)
	}
	fechar(t, b)
	// Now another process has it.
	_, entrada, saida := outroProcesso(t, "segurar", url)
	if saida.Text() != "aberto" {
		t.Fatalf("after Close: want it open, it says %q", saida.Text())
	}
	recusa(t, url, "", "outro processo esta com o arquivo aberto")
	// It ends while this one waits.
	time.AfterFunc(200*time.Millisecond, func() { _ = entrada.Close() })
	b = aberto(t, url, "")
	if _, err := b.Ler(t.Context(), tk.ID); err != nil {
		t.Error(err)
	}
}

// kill -9 loses nothing that was acknowledged, and frees the file.
func TestMorteSubita(t *testing.T) {
	url := arquivo(t)
	var todas []string
	for range 3 {
		cmd, _, saida := outroProcesso(t, "gravar", url)
		for n := 0; n < 50 && saida.Scan(); n++ {
			todas = append(todas, saida.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for saida.Scan() { // what it said before it died
			if id := saida.Text(); len(id) == 36 {
				todas = append(todas, id)
			}
		}
	}
	b := aberto(t, url, "")
	for _, id := range todas {
		tk, err := b.Ler(t.Context(), id)
		if err != nil || tk.Versao != 2 {
			t.Fatalf("acknowledged and lost: %s (%+v, %v)", id, tk, err)
		}
	}
	if len(todas) < 150 {
		t.Errorf("want at least 150 tasks, got %d", len(todas))
	}
	integro := ""
	if err := b.fazer(t.Context(), func(ctx ctxT, q consultas) error {
		_, err := uma(ctx, q, []any{&integro}, "PRAGMA integrity_check")
		return err
	}); err != nil || integro != "ok" {
		t.Errorf("integrity: %s, %v", integro, err)
	}
	// Their claims have ended: the dead cannot hold any.
	p, err := b.Listar(t.Context(), tarefa.Filtro{Abandonadas: time.Now(), Limite: 1})
	if err != nil || p.Total < len(todas) {
		t.Errorf("want all %d claims ended, got %d, %v", len(todas), p.Total, err)
	}
}
