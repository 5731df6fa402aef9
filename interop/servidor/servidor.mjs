// A theatre's box office as an MCP server, on the official TypeScript SDK: a
// server that knows nothing of rooms and that nobody wrote for our agent. The
// profile beside it (perfil.json) is all that puts the agent in front of it.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { McpServer, acceptedContent, createMcpHandler, createRequestStateCodec, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import * as z from 'zod';

// Seats left, by show and section. Nothing is taken off: the tests want the
// same answers every time.
const espetaculos = {
  hamlet: { plateia: 40, balcao: 12, galeria: 3 },
  tosca: { plateia: 0, balcao: 2, galeria: 8 },
};

const regras = 'edicao: 2026-09\nMeia-entrada com documento. Devolucao ate 48 horas antes.\n';

const estado = createRequestStateCodec({
  key: randomBytes(32),
  bind: (ctx) => ctx.mcpReq.method,
});

// Four fields of four kinds: an enumeration with titles, a bounded integer, a
// string with a format, and a boolean that may be left out.
const lugares = {
  type: 'object',
  properties: {
    setor: {
      type: 'string',
      title: 'Setor',
      oneOf: [
        { const: 'plateia', title: 'Plateia' },
        { const: 'balcao', title: 'Balcao nobre' },
        { const: 'galeria', title: 'Galeria' },
      ],
    },
    quantidade: { type: 'integer', title: 'Quantos', minimum: 1, maximum: 6 },
    email: { type: 'string', title: 'Para onde vao os ingressos', format: 'email' },
    meia: { type: 'boolean', title: 'Meia-entrada' },
  },
  required: ['setor', 'quantidade', 'email'],
};

const conteudo = z.object({
  setor: z.enum(['plateia', 'balcao', 'galeria']),
  quantidade: z.int().min(1).max(6),
  email: z.email(),
  meia: z.boolean().optional(),
});

const erro = (text) => ({ isError: true, content: [{ type: 'text', text }] });
const feito = (structuredContent) => ({ structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] });
const recusou = (ctx, chave) => {
  const r = inputResponse(ctx.mcpReq.inputResponses, chave);
  return r.kind === 'elicit' && r.action !== 'accept';
};

let proxima = 1;

function bilheteria() {
  const mcp = new McpServer(
    { name: 'bilheteria', version: '1.0.0' },
    { requestState: { verify: estado.verify } },
  );

  mcp.registerResource('regras', 'bilheteria://regras', { title: 'Regras da bilheteria', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: regras }] }));

  mcp.registerTool('comprar_ingressos', {
    title: 'Comprar ingressos',
    description: 'Compra ingressos; pergunta setor, quantidade, e-mail e meia-entrada.',
    inputSchema: z.object({ espetaculo: z.string(), comprador: z.string() }),
    outputSchema: z.object({
      compra: z.string().nullable(),
      espetaculo: z.string(),
      comprador: z.string(),
      setor: z.string().nullable(),
      quantidade: z.int().nullable(),
      email: z.string().nullable(),
      meia: z.boolean().nullable(),
    }),
  }, async (args, ctx) => {
    // On the retry the sealed request counts, not the arguments sent again.
    const { espetaculo, comprador } = ctx.mcpReq.requestState() ?? args;
    const setores = espetaculos[espetaculo];
    if (!setores) return erro(`Espetaculo desconhecido: ${espetaculo}`);
    if (recusou(ctx, 'lugares')) {
      return feito({ compra: null, espetaculo, comprador, setor: null, quantidade: null, email: null, meia: null });
    }
    const escolha = acceptedContent(ctx.mcpReq.inputResponses, 'lugares', conteudo);
    if (!escolha) {
      return inputRequired({
        inputRequests: { lugares: inputRequired.elicit({ message: `Quais lugares para ${espetaculo}?`, requestedSchema: lugares }) },
        requestState: await estado.mint({ espetaculo, comprador }, ctx),
      });
    }
    const { setor, quantidade, email, meia = false } = escolha;
    if (setores[setor] < quantidade) return erro(`Restam ${setores[setor]} lugares em ${setor}`);
    return feito({ compra: `ing-${proxima++}`, espetaculo, comprador, setor, quantidade, email, meia });
  });

  mcp.registerTool('devolver_ingressos', {
    title: 'Devolver ingressos',
    description: 'Devolve uma compra; pede confirmacao.',
    inputSchema: z.object({ compra: z.string() }),
    outputSchema: z.object({ compra: z.string(), devolvida: z.boolean() }),
  }, async (args, ctx) => {
    const { compra } = ctx.mcpReq.requestState() ?? args;
    if (recusou(ctx, 'certeza')) return feito({ compra, devolvida: false });
    const r = acceptedContent(ctx.mcpReq.inputResponses, 'certeza', z.object({ confirma: z.boolean() }));
    if (!r) {
      return inputRequired({
        inputRequests: {
          certeza: inputRequired.elicit({
            message: `Devolver ${compra}?`,
            requestedSchema: { type: 'object', properties: { confirma: { type: 'boolean' } }, required: ['confirma'] },
          }),
        },
        requestState: await estado.mint({ compra }, ctx),
      });
    }
    return feito({ compra, devolvida: r.confirma });
  });

  // Two questions at once, each with a field of the same name.
  mcp.registerTool('trocar_ingressos', {
    title: 'Trocar ingressos',
    description: 'Troca uma compra por outro dia; pergunta o dia e a cobranca.',
    inputSchema: z.object({ compra: z.string() }),
    outputSchema: z.object({ compra: z.string(), dia: z.string().nullable(), cobranca: z.string().nullable(), extras: z.array(z.string()) }),
  }, async (args, ctx) => {
    const { compra } = ctx.mcpReq.requestState() ?? args;
    if (recusou(ctx, 'sessao') || recusou(ctx, 'cobranca')) return feito({ compra, dia: null, cobranca: null, extras: [] });
    const sessao = acceptedContent(ctx.mcpReq.inputResponses, 'sessao', z.object({ forma: z.iso.date() }));
    const cobranca = acceptedContent(ctx.mcpReq.inputResponses, 'cobranca', z.object({ forma: z.enum(['pix', 'cartao']), extras: z.array(z.string()).optional() }));
    if (!sessao || !cobranca) {
      return inputRequired({
        inputRequests: {
          sessao: inputRequired.elicit({
            message: 'Para que dia?',
            requestedSchema: { type: 'object', properties: { forma: { type: 'string', format: 'date' } }, required: ['forma'] },
          }),
          cobranca: inputRequired.elicit({
            message: 'Como paga a diferenca?',
            requestedSchema: {
              type: 'object',
              properties: {
                forma: { type: 'string', enum: ['pix', 'cartao'] },
                extras: { type: 'array', items: { type: 'string', enum: ['programa', 'guarda-roupa'] } },
              },
              required: ['forma'],
            },
          }),
        },
        requestState: await estado.mint({ compra }, ctx),
      });
    }
    return feito({ compra, dia: sessao.forma, cobranca: cobranca.forma, extras: cobranca.extras ?? [] });
  });

  return mcp;
}

// Only the revision 2026-07-28 is served, so that nothing here can pass by way
// of an older one.
const handler = createMcpHandler(bilheteria, { legacy: 'reject', onerror: (e) => console.error(String(e)) });

const http = createServer(async (req, res) => {
  if (new URL(req.url, 'http://x').pathname !== '/mcp') return res.writeHead(404).end();
  const corpo = [];
  for await (const pedaco of req) corpo.push(pedaco);
  const resposta = await handler.fetch(new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method,
    headers: Object.entries(req.headers).map(([nome, valor]) => [nome, String(valor)]),
    body: req.method === 'POST' ? Buffer.concat(corpo) : undefined,
  }));
  res.writeHead(resposta.status, Object.fromEntries(resposta.headers));
  if (resposta.body) for await (const pedaco of resposta.body) res.write(pedaco);
  res.end();
});

http.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`bilheteria ouvindo em http://127.0.0.1:${http.address().port}/mcp`);
});
for (const sinal of ['SIGINT', 'SIGTERM']) process.on(sinal, () => process.exit(0));
