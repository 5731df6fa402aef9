package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"
)

// demo plays the whole story over two processes of its own, on free ports and
// with a secret of its own, and ends well only if every step went as expected.
func demo(ctx context.Context, amb ambiente, args []string) error {
	if err := lerOpcoes(flag.NewFlagSet("demo", flag.ContinueOnError), args, amb.stdout); err != nil {
		return err
	}
	servidor, agente := &diario{}, &diario{}
	return comBinarios(ctx, amb, func(bins binarios) error {
		return comPar(ctx, bins, servidor, agente, func(d *par) error {
			t := novaTela(amb.stdout, amb.getenv)
			t.titulo("A ponte: dois processos, uma historia")
			t.frase(semCor, fmt.Sprintf("servidor-mcp em %s (pid %d)", d.urlMCP, d.servidor.PID()))
			t.frase(semCor, fmt.Sprintf("agente em %s (pid %d)", d.urlAgente, d.agente.PID()))
			p := &palco{agente: d.urlAgente, cliente: novoCliente(), servidor: servidor, limiteDiario: 2 * time.Second}
			err := narrar(ctx, p, t, historia)
			if err != nil {
				mostrarDiario(t, "servidor-mcp", servidor)
				mostrarDiario(t, "agente", agente)
			}
			return err
		})
	})
}

// narrar plays the steps of a story and prints what crosses each border. The
// error says how many steps were not as expected.
func narrar(ctx context.Context, p *palco, t *tela, historia []passo) error {
	p.tarefas = make(map[string]*enredo)
	defer p.cliente.CloseIdleConnections()
	ruins := 0
	cenas := make([]cena, len(historia))
	for i, s := range historia {
		if ctx.Err() != nil {
			return errors.New("demo interrompida")
		}
		t.titulo(fmt.Sprintf("%d. %s", i+1, s.titulo))
		c := p.encenar(ctx, s)
		cenas[i] = c
		mostrarCena(t, s, c)
		erros := p.conferir(s, c)
		if len(erros) == 0 {
			t.frase(verde, "ok")
			continue
		}
		ruins++
		for _, e := range erros {
			t.frase(vermelho, "FALHOU: "+e)
		}
		t.linha(semCor, "resposta", fmt.Sprintf("HTTP %d %s", c.status, cortado(c.body)))
	}
	for i, c := range cenas {
		if tarde := p.servidor.doRastro(c.traceID); len(tarde) != len(c.mcp) {
			ruins++
			t.frase(vermelho, fmt.Sprintf("FALHOU: o passo %d causou ainda, depois da resposta: %s", i+1, metodosDe(tarde[len(c.mcp):])))
		}
	}
	if ruins > 0 {
		t.titulo(fmt.Sprintf("%d de %d passos falharam", ruins, len(historia)))
		return fmt.Errorf("demo: %d de %d passos nao foram como esperado", ruins, len(historia))
	}
	t.titulo(fmt.Sprintf("Os %d passos foram como esperado.", len(historia)))
	return nil
}

// mostrarCena prints a step in the order in which it happened: outside in,
// inside, outside out.
func mostrarCena(t *tela, s passo, c cena) {
	if s.nota != "" {
		t.frase(apagado, s.nota)
	}
	if c.pedido.url == "" {
		return // nothing went out
	}
	switch {
	case s.cartao:
		t.linha(semCor, "fora   ->", "GET "+caminhoCartao)
	case s.consulta:
		t.linha(semCor, "fora   ->", fmt.Sprintf("GetTask, Task %s...", inicioDe(em(c.pedido.body, "params", "id"))))
	default:
		metodo := "SendMessage"
		if id := em(c.pedido.body, "params", "message", "taskId"); id != nil {
			metodo += fmt.Sprintf(", Task %s...", inicioDe(id))
		}
		t.linha(semCor, "fora   ->", metodo+": "+s.texto)
	}
	mostrarMCP(t, c)
	switch {
	case c.tarefa != nil:
		t.linha(negrito, "fora   <-", c.tarefa.Status.State)
		t.linha(semCor, "", c.tarefa.fala())
		if artefato := c.tarefa.artefato(); artefato != "" {
			t.linha(semCor, "", "artifact reserva: "+artefato)
		}
	case c.cartao != nil:
		i := interfaceJSONRPC(c.cartao)
		t.linha(semCor, "fora   <-", fmt.Sprintf("%v %v, skills: %s", em(c.cartao, "name"), em(c.cartao, "version"), skillsDe(c.cartao)))
		t.linha(semCor, "", fmt.Sprintf("interface JSONRPC %v em %v", em(i, "protocolVersion"), em(i, "url")))
	}
}

func mostrarMCP(t *tela, c cena) {
	if len(c.mcp) == 0 {
		t.linha(apagado, "dentro", "nenhum request MCP")
		return
	}
	for i, v := range c.mcp {
		rotulo := ""
		if i == 0 {
			rotulo = "dentro"
		}
		texto := fmt.Sprintf("%-15s id %-3s %s", v.metodo, v.id, v.desfecho)
		if v.metodo == "tools/call" && c.anterior != "" {
			texto += fmt.Sprintf("   (o da pausa foi %s: sao requests independentes)", c.anterior)
		}
		t.linha(semCor, rotulo, texto)
	}
	t.linha(apagado, "", "trace-id "+c.traceID+", o mesmo fora e dentro")
}

func inicioDe(id any) string {
	s := fmt.Sprint(id)
	return s[:min(len(s), 8)]
}

func skillsDe(cartao any) string {
	lista, _ := em(cartao, "skills").([]any)
	ids := make([]string, len(lista))
	for i, s := range lista {
		ids[i] = fmt.Sprint(em(s, "id"))
	}
	return strings.Join(ids, ", ")
}

// cortado bounds a body that is shown for debugging.
func cortado(body []byte) string {
	const limite = 3000
	if len(body) > limite {
		return string(body[:limite]) + "..."
	}
	return string(body)
}

// mostrarDiario shows the end of a process's stderr.
func mostrarDiario(t *tela, nome string, d *diario) {
	t.titulo("fim do stderr de " + nome)
	for _, linha := range d.ultimas(30) {
		t.linha(semCor, "", linha)
	}
}
