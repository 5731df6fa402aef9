package main

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The smallest PNG and a WAV without a sample.
var (
	imagem, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
	som, _    = base64.StdEncoding.DecodeString("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")
)

const semArgumentos = `{"type":"object","properties":{}}`

func ferramenta(srv *mcp.Server, nome, descricao, esquema string, h mcp.ToolHandler) {
	srv.AddTool(&mcp.Tool{Name: nome, Description: descricao, InputSchema: json.RawMessage(esquema)}, h)
}

func resultado(c ...mcp.Content) *mcp.CallToolResult { return &mcp.CallToolResult{Content: c} }

func texto(s string) mcp.Content { return &mcp.TextContent{Text: s} }

// esquema2020 is the inputSchema whose keywords must reach a client as they
// stand (SEP-1613, SEP-2106).
const esquema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

// conteudos are the tools that answer always the same.
func conteudos(srv *mcp.Server) {
	embutido := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}
	misto := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}}
	foto := &mcp.ImageContent{Data: imagem, MIMEType: "image/png"}
	for _, f := range []struct {
		nome, descricao, esquema string
		resultado                *mcp.CallToolResult
	}{
		{"test_simple_text", "Answers with text.", semArgumentos, resultado(texto("This is a simple text response for testing."))},
		{"test_image_content", "Answers with an image.", semArgumentos, resultado(foto)},
		{"test_audio_content", "Answers with audio.", semArgumentos, resultado(&mcp.AudioContent{Data: som, MIMEType: "audio/wav"})},
		{"test_embedded_resource", "Answers with a resource.", semArgumentos, resultado(embutido)},
		{"test_multiple_content_types", "Answers with text, image and resource.", semArgumentos, resultado(texto("Multiple content types test:"), foto, misto)},
		{"test_error_handling", "Always fails.", semArgumentos, &mcp.CallToolResult{IsError: true, Content: []mcp.Content{texto("This tool intentionally returns an error for testing")}}},
		{"json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", esquema2020, resultado(texto("ok"))},
	} {
		ferramenta(srv, f.nome, f.descricao, f.esquema, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res := *f.resultado // the SDK writes into what it is given
			return &res, nil
		})
	}
}

func recursos(srv *mcp.Server) {
	ler := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c := &mcp.ResourceContents{URI: req.Params.URI}
		switch req.Params.URI {
		case "test://static-text":
			c.MIMEType, c.Text = "text/plain", "This is the content of the static text resource."
		case "test://static-binary":
			c.MIMEType, c.Blob = "image/png", imagem
		default:
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
	}
	srv.AddResource(&mcp.Resource{URI: "test://static-text", Name: "static-text", Description: "A text.", MIMEType: "text/plain"}, ler)
	srv.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image.", MIMEType: "image/png"}, ler)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "Data by id.", MIMEType: "application/json"}, lerModelo)
}

func lerModelo(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	const antes, depois = "test://template/", "/data"
	id := req.Params.URI[len(antes) : len(req.Params.URI)-len(depois)]
	dados, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(dados)}}}, nil
}
