// What a client received, word for word, so that a check can look for what
// must never be in it.
import assert from 'node:assert/strict';

// A sealed requestState, ours and that of the TypeScript SDK: a version, then
// base64url.
const selado = /v1\.[A-Za-z0-9_-]{40,}/;

export class Gravador {
  #textos = [];

  anotar(x) {
    this.#textos.push(typeof x === 'string' ? x : JSON.stringify(x));
  }

  // fetch keeps a copy of every body that passes.
  fetch = async (...args) => {
    const r = await fetch(...args);
    if (!r.body) return r;
    const i = this.#textos.push('') - 1;
    const ler = new TextDecoder();
    const passa = new TransformStream({
      transform: (pedaco, c) => {
        this.#textos[i] += ler.decode(pedaco, { stream: true });
        c.enqueue(pedaco);
      },
    });
    return new Response(r.body.pipeThrough(passa), { status: r.status, statusText: r.statusText, headers: r.headers });
  };

  // semSegredo fails if a requestState left the agent.
  semSegredo() {
    assert.ok(this.#textos.length > 0, 'nothing was recorded');
    for (const t of this.#textos) {
      assert.doesNotMatch(t, /request_?state/i);
      assert.doesNotMatch(t, selado);
    }
  }
}
