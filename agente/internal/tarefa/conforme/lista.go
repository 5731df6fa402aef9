package conforme

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

func ordemEFiltros(t *testing.T, s tarefa.Store) {
	if p := listada(t, s, tarefa.Filtro{Limite: 10}); p.Total != 0 || p.Marcador != "" {
		t.Errorf("empty: want nothing, got %+v", p)
	}
	var todas []*tarefa.Tarefa
	for i := range 7 {
		todas = append(todas, nova(t, s, fmt.Sprint("ctx", i%2)))
	}
	// 0 and 3 change, and are the last changed now; the time that a change says
	// to be of has no part in it.
	todas[0] = passar(t, s, todas[0], agora.Add(-time.Hour), tarefa.Cancelar)
	todas[3] = passar(t, s, todas[3], agora.Add(-time.Minute), tarefa.Iniciar, tarefa.Pausar)
	ordem := func(is ...int) []string {
		var ids []string
		for _, i := range is {
			ids = append(ids, todas[i].ID)
		}
		return ids
	}
	for nome, c := range map[string]struct {
		f    tarefa.Filtro
		want []string
	}{
		"all":              {tarefa.Filtro{}, ordem(3, 0, 6, 5, 4, 2, 1)},
		"context":          {tarefa.Filtro{Contexto: "ctx0"}, ordem(0, 6, 4, 2)},
		"state":            {tarefa.Filtro{Estado: a2a.TaskStateCanceled}, ordem(0)},
		"paused":           {tarefa.Filtro{Estado: a2a.TaskStateInputRequired}, ordem(3)},
		"context, state":   {tarefa.Filtro{Contexto: "ctx0", Estado: a2a.TaskStateSubmitted}, ordem(6, 4, 2)},
		"neither":          {tarefa.Filtro{Contexto: "ctx1", Estado: a2a.TaskStateCanceled}, nil},
		"no such context":  {tarefa.Filtro{Contexto: "ctx"}, nil},
		"no such state":    {tarefa.Filtro{Estado: "x' OR '1'='1"}, nil},
		"since":            {tarefa.Filtro{Desde: agora}, ordem(6, 5, 4, 2, 1)},
		"since earlier":    {tarefa.Filtro{Desde: agora.Add(-time.Minute)}, ordem(3, 6, 5, 4, 2, 1)},
		"since later":      {tarefa.Filtro{Desde: agora.Add(time.Second)}, nil},
		"until":            {tarefa.Filtro{Ate: agora}, ordem(3, 0)},
		"until, paused":    {tarefa.Filtro{Ate: agora, Estado: a2a.TaskStateInputRequired}, ordem(3)},
		"between":          {tarefa.Filtro{Desde: agora.Add(-time.Minute), Ate: agora}, ordem(3)},
		"everything":       {tarefa.Filtro{Contexto: "ctx1", Estado: a2a.TaskStateInputRequired, Desde: agora.Add(-time.Hour), Ate: agora}, ordem(3)},
		"nothing at work":  {tarefa.Filtro{Abandonadas: agora.Add(time.Hour)}, nil},
		"in another place": {tarefa.Filtro{Desde: agora.In(time.FixedZone("x", -3*3600))}, ordem(6, 5, 4, 2, 1)},
		"long ago":         {tarefa.Filtro{Desde: time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC)}, ordem(3, 0, 6, 5, 4, 2, 1)},
		"far away":         {tarefa.Filtro{Ate: time.Date(9999, 2, 3, 0, 0, 0, 0, time.UTC)}, ordem(3, 0, 6, 5, 4, 2, 1)},
	} {
		c.f.Limite = 50
		p := listada(t, s, c.f)
		if got := ids(p.Tarefas); !slices.Equal(got, c.want) || p.Total != len(c.want) || p.Marcador != "" {
			t.Errorf("%s: want the last changed first\n%v\ngot %d\n%v, token %q", nome, c.want, p.Total, got, p.Marcador)
		}
		// The same a Task at a time.
		c.f.Limite = 1
		if got := folhear(t, s, c.f, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s, by pages of one: want\n%v\ngot\n%v", nome, c.want, got)
		}
	}
}

// folhear reads all pages of a list that does not change.
func folhear(t *testing.T, s tarefa.Store, f tarefa.Filtro, total int) []string {
	t.Helper()
	var got []string
	for range total + 2 {
		p := listada(t, s, f)
		if p.Total != total {
			t.Fatalf("total: want %d on every page, got %d", total, p.Total)
		}
		got = append(got, ids(p.Tarefas)...)
		if f.Marcador = p.Marcador; f.Marcador == "" {
			return got
		}
		if len(p.Tarefas) != f.Limite {
			t.Fatalf("a page that is not the last has %d of %d Tasks", len(p.Tarefas), f.Limite)
		}
	}
	t.Fatal("the list does not end")
	return nil
}

// Instants are stored to the millisecond; what a filter asks for may be finer.
func filtrosEMilissegundos(t *testing.T, s tarefa.Store) {
	tk := nova(t, s, "").AtePrazo(agora)
	tk = guardar(t, s, tk)
	for nome, c := range map[string]struct {
		f    tarefa.Filtro
		want int
	}{
		"since just before":     {tarefa.Filtro{Desde: agora.Add(-1)}, 1},
		"since":                 {tarefa.Filtro{Desde: agora}, 1},
		"since just after":      {tarefa.Filtro{Desde: agora.Add(1)}, 0},
		"until just before":     {tarefa.Filtro{Ate: agora.Add(-1)}, 0},
		"until":                 {tarefa.Filtro{Ate: agora}, 0},
		"until just after":      {tarefa.Filtro{Ate: agora.Add(1)}, 1},
		"abandoned just before": {tarefa.Filtro{Abandonadas: agora.Add(-1)}, 0},
		"abandoned":             {tarefa.Filtro{Abandonadas: agora}, 0},
		"abandoned just after":  {tarefa.Filtro{Abandonadas: agora.Add(1)}, 1},
	} {
		c.f.Limite = 1
		if p := listada(t, s, c.f); p.Total != c.want {
			t.Errorf("%s: want %d, got %d", nome, c.want, p.Total)
		}
	}
	passar(t, s, tk, agora, tarefa.Falhar)
	for _, c := range []struct {
		antes time.Time
		want  int
	}{{agora.Add(-1), 0}, {agora, 0}, {agora.Add(1), 1}} {
		if n, err := s.Esquecer(t.Context(), c.antes); n != c.want || err != nil {
			t.Errorf("Esquecer before %v: want %d, got %d, %v", c.antes, c.want, n, err)
		}
	}
}

func paginas(t *testing.T, s tarefa.Store) {
	var want []string
	for range 23 {
		want = append(want, nova(t, s, "c").ID)
	}
	slices.Reverse(want)
	for _, limite := range []int{1, 2, 7, 22, 23, 24, 100} {
		if got := folhear(t, s, tarefa.Filtro{Contexto: "c", Limite: limite}, len(want)); !slices.Equal(got, want) {
			t.Errorf("by %d: want\n%v\ngot\n%v", limite, want, got)
		}
	}
}

// Tasks that change between two pages move to the front: what was seen is not
// seen again, and what stands still is seen once.
func paginasEnquantoMuda(t *testing.T, s tarefa.Store) {
	const n = 12
	var todas []*tarefa.Tarefa
	for range n {
		todas = append(todas, nova(t, s, ""))
	}
	f := tarefa.Filtro{Limite: 3}
	vistas := map[string]int{}
	muda := 0
	for {
		p := listada(t, s, f)
		for _, tk := range p.Tarefas {
			vistas[tk.ID]++
		}
		if f.Marcador = p.Marcador; f.Marcador == "" {
			break
		}
		// One that was seen, one that was not, and a new one.
		passar(t, s, todas[n-1-muda], agora, tarefa.Iniciar)
		passar(t, s, todas[muda], agora, tarefa.Iniciar)
		nova(t, s, "")
		muda++
	}
	for i, tk := range todas {
		want := 1
		if i < muda {
			want = 0 // it moved to the front, past the reader
		}
		if vistas[tk.ID] != want {
			t.Errorf("task %d: want it seen %d times, got %d", i, want, vistas[tk.ID])
		}
	}
	if len(vistas) != n-muda {
		t.Errorf("want %d tasks seen, got %d", n-muda, len(vistas))
	}
}

// The order goes on growing when the Task that was changed last is forgotten.
func paginasEEsquecidas(t *testing.T, s tarefa.Store) {
	a, x, b := nova(t, s, ""), nova(t, s, ""), nova(t, s, "")
	p := listada(t, s, tarefa.Filtro{Limite: 1})
	if p.Marcador == "" || p.Tarefas[0].ID != b.ID {
		t.Fatalf("want the newer one and a token, got %+v", p)
	}
	passar(t, s, x, agora, tarefa.Cancelar)
	passar(t, s, b, agora, tarefa.Cancelar)
	if n, err := s.Esquecer(t.Context(), agora.Add(time.Second)); n != 2 || err != nil {
		t.Fatalf("want 2 forgotten, got %d, %v", n, err)
	}
	c := nova(t, s, "")
	p = listada(t, s, tarefa.Filtro{Limite: 5, Marcador: p.Marcador})
	if got := ids(p.Tarefas); !slices.Equal(got, []string{a.ID}) || p.Total != 2 {
		t.Errorf("want the older task alone, of 2, got %v of %d (new: %s)", got, p.Total, c.ID)
	}
}

// A claim that has ended is found, whoever made it, and only that.
func abandonadas(t *testing.T, s tarefa.Store) {
	livre := nova(t, s, "")
	curta := guardar(t, s, nova(t, s, "").AtePrazo(agora.Add(time.Second)))
	longa, err := s.Criar(t.Context(), tarefa.Nova(mensagem("", "x"), "", agora).AtePrazo(agora.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	for nome, c := range map[string]struct {
		quando time.Time
		want   []string
	}{
		"too early": {agora.Add(time.Second), nil},
		"one":       {agora.Add(time.Minute), []string{curta.ID}},
		"both":      {agora.Add(2 * time.Hour), []string{longa.ID, curta.ID}},
	} {
		if got := ids(listada(t, s, tarefa.Filtro{Abandonadas: c.quando, Limite: 9}).Tarefas); !slices.Equal(got, c.want) {
			t.Errorf("%s: want %v, got %v (%s has no claim)", nome, c.want, got, livre.ID)
		}
	}
	// The next step ends the claim; work that goes on makes a new one.
	passar(t, s, curta, agora, tarefa.Falhar)
	guardar(t, s, longa.AtePrazo(agora.Add(3*time.Hour)))
	if p := listada(t, s, tarefa.Filtro{Abandonadas: agora.Add(2 * time.Hour), Limite: 9}); p.Total != 0 {
		t.Errorf("want none, got %v", ids(p.Tarefas))
	}
}

// What has ended before a moment goes, and nothing else.
func esquecer(t *testing.T, s tarefa.Store) {
	if n, err := s.Esquecer(t.Context(), agora); n != 0 || err != nil {
		t.Errorf("empty: want 0, got %d, %v", n, err)
	}
	fica := map[string]*tarefa.Tarefa{
		"submitted": nova(t, s, ""),
		"working":   passar(t, s, nova(t, s, ""), agora, tarefa.Iniciar),
		"paused":    passar(t, s, nova(t, s, ""), agora, tarefa.Iniciar, tarefa.Pausar),
	}
	vai := map[string]*tarefa.Tarefa{
		"completed": passar(t, s, nova(t, s, ""), agora, tarefa.Iniciar, tarefa.Concluir),
		"failed":    passar(t, s, nova(t, s, ""), agora, tarefa.Iniciar, tarefa.Falhar),
		"canceled":  passar(t, s, nova(t, s, ""), agora, tarefa.Cancelar),
		"rejected":  passar(t, s, nova(t, s, ""), agora, tarefa.Rejeitar),
	}
	fica["later"] = passar(t, s, nova(t, s, ""), agora.Add(time.Second), tarefa.Cancelar)
	if n, err := s.Esquecer(t.Context(), agora.Add(time.Second)); n != len(vai) || err != nil {
		t.Errorf("want %d, got %d, %v", len(vai), n, err)
	}
	for nome, tk := range fica {
		if _, err := s.Ler(t.Context(), tk.ID); err != nil {
			t.Errorf("%s should have stayed: %v", nome, err)
		}
	}
	for nome, tk := range vai {
		if _, err := s.Ler(t.Context(), tk.ID); err == nil {
			t.Errorf("%s should have gone", nome)
		}
		if _, err := s.Trocar(t.Context(), tk); err == nil {
			t.Errorf("%s should have gone", nome)
		}
	}
	if p := listada(t, s, tarefa.Filtro{Limite: 50}); p.Total != len(fica) {
		t.Errorf("want %d left, got %d", len(fica), p.Total)
	}
}

func esquecerMuitas(t *testing.T, s tarefa.Store) {
	const n = 1100
	var wg sync.WaitGroup
	for g := range 50 {
		wg.Go(func() {
			for i := range n / 50 {
				tk := tarefa.Nova(mensagem("c", strconv.Itoa(i)), "", agora)
				tk.Estado = a2a.TaskStateCompleted
				if _, err := s.Criar(t.Context(), tk); err != nil {
					t.Errorf("%d: %v", g, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if p := listada(t, s, tarefa.Filtro{Contexto: "c", Limite: 100}); p.Total != n || len(p.Tarefas) != 100 {
		t.Fatalf("want %d, got %d", n, p.Total)
	}
	// Two that sweep at once drop each Task once.
	total := make(chan int, 2)
	for range 2 {
		wg.Go(func() {
			n, err := s.Esquecer(t.Context(), agora.Add(time.Second))
			if err != nil {
				t.Error(err)
			}
			total <- n
		})
	}
	wg.Wait()
	if got := <-total + <-total; got != n {
		t.Errorf("want %d forgotten, got %d", n, got)
	}
	if p := listada(t, s, tarefa.Filtro{Limite: 1}); p.Total != 0 {
		t.Errorf("%d are left", p.Total)
	}
}
