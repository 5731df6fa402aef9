package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hillvalley.example/ponte/internal/dupla"
)

// TestHostTimeZone plays one story on hosts in three zones. The policy's clock
// is fixed: everybody reads the same texts.
func TestHostTimeZone(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Asia/Tokyo", "America/New_York"}
	told := make([][]string, len(zones))
	var wg sync.WaitGroup
	for i, zone := range zones {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Skipf("this host does not know the zone %s: %v", zone, err)
		}
		env := "TZ=" + zone
		s := startServer(t, env)
		a := start(t, dupla.Agente, []string{"-addr", "localhost:0", "-mcp", s.URL}, env)
		wg.Go(func() { told[i] = story(t, &a2aClient{base: a.URL}) })
	}
	wg.Wait()
	for i, zone := range zones[1:] {
		if !slices.Equal(told[0], told[i+1]) {
			t.Errorf("expected the same texts under TZ=%s as under TZ=%s, got\n%s\nand\n%s", zone, zones[0],
				strings.Join(told[i+1], "\n"), strings.Join(told[0], "\n"))
		}
	}
}

// chapter is a message and what it must bring.
type chapter struct {
	text, state, says string
	// artifact is "" for none.
	artifact string
}

func booked(id, room, from, to, who string) (state, says, artifact string) {
	return completed, "Reserva " + id + " confirmada na " + room + ".", fmt.Sprintf(
		`{"reserva":"%s","sala":"%s","inicio":"%s","fim":"%s","responsavel":"%s","politica":"2026-11-01"}`, id, room, from, to, who)
}

// story plays the evaluator's flow and the edges of the policy, checks each
// answer, and returns what was said.
func story(t *testing.T, c *a2aClient) []string {
	window := "Fora da janela de uso: a politica permite reservas entre 08:00 e 20:00"
	ask := func(room, from, to string) string {
		return booking{room, from, to, "Marty McFly Jr"}.text()
	}
	done := func(text, id, room, from, to string) chapter {
		state, says, artifact := booked(id, room, from, to, "Marty McFly Jr")
		return chapter{text, state, says, artifact}
	}
	var told []string
	var paused string
	for _, ch := range []chapter{
		{ask("sala-garagem", "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00"), inputRequired, "alternativas: sala-fusca, sala-mirante", ""},
		{"escolha=sala-porao", inputRequired, "alternativas: sala-fusca, sala-mirante", ""},
		done("escolha=sala-mirante", "res-0003", "sala-mirante", "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00"),
		{ask("sala-garagem", "2026-11-03T14:30:00-03:00", "2026-11-03T15:30:00-03:00"), inputRequired, "alternativas: sala-fusca", ""},
		{"escolha=recusar", canceled, "Reserva recusada.", ""},
		{ask("sala-inexistente", "2026-11-03T14:00:00-03:00", "2026-11-03T15:00:00-03:00"), failed, "Sala inexistente: sala-inexistente", ""},

		// The window: both ends included, counted at -03:00 whatever the offset.
		{ask("sala-porao", "2026-11-04T19:30:00-03:00", "2026-11-04T21:00:00-03:00"), failed, window, ""},
		{ask("sala-porao", "2026-11-04T07:59:59-03:00", "2026-11-04T09:00:00-03:00"), failed, window, ""},
		{ask("sala-porao", "2026-11-04T19:00:00-03:00", "2026-11-05T08:30:00-03:00"), failed, window, ""},
		{ask("sala-porao", "2026-11-04T22:30:00Z", "2026-11-05T00:00:00Z"), failed, window, ""},
		{ask("sala-porao", "2026-11-05T07:30:00+09:00", "2026-11-05T09:00:00+09:00"), failed, window, ""},
		done(ask("sala-porao", "2026-11-04T18:00:00-03:00", "2026-11-04T20:00:00-03:00"), "res-0004", "sala-porao", "2026-11-04T18:00:00-03:00", "2026-11-04T20:00:00-03:00"),
		done(ask("sala-porao", "2026-11-04T08:00:00-03:00", "2026-11-04T10:00:00-03:00"), "res-0005", "sala-porao", "2026-11-04T08:00:00-03:00", "2026-11-04T10:00:00-03:00"),
		done(ask("sala-porao", "2026-11-05T21:00:00Z", "2026-11-05T23:00:00Z"), "res-0006", "sala-porao", "2026-11-05T18:00:00-03:00", "2026-11-05T20:00:00-03:00"),
		done(ask("sala-porao", "2026-11-07T06:00:00+09:00", "2026-11-07T08:00:00+09:00"), "res-0007", "sala-porao", "2026-11-06T18:00:00-03:00", "2026-11-06T20:00:00-03:00"),
		done(ask("sala-porao", "2026-11-08T08:30:00.000-05:00", "2026-11-08T09:30-05:00"), "res-0008", "sala-porao", "2026-11-08T10:30:00-03:00", "2026-11-08T11:30:00-03:00"),
		// The same interval in two spellings is one interval.
		{ask("sala-garagem", "2026-11-03T17:00:00Z", "2026-11-03T18:00:00Z"), inputRequired, "alternativas: sala-fusca", ""},
		// Half open: one ends when the next begins.
		done(ask("sala-porao", "2026-11-04T10:00:00-03:00", "2026-11-04T11:00:00-03:00"), "res-0009", "sala-porao", "2026-11-04T10:00:00-03:00", "2026-11-04T11:00:00-03:00"),

		{ask("sala-porao", "2026-11-09T08:00:00-03:00", "2026-11-09T10:00:01-03:00"), failed, "Duracao acima do limite: a politica permite no maximo 2 horas", ""},
		{ask("sala-porao", "2026-11-09T10:00:00-03:00", "2026-11-09T10:00:00-03:00"), failed, "Intervalo invalido: fim deve ser posterior a inicio", ""},
		{ask("sala-porao", "2026-11-09T10:00:00", "2026-11-09T11:00:00-03:00"), failed, "Data invalida em inicio: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00", ""},
		{ask("sala-porao", "2026-11-09T10:00:00-03:00", "amanha"), failed, "Data invalida em fim: use ISO 8601 com fuso, por exemplo 2026-11-03T14:00:00-03:00", ""},
	} {
		taskID := ""
		if strings.HasPrefix(ch.text, "escolha=") {
			taskID = paused
		}
		tk, err := taskOfTry(c.try(t.Context(), "SendMessage", say(taskID, ch.text)))
		if err != nil {
			t.Errorf("%s: %v", ch.text, err)
			return told
		}
		says := strings.Join(tk.Status.Message.texts(), " | ")
		if tk.Status.State != ch.state || says != ch.says || tk.artifact() != ch.artifact {
			t.Errorf("%s: expected %s %q %s, got %s %q %s", ch.text, ch.state, ch.says, ch.artifact, tk.Status.State, says, tk.artifact())
		}
		if !strings.HasSuffix(tk.Status.Timestamp, "Z") {
			t.Errorf("%s: expected a status timestamp in UTC, got %q", ch.text, tk.Status.Timestamp)
		}
		paused = tk.ID
		told = append(told, tk.Status.State+" "+says+" "+tk.artifact())
		told = append(told, tk.said()...)
	}
	return told
}
