package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// opcoesDeCarga is what a run of the load is asked for.
type opcoesDeCarga struct {
	modo modoDeCarga
	// agente and mcp are the addresses to measure; both empty for a pair that
	// the command starts itself.
	agente, mcp string
	// pidAgente and pidMCP are processes of this machine; 0 for none.
	pidAgente, pidMCP int
	// conexoes is measured one number after the other.
	conexoes             []int
	duracao, aquecimento time.Duration
	// ciclos, when not 0, takes the place of duracao.
	ciclos int64
	espera time.Duration
	// reservas is how many fill the agenda first.
	reservas int
	// rodadas is how often each is measured; the medians count.
	rodadas               int
	piso, json, progresso bool
}

// lerOpcoesDeCarga parses and checks the options.
func lerOpcoesDeCarga(args []string, stdout io.Writer) (opcoesDeCarga, error) {
	var o opcoesDeCarga
	fs := flag.NewFlagSet("carga", flag.ContinueOnError)
	modo := fs.String("modo", string(modoCiclo), "o que e um ciclo: ciclo (conflito e recusa), completo (conflito e escolha, com reserva) ou listar (listar_salas)")
	fs.StringVar(&o.agente, "agente", "", "URL base de um agente que ja esta no ar; sem ela e sem -mcp, sobe o par em portas livres")
	fs.StringVar(&o.mcp, "mcp", "", "URL de um servidor MCP que ja esta no ar, com ou sem /mcp")
	pidAgente := fs.String("pid-agente", "", "processo do agente nesta maquina, para CPU e memoria")
	pidMCP := fs.String("pid-mcp", "", "processo do servidor MCP nesta maquina")
	conexoes := fs.String("conexoes", "16", "conexoes ao mesmo tempo; uma lista, como 16,64, mede uma depois da outra")
	duracao := fs.String("duracao", "5s", "quanto dura cada medicao")
	aquecimento := fs.String("aquecimento", "1s", "quanto dura a carga antes de cada medicao")
	ciclos := fs.String("ciclos", "", "mede este numero de ciclos, no lugar de -duracao")
	espera := fs.String("espera", "10s", "limite de cada troca; alem dele e um erro")
	reservas := fs.String("reservas", "0", "antes de medir, enche a agenda com este numero de reservas, pelo servidor MCP")
	rodadas := fs.String("rodadas", "", "quantas vezes mede cada numero de conexoes, dando a mediana; sem ela 1, e 3 com -piso")
	sim := func(nome, texto string, alvo *bool) {
		fs.BoolFunc(nome, texto, func(s string) (err error) { *alvo, err = strconv.ParseBool(s); return err })
	}
	sim("piso", "mede ao lado, alternando, dois processos net/http que so trocam bytes dos mesmos tamanhos", &o.piso)
	sim("json", "imprime JSON, com todos os numeros", &o.json)
	sim("progresso", "mostra o andamento tambem fora de um terminal", &o.progresso)
	if err := lerOpcoes(fs, args, stdout); err != nil {
		return o, err
	}
	o.modo = modoDeCarga(*modo)
	l := &leitorDeOpcoes{}
	l.inteiro(&o.pidAgente, "pid-agente", *pidAgente, 1, 1<<31-1)
	l.inteiro(&o.pidMCP, "pid-mcp", *pidMCP, 1, 1<<31-1)
	for texto := range strings.SplitSeq(*conexoes, ",") {
		var n int
		l.inteiro(&n, "conexoes", strings.TrimSpace(texto), 1, 10_000)
		o.conexoes = append(o.conexoes, n)
	}
	l.duracao(&o.duracao, "duracao", *duracao, time.Millisecond)
	l.duracao(&o.aquecimento, "aquecimento", *aquecimento, 0)
	var n int
	l.inteiro(&n, "ciclos", *ciclos, 1, 1<<40)
	o.ciclos = int64(n)
	l.duracao(&o.espera, "espera", *espera, time.Millisecond)
	l.inteiro(&o.reservas, "reservas", *reservas, 0, maxReservas)
	o.rodadas = 1
	if o.piso {
		o.rodadas = 3
	}
	l.inteiro(&o.rodadas, "rodadas", *rodadas, 1, 1000)
	if l.err == nil {
		l.err = o.conferir()
	}
	return o, l.err
}

// conferir finds options that do not go together.
func (o *opcoesDeCarga) conferir() error {
	externo := o.agente != "" || o.mcp != ""
	switch {
	case umCiclo[o.modo] == "":
		return fmt.Errorf("carga: --modo %q nao existe: use ciclo, completo ou listar", o.modo)
	case !externo && (o.pidAgente > 0 || o.pidMCP > 0):
		return errors.New("carga: --pid-agente e --pid-mcp sao de processos que ja estao no ar: diga tambem --agente ou --mcp")
	case externo && o.modo != modoListar && o.agente == "":
		return fmt.Errorf("carga: o modo %s precisa de --agente", o.modo)
	case externo && o.mcp == "" && o.modo != modoCiclo:
		return fmt.Errorf("carga: o modo %s precisa de --mcp", o.modo)
	case externo && o.mcp == "" && o.piso:
		return errors.New("carga: --piso precisa tambem de --mcp, para saber o tamanho do que o agente troca com ele")
	case externo && o.mcp == "" && o.reservas > 0:
		return errors.New("carga: --reservas precisa de --mcp")
	}
	return nil
}

// leitorDeOpcoes keeps the first error.
type leitorDeOpcoes struct{ err error }

// inteiro reads a number within bounds; an empty text leaves alvo as it is.
func (l *leitorDeOpcoes) inteiro(alvo *int, nome, texto string, min, max int) {
	if l.err != nil || texto == "" && nome != "conexoes" {
		return
	}
	n, err := strconv.Atoi(texto)
	if err != nil || n < min || n > max {
		l.err = fmt.Errorf("carga: --%s %q: use um numero de %d a %d", nome, texto, min, max)
		return
	}
	*alvo = n
}

func (l *leitorDeOpcoes) duracao(alvo *time.Duration, nome, texto string, min time.Duration) {
	if l.err != nil {
		return
	}
	const max = 24 * time.Hour
	d, err := time.ParseDuration(texto)
	if err != nil || d < min || d > max {
		l.err = fmt.Errorf("carga: --%s %q: use uma duracao de %s a 24h, por exemplo 10s", nome, texto, min)
		return
	}
	*alvo = d
}
