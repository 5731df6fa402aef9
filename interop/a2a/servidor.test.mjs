// Our agent in front of an MCP server that we did not write: a box office on
// the official TypeScript SDK. A profile, and no code, stands between them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ServiceParameters, withA2AExtensions } from '@a2a-js/sdk/client';

import { Cliente, conversa, dita, estado, resumo, todos } from './cliente.mjs';
import { iniciar, iniciarAgente, interop } from './processos.mjs';
import { extensao } from './salas.mjs';

const formulario = 'preencha: setor=plateia|balcao|galeria quantidade=<inteiro> email=<email> [meia=sim|nao]';
const perguntada = [formulario, 'Quais lugares para hamlet?'];

let bilheteria, agente, c;

before(async () => {
  bilheteria = await iniciar(process.execPath, [join(interop, 'servidor/servidor.mjs')]);
  agente = await iniciarAgente(bilheteria.url, join(interop, 'servidor/perfil.json'));
  c = await Cliente.conectar(agente.url, 'JSONRPC');
});

after(async () => {
  await agente?.parar();
  await bilheteria?.parar();
});

test('the card is the profile\'s', async () => {
  const cartao = await c.sdk.getAgentCard();
  assert.equal(cartao.name, 'Bilheteria');
  assert.deepEqual(cartao.skills.map((s) => s.id), ['comprar-ingressos', 'devolver-ingressos', 'trocar-ingressos']);
});

test('four fields of four kinds are asked for and answered', async () => {
  let t = await c.enviar('comprar espetaculo=hamlet comprador=Lorraine Baines');
  assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED');
  assert.deepEqual(dita(t), perguntada);

  t = await c.enviar('setor=balcao quantidade=2 email=lorraine@hillvalley.example meia=nao', t);
  assert.equal(estado(t), 'TASK_STATE_COMPLETED');
  assert.match(dita(t)[0], /^Compra ing-\d+: 2 em balcao para hamlet\.$/);
  assert.equal(t.artifacts.length, 1);
  assert.equal(t.artifacts[0].name, 'ingressos');
  const [texto] = t.artifacts[0].parts.map((p) => p.content.value);
  const compra = JSON.parse(texto);
  assert.deepEqual(Object.keys(compra), ['compra', 'espetaculo', 'comprador', 'setor', 'quantidade', 'email', 'meia', 'regras']);
  assert.match(compra.compra, /^ing-\d+$/);
  assert.deepEqual({ ...compra, compra: '' }, {
    compra: '', espetaculo: 'hamlet', comprador: 'Lorraine Baines', setor: 'balcao', quantidade: 2,
    email: 'lorraine@hillvalley.example', meia: false, regras: '2026-09',
  });
  assert.deepEqual(conversa(t).map(([quem]) => quem), ['user', 'agent', 'user', 'agent']);
});

test('the optional field may be left out', async () => {
  let t = await c.enviar('comprar espetaculo=tosca comprador=George');
  t = await c.enviar('setor=galeria quantidade=1 email=george@hillvalley.example', t);
  assert.equal(estado(t), 'TASK_STATE_COMPLETED');
  assert.equal(JSON.parse(t.artifacts[0].parts[0].content.value).meia, false);
});

test('what does not fit the form keeps the pause', async () => {
  let t = await c.enviar('comprar espetaculo=hamlet comprador=Biff');
  for (const errado of [
    'setor=camarote quantidade=2 email=biff@hillvalley.example',
    'setor=balcao quantidade=7 email=biff@hillvalley.example',
    'setor=balcao quantidade=dois email=biff@hillvalley.example',
    'setor=balcao quantidade=2 email=biff',
    'setor=balcao quantidade=2',
    'sim',
  ]) {
    t = await c.enviar(errado, t);
    assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED', errado);
    assert.deepEqual(dita(t), perguntada, errado);
  }
  t = await c.enviar('setor=balcao quantidade=6 email=biff@hillvalley.example meia=sim', t);
  assert.equal(estado(t), 'TASK_STATE_COMPLETED');
});

test('a decline ends the Task as canceled', async () => {
  let t = await c.enviar('comprar espetaculo=hamlet comprador=Biff');
  t = await c.enviar('resposta=desistir', t);
  assert.equal(estado(t), 'TASK_STATE_CANCELED');
  assert.deepEqual(dita(t), ['Compra desfeita.']);
  assert.equal(t.artifacts.length, 0);
});

test('a tool error at the first call is the Task\'s last word', async () => {
  const t = await c.enviar('comprar espetaculo=macbeth comprador=Biff');
  assert.equal(estado(t), 'TASK_STATE_FAILED');
  assert.deepEqual(dita(t), ['Espetaculo desconhecido: macbeth']);
  assert.deepEqual(conversa(t).at(-1), ['agent', 'Espetaculo desconhecido: macbeth']);
});

test('a tool error after the answer is, too', async () => {
  let t = await c.enviar('comprar espetaculo=tosca comprador=Biff');
  t = await c.enviar('setor=balcao quantidade=3 email=biff@hillvalley.example', t);
  assert.equal(estado(t), 'TASK_STATE_FAILED');
  assert.deepEqual(dita(t), ['Restam 2 lugares em balcao']);
});

test('a single yes-or-no question of a second tool', async () => {
  let t = await c.enviar('devolver compra=ing-1');
  assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED');
  assert.deepEqual(dita(t), ['escolha: sim, nao', 'Devolver ing-1?']);
  t = await c.enviar('resposta=sim', t);
  assert.equal(estado(t), 'TASK_STATE_COMPLETED');
  assert.deepEqual(dita(t), ['Devolucao de ing-1: true.']);
  assert.equal(t.artifacts[0].parts[0].content.value, '{"compra":"ing-1","devolvida":true}');
});

test('two questions at once are answered as text', async () => {
  let t = await c.enviar('trocar compra=ing-1');
  assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED');
  assert.deepEqual(dita(t), [
    'preencha: sessao.forma=<date> cobranca.forma=pix|cartao [extras=<um ou mais de programa|guarda-roupa, separados por virgula>]',
    'Para que dia?', 'Como paga a diferenca?',
  ]);
  t = await c.enviar('sessao.forma=2027-02-30 cobranca.forma=pix', t);
  assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED', 'there is no such day');
  t = await c.enviar('sessao.forma=2027-02-28 cobranca.forma=pix extras=guarda-roupa, programa', t);
  assert.equal(estado(t), 'TASK_STATE_COMPLETED');
  assert.equal(t.artifacts[0].parts[0].content.value, '{"compra":"ing-1","dia":"2027-02-28","cobranca":"pix","extras":["guarda-roupa","programa"]}');
});

describe('as data', () => {
  const opcoes = { serviceParameters: ServiceParameters.create(withA2AExtensions(extensao)) };
  const pedir = (texto, t) => c.enviar(texto, t, {}, opcoes);
  const pergunta = (t) => t.status.message.metadata[extensao];

  test('the form arrives as the server wrote it, and takes typed values', async () => {
    let t = await pedir('comprar espetaculo=hamlet comprador=Jennifer Parker');
    const { message, requestedSchema } = pergunta(t);
    assert.equal(message, 'Quais lugares para hamlet?');
    assert.deepEqual(Object.keys(requestedSchema.properties), ['setor', 'quantidade', 'email', 'meia']);
    assert.deepEqual(requestedSchema.properties.setor.oneOf.map((o) => o.title), ['Plateia', 'Balcao nobre', 'Galeria']);
    assert.deepEqual(requestedSchema.properties.quantidade, { type: 'integer', title: 'Quantos', minimum: 1, maximum: 6 });
    assert.deepEqual(requestedSchema.required, ['setor', 'quantidade', 'email']);

    const content = { setor: 'plateia', quantidade: 4, email: 'jennifer@hillvalley.example', meia: true };
    for (const errado of [{ quantidade: 7 }, { quantidade: '4' }, { setor: 'camarote' }, { meia: 'sim' }, { email: 'jennifer' }]) {
      t = await pedir({ action: 'accept', content: { ...content, ...errado } }, t);
      assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED', JSON.stringify(errado));
    }
    t = await pedir({ action: 'accept', content }, t);
    assert.equal(estado(t), 'TASK_STATE_COMPLETED');
    const { compra, regras, ...resto } = JSON.parse(t.artifacts[0].parts[0].content.value);
    assert.deepEqual(resto, { espetaculo: 'hamlet', comprador: 'Jennifer Parker', ...content });
    assert.equal(regras, '2026-09');
    assert.match(compra, /^ing-/);
  });

  test('a decline, and a cancel', async () => {
    for (const action of ['decline', 'cancel']) {
      let t = await pedir('comprar espetaculo=hamlet comprador=Biff');
      t = await pedir({ action }, t);
      assert.equal(estado(t), 'TASK_STATE_CANCELED', action);
      assert.deepEqual(dita(t), ['Compra desfeita.']);
    }
  });

  test('two questions at once', async () => {
    let t = await pedir('trocar compra=ing-1');
    const { elicitations } = pergunta(t);
    assert.deepEqual(Object.keys(elicitations), ['sessao', 'cobranca']);
    assert.equal(elicitations.cobranca.message, 'Como paga a diferenca?');
    const sessao = { action: 'accept', content: { forma: '2027-03-01' } };
    t = await pedir({ responses: { sessao } }, t);
    assert.equal(estado(t), 'TASK_STATE_INPUT_REQUIRED', 'one answer is missing');
    t = await pedir({ responses: { sessao, cobranca: { action: 'accept', content: { forma: 'cartao', extras: ['programa'] } } } }, t);
    assert.equal(estado(t), 'TASK_STATE_COMPLETED');
    assert.equal(t.artifacts[0].parts[0].content.value, '{"compra":"ing-1","dia":"2027-03-01","cobranca":"cartao","extras":["programa"]}');
  });
});

test('a stream reaches the pause and goes on', async () => {
  const antes = await todos(c.transmitir('comprar espetaculo=hamlet comprador=Strickland'));
  assert.equal(resumo(antes).at(-1), 'status TASK_STATE_INPUT_REQUIRED');
  const depois = await todos(c.transmitir('setor=plateia quantidade=1 email=strickland@hillvalley.example', antes[0].value));
  assert.deepEqual(resumo(depois).slice(-2), ['artifact ingressos', 'status TASK_STATE_COMPLETED']);
});

test('two pauses at once keep their own states', async () => {
  const [a, b] = await Promise.all([
    c.enviar('comprar espetaculo=hamlet comprador=A'),
    c.enviar('comprar espetaculo=tosca comprador=B'),
  ]);
  const [tb, ta] = await Promise.all([
    c.enviar('setor=galeria quantidade=2 email=b@hillvalley.example', b),
    c.enviar('setor=galeria quantidade=3 email=a@hillvalley.example', a),
  ]);
  const lido = (t) => JSON.parse(t.artifacts[0].parts[0].content.value);
  assert.deepEqual([lido(ta).comprador, lido(ta).espetaculo, lido(ta).quantidade], ['A', 'hamlet', 3]);
  assert.deepEqual([lido(tb).comprador, lido(tb).espetaculo, lido(tb).quantidade], ['B', 'tosca', 2]);
});

test('the server\'s requestState stays inside', () => {
  c.gravador.semSegredo();
  assert.doesNotMatch(agente.log(), /v1\.[A-Za-z0-9_-]{40,}/);
});
