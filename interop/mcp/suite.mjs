// The MCP conformance suite, and a verdict on its results that is stricter than
// its own: a check that was skipped is not passed, nor is a scenario in which
// nothing was checked, and an accepted failure must be one, and have a reason.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REVISAO = '2026-07-28';

const aqui = dirname(fileURLToPath(import.meta.url));
const modulos = join(aqui, '..', 'node_modules');

// The suite needs Node 22. The package "node" would fetch it by an install
// script, past the lock file; it stands there as the platform's own package,
// which needs no script. Elsewhere the Node that runs this must be new enough.
async function node22() {
  const proprio = join(modulos, '.bin', 'node');
  const [, saida] = await executar(proprio, ['--version']).catch(() => [1, '']);
  if (/^v2[2-9]/.test(saida)) return proprio;
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  throw new Error('a suite de conformidade precisa de Node 22 ou mais novo: rode npm ci, ou use um');
}

// executar runs a command to its end.
async function executar(comando, args) {
  const filho = spawn(comando, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let saida = '';
  for (const fluxo of [filho.stdout, filho.stderr]) fluxo.setEncoding('utf8').on('data', (s) => (saida += s));
  const [codigo] = await once(filho, 'close');
  return [codigo, saida];
}

let node;

async function conformance(args) {
  node ??= await node22();
  return executar(node, [join(modulos, '.bin', 'conformance'), ...args]);
}

// rodar runs the suite once, and returns its exit code, what it printed and the
// checks of each scenario.
export async function rodar(args) {
  const destino = await mkdtemp(join(tmpdir(), 'conformidade-'));
  try {
    const [codigo, saida] = await conformance([...args, '--output-dir', destino]);
    const cenarios = new Map();
    for (const nome of await readdir(destino)) {
      const [, cenario] = nome.match(/^(?:server-)?(.*)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/);
      cenarios.set(cenario, JSON.parse(await readFile(join(destino, nome, 'checks.json'), 'utf8')));
    }
    return { codigo, saida, cenarios };
  } finally {
    await rm(destino, { recursive: true });
  }
}

// exigidos are the scenarios that the revision requires of a server or of a
// client.
export async function exigidos(papel) {
  const [codigo, saida] = await conformance(['list', '--requirements', REVISAO]);
  const [, servidor, cliente] = saida.match(/Server scenarios[^\n]*\n([^]*?)Client scenarios[^\n]*\n([^]*?)\n\n/) ?? [];
  if (codigo !== 0 || !cliente) throw new Error(`lista de cenarios: ${saida}`);
  return [...(papel === 'server' ? servidor : cliente).matchAll(/^ {2}- (\S+)$/gm)].map(([, nome]) => nome);
}

// lerBase reads a file of accepted failures. The suite reads the same file; what
// it does not see is that every entry gives its reason.
export async function lerBase(arquivo) {
  const caminho = join(aqui, arquivo);
  const aceitas = new Map();
  for (const linha of (await readFile(caminho, 'utf8')).split('\n')) {
    if (/^\s*(#.*)?$/.test(linha) || /^(server|client):$/.test(linha)) continue;
    const [, cenario, check = '', motivo] = linha.match(/^ {2}- ([\w/.-]+)(?::(\S+))? # (\S.*)$/) ?? [];
    if (!motivo) throw new Error(`${arquivo}: entrada sem motivo, ou malformada: ${linha}`);
    aceitas.set(cenario, (aceitas.get(cenario) ?? new Map()).set(check, motivo));
  }
  return { caminho, aceitas };
}

const GRAVIDADE = ['SKIPPED', 'SUCCESS', 'WARNING', 'FAILURE'];

// julgar returns what is wrong with a scenario's checks, given its accepted
// failures (check or '' for the whole scenario, to reason): nothing is well.
export function julgar(checks, aceitas = new Map()) {
  // A check may be made several times, and counts by its worst time.
  const piores = new Map();
  for (const c of checks) {
    if (c.status === 'INFO') continue;
    const antes = piores.get(c.id);
    if (!antes || GRAVIDADE.indexOf(c.status) > GRAVIDADE.indexOf(antes.status)) piores.set(c.id, c);
  }
  // What the suite checks of every message says nothing of the scenario.
  const proprios = [...piores.values()].filter((c) => !c.id.startsWith('wire-schema-'));
  const falhos = [...piores.values()].filter((c) => c.status !== 'SUCCESS');
  const nada = proprios.every((c) => c.status === 'SKIPPED');

  if (aceitas.has('')) return nada || falhos.length ? [] : ['passou, e esta entre as falhas aceitas: tire-o de la'];
  const erros = falhos
    .filter((c) => !aceitas.has(c.id))
    .map((c) => `${c.id}: ${c.status}${c.errorMessage ? ' ' + c.errorMessage : ''}`);
  if (nada) erros.push('nada foi verificado');
  for (const id of aceitas.keys()) {
    const status = piores.get(id)?.status;
    if (status === 'SUCCESS') erros.push(`${id}: passou, e esta entre as falhas aceitas: tire-o de la`);
    if (!status) erros.push(`${id}: esta entre as falhas aceitas, e nao foi verificado`);
  }
  return erros;
}
