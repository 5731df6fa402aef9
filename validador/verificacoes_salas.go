package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Check 3: the list of rooms, in its two forms.

func listaDeSalas(ctx context.Context, e *execucao) error {
	tools, err := e.tools(ctx)
	if err != nil {
		return err
	}
	tool, err := toolDe(tools, toolListar)
	if err != nil {
		return err
	}
	esq, err := tool.objeto("outputSchema")
	if err != nil {
		return fmt.Errorf("listar_salas: %w", err)
	}
	if len(esq) == 0 {
		return errors.New("listar_salas: outputSchema vazio")
	}
	t, err := e.chamarTool(ctx, toolListar, map[string]any{})
	if err != nil {
		return err
	}
	if t.tipo != "complete" || t.erro {
		return fmt.Errorf("esperado resultType complete sem isError, veio %q com isError %v", t.tipo, t.erro)
	}
	if len(t.estruturado) == 0 {
		return errors.New("falta structuredContent")
	}
	if err := conformeEsquema(tool["outputSchema"], t.estruturado); err != nil {
		return err
	}
	if err := conferirSalas(t.estruturado); err != nil {
		return err
	}
	if !slices.ContainsFunc(t.textos, func(s string) bool { return mesmoJSON([]byte(s), t.estruturado) }) {
		return errors.New("nenhum bloco de texto traz o mesmo JSON do structuredContent")
	}
	return nil
}

// conferirSalas demands the five rooms. The statement leaves open what holds
// the list, so it may be the structuredContent itself or a member of it.
func conferirSalas(estruturado json.RawMessage) error {
	candidatas := []json.RawMessage{estruturado}
	if o, err := comoObjeto(estruturado); err == nil {
		candidatas = nil
		for _, k := range o.chaves() {
			candidatas = append(candidatas, o[k])
		}
	}
	for _, c := range candidatas {
		lista, err := objeto{"salas": c}.objetos("salas")
		if err != nil || len(lista) == 0 {
			continue
		}
		if len(lista) != len(salasFixas) {
			return fmt.Errorf("esperadas %d salas, vieram %d", len(salasFixas), len(lista))
		}
		for _, s := range salasFixas {
			i := slices.IndexFunc(lista, func(o objeto) bool { id, _ := o.texto("id"); return id == s.id })
			if i < 0 {
				return fmt.Errorf("falta a sala %s", s.id)
			}
			if err := s.igual(lista[i]); err != nil {
				return fmt.Errorf("%s: %w", s.id, err)
			}
		}
		return nil
	}
	return errors.New("structuredContent sem uma lista de salas")
}

// igual compares a room as listed with the fixed one.
func (s sala) igual(o objeto) error {
	if nome, _ := o.texto("nome"); nome != s.nome {
		return fmt.Errorf("nome %s, esperado %q", trecho(o["nome"]), s.nome)
	}
	var capacidade int
	if json.Unmarshal(o["capacidade"], &capacidade) != nil || capacidade != s.capacidade {
		return fmt.Errorf("capacidade %s, esperada %d", trecho(o["capacidade"]), s.capacidade)
	}
	if recursos, err := o.textos("recursos"); err != nil || !slices.Equal(recursos, s.recursos) {
		return fmt.Errorf("recursos %s, esperados %q", trecho(o["recursos"]), s.recursos)
	}
	return nil
}
