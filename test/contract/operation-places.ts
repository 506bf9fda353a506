import { randomUUID } from 'node:crypto';
import type { Operation, OperatorContext, ParsedRow } from '@millrace/api';
import { call, createBatch, NewBatch, namesIn, Refused } from '@millrace/api';
import { createVocabulary } from '@millrace/catalog';
import { RequestError } from '@millrace/core';
import { localContexts } from '@millrace/orchestrator';
import type { RuntimeLocation } from '@millrace/runtime';
import { createApiKeys, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { serveApi } from '../support/api.ts';
import { openInstallation } from '../support/redis.ts';

/** What a call came to: the value of the response, or the refusal. */
export type Outcome = { readonly value: unknown } | { readonly refused: Refusal };

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly unknown[];
}

/** An installation of its own, with a batch `b` where it has a Redis, and one way to call its operations. */
export interface Place {
  call(operation: Operation, input: object): Promise<Outcome>;
  close(): Promise<void>;
}

const batch = {
  id: 'b',
  workflow: { yaml: 'graph:\n  id: g\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n' },
};

/** Ways to call operations, by their names. */
export const places = {
  'over HTTP': openServed,
  'in this process, on Redis': openOnRedis,
  'in this process, in memory': () => openHere({ local: true }),
} as const satisfies Record<string, () => Promise<Place>>;

async function openServed(): Promise<Place> {
  const api = await serveApi();
  const key = await api.keyOf('default', 'admin');
  await api.ask(key, '/v1/batches', { ...batch, rows: [{ input: 'Hi.' }] });
  return {
    call: async (operation, input) => send(api.orchestrator.url, key, { operation, input }),
    close: () => api.close(),
  };
}

async function openOnRedis(): Promise<Place> {
  const redis = await openInstallation();
  const place = await openHere({ redisUrl: redis.url, prefix: `{operations-${randomUUID()}}` });
  return {
    ...place,
    async close() {
      await place.close();
      await redis.stop();
    },
  };
}

async function openHere(where: RuntimeLocation): Promise<Place> {
  const vocabulary = createVocabulary();
  const runtime = await openRuntime(where, vocabulary, () => undefined);
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 4, name: 'test', log });
  // Lists of keys show it, as they show the key that requests over HTTP are made with.
  await createApiKeys(runtime.store).create({ tenant: 'default', scopes: ['admin'] });
  const secret = async () => Buffer.from('of a test');
  const contextFor = localContexts({ runtime, vocabulary, tenant: 'default', secret });
  const closing = new AbortController();
  if (runtime.jobs !== undefined) {
    const work: readonly ParsedRow[] = [{ type: 'work', work: { input: 'Hi.' } }];
    await createBatch(contextFor(closing.signal), NewBatch.parse(batch), work);
  }
  return {
    call: (operation, input) => callHere(operation, contextFor(closing.signal), input),
    async close() {
      closing.abort();
      await worker.close();
      await runtime.close();
    },
  };
}

async function callHere(operation: Operation, context: OperatorContext, input: object): Promise<Outcome> {
  try {
    return { value: await call(operation, context, input) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { code, message } = error;
    return { refused: { code, message, ...(error instanceof Refused ? { errors: error.errors } : {}) } };
  }
}

interface Sending {
  readonly operation: Operation;
  readonly input: object;
}

async function send(origin: string, key: string, { operation, input }: Sending): Promise<Outcome> {
  const { method, path, params, query, headers: wanted } = operation;
  const fields = new Map(Object.entries(input));
  const take = (name: string): string | undefined => {
    const value = fields.get(name);
    fields.delete(name);
    return value === undefined ? undefined : String(value);
  };
  const place = namesIn(params).reduce(
    (url, name) => url.replace(`:${name}`, encodeURIComponent(take(name) ?? '')),
    path,
  );
  const given = (names: readonly string[]): [string, string][] =>
    names.flatMap((name): [string, string][] => {
      const value = take(name);
      return value === undefined ? [] : [[name, value]];
    });
  const search = new URLSearchParams(given(namesIn(query)));
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    ...Object.fromEntries(given(namesIn(wanted))),
  };
  const body = JSON.stringify(Object.fromEntries(fields));
  const isLeftOut = fields.size === 0 && operation.body?.safeParse(undefined).success !== false;
  const json = isLeftOut ? {} : { body };
  const response = await fetch(`${origin}${place}?${search}`, {
    method,
    headers: { ...headers, ...('body' in json ? { 'content-type': 'application/json' } : {}) },
    ...json,
  });
  const answer = (await response.json()) as Record<string, unknown>; // all responses are objects
  if (response.ok) return { value: answer };
  const { code, detail, errors } = answer;
  return { refused: { code: String(code), message: String(detail), ...(Array.isArray(errors) ? { errors } : {}) } };
}
