// The official JavaScript client, @a2a-js/sdk 1.x, over every binding that it
// speaks: one list of checks, three times.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { ServiceParameters, withA2AExtensions } from '@a2a-js/sdk/client';

import { Cliente, conversa, dita, estado, fala, recusa, resumo, todos } from './cliente.mjs';
import { subir } from './processos.mjs';
import { alternativas, campos, extensao, outroDia, reservar } from './salas.mjs';
import { Ouvinte } from './ouvinte.mjs';

const prazo = { timeout: 20_000 };
let no;

before(async () => (no = await subir()));
after(() => no?.parar());

function conferirReserva(t, sala, { inicio, fim }) {
  assert.equal(t.artifacts.length, 1);
  conferirArtefato(t.artifacts[0], sala, { inicio, fim });
  const { reserva } = JSON.parse(fala(t.artifacts[0])[0]);
  assert.deepEqual(dita(t), [`Reserva ${reserva} confirmada na ${sala}.`]);
}

function conferirArtefato(a, sala, { inicio, fim }) {
  assert.equal(a.name, 'reserva');
  assert.equal(a.parts.length, 1);
  const texto = fala(a)[0];
  const r = JSON.parse(texto);
  assert.equal(texto, JSON.stringify(r), 'compact JSON');
  assert.deepEqual(Object.keys(r), campos);
  assert.match(r.reserva, /^res-\d{4,}$/);
  assert.deepEqual({ ...r, reserva: '' }, { reserva: '', sala, inicio, fim, responsavel: 'Emmett Brown', politica: '2026-11-01' });
}

for (const ligacao of ['JSONRPC', 'HTTP+JSON', 'GRPC']) {
  describe(`@a2a-js/sdk over ${ligacao}`, () => {
    let c;
    before(async () => (c = await Cliente.conectar(no.url, ligacao)));

    // pausa leaves a Task of a busy room waiting for a choice.
    async function pausa(quando = outroDia(), mais, opcoes) {
      const t = await c.enviar(reservar(quando), undefined, mais);
      assert.equal(estado(t), 'TASK_STATE_COMPLETED');
      const p = await c.enviar(reservar(quando), undefined, mais, opcoes);
      assert.equal(estado(p), 'TASK_STATE_INPUT_REQUIRED');
      return p;
    }

    test('discovers the agent', prazo, async () => {
      const cartao = await c.sdk.getAgentCard();
      assert.equal(cartao.name, 'Central de Salas');
      assert.equal(cartao.capabilities.streaming, true);
      assert.equal(cartao.capabilities.pushNotifications, true);
      assert.deepEqual(cartao.skills.map((s) => s.id), ['reservar-sala']);
      const i = cartao.supportedInterfaces.find((x) => x.protocolBinding === ligacao && x.protocolVersion === '1.0');
      assert.ok(i, `${ligacao} 1.0 is in the card`);
    });

    test('a free room is booked', prazo, async () => {
      const quando = outroDia();
      const t = await c.enviar(reservar(quando));
      assert.equal(estado(t), 'TASK_STATE_COMPLETED');
      conferirReserva(t, 'sala-garagem', quando);
      assert.deepEqual(conversa(t), [['user', reservar(quando)], ['agent', ...dita(t)]]);
    });

    test('a busy room pauses; a wrong choice keeps the pause; a choice completes', prazo, async () => {
      const quando = outroDia();
      const p = await pausa(quando);
      assert.deepEqual(dita(p), [alternativas]);
      assert.equal(p.artifacts.length, 0);

      const q = await c.enviar('escolha=sala-porao', p);
      assert.equal(q.id, p.id);
      assert.equal(estado(q), 'TASK_STATE_INPUT_REQUIRED');
      assert.deepEqual(dita(q), [alternativas]);

      const t = await c.enviar('escolha=sala-mirante', p);
      assert.equal(t.id, p.id);
      assert.equal(t.contextId, p.contextId);
      assert.equal(estado(t), 'TASK_STATE_COMPLETED');
      conferirReserva(t, 'sala-mirante', quando);
    });

    test('a decline cancels', prazo, async () => {
      const t = await c.enviar('escolha=recusar', await pausa());
      assert.equal(estado(t), 'TASK_STATE_CANCELED');
      assert.deepEqual(dita(t), ['Reserva recusada.']);
      assert.equal(t.artifacts.length, 0);
    });

    test('a tool error fails the Task with its own words', prazo, async () => {
      const t = await c.enviar(reservar(outroDia(), 'sala-inexistente'));
      assert.equal(estado(t), 'TASK_STATE_FAILED');
      assert.deepEqual(dita(t), ['Sala inexistente: sala-inexistente']);
      assert.deepEqual(conversa(t).at(-1), ['agent', 'Sala inexistente: sala-inexistente']);
    });

    test('what is not understood is rejected', prazo, async () => {
      const t = await c.enviar('bom dia');
      assert.equal(estado(t), 'TASK_STATE_REJECTED');
      assert.match(dita(t)[0], /reservar sala=<id>/);
    });

    test('get gives the Task, and as much history as asked', prazo, async () => {
      const p = await pausa();
      const t = await c.ler(p);
      assert.equal(t.id, p.id);
      assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED');
      assert.deepEqual(conversa(t).map(([quem]) => quem), ['user', 'agent']);
      assert.deepEqual(conversa(await c.ler(p, 1)), [['agent', alternativas]]);
      assert.deepEqual((await c.ler(p, 0)).history, []);
    });

    test('list gives a context\'s Tasks, newest first, page by page', prazo, async () => {
      const contextId = `ctx-js-${ligacao}-${Math.random()}`;
      const quando = outroDia();
      const a = await c.enviar(reservar(quando), undefined, { contextId });
      const b = await c.enviar(reservar(quando), undefined, { contextId });
      assert.equal(a.contextId, contextId);
      const lista = { tenant: '', contextId, status: 0, pageToken: '' };
      const todas = await c.sdk.listTasks(lista);
      assert.deepEqual(todas.tasks.map((t) => t.id), [b.id, a.id]);
      assert.equal(todas.nextPageToken, '');
      assert.equal(todas.totalSize, 2);
      assert.deepEqual(todas.tasks.map((t) => t.artifacts), [[], []]);

      const uma = await c.sdk.listTasks({ ...lista, pageSize: 1 });
      assert.deepEqual(uma.tasks.map((t) => t.id), [b.id]);
      assert.notEqual(uma.nextPageToken, '');
      const outra = await c.sdk.listTasks({ ...lista, pageSize: 1, pageToken: uma.nextPageToken, includeArtifacts: true });
      assert.deepEqual(outra.tasks.map((t) => t.id), [a.id]);
      assert.equal(outra.nextPageToken, '');
      conferirArtefato(outra.tasks[0].artifacts[0], 'sala-garagem', quando);

      const pausadas = await c.sdk.listTasks({ ...lista, status: b.status.state });
      assert.deepEqual(pausadas.tasks.map((t) => t.id), [b.id]);
      const depois = await c.sdk.listTasks({ ...lista, statusTimestampAfter: '2999-01-01T00:00:00Z' });
      assert.deepEqual(depois.tasks, []);
    });

    test('cancel ends a pause, once', prazo, async () => {
      const p = await pausa();
      const t = await c.cancelar(p);
      assert.equal(t.id, p.id);
      assert.equal(estado(t), 'TASK_STATE_CANCELED');
      assert.equal(await recusa(c.cancelar(p)), 'TASK_NOT_CANCELABLE');
      assert.equal(await recusa(c.enviar('escolha=sala-mirante', p)), 'UNSUPPORTED_OPERATION');
    });

    test('an unknown Task is named as such', prazo, async () => {
      const ninguem = { id: 'nao-existe', contextId: '' };
      assert.equal(await recusa(c.ler(ninguem)), 'TASK_NOT_FOUND');
      assert.equal(await recusa(c.cancelar(ninguem)), 'TASK_NOT_FOUND');
      assert.equal(await recusa(c.enviar('escolha=sala-mirante', ninguem)), 'TASK_NOT_FOUND');
      assert.equal(await recusa(todos(c.assinar(ninguem))), 'TASK_NOT_FOUND');
    });

    test('a stream tells a booking from the Task to its end', prazo, async () => {
      const quando = outroDia();
      const eventos = await todos(c.transmitir(reservar(quando)));
      assert.equal(eventos[0].$case, 'task');
      const r = resumo(eventos);
      assert.deepEqual(r.slice(1).filter((x) => x !== 'status TASK_STATE_WORKING'), ['artifact reserva', 'status TASK_STATE_COMPLETED']);
      conferirArtefato(eventos.find((e) => e.$case === 'artifactUpdate').value.artifact, 'sala-garagem', quando);
      const id = eventos[0].value.id;
      for (const e of eventos.slice(1)) assert.equal(e.value.taskId, id);
      assert.match(fala(eventos.at(-1).value.status.message)[0], /^Reserva res-\d+ confirmada na sala-garagem\.$/);
      assert.equal(estado(await c.ler({ id })), 'TASK_STATE_COMPLETED');
    });

    test('a stream reaches a pause, and another continues it', prazo, async () => {
      const quando = outroDia();
      await c.enviar(reservar(quando));
      const antes = await todos(c.transmitir(reservar(quando))); // a pause ends it (A2A v1.0, 11.7)
      assert.equal(antes[0].$case, 'task');
      assert.deepEqual(resumo(antes).slice(1).filter((x) => x !== 'status TASK_STATE_WORKING'), ['status TASK_STATE_INPUT_REQUIRED']);
      assert.deepEqual(fala(antes.at(-1).value.status.message), [alternativas]);

      const { id, contextId } = antes[0].value;
      const depois = await todos(c.transmitir('escolha=sala-fusca', { id, contextId }));
      assert.equal(depois[0].$case, 'task');
      assert.equal(depois[0].value.id, id);
      assert.deepEqual(resumo(depois).slice(1).filter((x) => x !== 'status TASK_STATE_WORKING'), ['artifact reserva', 'status TASK_STATE_COMPLETED']);
      conferirReserva(await c.ler({ id }), 'sala-fusca', quando);
    });

    test('a subscriber to a pause sees it end', prazo, async () => {
      const p = await pausa();
      const fluxo = c.assinar(p);
      const primeiro = await fluxo.next();
      assert.equal(primeiro.value.payload.$case, 'task');
      assert.equal(primeiro.value.payload.value.id, p.id);
      assert.equal(estado(primeiro.value.payload.value), 'TASK_STATE_INPUT_REQUIRED');
      assert.equal(estado(await c.enviar('escolha=sala-mirante', p)), 'TASK_STATE_COMPLETED');
      const resto = await todos(fluxo); // the agent ends it
      assert.deepEqual(resumo(resto).filter((x) => x !== 'status TASK_STATE_WORKING'), ['artifact reserva', 'status TASK_STATE_COMPLETED']);
      assert.equal(await recusa(todos(c.assinar(p))), 'UNSUPPORTED_OPERATION');
    });

    test('push: configs are kept, and the webhook is told', prazo, async (ct) => {
      const ouvinte = await Ouvinte.abrir(ct);
      const p = await pausa();
      const config = {
        tenant: '', id: '', taskId: p.id, url: ouvinte.url, token: 'senha-do-webhook',
        authentication: { scheme: 'Bearer', credentials: 'credencial-do-webhook' },
      };
      const feito = await c.sdk.createTaskPushNotificationConfig(config);
      assert.ok(feito.id, 'the agent names it');
      assert.equal(feito.url, ouvinte.url);
      assert.equal(feito.taskId, p.id);
      const dele = { tenant: '', taskId: p.id, id: feito.id };
      const lido = await c.sdk.getTaskPushNotificationConfig(dele);
      assert.deepEqual([lido.id, lido.url], [feito.id, ouvinte.url]);
      const outro = await c.sdk.createTaskPushNotificationConfig({ ...config, id: 'segundo', url: `${ouvinte.url}/nunca` });
      const todos = await c.sdk.listTaskPushNotificationConfig({ tenant: '', taskId: p.id, pageSize: 0, pageToken: '' });
      assert.deepEqual(todos.configs.map((x) => x.id).sort(), [feito.id, outro.id].sort());
      await c.sdk.deleteTaskPushNotificationConfig({ tenant: '', taskId: p.id, id: outro.id });
      assert.ok(await recusa(c.sdk.getTaskPushNotificationConfig({ tenant: '', taskId: p.id, id: outro.id })));

      await c.enviar('escolha=sala-mirante', p);
      const fim = await ouvinte.espera((a) => a.estado === 'TASK_STATE_COMPLETED');
      assert.equal(fim.taskId, p.id);
      assert.equal(fim.caminho, '/aviso', 'the config that was deleted is told nothing');
      assert.equal(fim.cabecalhos['authorization'], 'Bearer credencial-do-webhook');
      assert.equal(fim.cabecalhos['x-a2a-notification-token'], 'senha-do-webhook');
      assert.match(fim.cabecalhos['content-type'], /^application\/(a2a\+)?json/);
      ouvinte.gravador.semSegredo();
    });

    test('push: a config may come with the message', prazo, async (ct) => {
      const ouvinte = await Ouvinte.abrir(ct);
      const configuration = {
        taskPushNotificationConfig: { tenant: '', id: 'com-a-mensagem', taskId: '', url: ouvinte.url, token: '', authentication: undefined },
      };
      const t = await c.enviar(reservar(outroDia()), undefined, { configuration });
      assert.equal(estado(t), 'TASK_STATE_COMPLETED');
      const fim = await ouvinte.espera((a) => a.estado === 'TASK_STATE_COMPLETED');
      assert.equal(fim.taskId, t.id);
      assert.equal(fim.cabecalhos['authorization'], undefined);
    });

    test('returnImmediately answers before the end', prazo, async () => {
      const t = await c.enviar(reservar(outroDia()), undefined, { configuration: { returnImmediately: true } });
      assert.ok(t.id);
      let agora = t;
      while (!['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'].includes(estado(agora))) agora = await c.ler(t);
      assert.equal(estado(agora), 'TASK_STATE_COMPLETED');
    });

    test('the elicitation extension gives the question, and takes the answer, as data', prazo, async () => {
      const serviceParameters = ServiceParameters.create(withA2AExtensions(extensao));
      const quando = outroDia();
      const p = await pausa(quando, {}, { serviceParameters });
      assert.deepEqual(dita(p), [alternativas], 'the line is still there');
      const pergunta = p.status.message.metadata[extensao];
      assert.equal(typeof pergunta.message, 'string');
      assert.equal(pergunta.requestedSchema.type, 'object');
      const [[campo, esquema]] = Object.entries(pergunta.requestedSchema.properties);
      assert.match(JSON.stringify(esquema), /sala-fusca.*sala-mirante/);

      const responder = (task, dados) => c.enviar(dados, task, {}, { serviceParameters });
      const fora = await responder(p, { action: 'accept', content: { [campo]: 'sala-porao' } });
      assert.equal(estado(fora), 'TASK_STATE_INPUT_REQUIRED');
      assert.deepEqual(fora.status.message.metadata[extensao], pergunta);

      const t = await responder(p, { action: 'accept', content: { [campo]: 'sala-fusca' } });
      assert.equal(estado(t), 'TASK_STATE_COMPLETED');
      conferirReserva(t, 'sala-fusca', quando);

      const q = await pausa(outroDia(), {}, { serviceParameters });
      assert.equal(estado(await responder(q, { action: 'decline' })), 'TASK_STATE_CANCELED');
    });

    test('without the extension nothing of it is there', prazo, async () => {
      const p = await pausa();
      assert.ok(!p.status.message.metadata?.[extensao]);
    });

    test('the server\'s requestState stays inside', () => c.gravador.semSegredo());
  });
}

test('nor does the agent log a requestState', () => assert.doesNotMatch(no.log(), /v1\.[A-Za-z0-9_-]{40,}/));
