// The MCP conformance suite against the real server, against our front and seal
// around the suite's fixtures, and with the agent's host as the client.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { binario, comOrigem } from './processo.mjs';
import { REVISAO, exigidos, julgar, lerBase, rodar } from './suite.mjs';

// The client scenarios that say something of a host without credentials.
const DO_HOSPEDE = [
  'tools_call',
  'request-metadata',
  'sep-2322-client-request-state',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
];

const alinhar = (erros) => erros.map((e) => `\n  ${e}`).join('');

// conferir gives each scenario a test, and one to the accepted failures of
// scenarios that did not run.
async function conferir(t, cenarios, aceitas) {
  for (const [nome, checks] of cenarios) {
    const conhecido = aceitas.get(nome)?.get('');
    const titulo = conhecido ? `${nome}: falha aceita (${conhecido})` : nome;
    await t.test(titulo, () => {
      const erros = julgar(checks, aceitas.get(nome));
      assert.ok(erros.length === 0, nome + alinhar(erros));
    });
  }
  await t.test('toda falha aceita e de um cenario que rodou', () => {
    assert.deepEqual([...aceitas.keys()].filter((nome) => !cenarios.has(nome)), []);
  });
}

async function doServidor(t, programa, arquivo) {
  const { caminho, aceitas } = await lerBase(arquivo);
  const servidor = await comOrigem(programa);
  const { codigo, saida, cenarios } = await rodar(['server', '--url', servidor.url, '--requirements', REVISAO, '--expected-failures', caminho]).finally(
    () => servidor.fechar(),
  );
  await conferir(t, cenarios, aceitas);
  await t.test('todo cenario exigido rodou, e a suite concorda', async () => {
    assert.deepEqual((await exigidos('server')).filter((nome) => !cenarios.has(nome)), []);
    assert.equal(codigo, 0, saida.slice(-4000));
  });
  return { cenarios, aceitas };
}

describe('conformidade MCP', () => {
  test('o servidor', (t) => doServidor(t, 'servidor-mcp', 'baseline-servidor.yml'));

  test('a porta e o selo, em volta das fixtures', async (t) => {
    const { cenarios, aceitas } = await doServidor(t, 'servidor-conformidade', 'baseline-fixtures.yml');
    await t.test('nenhum cenario exigido esta entre as falhas aceitas', async () => {
      assert.deepEqual((await exigidos('server')).filter((nome) => aceitas.has(nome)), []);
    });
    // The suite is content with any error.
    await t.test('o estado alterado e recusado com -32602', () => {
      const [recusa] = cenarios.get('input-required-result-tampered-state').filter((c) => c.id === 'sep-2322-reject-tampered-state');
      assert.equal(recusa.details.tamperedResponse.code, -32602);
    });
  });

  test('o hospede do agente, como cliente', async (t) => {
    const { caminho, aceitas } = await lerBase('baseline-cliente.yml');
    const cenarios = new Map();
    const discordancias = [];
    for (const nome of DO_HOSPEDE) {
      const args = ['client', '--command', binario('cliente-conformidade'), '--scenario', nome, '--spec-version', REVISAO, '--expected-failures', caminho];
      const rodada = await rodar(args);
      cenarios.set(nome, rodada.cenarios.get(nome) ?? []);
      // With accepted failures the suite no longer looks at how the client ended.
      if (rodada.codigo !== 0 || /^Client (exited with|timed out)/m.test(rodada.saida)) discordancias.push(`${nome}: ${rodada.saida.slice(-4000)}`);
    }
    await conferir(t, cenarios, aceitas);
    await t.test('todo cenario exigido fora de auth/ rodou, e a suite concorda', async () => {
      assert.deepEqual((await exigidos('client')).filter((nome) => !nome.startsWith('auth/') && !cenarios.has(nome)), []);
      assert.ok(discordancias.length === 0, discordancias.join('\n'));
    });
  });
});
