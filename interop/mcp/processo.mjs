// Starts this project's binaries for the tests, and ends them again.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

// The binaries stand in a folder that mcp.sh makes and names here.
export function binario(nome) {
  if (!process.env.PONTE_BIN) throw new Error('PONTE_BIN: rode estes testes por mcp.sh, que compila os binarios');
  return join(process.env.PONTE_BIN, nome);
}

// A process that listens has this long to say where.
const ESPERA_INICIO = 10_000;
// One that is told to end drains its calls for five seconds at most.
const ESPERA_FIM = 8_000;

const vivos = new Set();
process.on('exit', () => vivos.forEach((p) => p.kill('SIGKILL')));

// iniciar starts a server, and resolves once it has said where it listens.
// fechar ends it, and fails when it does not end in good order.
export async function iniciar(nome, args = []) {
  const filho = spawn(binario(nome), args, {
    env: { ...process.env, REQUEST_STATE_SECRET: randomBytes(32).toString('hex') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  vivos.add(filho);
  const fim = once(filho, 'exit').then(([codigo, sinal]) => {
    vivos.delete(filho);
    return codigo ?? sinal;
  });
  let erros = '';
  filho.stderr.setEncoding('utf8').on('data', (s) => (erros = (erros + s).slice(-10_000)));

  const url = await new Promise((resolve, reject) => {
    const relogio = setTimeout(() => reject(new Error(`${nome} nao disse onde escuta:\n${erros}`)), ESPERA_INICIO);
    let saida = '';
    filho.stdout.setEncoding('utf8').on('data', (s) => {
      saida += s;
      const achado = saida.match(/ouvindo em (\S+)\n/);
      if (achado) {
        clearTimeout(relogio);
        resolve(achado[1]);
      }
    });
    filho.once('error', reject);
    fim.then((codigo) => {
      clearTimeout(relogio);
      reject(new Error(`${nome} terminou com ${codigo}:\n${erros}`));
    });
  }).catch((erro) => {
    filho.kill('SIGKILL');
    throw erro;
  });

  return {
    url,
    async fechar() {
      filho.kill('SIGTERM');
      const relogio = setTimeout(() => filho.kill('SIGKILL'), ESPERA_FIM);
      const codigo = await fim;
      clearTimeout(relogio);
      if (codigo !== 0) throw new Error(`${nome} terminou com ${codigo}:\n${erros}`);
    },
  };
}

// comOrigem starts a server that accepts its own Origin. Browsers' origins are
// refused unless they are listed, and one with a port has to be known before
// the port is bound: another process may be quicker, and then another is tried.
export async function comOrigem(nome) {
  for (let vez = 1; ; vez++) {
    const host = `127.0.0.1:${await portaLivre()}`;
    try {
      return await iniciar(nome, ['-addr', host, '-origens', `http://${host}`]);
    } catch (erro) {
      if (vez === 5 || !/em uso/.test(erro.message)) throw erro;
    }
  }
}

async function portaLivre() {
  const s = createServer().listen(0, '127.0.0.1');
  await once(s, 'listening');
  const { port } = s.address();
  s.close();
  await once(s, 'close');
  return port;
}
