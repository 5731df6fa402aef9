package tarefa_test

import (
	"testing"

	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/agente/internal/tarefa/conforme"
)

func TestMemoriaConforme(t *testing.T) {
	conforme.Testar(t, func(*testing.T) tarefa.Store { return tarefa.NovaMemoria(10_000, 1<<30) })
}

func TestMemoriaAvisosConforme(t *testing.T) {
	conforme.TestarAvisos(t, func(*testing.T) []conforme.Loja { return []conforme.Loja{tarefa.NovaMemoria(10_000, 1<<30)} })
}
