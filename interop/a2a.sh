#!/usr/bin/env bash
# Other people's A2A clients against our agent, and our agent in front of other
# people's MCP server. Run `npm ci` in this folder first. Builds once, starts
# and stops its own processes, one line for each check.
set -euo pipefail
cd "$(dirname "$0")"

pasta=$(mktemp -d)
trap 'rm -rf "$pasta"' EXIT

# The node of the lock file where there is one for this machine.
node=node_modules/.bin/node
[ -x "$node" ] || node=node

export PONTE_SERVIDOR=${PONTE_SERVIDOR:-$pasta/servidor-mcp} PONTE_AGENTE=${PONTE_AGENTE:-$pasta/agente} PONTE_CLI_A2A=${PONTE_CLI_A2A:-$pasta/a2a}
[ -x "$PONTE_SERVIDOR" ] || (cd .. && go build -o "$PONTE_SERVIDOR" ./servidor-mcp)
[ -x "$PONTE_AGENTE" ] || (cd .. && go build -o "$PONTE_AGENTE" ./agente)
[ -x "$PONTE_CLI_A2A" ] || (cd clientes && go build -o "$PONTE_CLI_A2A" github.com/a2aproject/a2a-go/v2/cmd/a2a)

# A check that fails may leave a connection open; it does not hold up the end.
"$node" --test --test-force-exit --test-reporter=spec "$@" a2a/*.test.mjs
