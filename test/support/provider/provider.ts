/**
 * A model provider on this machine, for tests: it has the APIs of OpenAI, Anthropic and Google and the servers that
 * imitate them, refuses what the vendors refuse, keeps the bill, and has the quirks that are seen in the field.
 *
 * The path of an address says whose server it is: `/openai/v1`, `/anthropic`, `/gemini`, or `/compatible/v1`, a server
 * that accepts only what every server accepts. A vendor knows its models (`models.ts`), and a name that it does not know
 * gets the vendor's strictest rules. A quirk stands before the rest of the path (`/cut/v1`, `/openai/filter/v1`); an
 * address without a vendor has its quirk and refuses nothing else but a prompt that is longer than the context of its
 * model, as everybody does.
 *
 * A reply comes from the first of: the queue of the model (`say`), the function of the test, the quirk, and a default,
 * which calls the first tool and then says "Done.". Nothing here is read from the product: a wrong rule or price of the
 * product must not appear on the bill as well.
 */
import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bill, BillLine } from './bill/bill.ts';
import { billOf } from './bill/bill.ts';
import type { Reply } from './reply.ts';
import type { AnswerOptions, RefusedRequest } from './respond.ts';
import { openResponder } from './respond.ts';
import type { Api, Json, Vendor } from './turn.ts';

/** Settings of a provider. */
export interface ProviderOptions extends AnswerOptions {
  /** Ports to listen on; a free one by default. All of them serve the same. */
  readonly ports?: readonly number[];
  /** Is told of each request in one line. */
  readonly log?: (line: string) => void;
}

/** A request as the provider got it. */
export interface ProviderRequest {
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly vendor: Vendor | undefined;
  readonly api: Api | 'embeddings' | 'models' | undefined;
  readonly model: string;
}

/** A provider that listens. */
export interface FakeProvider {
  /** Address without a path. */
  readonly url: string;
  readonly requests: readonly ProviderRequest[];
  /** Requests that broke a rule of a vendor or a quirk. */
  readonly refusals: readonly RefusedRequest[];
  readonly bill: Bill;
  /** Returns the address that an agent has as `base_url`, for a vendor, a quirk, or both. */
  at(...names: readonly string[]): string;
  /** Adds replies to the queue of a model; each is given once. */
  say(model: string, ...replies: readonly Reply[]): void;
  /** Resolves when so many requests have come in all, of a model if one is named. */
  asked(times: number, model?: string): Promise<void>;
  /** Resolves when so many requests were hung up on before they were answered, of a model if one is named. */
  hungUp(times: number, model?: string): Promise<void>;
  close(): Promise<void>;
}

/** Largest body of a request in bytes. */
const maxBody = 64 * 1024 * 1024;
/** Requests, counted from the last one, whose headers and bodies are kept. */
const keptBodies = 10_000;
/** Vendors whose addresses have no version: their SDKs add it. */
const unversioned: ReadonlySet<string> = new Set(['anthropic', 'gemini']);

/** Starts a provider. */
export async function startFakeProvider(options: ProviderOptions = {}): Promise<FakeProvider> {
  const { ports = [0], log = () => undefined } = options;
  const requests: ProviderRequest[] = [];
  const left: string[] = [];
  const refusals: RefusedRequest[] = [];
  const lines: BillLine[] = [];
  const queues = new Map<string, Reply[]>();
  const changes = new EventEmitter().setMaxListeners(0);
  const planOf = openResponder({
    ...options,
    take: (model) => queues.get(model)?.shift(),
    charge: (line) => lines.push(line),
    refused: (request) => refusals.push(request),
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming);
    const path = incoming.url ?? '/';
    const plan = planOf({ path, headers: incoming.headers, body });
    const { vendor, api, model } = plan;
    requests.push({ at: Date.now(), path, headers: incoming.headers, body: body ?? {}, vendor, api, model });
    const old = requests[requests.length - 1 - keptBodies];
    if (old !== undefined) requests[requests.length - 1 - keptBodies] = { ...old, headers: {}, body: {} };
    outgoing.once('close', () => {
      if (outgoing.writableFinished) return;
      left.push(model);
      changes.emit('change');
    });
    changes.emit('change');
    const outcome = await plan.send(outgoing);
    log(`${incoming.method} ${path} ${model === '' ? '' : `${model} `}${outcome}`);
  }

  const servers = await Promise.all(
    ports.map(async (port) => {
      const server = createServer((incoming, outgoing) => {
        serve(incoming, outgoing).catch((error: unknown) =>
          outgoing.destroy(error instanceof Error ? error : undefined),
        );
      });
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const [port] = servers.map((server) => (server.address() as AddressInfo).port); // it listens on TCP
  const url = `http://127.0.0.1:${port}`;

  const reaches = async (count: () => number, times: number) => {
    while (count() < times) await once(changes, 'change');
  };
  const isOf = (model: string | undefined) => (one: string) => model === undefined || one === model;

  return {
    url,
    requests,
    refusals,
    get bill() {
      return billOf(lines);
    },
    at: (...names) => [url, ...names, ...(names.some((name) => unversioned.has(name)) ? [] : ['v1'])].join('/'),
    say(model, ...replies) {
      queues.set(model, [...(queues.get(model) ?? []), ...replies]);
    },
    asked: (times, model) => reaches(() => requests.map((request) => request.model).filter(isOf(model)).length, times),
    hungUp: (times, model) => reaches(() => left.filter(isOf(model)).length, times),
    async close() {
      await Promise.all(
        servers.map(async (server) => {
          server.close();
          server.closeAllConnections();
          await once(server, 'close');
        }),
      );
    },
  };
}

/** Returns the JSON object of a body; undefined if it is none, or too large. */
async function bodyOf(incoming: IncomingMessage): Promise<Json | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBody) chunks.push(chunk as Buffer); // a request without an encoding comes in buffers
  }
  if (bytes === 0) return {};
  try {
    const body: unknown = bytes > maxBody ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Json) : undefined;
  } catch {
    return undefined;
  }
}
