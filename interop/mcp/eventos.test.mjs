// The official TypeScript client against what only the fixture server does with
// our front: notifications before an answer, and subscriptions.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { iniciar } from './processo.mjs';

let servidor, cliente;
beforeEach(async () => {
  servidor = await iniciar('servidor-conformidade');
  cliente = new Client({ name: 'interop', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await cliente.connect(new StreamableHTTPClientTransport(new URL(servidor.url)));
});
afterEach(async () => {
  await cliente.close();
  await servidor.fechar();
});

// ouvir resolves with the next notification of a method.
const ouvir = (metodo) => new Promise((resolve) => cliente.setNotificationHandler(metodo, resolve));

describe('cliente TypeScript oficial: eventos', () => {
  test('o progresso chega antes da resposta', async () => {
    const visto = [];
    const fim = await cliente.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress: ({ progress }) => visto.push(progress) });
    assert.deepEqual(visto, [0, 50, 100]);
    assert.equal(fim.content[0].text, 'Progress reported.');
  });

  test('linhas de log, so para quem as pede', async () => {
    const linha = ouvir('notifications/message');
    await cliente.callTool({ name: 'test_logging_tool', arguments: {}, _meta: { [LOG_LEVEL_META_KEY]: 'info' } });
    assert.equal((await linha).params.data, 'Tool execution started');
    cliente.setNotificationHandler('notifications/message', () => assert.fail('nao foi pedida'));
    await cliente.callTool({ name: 'test_logging_tool', arguments: {} });
  });

  test('uma assinatura avisa da mudanca, e termina em ordem com o servidor', async () => {
    const mudou = ouvir('notifications/tools/list_changed');
    const assinatura = await cliente.listen({ toolsListChanged: true, resourcesListChanged: true });
    assert.deepEqual(assinatura.honoredFilter, { toolsListChanged: true }, 'so o que o servidor tem');
    const antes = (await cliente.listTools()).tools.length;
    await cliente.callTool({ name: 'test_trigger_tool_change', arguments: {} });
    await mudou;
    assert.equal((await cliente.listTools()).tools.length, antes + 1);
    await servidor.fechar();
    assert.equal(await assinatura.closed, 'graceful');
  });

  test('duas assinaturas ao mesmo tempo, e a segunda continua quando a primeira sai', async () => {
    const primeira = await cliente.listen({ toolsListChanged: true });
    const segunda = await cliente.listen({ toolsListChanged: true, promptsListChanged: true });
    await primeira.close();
    assert.equal(await primeira.closed, 'local');
    const mudou = ouvir('notifications/tools/list_changed');
    await cliente.callTool({ name: 'test_trigger_tool_change', arguments: {} });
    await mudou;
    await segunda.close();
  });
});
