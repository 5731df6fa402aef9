// The official JavaScript client (@a2a-js/sdk 1.x) over one binding, and how
// the checks read what it returns.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

import { Gravador } from './gravador.mjs';

export const estado = (t) => TaskState[t.status.state];
export const fala = (m) => m.parts.map((p) => p.content.value);
export const dita = (t) => fala(t.status.message);
export const conversa = (t) => t.history.map((m) => [m.role === Role.ROLE_USER ? 'user' : 'agent', ...fala(m)]);

const parte = ($case, value) => ({ content: { $case, value }, metadata: undefined, filename: '', mediaType: '' });

export class Cliente {
  gravador = new Gravador();

  // conectar discovers the agent and speaks the binding given.
  static async conectar(base, ligacao) {
    const c = new Cliente();
    const http = { fetchImpl: c.gravador.fetch };
    const todas = [new JsonRpcTransportFactory(http), new RestTransportFactory(http), new GrpcTransportFactory()];
    await c.#ligar(todas.filter((f) => f.protocolName === ligacao), new DefaultAgentCardResolver(http), base);
    assert.equal(c.sdk.transport.protocolName, ligacao);
    return c;
  }

  // com is a client with transports and a resolver of the caller's.
  static async com(transports, cardResolver, base, caminho) {
    const c = new Cliente();
    await c.#ligar(transports, cardResolver, base, caminho);
    return c;
  }

  async #ligar(transports, cardResolver, base, caminho) {
    // What comes by gRPC passes no fetch.
    const interceptors = [{ before: async () => {}, after: async (a) => this.gravador.anotar(a.result.value ?? '') }];
    this.sdk = await new ClientFactory({ transports, cardResolver, clientConfig: { interceptors } }).createFromUrl(base, caminho);
  }

  // pedido is a request to send text, or an object as data, to a Task or for a
  // new one.
  pedido(text, task, mais = {}) {
    return {
      tenant: '',
      metadata: undefined,
      configuration: undefined,
      ...mais,
      message: {
        messageId: randomUUID(),
        contextId: task?.contextId ?? mais.contextId ?? '',
        taskId: task?.id ?? '',
        role: Role.ROLE_USER,
        parts: [typeof text === 'string' ? parte('text', text) : parte('data', text)],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
    };
  }

  async enviar(text, task, mais, opcoes) {
    const t = await this.sdk.sendMessage(this.pedido(text, task, mais), opcoes);
    assert.ok(t.status, 'the answer is a Task');
    return t;
  }

  transmitir = (text, task) => this.sdk.sendMessageStream(this.pedido(text, task));
  ler = (task, historyLength) => this.sdk.getTask({ tenant: '', id: task.id, historyLength });
  cancelar = (task) => this.sdk.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  assinar = (task) => this.sdk.resubscribeTask({ tenant: '', id: task.id });
}

// todos reads a stream to its end, which the agent decides.
export async function todos(fluxo) {
  const eventos = [];
  for await (const e of fluxo) eventos.push(e.payload);
  return eventos;
}

// resumo tells events in short.
export const resumo = (eventos) => eventos.map(({ $case, value }) => ({
  task: () => `task ${estado(value)}`,
  statusUpdate: () => `status ${estado(value)}`,
  artifactUpdate: () => `artifact ${value.artifact.name}`,
  message: () => 'message',
})[$case]());

// recusa expects an error and returns its reason, the name that the
// specification gives it (google.rpc.ErrorInfo).
export async function recusa(promessa) {
  try {
    await promessa;
  } catch (e) {
    const causa = e.reason ? e : e.cause;
    assert.ok(causa?.reason, `an A2A error, not ${e.stack}`);
    return causa.reason;
  }
  assert.fail('expected an error');
}
