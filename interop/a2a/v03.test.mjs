// An old client: the official JavaScript SDK as it was for A2A v0.3
// (@a2a-js/sdk 0.3.x), on the card and the methods of that version.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import { DefaultAgentCardResolver as NovoResolver, JsonRpcTransportFactory as NovoJsonRpc } from '@a2a-js/sdk/client';
import { A2AClient, ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from 'a2a-js-sdk-v03/client';

import * as lerNovo from './cliente.mjs';
import { Cliente } from './cliente.mjs';
import { Gravador } from './gravador.mjs';
import { Ouvinte } from './ouvinte.mjs';
import { subir, tudo } from './processos.mjs';
import { alternativas, campos, outroDia, reservar } from './salas.mjs';

const prazo = { timeout: 20_000 };
const cartaoAntigo = '/.well-known/agent.json';
const gravador = new Gravador();
let no, c;

before(async () => {
  no = await subir();
  c = await A2AClient.fromCardUrl(no.url + cartaoAntigo, { fetchImpl: gravador.fetch });
});
after(() => no?.parar());

const dita = (t) => t.status.message.parts.map((p) => p.text);

const pedido = (text, task, configuration) => ({
  message: {
    kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text }],
    ...(task && { taskId: task.id, contextId: task.contextId }),
  },
  ...(configuration && { configuration }),
});

// sucesso takes the result out of an answer.
function sucesso(r) {
  assert.equal(r.error, undefined, JSON.stringify(r.error));
  return r.result;
}

async function enviar(...args) {
  const t = sucesso(await c.sendMessage(pedido(...args)));
  assert.equal(t.kind, 'task');
  return t;
}

async function pausa(quando = outroDia()) {
  assert.equal((await enviar(reservar(quando))).status.state, 'completed');
  const p = await enviar(reservar(quando));
  assert.equal(p.status.state, 'input-required');
  assert.deepEqual(dita(p), [alternativas]);
  return p;
}

function conferirArtefato(a, sala) {
  assert.equal(a.name, 'reserva');
  assert.deepEqual(a.parts.map((p) => p.kind), ['text']);
  const r = JSON.parse(a.parts[0].text);
  assert.deepEqual(Object.keys(r), campos);
  assert.deepEqual([r.sala, r.responsavel, r.politica], [sala, 'Emmett Brown', '2026-11-01']);
}

// resumo tells a stream's events in short; ! marks the one that says it is the
// last.
const resumo = (es) => es.map((e) => ({
  task: () => `task ${e.status.state}`,
  'status-update': () => `status ${e.status.state}${e.final ? '!' : ''}`,
  'artifact-update': () => `artifact ${e.artifact.name}`,
})[e.kind]());

async function todos(fluxo) {
  const es = [];
  for await (const e of fluxo) es.push(e);
  return es;
}

describe('@a2a-js/sdk 0.3 (A2AClient)', () => {
  test('discovers the agent by the card of its version', prazo, async () => {
    const cartao = await c.getAgentCard();
    assert.equal(cartao.name, 'Central de Salas');
    assert.equal(cartao.protocolVersion, '0.3.0');
    assert.equal(cartao.preferredTransport, 'JSONRPC');
    assert.equal(cartao.url, `${no.url}/a2a`);
    assert.equal(cartao.capabilities.streaming, true);
  });

  test('completes a pause', prazo, async () => {
    const p = await pausa();
    const q = await enviar('escolha=sala-porao', p);
    assert.equal(q.status.state, 'input-required');
    const t = await enviar('escolha=sala-mirante', p);
    assert.equal(t.id, p.id);
    assert.equal(t.status.state, 'completed');
    assert.match(dita(t)[0], /^Reserva res-\d+ confirmada na sala-mirante\.$/);
    assert.equal(t.artifacts.length, 1);
    conferirArtefato(t.artifacts[0], 'sala-mirante');
    assert.deepEqual(t.history.map((m) => m.role), ['user', 'agent', 'user', 'agent', 'user', 'agent']);
  });

  test('declines', prazo, async () => {
    const t = await enviar('escolha=recusar', await pausa());
    assert.equal(t.status.state, 'canceled');
    assert.deepEqual(dita(t), ['Reserva recusada.']);
  });

  test('sees a tool error and a rejection', prazo, async () => {
    const t = await enviar(reservar(outroDia(), 'sala-inexistente'));
    assert.equal(t.status.state, 'failed');
    assert.deepEqual(dita(t), ['Sala inexistente: sala-inexistente']);
    assert.equal((await enviar('bom dia')).status.state, 'rejected');
  });

  test('gets, with as much history as asked', prazo, async () => {
    const p = await pausa();
    const t = sucesso(await c.getTask({ id: p.id }));
    assert.equal(t.kind, 'task');
    assert.equal(t.status.state, 'input-required');
    const curta = sucesso(await c.getTask({ id: p.id, historyLength: 1 }));
    assert.deepEqual(curta.history.map((m) => m.role), ['agent']);
  });

  test('cancels, once', prazo, async () => {
    const p = await pausa();
    assert.equal(sucesso(await c.cancelTask({ id: p.id })).status.state, 'canceled');
    assert.equal((await c.cancelTask({ id: p.id })).error.code, -32002);
    assert.equal((await c.getTask({ id: 'nao-existe' })).error.code, -32001);
  });

  test('streams a booking to its end', prazo, async () => {
    const es = await todos(c.sendMessageStream(pedido(reservar(outroDia()))));
    assert.equal(es[0].kind, 'task');
    assert.deepEqual(resumo(es).slice(1).filter((x) => x !== 'status working'), ['artifact reserva', 'status completed!']);
    conferirArtefato(es.find((e) => e.kind === 'artifact-update').artifact, 'sala-garagem');
  });

  test('streams to a pause, which ends the stream, and on from it', prazo, async () => {
    const quando = outroDia();
    await enviar(reservar(quando));
    const antes = await todos(c.sendMessageStream(pedido(reservar(quando))));
    assert.equal(antes[0].kind, 'task');
    assert.equal(resumo(antes).at(-1), 'status input-required!');
    const depois = await todos(c.sendMessageStream(pedido('escolha=sala-fusca', antes[0])));
    assert.equal(depois[0].id, antes[0].id);
    assert.equal(resumo(depois).at(-1), 'status completed!');
  });

  test('resubscribes to a pause and sees it end', prazo, async () => {
    const p = await pausa();
    const fluxo = c.resubscribeTask({ id: p.id });
    const primeiro = (await fluxo.next()).value;
    assert.deepEqual(resumo([primeiro]), ['task input-required']);
    await enviar('escolha=sala-mirante', p);
    assert.deepEqual(resumo(await todos(fluxo)).filter((x) => x !== 'status working'), ['artifact reserva', 'status completed!']);
  });

  test('has a webhook told', prazo, async (ct) => {
    const ouvinte = await Ouvinte.abrir(ct);
    const p = await pausa();
    const feito = sucesso(await c.setTaskPushNotificationConfig({ taskId: p.id, pushNotificationConfig: { url: ouvinte.url, token: 'senha' } }));
    assert.equal(feito.taskId, p.id);
    assert.equal(feito.pushNotificationConfig.url, ouvinte.url);
    const lista = sucesso(await c.listTaskPushNotificationConfig({ id: p.id }));
    assert.deepEqual(lista.map((x) => x.pushNotificationConfig.id), [feito.pushNotificationConfig.id]);
    await enviar('escolha=sala-mirante', p);
    // The agent tells in the form of v1.0 whatever the version of the caller.
    const fim = await ouvinte.espera((a) => /completed/i.test(a.estado));
    assert.equal(fim.taskId, p.id);
    assert.equal(fim.cabecalhos['x-a2a-notification-token'], 'senha');
    ouvinte.gravador.semSegredo();
    const chave = { id: p.id, pushNotificationConfigId: feito.pushNotificationConfig.id };
    assert.equal((await c.deleteTaskPushNotificationConfig(chave)).error, undefined);
  });
});

test('@a2a-js/sdk 0.3 (ClientFactory) completes a pause', prazo, async () => {
  const http = { fetchImpl: gravador.fetch };
  const fabrica = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory(http)], cardResolver: new DefaultAgentCardResolver(http),
  }));
  const cliente = await fabrica.createFromUrl(no.url, cartaoAntigo);
  const quando = outroDia();
  await cliente.sendMessage(pedido(reservar(quando)));
  const p = await cliente.sendMessage(pedido(reservar(quando)));
  assert.equal(p.status.state, 'input-required');
  const t = await cliente.sendMessage(pedido('escolha=sala-mirante', p));
  assert.equal(t.status.state, 'completed');
  conferirArtefato(t.artifacts[0], 'sala-mirante');
});

// What v0.3 says of a card's place is that of v1.0, where this agent has a card
// of 1.0: an old client has to be given the other place, or the card has to be
// of both versions.
test('@a2a-js/sdk 0.3 does not take the card of 1.0 for its own', prazo, async () => {
  await assert.rejects(A2AClient.fromCardUrl(`${no.url}/.well-known/agent-card.json`, { fetchImpl: gravador.fetch }), /valid 'url'/);
});

test('a card of both versions serves old clients and new ones', prazo, async () => {
  const dois = await subir([...tudo, '-cartao-v03']);
  try {
    const velho = await A2AClient.fromCardUrl(`${dois.url}/.well-known/agent-card.json`, { fetchImpl: gravador.fetch });
    const quando = outroDia();
    sucesso(await velho.sendMessage(pedido(reservar(quando))));
    const p = sucesso(await velho.sendMessage(pedido(reservar(quando))));
    const t = sucesso(await velho.sendMessage(pedido('escolha=sala-mirante', p)));
    assert.equal(t.status.state, 'completed');
    const http = { fetchImpl: gravador.fetch };
    const novo = await Cliente.com([new NovoJsonRpc(http)], new NovoResolver(http), dois.url);
    assert.equal(novo.sdk.protocolVersion, '1.0');
    assert.equal(lerNovo.estado(await novo.enviar(reservar(outroDia()))), 'TASK_STATE_COMPLETED');
  } finally {
    await dois.parar();
  }
});

test('@a2a-js/sdk 1.x speaks v0.3 to a card of v0.3', prazo, async () => {
  const http = { fetchImpl: gravador.fetch, legacyCompat: { enabled: true } };
  const c = await Cliente.com([new NovoJsonRpc(http)], new NovoResolver(http), no.url, cartaoAntigo);
  assert.equal(c.sdk.protocolVersion, '0.3');
  const quando = outroDia();
  await c.enviar(reservar(quando));
  const p = await c.enviar(reservar(quando));
  assert.deepEqual(lerNovo.dita(p), [alternativas]);
  const t = await c.enviar('escolha=sala-mirante', p);
  assert.equal(lerNovo.estado(t), 'TASK_STATE_COMPLETED');
  assert.equal(JSON.parse(lerNovo.fala(t.artifacts[0])[0]).sala, 'sala-mirante');
});

test('the server\'s requestState stays inside', () => gravador.semSegredo());
