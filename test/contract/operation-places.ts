import type { Operation } from '@millrace/api';
import { createVocabulary } from '@millrace/catalog';
import type {
  Client,
  ContentOperations,
  EventOperations,
  LiveOperations,
  OperationInput,
  OperationName,
} from '@millrace/client';
import { ApiProblem, createHttpClient } from '@millrace/client';
import { createLocalClient } from '@millrace/orchestrator/local';
import type { RuntimeLocation } from '@millrace/runtime';
import { createApiKeys, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { serveApi } from '../support/http/api.ts';
import { newInstallation } from '../support/redis/installation.ts';

/** Result of a call: the value of the response, or the refusal. */
export type Outcome = { readonly value: unknown } | { readonly refused: Refusal };

interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly errors: readonly unknown[];
}

/** An installation of its own, and a client of it. */
export interface Place {
  readonly client: Client;
  close(): Promise<void>;
}

/** Transports of clients, by their names. */
export const places = {
  'over HTTP': () => openServed(),
  'over HTTP, in memory': () => openServed({ local: true }),
  'in this process, on Redis': () => openHere(newInstallation().where),
  'in this process, in memory': () => openHere({ local: true }),
} as const satisfies Record<string, () => Promise<Place>>;

async function openServed(where?: RuntimeLocation): Promise<Place> {
  const api = await serveApi(where === undefined ? {} : { where });
  const apiKey = await api.keyOf('default', 'admin');
  return { client: createHttpClient({ url: api.orchestrator.url, apiKey }), close: () => api.close() };
}

async function openHere(where: RuntimeLocation): Promise<Place> {
  const vocabulary = createVocabulary();
  const runtime = await openRuntime(where, vocabulary, () => undefined);
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 4, name: 'test', log });
  // Lists of keys show it, as they show the key that requests over HTTP are made with.
  await createApiKeys(runtime.store).create({ tenant: 'default', scopes: ['admin'] });
  const secret = async () => Buffer.from('of a test');
  return {
    client: createLocalClient({ runtime, vocabulary, tenant: 'default', secret }),
    async close() {
      await worker.close();
      await runtime.close();
    },
  };
}

/** Calls an operation whose name and input are known by their row only. */
export async function outcomeOf(client: Client, operation: Operation, input: object): Promise<Outcome> {
  try {
    return { value: await givenBy(client, operation, input) };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { code, status, message, errors } = error;
    return { refused: { code, status, message, errors } };
  }
}

async function givenBy(client: Client, { name, kind }: Operation, input: object): Promise<unknown> {
  if (kind === 'content') {
    const operation = name as keyof ContentOperations;
    return {
      text: await (await client.content(operation, input as ContentOperations[typeof operation]['input'])).text(),
    };
  }
  if (kind === 'events') {
    const operation = name as keyof EventOperations;
    const events = [];
    const stream = await client.events(operation, input as EventOperations[typeof operation]['input']);
    for await (const item of stream ?? []) events.push(item);
    return { events };
  }
  if (kind === 'live') {
    for await (const first of await client.live(name as keyof LiveOperations, input)) return { first };
  }
  return client.call(name as OperationName, input as OperationInput<OperationName>);
}
