package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func prompts(srv *mcp.Server) {
	arg := func(nome, descricao string) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: nome, Description: descricao, Required: true}
	}
	for _, p := range []struct {
		nome, descricao string
		argumentos      []*mcp.PromptArgument
		conteudo        func(args map[string]string) []mcp.Content
	}{
		{"test_simple_prompt", "A prompt without arguments.", nil, func(map[string]string) []mcp.Content {
			return []mcp.Content{texto("This is a simple prompt for testing.")}
		}},
		{"test_prompt_with_arguments", "A prompt with two arguments.", []*mcp.PromptArgument{arg("arg1", "First test argument"), arg("arg2", "Second test argument")}, func(args map[string]string) []mcp.Content {
			return []mcp.Content{texto(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))}
		}},
		{"test_prompt_with_embedded_resource", "A prompt with a resource in it.", []*mcp.PromptArgument{arg("resourceUri", "URI of the resource to embed")}, func(args map[string]string) []mcp.Content {
			r := &mcp.ResourceContents{URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}
			return []mcp.Content{&mcp.EmbeddedResource{Resource: r}, texto("Please process the embedded resource above.")}
		}},
		{"test_prompt_with_image", "A prompt with an image in it.", nil, func(map[string]string) []mcp.Content {
			return []mcp.Content{&mcp.ImageContent{Data: imagem, MIMEType: "image/png"}, texto("Please analyze the image above.")}
		}},
	} {
		srv.AddPrompt(&mcp.Prompt{Name: p.nome, Description: p.descricao, Arguments: p.argumentos}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mensagens(p.conteudo(req.Params.Arguments)...), nil
		})
	}
	srv.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A prompt that asks first."}, promptQuePergunta)
}

func mensagens(conteudo ...mcp.Content) *mcp.GetPromptResult {
	res := &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}}
	for _, c := range conteudo {
		res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}
	return res
}

func promptQuePergunta(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	q := formulario("user_context", "What context should the prompt use?", "context", "string")
	if resposta, ok := campo(req.Params.InputResponses, q.chave, "context"); ok {
		return mensagens(texto("Use this context: " + resposta)), nil
	}
	pedidos, err := pedir(req.ClientCapabilities(), q)
	if err != nil {
		return nil, err
	}
	res := mensagens()
	res.InputRequests = pedidos
	return res, nil
}
