package conforme

import (
	"testing"
	"time"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

func avisosAnotar(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"), umAviso(tk, "b"))
	tk = andar(t, s, tk)
	ps := reivindicar(t, s, nil, agora, agora.Add(time.Minute), 10)

	// A failure keeps what is to be told, until Proxima. Nothing else of it is
	// stored.
	f := falhou(ps[0], agora.Add(time.Hour))
	f.URL, f.Token, f.Esquema, f.Credenciais = "x", "x", "x", "x"
	anotar(t, s, f)
	anotar(t, as.outro(), entregue(ps[1]))
	a, b := umAviso(tk, "a"), umAviso(tk, "b")
	a.Entregue, a.Tentativas, a.Proxima = 1, 1, agora.Add(time.Hour)
	b.Entregue = 2
	conferirAvisos(t, s, tk.ID, a, b)
	nadaAContar(t, s, agora.Add(time.Hour-time.Millisecond), "waiting after a failure, and told")

	p := reivindicado(t, s, agora.Add(time.Hour), agora.Add(2*time.Hour))
	if p.ID != "a" || p.Tentativas != 1 || p.Entregue != 1 || p.Tarefa.Versao != 2 {
		t.Errorf("want the one that failed, got %+v", p)
	}
	// An end of the claim without an outcome: at once.
	livre := p.Aviso
	livre.Proxima = time.Time{}
	anotar(t, s, livre)
	p = reivindicado(t, s, agora, agora.Add(time.Hour))
	anotar(t, s, entregue(p))
	nadaAContar(t, s, agora.Add(9*time.Hour), "all told")

	// The next change is told to both.
	andar(t, s, tk)
	ps = reivindicar(t, s, nil, agora, agora.Add(time.Minute), 10)
	if len(ps) != 2 || ps[0].Tentativas != 0 || ps[0].Tarefa.Versao != 3 {
		t.Errorf("want both told of version 3, got %+v", ps)
	}
}

// What changed between the claim and the note is to be told still, from Proxima
// on.
func avisosAnotarOQueMudou(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	tk = andar(t, s, tk)
	p := reivindicado(t, s, agora, agora.Add(time.Hour))
	tk = andar(t, as.outro(), tk)
	anotar(t, s, entregue(p))
	p = reivindicado(t, s, agora, agora.Add(time.Hour))
	if p.Entregue != 2 || p.Tarefa.Versao != 3 {
		t.Errorf("want version 3 told after 2, got %+v", p)
	}
	tk = passar(t, s, tk, agora, tarefa.Cancelar) // the last change too
	e := entregue(p)
	e.Proxima = agora.Add(time.Second)
	anotar(t, s, e)
	nadaAContar(t, s, agora, "not before Proxima")
	p = reivindicado(t, s, agora.Add(time.Second), agora.Add(time.Hour))
	if p.Tarefa.Versao != tk.Versao {
		t.Errorf("want the end told, got %+v", p)
	}
	anotar(t, s, entregue(p))
	nadaAContar(t, s, agora.Add(9*time.Hour), "the end is told")
}

// A note that comes too late changes nothing: the config is gone, was replaced,
// or is in somebody else's hands.
func avisosAnotarTarde(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	tk = andar(t, s, tk)
	ate := agora.Add(time.Minute)
	notas := func(p tarefa.Pendente) {
		t.Helper()
		antes := avisosDe(t, s, tk.ID)
		for _, s := range as {
			for _, nota := range []tarefa.Aviso{entregue(p), falhou(p, time.Time{}), falhou(p, agora.Add(9*time.Hour))} {
				anotar(t, s, nota)
				conferirAvisos(t, s, tk.ID, antes...)
			}
		}
	}
	// Claimed by somebody else.
	velha := reivindicado(t, s, agora, ate)
	p := reivindicado(t, as.outro(), ate, ate.Add(time.Minute))
	notas(velha)
	nadaAContar(t, s, ate, "claimed by the other one")

	// Noted already.
	anotar(t, s, falhou(p, time.Time{}))
	notas(p)

	// Replaced, by another one and by one that is the same.
	p = reivindicado(t, s, agora, ate)
	novo := umAviso(tk, "a")
	novo.URL = "outra"
	avisar(t, s, novo)
	notas(p)
	tk = andar(t, s, tk)
	p = reivindicado(t, s, agora, ate)
	avisar(t, s, novo)
	notas(p)
	novo.Entregue = tk.Versao
	conferirAvisos(t, s, tk.ID, novo)

	// Dropped, and there again.
	tk = andar(t, s, tk)
	p = reivindicado(t, s, agora, ate)
	if err := s.ApagarAviso(t.Context(), tk.ID, "a"); err != nil {
		t.Fatal(err)
	}
	notas(p)
	avisar(t, s, novo)
	notas(p)
	tk = andar(t, s, tk)
	p2 := reivindicado(t, s, agora, ate)
	notas(p)
	anotar(t, s, entregue(p2))
	novo.Entregue = tk.Versao
	conferirAvisos(t, s, tk.ID, novo)
}

// A Task that has ended is told to whoever did not hear, and a config that it
// is given then has nothing to tell.
func avisosTaskTerminada(t *testing.T, as agentes) {
	s := as.um()
	for _, e := range []tarefa.Evento{tarefa.Cancelar, tarefa.Falhar, tarefa.Rejeitar} {
		tk := nova(t, s, "")
		avisar(t, s, umAviso(tk, "a"))
		tk = passar(t, s, tk, agora, e)
		avisar(t, s, umAviso(tk, "tarde"))
		p := reivindicado(t, as.outro(), agora, agora.Add(time.Minute))
		if p.ID != "a" || !p.Tarefa.Estado.Terminal() {
			t.Fatalf("%s: want the end told to the first, got %+v", e, p)
		}
		anotar(t, s, falhou(p, agora))
		p = reivindicado(t, s, agora, agora.Add(time.Minute))
		anotar(t, s, entregue(p))
		nadaAContar(t, s, agora.Add(time.Hour), "the end is told")
		if ps := reivindicar(t, s, []string{tk.ID}, agora.Add(time.Hour), agora.Add(2*time.Hour), 9); len(ps) != 0 {
			t.Errorf("%s: got %+v", e, ps)
		}
		// They are there as long as the Task is.
		a, tarde := umAviso(tk, "a"), umAviso(tk, "tarde")
		a.Entregue, tarde.Entregue = tk.Versao, tk.Versao
		conferirAvisos(t, s, tk.ID, a, tarde)
	}
}

// Instants are kept to the millisecond; what is asked for may be finer.
func avisosMilissegundos(t *testing.T, as agentes) {
	s := as.um()
	tk := nova(t, s, "")
	avisar(t, s, umAviso(tk, "a"))
	andar(t, s, tk)
	fino := agora.Add(400 * time.Microsecond).In(time.FixedZone("x", 3600))
	ps, err := s.ReivindicarAvisos(t.Context(), nil, fino, fino.Add(time.Second), 1)
	if err != nil || len(ps) != 1 || !ps[0].Proxima.Equal(agora.Add(time.Second)) || ps[0].Proxima.Location() != time.UTC {
		t.Fatalf("want it claimed to the millisecond, in UTC, got %+v, %v", ps, err)
	}
	anotar(t, s, falhou(ps[0], fino.Add(2*time.Second)))
	if got := avisosDe(t, s, tk.ID)[0].Proxima; got != agora.Add(2*time.Second) {
		t.Errorf("want the millisecond, in UTC, got %v", got)
	}
	nadaAContar(t, s, agora.Add(2*time.Second-1), "just before")
	reivindicado(t, s, agora.Add(2*time.Second), agora.Add(time.Hour))
}
