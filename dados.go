// Package ponte embeds the domain's data files, so that the MCP server runs
// from a binary alone. It has no code of its own; the two processes live in
// servidor-mcp and agente.
package ponte

import "embed"

// Dados is the folder dados/ as it stood when the binary was built:
// salas.json, reservas.json and politica-de-uso.md. It is read-only.
//
//go:embed dados/salas.json dados/reservas.json dados/politica-de-uso.md
var Dados embed.FS
