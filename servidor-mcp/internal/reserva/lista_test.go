package reserva

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestListaContraModelo fills lists in the orders in which rooms are booked, far
// past what one bloco holds, and compares every answer with a list that is searched
// from end to end.
func TestListaContraModelo(t *testing.T) {
	const n = 10 * maxBloco
	zero := instante(t, "08:00")
	lugar := func(i int) Reserva { // with room between any two
		inicio := zero.Add(time.Duration(10*i) * time.Second)
		return Reserva{Periodo: Periodo{inicio, inicio.Add(5 * time.Second)}}
	}
	sorte := rand.New(rand.NewPCG(1, 2))
	ordens := map[string][]int{"late ones last": nil, "late ones first": nil, "at random": sorte.Perm(n), "in the middle": nil}
	for i := range n {
		ordens["late ones last"] = append(ordens["late ones last"], i)
		ordens["late ones first"] = append(ordens["late ones first"], n-1-i)
		ordens["in the middle"] = append(ordens["in the middle"], []int{n/2 + i/2, n/2 - 1 - i/2}[i%2])
	}
	for nome, ordem := range ordens {
		for _, desde := range []int{0, 1, maxBloco, n / 2} { // how many are there before
			inicial := make([]Reserva, desde)
			for k, i := range slices.Sorted(slices.Values(ordem[:desde])) {
				inicial[k] = lugar(i)
			}
			l, modelo := novaLista(inicial), slices.Clone(inicial)
			for vez, i := range ordem[desde:] {
				r := lugar(i)
				if !l.livre(r.Periodo) {
					t.Fatalf("%s, reserva %d: the place is free, and is said not to be", nome, i)
				}
				l = l.com(r)
				modelo = append(modelo, r)
				if vez%97 == 0 || vez == len(ordem)-desde-1 {
					conferirLista(t, nome, l, modelo, sorte, zero)
				}
			}
		}
	}
}

func conferirLista(t *testing.T, nome string, l lista, modelo []Reserva, sorte *rand.Rand, zero time.Time) {
	t.Helper()
	ordenado := slices.SortedFunc(slices.Values(modelo), func(x, y Reserva) int { return x.Periodo.Inicio.Compare(y.Periodo.Inicio) })
	if !slices.Equal(slices.Concat(l.blocos...), ordenado) {
		t.Fatalf("%s: %d reservas are not in their order, each once", nome, len(modelo))
	}
	for _, b := range l.blocos {
		if len(b) == 0 || len(b) > maxBloco {
			t.Fatalf("%s: a bloco of %d reservas", nome, len(b))
		}
	}
	for range 5 {
		inicio := zero.Add(time.Duration(sorte.IntN(110*maxBloco)-5*maxBloco) * time.Second)
		p := Periodo{inicio, inicio.Add(time.Duration(sorte.IntN(20*maxBloco)) * time.Second)}
		quer := []Reserva{}
		for _, r := range ordenado {
			if r.Periodo.Inicio.Before(p.Fim) && p.Inicio.Before(r.Periodo.Fim) {
				quer = append(quer, r)
			}
		}
		if got := l.conflitos(p); !slices.Equal(got, quer) || got == nil {
			t.Fatalf("%s, %v: want %d conflicts, got %d", nome, p, len(quer), len(got))
		}
		if l.livre(p) != (len(quer) == 0) && !p.vazio() {
			t.Fatalf("%s, %v: livre is %v with %d conflicts", nome, p, l.livre(p), len(quer))
		}
	}
}
