package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// novoServidor makes the server under test. Unlike the real one it declares
// everything that the revision has, so that the scenarios find it.
func novoServidor(r *rodadas) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "conformidade", Version: "1.0.0"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{
			Completions: &mcp.CompletionCapabilities{},
			Logging:     &mcp.LoggingCapabilities{}, //lint:ignore SA1019 deprecated, and still part of the revision
			Prompts:     &mcp.PromptCapabilities{ListChanged: true},
			Resources:   &mcp.ResourceCapabilities{},
			Tools:       &mcp.ToolCapabilities{ListChanged: true},
		},
		SupportedProtocolVersions: []string{versaoProtocolo},
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = 1000, "private"
		},
	})
	conteudos(srv)
	avisos(srv)
	recursos(srv)
	prompts(srv)
	r.ferramentas(srv)
	return srv
}
