package e2e

import (
	"strings"
	"testing"
)

// killed is step 12: what was paused before the server died goes on after it,
// because the state travels and does not stay.
func (w *walk) killed(t *testing.T) {
	// Two Tasks pause on a booking that only the dying process knows. When they
	// go on, the room first asked for is free again, and must stay so.
	mine := booking{sala: "sala-porao", responsavel: "Marty"}.at("12-01", "09:00", "10:00")
	wantTask(t, w.a2a.send(t, mine.text()), completed)
	const line = "alternativas: sala-fusca, sala-garagem, sala-mirante"
	choosing := w.a2a.pause(t, mine, line)
	refusing := w.a2a.pause(t, mine, line)
	direct := w.mcp.ask(t, conflict)

	w.server.kill()
	w.server.restart(t)

	a := w.mcp.tool(t, "reservar_sala", conflict.args(), direct.accepting("sala-fusca"))
	r := toolResultOf(t, a)
	if r.ResultType != "complete" || r.IsError || !strings.Contains(string(r.Structured), `"reservado":true,"sala":"sala-fusca"`) {
		t.Errorf("retry at the restarted server: expected a booking of sala-fusca, got: %s", a.body)
	}

	wantBooked(t, w.a2a.reply(t, choosing.ID, "escolha=sala-garagem"), "sala-garagem", mine)
	wantTask(t, w.a2a.reply(t, refusing.ID, "escolha=recusar"), canceled, "Reserva recusada.")
	w.mcp.wantHolders(t, mine)
	garagem := mine
	garagem.sala = "sala-garagem"
	w.mcp.wantHolders(t, garagem, "Marty")
}

// TestRestartAtAnyMoment kills the server again and again under Tasks that
// pause and go on: none is lost, none ends in another state than the choice
// says.
func TestRestartAtAnyMoment(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	tk := p.a2a.pause(t, conflict, "alternativas: sala-fusca, sala-mirante")
	for _, wrong := range []string{"escolha=sala-aquario", "sala-fusca", "escolha=", "escolha=SALA-FUSCA", "talvez"} {
		p.server.kill()
		// No answer to the question is worth a call: the server is not missed.
		wantTask(t, p.a2a.reply(t, tk.ID, wrong), inputRequired, "alternativas: sala-fusca, sala-mirante")
		p.server.restart(t)
	}
	wantBooked(t, p.a2a.reply(t, tk.ID, "  escolha = sala-fusca "), "sala-fusca", conflict)
}
