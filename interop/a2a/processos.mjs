// Starts and stops the real processes that the checks speak to. The binaries
// come from PONTE_SERVIDOR and PONTE_AGENTE; without them they are built into
// a temporary folder.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { extensao } from './salas.mjs';

export const interop = join(dirname(fileURLToPath(import.meta.url)), '..');
export const raiz = join(interop, '..');

const temporaria = mkdtempSync(join(tmpdir(), 'ponte-interop-'));
process.on('exit', () => rmSync(temporaria, { recursive: true, force: true }));

// construir returns the path of a binary: that of the variable, or one built
// from the package at folder.
export function construir(variavel, pacote, pasta = raiz) {
  if (process.env[variavel]) return process.env[variavel];
  const saida = join(temporaria, variavel.toLowerCase());
  execFileSync('go', ['build', '-o', saida, pacote], { cwd: pasta, stdio: ['ignore', 'ignore', 'inherit'] });
  return (process.env[variavel] = saida); // the next one to ask finds it
}

// perfilComTudo is the embedded profile with streaming, push notifications and
// the elicitation extension declared, in a file of its own.
export function perfilComTudo() {
  const perfil = JSON.parse(readFileSync(join(raiz, 'agente/internal/perfil/padrao.json'), 'utf8'));
  Object.assign(perfil.cartao.capabilities, { streaming: true, pushNotifications: true, extensions: [{ uri: extensao, required: false }] });
  const arquivo = join(temporaria, 'perfil.json');
  writeFileSync(arquivo, JSON.stringify(perfil));
  return arquivo;
}

// Every process that runs, so that none outlives the tests however they end.
const vivos = new Set();
process.on('exit', () => vivos.forEach((p) => p.kill('SIGKILL')));

// iniciar starts a command and resolves when it says where it listens.
export async function iniciar(comando, args, env = {}) {
  const p = spawn(comando, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  vivos.add(p);
  const fim = new Promise((resolve) => p.once('exit', (codigo) => (vivos.delete(p), resolve(codigo))));
  let log = '';
  p.stderr.setEncoding('utf8').on('data', (d) => (log += d));
  const url = await new Promise((resolve, reject) => {
    let dito = '';
    const prazo = setTimeout(() => reject(new Error(`${comando}: did not say where it listens: ${dito}${log}`)), 20_000);
    p.once('error', reject);
    p.stdout.setEncoding('utf8').on('data', (d) => {
      const m = / ouvindo em (http:\S+)/.exec((dito += d));
      if (m) clearTimeout(prazo), resolve(m[1]);
    });
    fim.then((codigo) => (clearTimeout(prazo), reject(new Error(`${comando} ${args.join(' ')}: exit code ${codigo}: ${log}`))));
  });
  return {
    url,
    log: () => log,
    async parar() {
      p.kill('SIGTERM');
      const socorro = setTimeout(() => p.kill('SIGKILL'), 8_000);
      await fim;
      clearTimeout(socorro);
    },
  };
}

// Every binding, push to this machine allowed: what these checks run against.
export const tudo = ['-httpjson', '-grpc', '127.0.0.1:0', '-avisos-privados'];

// agente starts an agent in front of the MCP server at mcp.
export const iniciarAgente = (mcp, perfil, opcoes = []) =>
  iniciar(construir('PONTE_AGENTE', './agente'), ['-addr', '127.0.0.1:0', '-mcp', mcp, '-perfil', perfil, ...opcoes]);

// subir starts our MCP server and the agent in front of it.
export async function subir(opcoes = tudo) {
  const servidor = await iniciar(construir('PONTE_SERVIDOR', './servidor-mcp'), ['-addr', '127.0.0.1:0'],
    { REQUEST_STATE_SECRET: randomBytes(32).toString('hex') });
  const agente = await iniciarAgente(servidor.url, perfilComTudo(), opcoes);
  return {
    url: agente.url,
    log: agente.log,
    async parar() {
      await agente.parar();
      await servidor.parar();
    },
  };
}
