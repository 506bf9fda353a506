import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../../test/support/http/listen.ts';
import { Millrace } from '../millrace.ts';
import { ConnectionError } from './problem.ts';

/** A server whose runs have a version, which is the tag of its answers. */
function serverOf() {
  const asked: (string | null)[] = [];
  const server = {
    version: 1,
    asked,
    async fetch(address: string, { headers }: RequestInit) {
      const tag = `"${server.version}"`;
      const wanted = new Headers(headers).get('if-none-match');
      asked.push(wanted);
      if (wanted === tag) return new Response(null, { status: 304, headers: { etag: tag } });
      const id = new URL(address).pathname.split('/').at(-1);
      return new Response(JSON.stringify({ runId: id, version: server.version }), { headers: { etag: tag } });
    },
  };
  return server;
}

const clientOf = ({ fetch }: ReturnType<typeof serverOf>) => new Millrace({ url: 'http://127.0.0.1:1', fetch });

describe('an answer with a tag', () => {
  it('is sent again only when it has changed', async () => {
    const server = serverOf();
    const run = clientOf(server).runs.get('run_1');

    const answers = [await run.describe(), await run.describe()];
    server.version = 2;
    answers.push(await run.describe());

    expect(server.asked).toEqual([null, '"1"', '"1"']);
    expect(answers).toMatchObject([{ version: 1 }, { version: 1 }, { version: 2 }]);
  });

  it('is an object of its own for each caller', async () => {
    const run = clientOf(serverOf()).runs.get('run_1');

    const [one, other] = [await run.describe(), await run.describe()];

    expect(one).toEqual(other);
    expect(one).not.toBe(other);
  });

  it('is kept by its address', async () => {
    const server = serverOf();
    const { runs } = clientOf(server);

    await runs.get('run_1').describe();
    await runs.get('run_2').describe();
    await runs.get('run_1').describe('head');

    expect(server.asked).toEqual([null, null, null]);
  });

  it('is returned to the one who asked with its tag, however many others have come meanwhile', async () => {
    const server = serverOf();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const fetch: typeof server.fetch = async (address, request) => {
      const response = await server.fetch(address, request);
      if (response.status === 304) await released;
      return response;
    };
    const { runs } = clientOf({ ...server, fetch });
    await runs.get('run_1').describe();

    const again = runs.get('run_1').describe();
    for (let other = 2; other < 50; other += 1) await runs.get(`run_${other}`).describe();
    release();

    expect(await again).toEqual({ runId: 'run_1', version: 1 });
  });
});

/** Starts a server whose first response to anything but a health check stops in the middle. */
async function breakingServer(stop: (outgoing: ServerResponse) => void) {
  const asked: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    if (incoming.url === '/healthz') return void outgoing.destroy();
    asked.push(incoming);
    if (asked.length > 1) return void outgoing.end('{"runId":"run_2"}');
    outgoing.writeHead(200, { 'content-length': 100 });
    outgoing.write('{"runId":', () => stop(outgoing));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, asked };
}

describe('a response that stops in the middle', () => {
  it.each<[string, (outgoing: ServerResponse) => void, timeoutMs: number]>([
    ['breaks off', (outgoing) => void outgoing.destroy(), 30_000],
    ['goes on no more', () => undefined, 100],
  ])('is asked for again under the same key when it %s', async (_how, stop, timeoutMs) => {
    const { url, asked } = await breakingServer(stop);

    expect((await new Millrace({ url, timeoutMs }).runs.start('poem')).id).toBe('run_2');
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('is an error of the connection for a file', async () => {
    const { url } = await breakingServer((outgoing) => void outgoing.destroy());

    await expect(new Millrace({ url }).files.download('f')).rejects.toBeInstanceOf(ConnectionError);
  });
});

/** A server whose first answer does not come; `health`: its answer to those who ask if it is alive. */
function silentServer(health: (signal: AbortSignal | null | undefined) => Promise<Response>) {
  let answer: (response: Response) => void = () => undefined;
  const server = {
    asked: [] as string[],
    answer: () => answer(new Response('{"runId":"run_1"}')),
    async fetch(address: string, { signal }: RequestInit): Promise<Response> {
      const { pathname } = new URL(address);
      server.asked.push(pathname);
      if (pathname === '/healthz') return health(signal);
      if (server.asked.filter((path) => path !== '/healthz').length > 1) return new Response('{"runId":"run_2"}');
      return Promise.race([new Promise<Response>((resolve) => (answer = resolve)), unanswered(signal)]);
    },
  };
  return server;
}

describe('a response that takes longer than the time limit', () => {
  it('is waited for while the server answers others', async () => {
    const server = silentServer(async () => new Response('{"status":"ok"}'));
    const run = new Millrace({ url: 'http://127.0.0.1:1', fetch: server.fetch, timeoutMs: 5 }).runs.get('run_1');

    const description = run.describe();
    await vi.waitFor(() => expect(server.asked.filter((path) => path === '/healthz').length).toBeGreaterThan(2));
    server.answer();

    expect(await description).toEqual({ runId: 'run_1' });
    expect(server.asked.filter((path) => path !== '/healthz')).toEqual(['/v1/runs/run_1']);
  });

  it.each<[string, (signal: AbortSignal | null | undefined) => Promise<Response>]>([
    ['answers nobody', () => Promise.reject(new TypeError('refused'))],
    ['is away, and a proxy answers for it', async () => new Response('<html>Back soon</html>')],
    ['does not answer the question if it works', (signal) => unanswered(signal)],
  ])('is asked for again when the server %s', async (_state, health) => {
    const server = silentServer(health);
    const run = new Millrace({ url: 'http://127.0.0.1:1', fetch: server.fetch, timeoutMs: 5 }).runs.get('run_1');

    expect(await run.describe()).toEqual({ runId: 'run_2' });
    expect(server.asked).toEqual(['/v1/runs/run_1', '/healthz', '/v1/runs/run_1']);
  });

  it('leaves no other request behind when it comes', async () => {
    let asked: AbortSignal | null | undefined;
    const server = silentServer((signal) => {
      asked = signal;
      return new Promise(() => undefined);
    });
    const run = new Millrace({ url: 'http://127.0.0.1:1', fetch: server.fetch, timeoutMs: 50 }).runs.get('run_1');

    const description = run.describe();
    await vi.waitUntil(() => asked !== undefined);
    server.answer();
    await description;

    expect(asked?.aborted).toBe(true);
  });
});

/** Returns a response that does not come. */
const unanswered = (signal: AbortSignal | null | undefined): Promise<Response> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
