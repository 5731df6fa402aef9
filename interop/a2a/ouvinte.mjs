// A webhook on this machine.
import { createServer } from 'node:http';

import { Gravador } from './gravador.mjs';

export class Ouvinte {
  gravador = new Gravador();
  #avisos = [];
  #esperas = [];

  // abrir listens for as long as the check ct runs.
  static async abrir(ct) {
    const o = new Ouvinte();
    o.servidor = createServer(async (req, res) => {
      let corpo = '';
      for await (const d of req.setEncoding('utf8')) corpo += d;
      res.writeHead(204).end();
      o.gravador.anotar(corpo);
      o.#ouvir({ metodo: req.method, caminho: req.url, cabecalhos: req.headers, corpo });
    });
    await new Promise((r) => o.servidor.listen(0, '127.0.0.1', r));
    ct.after(() => o.#fechar());
    o.url = `http://127.0.0.1:${o.servidor.address().port}/aviso`;
    return o;
  }

  #ouvir(a) {
    // A StreamResponse (A2A v1.0, 4.3.3), or the bare Task of v0.3.
    const dito = JSON.parse(a.corpo);
    const t = dito.task ?? dito.statusUpdate ?? dito.artifactUpdate ?? dito;
    Object.assign(a, { dito, taskId: t.taskId ?? t.id, estado: t.status?.state });
    this.#avisos.push(a);
    this.#esperas = this.#esperas.filter((e) => !e(a));
  }

  // espera resolves with the first notification, past or coming, that is right.
  espera(certo) {
    const ja = this.#avisos.find(certo);
    if (ja) return ja;
    return new Promise((resolve, reject) => {
      const prazo = setTimeout(() => reject(new Error(`not told within 10 s; told: ${JSON.stringify(this.#avisos.map((a) => a.dito))}`)), 10_000);
      this.#esperas.push((a) => certo(a) && (clearTimeout(prazo), resolve(a), true));
    });
  }

  #fechar() {
    this.servidor.closeAllConnections();
    return new Promise((r) => this.servidor.close(r));
  }
}
