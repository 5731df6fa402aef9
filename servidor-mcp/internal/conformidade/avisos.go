package main

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// avisos are the tools that say something before they answer, or that change
// what the server offers.
func avisos(srv *mcp.Server) {
	ferramenta(srv, "test_tool_with_progress", "Reports progress.", semArgumentos, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, feito := range []float64{0, 50, 100} {
			if token := req.Params.GetProgressToken(); token != nil {
				err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: feito, Total: 100})
				if err != nil {
					return nil, err
				}
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return resultado(texto("Progress reported.")), nil
	})
	ferramenta(srv, "test_logging_tool", "Logs while it runs.", semArgumentos, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		//lint:ignore SA1019 deprecated, and still part of the revision
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "Tool execution started"}); err != nil {
			return nil, err
		}
		return resultado(texto("Logged.")), nil
	})

	noop := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return resultado(texto("ok")), nil
	}
	ferramenta(srv, "test_trigger_tool_change", "Adds a tool, or takes it away again.", semArgumentos, alternar(
		func() { ferramenta(srv, "test_dynamic_tool", "Comes and goes.", semArgumentos, noop) },
		func() { srv.RemoveTools("test_dynamic_tool") }))
	ferramenta(srv, "test_trigger_prompt_change", "Adds a prompt, or takes it away again.", semArgumentos, alternar(
		func() {
			srv.AddPrompt(&mcp.Prompt{Name: "test_dynamic_prompt", Description: "Comes and goes."}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return mensagens(texto("ok")), nil
			})
		},
		func() { srv.RemovePrompts("test_dynamic_prompt") }))
}

// alternar runs the two functions in turn, one a call.
func alternar(por, tirar func()) mcp.ToolHandler {
	var mu sync.Mutex
	posto := false
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		mu.Lock()
		defer mu.Unlock()
		if posto = !posto; posto {
			por()
		} else {
			tirar()
		}
		return resultado(texto("changed")), nil
	}
}
