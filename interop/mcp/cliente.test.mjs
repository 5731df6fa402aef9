// The official TypeScript client against the real server.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import {
  Client,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  StreamableHTTPClientTransport,
  specTypeSchemas,
  withInputRequired,
} from '@modelcontextprotocol/client';

import { iniciar } from './processo.mjs';

const REVISAO = '2026-07-28';
const COM_FORMULARIO = { elicitation: { form: {} } };

// A server for each test: what is booked stays booked.
let servidor;
beforeEach(async () => (servidor = await iniciar('servidor-mcp', ['-addr', '127.0.0.1:0'])));
afterEach(() => servidor?.fechar());

// The room is taken at that time.
const conflito = () => ({
  name: 'reservar_sala',
  arguments: { sala: 'sala-garagem', inicio: '2026-11-03T14:00:00-03:00', fim: '2026-11-03T15:00:00-03:00', responsavel: 'Doc' },
});

// conectar makes a client that speaks the revision, and records what it sends.
async function conectar(t, opcoes = {}, modo = { pin: REVISAO }) {
  const enviados = [];
  const cliente = new Client({ name: 'interop', version: '1.0.0' }, { versionNegotiation: { mode: modo }, ...opcoes });
  await cliente.connect(
    new StreamableHTTPClientTransport(new URL(servidor.url), {
      fetch: (url, init) => {
        if (init?.body) enviados.push(JSON.parse(init.body));
        return fetch(url, init);
      },
    }),
  );
  t.after(() => cliente.close());
  return { cliente, enviados };
}

const chamadas = (enviados) => enviados.filter((m) => m.method === 'tools/call');

describe('cliente TypeScript oficial', () => {
  test('negocia a revisao', async (t) => {
    const { cliente } = await conectar(t, {}, 'auto');
    assert.equal(cliente.getNegotiatedProtocolVersion(), REVISAO);
    assert.equal(cliente.getServerVersion().name, 'central-de-salas');
    assert.deepEqual(Object.keys(cliente.getServerCapabilities()).sort(), ['prompts', 'resources', 'tools']);
  });

  test('um cliente de revisoes anteriores e recusado e fica sabendo da revisao', async (t) => {
    await assert.rejects(conectar(t, {}, 'legacy'), (erro) => {
      assert.match(String(erro), new RegExp(REVISAO));
      return true;
    });
  });

  test('lista ferramentas, resources e prompts', async (t) => {
    const { cliente } = await conectar(t);
    const { tools } = await cliente.listTools();
    assert.deepEqual(tools.map((f) => f.name).sort(), ['consultar_disponibilidade', 'listar_salas', 'reservar_sala']);
    for (const f of tools) assert.equal(f.outputSchema.type, 'object', f.name);
    const { resources } = await cliente.listResources();
    assert.deepEqual(resources.map((r) => r.uri), ['politica://uso']);
    assert.deepEqual((await cliente.listPrompts()).prompts, []);
  });

  test('le o resource, e o inexistente da -32602', async (t) => {
    const { cliente } = await conectar(t);
    const { contents } = await cliente.readResource({ uri: 'politica://uso' });
    assert.equal(contents[0].mimeType, 'text/markdown');
    assert.match(contents[0].text, /^versao: /);
    await assert.rejects(cliente.readResource({ uri: 'politica://outra' }), { code: -32602 });
  });

  // The client compares structuredContent with the outputSchema, once it has
  // seen the list.
  test('o outputSchema vale para os resultados', async (t) => {
    const { cliente } = await conectar(t);
    await cliente.listTools();
    const salas = await cliente.callTool({ name: 'listar_salas', arguments: {} });
    assert.equal(salas.structuredContent.salas.length, 5);
    assert.deepEqual(JSON.parse(salas.content[0].text), salas.structuredContent);
    const { sala, inicio, fim } = conflito().arguments;
    const disponibilidade = await cliente.callTool({ name: 'consultar_disponibilidade', arguments: { sala, inicio, fim } });
    assert.equal(disponibilidade.structuredContent.livre, false);
    const erro = await cliente.callTool({ name: 'consultar_disponibilidade', arguments: { sala: 'sala-inexistente', inicio, fim } });
    assert.equal(erro.isError, true);
  });

  test('o outputSchema e mesmo conferido: um que nao serve e recusado', async (t) => {
    const { cliente } = await conectar(t);
    const { tools } = await cliente.listTools();
    const outra = { ...tools.find((f) => f.name === 'listar_salas'), outputSchema: { type: 'object', required: ['ausente'] } };
    await assert.rejects(cliente.callTool({ name: 'listar_salas', arguments: {} }, { toolDefinition: outra }), /schema/);
  });

  test('conflito: input_required, e a chamada repetida conclui', async (t) => {
    const { cliente, enviados } = await conectar(t, { capabilities: COM_FORMULARIO, inputRequired: { autoFulfill: false } });
    await cliente.listTools();
    // Not by callTool: once it knows the outputSchema, it misses the structured
    // content in a pause as well (client 2.4.0).
    const chamada = { method: 'tools/call', params: conflito() };
    const pausa = await cliente.request(chamada, withInputRequired(specTypeSchemas.CallToolResult), { allowInputRequired: true });
    assert.equal(pausa.resultType, 'input_required');
    assert.deepEqual(Object.keys(pausa.inputRequests), ['alternativa']);
    const { method, params } = pausa.inputRequests.alternativa;
    assert.equal(method, 'elicitation/create');
    const [escolha] = params.requestedSchema.properties.sala.enum;

    const repetir = (requestState, sala) =>
      cliente.callTool({ ...conflito(), requestState, inputResponses: { alternativa: { action: 'accept', content: { sala } } } });
    const trocado = pausa.requestState.slice(0, -1) + (pausa.requestState.endsWith('A') ? 'B' : 'A');
    await assert.rejects(repetir(trocado, escolha), (erro) => erro instanceof ProtocolError && erro.code === -32602);

    const fim = await repetir(pausa.requestState, escolha);
    assert.equal(fim.structuredContent.reservado, true);
    assert.equal(fim.structuredContent.sala, escolha);
    const ids = chamadas(enviados).map((m) => m.id);
    assert.equal(new Set(ids).size, ids.length, `cada chamada com um id seu: ${ids}`);
  });

  for (const [acao, resposta, confere] of [
    ['accept', (sala) => ({ action: 'accept', content: { sala } }), (r) => assert.equal(r.reservado, true)],
    ['decline', () => ({ action: 'decline' }), (r) => assert.deepEqual([r.reservado, r.motivo], [false, 'recusado'])],
    ['cancel', () => ({ action: 'cancel' }), (r) => assert.deepEqual([r.reservado, r.motivo], [false, 'cancelado'])],
  ]) {
    test(`elicitation automatica: ${acao}`, async (t) => {
      const { cliente, enviados } = await conectar(t, { capabilities: COM_FORMULARIO });
      let pergunta;
      cliente.setRequestHandler('elicitation/create', ({ params }) => {
        pergunta = params;
        return resposta(params.requestedSchema.properties.sala.enum[0]);
      });
      const fim = await cliente.callTool(conflito());
      confere(fim.structuredContent);
      assert.match(pergunta.message, /ocupada/);
      assert.equal(chamadas(enviados).length, 2, 'a chamada e a sua repeticao');
    });
  }

  test('sem a capability: -32021, e diz qual', async (t) => {
    const { cliente } = await conectar(t);
    await assert.rejects(cliente.callTool(conflito()), (erro) => {
      assert.ok(erro instanceof MissingRequiredClientCapabilityError, String(erro));
      assert.equal(erro.code, -32021);
      assert.deepEqual(erro.requiredCapabilities, COM_FORMULARIO);
      return true;
    });
  });

  test('ferramenta inexistente: -32602', async (t) => {
    const { cliente } = await conectar(t);
    await assert.rejects(cliente.callTool({ name: 'inexistente', arguments: {} }), { code: -32602 });
  });
});
