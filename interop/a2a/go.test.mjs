// The Go client and the command line of a2a-go 2.4 (module interop/clientes).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';

import { Gravador } from './gravador.mjs';
import { construir, interop, subir } from './processos.mjs';
import { alternativas, campos, outroDia, reservar } from './salas.mjs';

const clientes = join(interop, 'clientes');
const prazo = { timeout: 30_000 };
let no, cli;

before(async () => {
  no = await subir();
  cli = construir('PONTE_CLI_A2A', 'github.com/a2aproject/a2a-go/v2/cmd/a2a', clientes);
});
after(() => no?.parar());

// The Go tests say what they found as they go; each becomes a check of its own.
test('a2a-go 2.4: the client', { timeout: 180_000 }, async (t) => {
  const go = spawn('go', ['test', '-json', '-count=1', './...'], {
    cwd: clientes, env: { ...process.env, PONTE_AGENTE_URL: no.url }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  const fim = new Promise((r) => go.once('exit', r));
  const saida = new Map();
  const checks = [];
  const folha = (nome) => ![...saida.keys()].some((outro) => outro.startsWith(`${nome}/`));
  for await (const linha of createInterface({ input: go.stdout })) {
    const e = JSON.parse(linha);
    const texto = (saida.get(e.Test) ?? '') + (e.Output ?? '');
    if (e.Test || e.Output) saida.set(e.Test, texto);
    if (!e.Test || !['pass', 'fail', 'skip'].includes(e.Action)) continue;
    if (e.Action === 'pass' && !folha(e.Test)) continue; // its parts have spoken
    checks.push(t.test(e.Test, () => assert.equal(e.Action, 'pass', texto)));
  }
  await Promise.all(checks);
  assert.equal(await fim, 0, saida.get(undefined));
  assert.ok(checks.length > 40, `${checks.length} checks ran`);
});

// Where the command line finds the agent: by its card, and by the address of a
// binding.
async function portas() {
  const cartao = await (await fetch(`${no.url}/.well-known/agent-card.json`)).json();
  const endereco = (ligacao) => cartao.supportedInterfaces.find((i) => i.protocolBinding === ligacao)?.url;
  return [
    ['by the card', [no.url]],
    ['over JSONRPC', [endereco('JSONRPC'), '--transport', 'jsonrpc']],
    ['over HTTP+JSON', [endereco('HTTP+JSON'), '--transport', 'rest']],
    ['over GRPC', [endereco('GRPC'), '--transport', 'grpc', '--insecure']],
  ];
}

describe('a2a-go 2.4: the command line', () => {
  const gravador = new Gravador();
  let todas;
  before(async () => (todas = await portas()));

  // a2a runs the command and gives what it printed; comEco hears each line.
  function a2a(args, comEco = () => {}) {
    const p = spawn(cli, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    p.stderr.setEncoding('utf8').on('data', (d) => (err += d));
    p.stdout.setEncoding('utf8').on('data', (d) => ((out += d), comEco(out)));
    return new Promise((resolve, reject) => {
      p.once('error', reject);
      p.once('close', (codigo) => {
        gravador.anotar(out + err);
        resolve({ codigo, out, err });
      });
    });
  }

  async function json(...args) {
    const r = await a2a(['-o', 'json', ...args]);
    assert.equal(r.codigo, 0, r.err);
    return JSON.parse(r.out);
  }

  // eventos splits what a stream prints, one indented object after another.
  const eventos = (out) => out.split(/(?<=^\}\n)/m).map((x) => JSON.parse(x));
  const resumo = (es) => es.map((e) =>
    e.task ? `task ${e.task.status.state}`
      : e.statusUpdate ? `status ${e.statusUpdate.status.state}`
        : e.artifactUpdate ? `artifact ${e.artifactUpdate.artifact.name}` : JSON.stringify(e));

  const dita = (t) => t.status.message.parts.map((p) => p.text);

  function conferirReserva(t, sala) {
    assert.equal(t.status.state, 'TASK_STATE_COMPLETED');
    const r = JSON.parse(t.artifacts[0].parts[0].text);
    assert.deepEqual(Object.keys(r), campos);
    assert.equal(r.sala, sala);
  }

  async function pausa(onde, quando = outroDia()) {
    conferirReserva(await json('send', ...onde, reservar(quando)), 'sala-garagem');
    const p = await json('send', ...onde, reservar(quando));
    assert.equal(p.status.state, 'TASK_STATE_INPUT_REQUIRED');
    assert.deepEqual(dita(p), [alternativas]);
    return p;
  }

  test('discover', prazo, async () => {
    const cartao = await json('discover', no.url);
    assert.equal(cartao.name, 'Central de Salas');
    assert.deepEqual(cartao.supportedInterfaces.map((i) => i.protocolBinding).slice(0, 3).sort(), ['GRPC', 'HTTP+JSON', 'JSONRPC']);
  });

  test('a person reads it, too', prazo, async () => {
    const quando = outroDia();
    await a2a(['send', no.url, reservar(quando)]);
    const { out } = await a2a(['send', no.url, reservar(quando)]);
    assert.match(out, /^Status:   input-required /m);
    assert.ok(out.includes(alternativas), out);
  });

  for (const [i, nome] of ['by the card', 'over JSONRPC', 'over HTTP+JSON', 'over GRPC'].entries()) {
    describe(nome, () => {
      let onde;
      before(() => (onde = todas[i][1]));

      test('send, pause, continue, get', prazo, async () => {
        const p = await pausa(onde);
        const lida = await json('get', 'task', ...onde, p.id);
        assert.equal(lida.status.state, 'TASK_STATE_INPUT_REQUIRED');
        const t = await json('send', ...onde, '--task', p.id, 'escolha=sala-mirante');
        assert.equal(t.id, p.id);
        conferirReserva(t, 'sala-mirante');
        conferirReserva(await json('get', 'task', ...onde, p.id), 'sala-mirante');
      });

      test('decline', prazo, async () => {
        const t = await json('send', ...onde, '--task', (await pausa(onde)).id, 'escolha=recusar');
        assert.equal(t.status.state, 'TASK_STATE_CANCELED');
        assert.deepEqual(dita(t), ['Reserva recusada.']);
      });

      test('list', prazo, async () => {
        const p = await pausa(onde);
        const l = await json('list', 'tasks', ...onde, '--context', p.contextId, '--status', 'input-required');
        assert.deepEqual(l.tasks.map((t) => t.id), [p.id]);
        assert.equal(l.nextPageToken, '');
      });

      test('cancel', prazo, async () => {
        const p = await pausa(onde);
        assert.equal((await json('cancel', ...onde, p.id)).status.state, 'TASK_STATE_CANCELED');
        const outra = await a2a(['cancel', ...onde, p.id]);
        assert.equal(outra.codigo, 1);
        assert.match(outra.err, /cannot be canceled/);
      });

      test('stream to a pause, and on', prazo, async () => {
        const quando = outroDia();
        await json('send', ...onde, reservar(quando));
        const antes = await a2a(['-o', 'json', 'send', '--stream', ...onde, reservar(quando)]);
        assert.equal(antes.codigo, 0, antes.err);
        const es = eventos(antes.out);
        assert.ok(es[0].task, 'the Task is first');
        assert.equal(resumo(es).at(-1), 'status TASK_STATE_INPUT_REQUIRED');
        const depois = await a2a(['-o', 'json', 'send', '--stream', ...onde, '--task', es[0].task.id, 'escolha=sala-fusca']);
        assert.equal(depois.codigo, 0, depois.err);
        assert.deepEqual(resumo(eventos(depois.out)).slice(1).filter((x) => x !== 'status TASK_STATE_WORKING'),
          ['artifact reserva', 'status TASK_STATE_COMPLETED']);
      });

      test('subscribe, through a pause', prazo, async () => {
        const p = await pausa(onde);
        let respondida;
        const { codigo, out, err } = await a2a(['-o', 'json', 'subscribe', ...onde, p.id], () => {
          respondida ??= json('send', ...onde, '--task', p.id, 'escolha=sala-mirante');
        });
        assert.equal(codigo, 0, err);
        conferirReserva(await respondida, 'sala-mirante');
        const r = resumo(eventos(out));
        assert.equal(r[0], 'task TASK_STATE_INPUT_REQUIRED');
        assert.deepEqual(r.slice(1).filter((x) => x !== 'status TASK_STATE_WORKING'), ['artifact reserva', 'status TASK_STATE_COMPLETED']);
      });
    });
  }

  test('the server\'s requestState stays inside', () => gravador.semSegredo());
});
