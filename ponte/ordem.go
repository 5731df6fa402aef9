package main

import "slices"

// primeiros is the order in which the members of an answer are recorded: what
// a reader looks for comes first, whatever order the two SDKs write. Members
// that are not named here follow in the order in which they came.
var primeiros = []string{
	"jsonrpc", "id", "messageId", "taskId", "contextId", "artifactId", "role", "state", "timestamp",
	"method", "mode", "code", "message", "data", "result", "error",
	"resultType", "task", "status", "artifacts", "history", "parts",
	"name", "title", "description", "version", "provider", "supportedInterfaces",
	"type", "inputSchema", "outputSchema", "annotations",
	"tools", "uri", "mimeType", "text", "content", "structuredContent", "isError",
	"requestedSchema", "inputRequests", "requestState",
}

// ultimos stand after everything else.
var ultimos = []string{"ttlMs", "cacheScope", "_meta"}

// emOrdem sorts the members of every object of a value for reading.
func emOrdem(v any) any {
	switch v := v.(type) {
	case objeto:
		o := make(objeto, len(v))
		for i, m := range v {
			o[i] = membro{m.nome, emOrdem(m.valor)}
		}
		slices.SortStableFunc(o, func(a, b membro) int { return lugar(a.nome) - lugar(b.nome) })
		return o
	case []any:
		lista := make([]any, len(v))
		for i := range v {
			lista[i] = emOrdem(v[i])
		}
		return lista
	}
	return v
}

func lugar(nome string) int {
	if i := slices.Index(primeiros, nome); i >= 0 {
		return i
	}
	if i := slices.Index(ultimos, nome); i >= 0 {
		return len(primeiros) + 1 + i
	}
	return len(primeiros)
}
