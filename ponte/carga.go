package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// carga measures what an agent and an MCP server bear: it repeats one cycle
// over many connections at once and says how many ended in a second, how long
// they took, and what they cost. An error in any of them is an error of the
// command. See umCiclo for what a cycle is.
func carga(ctx context.Context, amb ambiente, args []string) error {
	o, err := lerOpcoesDeCarga(args, amb.stdout)
	if err != nil {
		return err
	}
	return comAlvo(ctx, amb, o, func(a alvoDaCarga) error {
		r := &relatorio{o: o, alvo: a}
		if _, err := consumoDe(raizProc, os.Getpid()); err != nil {
			r.semConsumo = err.Error()
		}
		err := medir(ctx, amb, r)
		switch {
		case err != nil && ctx.Err() != nil, err == nil && len(r.medicoes) == 0:
			return errors.New("carga: interrompida antes de medir")
		case err != nil:
			return fmt.Errorf("carga: %w", err)
		}
		if o.json {
			raw, err := legivel(r.json())
			if err != nil {
				return err
			}
			_, err = amb.stdout.Write(raw)
			if err != nil {
				return err
			}
		} else {
			w := bufio.NewWriter(amb.stdout) // it keeps the first error
			t := novaTela(amb.stdout, amb.getenv)
			t.w = w
			r.tabela(w, t)
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if erros := r.erros(); erros.total() > 0 {
			return fmt.Errorf("carga: %d erros", erros.total())
		}
		return nil
	})
}

// medir does all runs that the options ask for. When ctx ends it returns with
// those that it has.
func medir(ctx context.Context, amb ambiente, r *relatorio) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Most of this process's work is waiting. With fewer threads it takes less
	// from those that it measures.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0)/2, 1)))
	inteira, err := corridaReal(ctx, r)
	if err != nil {
		return err
	}
	p := novoProgresso(amb.stderr, r.o.progresso)
	if err := encherAgenda(ctx, r, inteira, p); err != nil {
		return err
	}
	dentro := ""
	if r.o.piso {
		dentro = r.alvo.mcp
	}
	// The first exchange of all: what cannot work fails here, with its reason.
	corpos, err := gravarCorpos(ctx, inteira, dentro)
	if err != nil {
		return fmt.Errorf("a primeira troca falhou: %w", err)
	}
	lados := []lado{{"medido", inteira, func(m *medicao, x *medida) { m.medido = append(m.medido, x) }}}
	if r.o.piso {
		piso, parar, err := corridaDoPiso(ctx, inteira, corpos)
		if err != nil {
			return err
		}
		defer parar()
		lados = append(lados, lado{"piso", piso, func(m *medicao, x *medida) { m.piso = append(m.piso, x) }})
	}
	for _, n := range r.o.conexoes {
		m := medicao{conexoes: n}
		for rodada := range r.o.rodadas {
			for _, l := range lados {
				if ctx.Err() != nil {
					break
				}
				l.corrida.conexoes = n
				vivo := &placar{}
				parar := p.mostrar(daCorrida(fmt.Sprintf("%s, rodada %d de %d", l.nome, rodada+1, r.o.rodadas), l.corrida, vivo))
				x := l.corrida.correr(ctx, vivo)
				parar()
				r.interrompida = r.interrompida || x.interrompida
				if !x.interrompida || x.ciclos > 0 || x.erros.total() > 0 {
					l.guardar(&m, x)
				}
			}
		}
		if len(m.medido) > 0 {
			r.medicoes = append(r.medicoes, m)
		}
	}
	return nil
}

// lado is one of the two that are measured in turn.
type lado struct {
	nome    string
	corrida corrida
	guardar func(*medicao, *medida)
}

// corridaReal prepares the load on the target.
func corridaReal(ctx context.Context, r *relatorio) (c corrida, err error) {
	url := r.alvo.agente
	if r.o.modo == modoListar {
		url = r.alvo.mcp
	}
	c = corrida{
		aquecimento: r.o.aquecimento, duracao: r.o.duracao, ciclos: r.o.ciclos, espera: r.o.espera,
		serie: &serie{prefixo: "carga-" + novoSegredo()[:12]},
	}
	if c.roteiro, err = novoRoteiro(r.o.modo, func(int) string { return url }); err != nil {
		return c, err
	}
	for _, p := range r.alvo.processos {
		if r.o.modo != modoListar || p.nome == dupla.Servidor {
			c.processos = append(c.processos, p)
		}
	}
	c.processos = append(c.processos, processoMedido{gerador, os.Getpid()})
	if r.o.modo == modoCompleto {
		c.agenda = novaAgendaDeCarga(r.alvo.mcp)
		err = c.agenda.preparar(ctx)
	}
	return c, err
}

// encherAgenda books the reservations that are to be there before.
func encherAgenda(ctx context.Context, r *relatorio, c corrida, p progresso) error {
	if r.o.reservas == 0 {
		return nil
	}
	agenda := c.agenda
	if agenda == nil {
		agenda = novaAgendaDeCarga(r.alvo.mcp) // only for its days
	}
	e, err := novoEnchimento(ctx, r.alvo.mcp, r.o.reservas, agenda.primeiro, c.espera, c.serie)
	if err != nil {
		return err
	}
	defer p.mostrar(func(passou time.Duration) string {
		return fmt.Sprintf("enchendo a agenda: %d de %d reservas, %.0f s", e.feitas.Load(), e.quantas, passou.Seconds())
	})()
	return e.encher(ctx)
}

// corridaDoPiso starts the floor and prepares the same load on it.
func corridaDoPiso(ctx context.Context, c corrida, corpos corposDoPiso) (corrida, func(), error) {
	dir, err := os.MkdirTemp("", "ponte-piso-")
	if err != nil {
		return c, nil, err
	}
	piso, err := iniciarPiso(ctx, dir, corpos, c.roteiro.modo != modoListar)
	if err != nil {
		_ = os.RemoveAll(dir)
		return c, nil, err
	}
	parar := func() {
		_ = piso.parar() // nothing of the measurement depends on its end
		_ = os.RemoveAll(dir)
	}
	roteiro, err := novoRoteiro(c.roteiro.modo, func(i int) string { return piso.url() + caminhoDoPiso(i) })
	if err != nil {
		parar()
		return c, nil, err
	}
	roteiro.confereID = false
	c.roteiro, c.agenda = roteiro, nil
	c.processos = []processoMedido{{dupla.Servidor, piso.servidor.PID()}, {gerador, os.Getpid()}}
	if piso.agente != nil {
		c.processos = append(c.processos, processoMedido{dupla.Agente, piso.agente.PID()})
	}
	return c, parar, nil
}
