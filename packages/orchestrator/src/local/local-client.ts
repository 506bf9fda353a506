import { STATUS_CODES } from 'node:http';
import type { Operation, OperationResult, OperatorContext, RunEventSource, TenantEventSource } from '@millrace/api';
import { executeOperation, jsonOf, operations, Refused } from '@millrace/api';
import { statusOf } from '@millrace/api/codes';
import type { CallOptions, Client, NamedFile, Problem, StreamEvent } from '@millrace/client';
import { ApiProblem, partsOf } from '@millrace/client';
import { RequestError } from '@millrace/core';
import type { Content, ContentStream } from '@millrace/runtime';
import type { StoredResponse } from '../context/idempotency-record.ts';
import { assertKey, digest, executeOnce, hashOf } from '../context/idempotency-record.ts';
import { runEvents } from '../context/run-events.ts';
import { tenantEventItems } from '../context/tenant-event-items.ts';
import type { LocalContextOptions } from './local-context.ts';
import { localContexts } from './local-context.ts';

/** Parts that a local client is made of. */
export type LocalClientOptions = LocalContextOptions;

/**
 * Client that calls the operations of a tenant in this process, with the inputs, results and refusals of HTTP. Errors that
 * are not refusals of an operation, such as those of an unreachable Redis, are thrown unchanged.
 */
export function createLocalClient(options: LocalClientOptions): Client {
  const { queue, store } = options.runtime;
  const contextFor = localContexts(options);
  const execute = (call: Call, seed?: string) => result(call, contextFor(call.options.signal ?? never, seed));
  return {
    async call(name, input, callOptions = {}) {
      const call = { operation: operationOf(name), input, options: callOptions };
      const { idempotencyKey } = callOptions;
      if (idempotencyKey === undefined || call.operation.method === 'GET') {
        return refusing(async () => jsonOf(call.operation, await execute(call)));
      }
      const answer = await refusing(async () => {
        assertKey(idempotencyKey, call.operation.idempotency);
        const request = {
          tenant: options.tenant,
          key: idempotencyKey,
          hash: hashOf({ ...(await requestOf(call)), reads: true }),
        };
        return executeOnce(store.registry, request, (seed) => answerOf(call, () => execute(call, seed)));
      });
      if (answer.status < 400) return JSON.parse(answer.body);
      throw new ApiProblem(JSON.parse(answer.body));
    },
    content: (name, input, callOptions = {}) =>
      refusing(async () => {
        const { body } = await execute({ operation: operationOf(name), input, options: callOptions });
        return blobOf(body as Content | ContentStream, callOptions.range); // operations of this kind give contents
      }),
    events: (name, input, callOptions = {}) =>
      refusing(async () => {
        const { body } = await execute({ operation: operationOf(name), input, options: callOptions });
        return body === undefined ? undefined : streamOf(body as RunEventSource); // operations of this kind give sources
      }),
    live: (name, input, callOptions = {}) =>
      refusing(async () => {
        const { body } = await execute({ operation: operationOf(name), input, options: callOptions });
        return tenantEventItems(body as TenantEventSource, countEveryMs); // operations of this kind give sources
      }),
    readiness: async () => ({ status: 'ready', workers: await queue.consumers() }),
  };
}

interface Call {
  readonly operation: Operation;
  readonly input: object;
  readonly options: CallOptions;
}

const never = new AbortController().signal;

const byName: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.name, operation]));

function operationOf(name: string): Operation {
  const operation = byName.get(name);
  if (operation !== undefined) return operation;
  throw new TypeError(`There is no operation ${name}.`);
}

/** Executes an operation with an input as HTTP would transfer it. */
function result({ operation, input }: Call, context: OperatorContext): Promise<OperationResult<unknown>> {
  if (operation.upload === undefined) return executeOperation(operation, context, asJson(input));
  const { file, ...fields } = input as { readonly file?: NamedFile };
  const uploaded = file === undefined ? {} : { file: { name: file.name, pieces: file.content.stream() } };
  return executeOperation(operation, context, { ...asJson(fields), ...uploaded });
}

const asJson = (value: object): object => JSON.parse(JSON.stringify(value));

/** Returns the equivalent HTTP request with a parsed body; the record of an idempotency key contains its hash. */
async function requestOf({ operation, input }: Call): Promise<Parameters<typeof hashOf>[0]> {
  const { file, ...fields } = input as { readonly file?: NamedFile | string };
  const { path, query, body = null } = partsOf(routeOf(operation), operation.upload === undefined ? input : fields);
  const search = new URLSearchParams(query).toString();
  const request = { method: operation.method, url: search === '' ? path : `${path}?${search}` };
  const parsed = { ...request, body: operation.body?.safeParse(body).data ?? body, reads: true };
  return typeof file === 'object' ? { ...parsed, known: digest(await bytesOf(file.content)) } : parsed;
}

const bytesOf = async (content: Blob): Promise<Uint8Array> => new Uint8Array(await content.arrayBuffer());

const routeOf = ({ method, path, query, headers, body }: Operation): Parameters<typeof partsOf>[0] => ({
  method,
  path,
  ...(query === undefined ? {} : { query: Object.keys(query.shape) }),
  ...(headers === undefined ? {} : { headers: Object.keys(headers.shape) }),
  ...(body === undefined ? {} : { body: true }),
});

/** Returns the equivalent HTTP response, also for refusals. */
async function answerOf(
  { operation }: Call,
  execute: () => Promise<OperationResult<unknown>>,
): Promise<StoredResponse> {
  try {
    const done = await execute();
    const headers = { 'content-type': 'application/json; charset=utf-8', ...done.headers };
    const status = done.status ?? operation.status ?? 200;
    return { status, headers, body: JSON.stringify(jsonOf(operation, done)) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const problem = problemOf(error);
    const headers = { 'content-type': 'application/problem+json' };
    return { status: problem.status, headers, body: JSON.stringify(problem) };
  }
}

/** Executes work, and throws its refusals as the errors of clients. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RequestError ? new ApiProblem(problemOf(error)) : error;
  }
}

function problemOf(error: RequestError): Partial<Problem> & Pick<Problem, 'status'> {
  const status = statusOf(error.code);
  const errors = error instanceof Refused ? { errors: [...error.errors] } : {};
  const title = STATUS_CODES[status] ?? 'Error';
  return { type: 'about:blank', title, status, detail: error.message, code: error.code, ...errors };
}

async function blobOf(content: Content | ContentStream, range?: CallOptions['range']): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of piecesOf(content, range)) parts.push(new Uint8Array(part));
  return new Blob(parts, { type: content.mimeType });
}

function piecesOf(content: Content | ContentStream, range: CallOptions['range']): AsyncIterable<Uint8Array> {
  if ('pieces' in content) return content.pieces;
  const { size, read } = content;
  return range === undefined ? read(0, size) : read(range.from, Math.min(size, range.to + 1));
}

const countEveryMs = 15_000;

/** A reader in the same process needs no heartbeat. */
const quietMs = 2 ** 31 - 1;

async function* streamOf(source: RunEventSource): AsyncGenerator<StreamEvent> {
  for await (const item of runEvents(source, quietMs)) if (item.type !== 'quiet') yield item;
}
