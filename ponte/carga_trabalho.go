package main

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// corrida is one run of the load: so many connections, each doing one cycle
// after the other, without a pause between warm-up and measurement.
type corrida struct {
	roteiro *roteiro
	// agenda gives each cycle a time of its own; nil where cycles need none.
	agenda   *agendaDeCarga
	conexoes int
	// The cycles of the warm-up are done and not counted.
	aquecimento, duracao time.Duration
	// ciclos, when not 0, ends the measurement instead of duracao.
	ciclos int64
	// espera bounds an exchange.
	espera    time.Duration
	processos []processoMedido
	serie     *serie
}

// serie makes the ids of a command's requests different from each other and
// from those of another command.
type serie struct {
	prefixo      string
	trabalhadora atomic.Int64
}

// medida is what a run gave.
type medida struct {
	// tempo is from the first cycle that counts to the last.
	tempo time.Duration
	// ciclos ended well within tempo: they are the rate. ciclo has their times
	// and those of the few that had begun within it and ended later; troca, the
	// times of their exchanges.
	ciclos       uint64
	ciclo, troca histograma
	// erros are of all cycles, those of the warm-up included.
	erros errosContados
	// antes and depois are the processes at both ends of tempo, by name.
	antes, depois map[string]consumo
	interrompida  bool
}

// placar is what can be seen of a run while it goes on.
type placar struct{ feitos, erros atomic.Int64 }

// janela is the time that counts.
type janela struct {
	de, ate time.Time     // ate is zero when a number of cycles ends the run
	restam  *atomic.Int64 // of that number; else nil
}

// correr runs the load to its end, or until ctx ends: what was measured by then
// is what comes back.
func (c corrida) correr(ctx context.Context, p *placar) *medida {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := janela{de: time.Now().Add(c.aquecimento)}
	if c.ciclos > 0 {
		j.restam = &atomic.Int64{}
		j.restam.Store(c.ciclos)
	} else {
		j.ate = j.de.Add(c.duracao)
	}
	todas := make([]trabalhadora, c.conexoes)
	var grupo sync.WaitGroup
	for i := range todas {
		t := &todas[i]
		t.corrida, t.placar, t.n = c, p, c.serie.trabalhadora.Add(1)*1e9
		t.conexao = conexaoHTTP{destino: c.roteiro.etapas[0].modelo.destino, espera: c.espera}
		if c.agenda == nil { // the floor does not look, but counts bytes
			t.v.definir(lacunaInicio, []byte(instanteISO))
			t.v.definir(lacunaFim, []byte(instanteISO))
		}
		grupo.Go(func() { t.trabalhar(ctx, j) })
	}
	acabaram := make(chan struct{})
	go func() { grupo.Wait(); close(acabaram) }()

	m := &medida{}
	esperarAte(ctx, j.de, acabaram)
	m.antes = consumos(c.processos)
	if j.restam != nil {
		esperarAte(ctx, time.Time{}, acabaram)
	} else {
		esperarAte(ctx, j.ate, acabaram)
	}
	m.depois = consumos(c.processos)
	fim := time.Now()
	m.interrompida = ctx.Err() != nil
	<-acabaram
	if j.restam == nil && !m.interrompida {
		fim = j.ate
	}
	m.tempo = max(fim.Sub(j.de), 0)
	for i := range todas {
		m.ciclos += todas[i].ciclos
		m.ciclo.somar(&todas[i].ciclo)
		m.troca.somar(&todas[i].troca)
		m.erros.somar(&todas[i].erros)
	}
	return m
}

// esperarAte waits for a moment, the zero one never coming, for the end of the
// work, or for that of ctx.
func esperarAte(ctx context.Context, quando time.Time, acabaram <-chan struct{}) {
	var relogio <-chan time.Time
	if !quando.IsZero() {
		relogio = time.After(time.Until(quando))
	}
	select {
	case <-relogio:
	case <-acabaram:
	case <-ctx.Done():
	}
}

// trabalhadora is one connection at work, with counts of its own.
type trabalhadora struct {
	corrida
	placar  *placar
	conexao conexaoHTTP
	n       int64 // the last JSON-RPC id
	v       valores
	pedido  []byte

	ciclos       uint64
	ciclo, troca histograma
	erros        errosContados
}

// pausaDeErro keeps a target that refuses connections from being asked without
// a pause.
const pausaDeErro = 20 * time.Millisecond

func (t *trabalhadora) trabalhar(ctx context.Context, j janela) {
	parar := context.AfterFunc(ctx, t.conexao.fechar)
	defer parar()
	defer t.conexao.largar()
	trocas := make([]time.Duration, 0, len(t.roteiro.etapas))
	for ctx.Err() == nil {
		inicio := time.Now()
		conta := !inicio.Before(j.de)
		switch {
		case j.restam != nil && conta && j.restam.Add(-1) < 0:
			return
		case j.restam == nil && !inicio.Before(j.ate):
			return
		}
		if t.agenda != nil {
			if err := t.agenda.tomar(ctx, &t.v); err != nil {
				if ctx.Err() == nil {
					t.errou(novaFalha(erroEstado, nil, "%v", err))
				}
				return
			}
			inicio = time.Now()
		}
		var f *falhaDeCarga
		trocas, f = t.girar(ctx, trocas[:0])
		fim := time.Now()
		if ctx.Err() != nil {
			return // it was cut off: neither a cycle nor an error
		}
		if f != nil {
			t.errou(f)
			if f.tipo == erroConexao {
				time.Sleep(pausaDeErro)
			}
			continue
		}
		t.placar.feitos.Add(1)
		if j.restam == nil {
			conta = fim.After(j.de)
		}
		if !conta {
			continue
		}
		if j.restam != nil || !fim.After(j.ate) {
			t.ciclos++
		}
		t.ciclo.anotar(fim.Sub(inicio))
		for _, d := range trocas {
			t.troca.anotar(d)
		}
	}
}

func (t *trabalhadora) errou(f *falhaDeCarga) {
	t.erros.anotar(f)
	t.placar.erros.Add(1)
}

// girar does one cycle and appends the time of each exchange to trocas.
func (t *trabalhadora) girar(ctx context.Context, trocas []time.Duration) ([]time.Duration, *falhaDeCarga) {
	for i := range t.roteiro.etapas {
		antes := time.Now()
		if _, f := t.etapa(ctx, t.roteiro.etapas[i]); f != nil {
			return trocas, f
		}
		trocas = append(trocas, time.Since(antes))
	}
	return trocas, nil
}

// etapa does one exchange; the body is valid until the next.
func (t *trabalhadora) etapa(ctx context.Context, e etapa) (corpo []byte, f *falhaDeCarga) {
	t.n++
	t.v[lacunaID] = strconv.AppendInt(t.v[lacunaID][:0], t.n, 10)
	t.v[lacunaMensagem] = append(append(append(t.v[lacunaMensagem][:0], t.serie.prefixo...), '-'), t.v[lacunaID]...)
	t.pedido = e.modelo.escrever(t.pedido[:0], &t.v)
	status, corpo, err := t.conexao.trocar(ctx, t.pedido)
	if err != nil {
		return nil, classificarFalha(err)
	}
	return corpo, t.roteiro.conferir(e, &t.v, status, corpo)
}
