#!/usr/bin/env bash
# Other people's MCP clients against this project, after npm ci. Everything that
# it starts listens on a free port of this machine and ends with it.
set -euo pipefail
cd "$(dirname "$0")"

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -C .. -o "$bin/servidor-mcp" ./servidor-mcp
go build -C .. -o "$bin/servidor-conformidade" ./servidor-mcp/internal/conformidade
go build -C .. -o "$bin/cliente-conformidade" ./agente/internal/conformidade

# The node of the lock file where there is one for this machine.
node=node_modules/.bin/node
[ -x "$node" ] || node=node

PONTE_BIN=$bin "$node" --test --test-concurrency=1 --test-reporter=spec mcp/*.test.mjs
