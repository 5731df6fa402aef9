package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// ponteDeVerdade starts the command as a process group of its own and reads
// its output until both children were named.
func ponteDeVerdade(t *testing.T, args ...string) (cmd *exec.Cmd, stdout io.ReadCloser, stderr *bytes.Buffer, filhos []int) {
	t.Helper()
	bins := construidos(t)
	cmd = exec.Command(comoProcesso(t, "ponte"), args...)
	cmd.Env = append(os.Environ(), "PONTE_BINARIOS="+filepath.Dir(bins[dupla.Servidor]))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	pid := regexp.MustCompile(`\(pid (\d+)\)`)
	linhas := bufio.NewScanner(stdout)
	for len(filhos) < 2 && linhas.Scan() {
		if m := pid.FindStringSubmatch(linhas.Text()); m != nil {
			n, _ := strconv.Atoi(m[1])
			filhos = append(filhos, n)
		}
	}
	if len(filhos) < 2 {
		t.Fatalf("the children were not named\n%s", stderr.String())
	}
	return cmd, stdout, stderr, filhos
}

// qualquer is an exit code that does not matter.
const qualquer = -1

// acabou waits for the end of the command and checks that nothing is left.
func acabou(t *testing.T, cmd *exec.Cmd, filhos []int, codigo int, stderr *bytes.Buffer) {
	t.Helper()
	fim := make(chan struct{})
	go func() { _ = cmd.Wait(); close(fim) }()
	select {
	case <-fim:
	case <-time.After(20 * time.Second):
		t.Fatal("the command did not end")
	}
	if got := cmd.ProcessState.ExitCode(); got != codigo && codigo != qualquer {
		t.Errorf("exit code %d, want %d\n%s", got, codigo, stderr.String())
	}
	for _, pid := range filhos {
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			t.Errorf("process %d is still there (%v)", pid, err)
		}
	}
}

func TestSinais(t *testing.T) {
	tests := []struct {
		nome   string
		sinal  syscall.Signal
		aTodos bool // as a terminal does
	}{
		{"Ctrl-C at a terminal", syscall.SIGINT, true},
		{"SIGINT", syscall.SIGINT, false},
		{"SIGTERM", syscall.SIGTERM, false},
		{"terminal closed", syscall.SIGHUP, false},
	}
	for _, tt := range tests {
		t.Run(tt.nome, func(t *testing.T) {
			t.Parallel()
			cmd, stdout, stderr, filhos := ponteDeVerdade(t, "subir", "--addr-agente", "localhost:0", "--addr-mcp", "localhost:0")
			defer stdout.Close()
			alvo := cmd.Process.Pid
			if tt.aTodos {
				alvo = -alvo
			}
			if err := syscall.Kill(alvo, tt.sinal); err != nil {
				t.Fatal(err)
			}
			acabou(t, cmd, filhos, 0, stderr)
		})
	}
}

// TestLeitorQueSai: ponte demo | head leaves no process behind. The demo may
// have written all before the reader leaves.
func TestLeitorQueSai(t *testing.T) {
	cmd, stdout, stderr, filhos := ponteDeVerdade(t, "demo")
	stdout.Close()
	acabou(t, cmd, filhos, qualquer, stderr)
}
