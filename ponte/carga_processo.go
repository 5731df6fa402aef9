package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tiquesPorSegundo is the unit of the times in /proc/PID/stat: USER_HZ, which
// Linux keeps at 100 on every architecture that Go runs on.
const tiquesPorSegundo = 100

// processoMedido is a process of this machine whose CPU and memory are read.
type processoMedido struct {
	nome string
	pid  int
}

// consumo is what a process has used so far.
type consumo struct {
	cpu time.Duration // user and system, of all its threads
	rss int64         // bytes of memory that it holds now
}

// errSemProc says why nothing is known of a process.
var errSemProc = errors.New("sem /proc nesta maquina: CPU e memoria nao sao medidas")

// consumoDe reads what a process has used from a proc file system.
func consumoDe(raiz string, pid int) (consumo, error) {
	if _, err := os.Stat(filepath.Join(raiz, "self", "stat")); err != nil {
		return consumo{}, errSemProc
	}
	pasta := filepath.Join(raiz, strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(pasta, "stat"))
	if err != nil {
		return consumo{}, fmt.Errorf("nao ha processo %d nesta maquina", pid)
	}
	// The second field is a name in brackets, which may hold anything.
	campos := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(campos) < 22 {
		return consumo{}, fmt.Errorf("%s/stat nao tem a forma esperada", pasta)
	}
	var n [3]int64
	for i, campo := range []int{11, 12, 21} { // utime, stime, rss: fields 14, 15 and 24 of proc(5)
		if n[i], err = strconv.ParseInt(string(campos[campo]), 10, 64); err != nil {
			return consumo{}, fmt.Errorf("%s/stat nao tem a forma esperada", pasta)
		}
	}
	return consumo{
		cpu: time.Duration(n[0]+n[1]) * time.Second / tiquesPorSegundo,
		rss: n[2] * int64(os.Getpagesize()),
	}, nil
}

// raizProc is where the running system shows its processes.
const raizProc = "/proc"

// consumos reads all of them; of one that cannot be read there is no entry.
func consumos(processos []processoMedido) map[string]consumo {
	m := make(map[string]consumo, len(processos))
	for _, p := range processos {
		if c, err := consumoDe(raizProc, p.pid); err == nil {
			m[p.nome] = c
		}
	}
	return m
}
