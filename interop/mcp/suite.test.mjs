// The verdict on the suite's results, which must not let anything through.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { julgar } from './suite.mjs';

const ok = { id: 'a', status: 'SUCCESS' };
const falha = { id: 'a', status: 'FAILURE', errorMessage: 'porque' };
const aceita = (...ids) => new Map(ids.map((id) => [id, 'motivo']));

for (const [nome, checks, aceitas, erros] of [
  ['passa', [ok], undefined, 0],
  ['uma falha', [ok, falha], undefined, 1],
  ['um aviso', [ok, { id: 'b', status: 'WARNING' }], undefined, 1],
  ['um check pulado', [ok, { id: 'b', status: 'SKIPPED' }], undefined, 1],
  ['um check pulado numa vez e passado noutra', [ok, { id: 'a', status: 'SKIPPED' }], undefined, 0],
  ['uma mensagem fora do schema', [ok, { id: 'wire-schema-valid', status: 'FAILURE' }], undefined, 1],
  ['nada verificado', [{ id: 'wire-schema-valid', status: 'SUCCESS' }, { id: 'b', status: 'INFO' }], undefined, 1],
  ['sem checks', [], undefined, 1],
  ['falha aceita', [falha], aceita(''), 0],
  ['cenario aceito que passa', [ok], aceita(''), 1],
  ['cenario aceito em que nada se verificou', [{ id: 'b', status: 'SKIPPED' }], aceita(''), 0],
  ['check aceito', [ok, { id: 'b', status: 'FAILURE' }], aceita('b'), 0],
  ['check aceito, e outro que falha', [falha, { id: 'b', status: 'FAILURE' }], aceita('b'), 1],
  ['check aceito que passa', [ok], aceita('a'), 1],
  ['check aceito que nao existe', [ok], aceita('b'), 1],
]) {
  test(`julgamento: ${nome}`, () => assert.equal(julgar(checks, aceitas).length, erros, julgar(checks, aceitas).join('; ')));
}
