// The recorder would find a requestState: it is what the other checks rely on.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { Gravador } from './gravador.mjs';

const estado = `v1.${'A'.repeat(60)}`;

test('the recorder passes what is harmless', () => {
  const g = new Gravador();
  g.anotar({ id: 'x', status: { state: 'TASK_STATE_COMPLETED' } });
  g.semSegredo();
});

test('the recorder fails when nothing was recorded', () => assert.throws(() => new Gravador().semSegredo()));

for (const ruim of [{ requestState: 'x' }, { request_state: 'x' }, { texto: `sobra ${estado}` }]) {
  test(`the recorder finds ${Object.keys(ruim)[0]}`, () => {
    const g = new Gravador();
    g.anotar(ruim);
    assert.throws(() => g.semSegredo());
  });
}

test('the recorder finds one in a body that comes in pieces', async (ct) => {
  const s = createServer((_, res) => {
    res.write(estado.slice(0, 20));
    setTimeout(() => res.end(estado.slice(20)), 50);
  });
  await new Promise((r) => s.listen(0, '127.0.0.1', r));
  ct.after(() => s.close());
  const g = new Gravador();
  const r = await g.fetch(`http://127.0.0.1:${s.address().port}`);
  assert.equal(await r.text(), estado);
  assert.throws(() => g.semSegredo());
});
