import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Fetch } from '@millrace/client';
import { createHttpClient } from '@millrace/client';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../test/support/redis/free-port.ts';
import { processTerminal } from '../output/terminal/terminal.ts';
import { createCli } from '../process/cli.ts';
import { connectRemote, fetchJson } from './connect-remote.ts';

it('reports that it waits for a server with a request limit', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else response.setHeader('content-type', 'application/json').end('{"status":"ready","workers":1}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  const said: string[] = [];
  const cli = createCli({ ...processTerminal(), say: (text) => void said.push(text) });
  const url = `http://127.0.0.1:${port}`;

  expect(await (await connectRemote(cli, { url })).readiness()).toMatchObject({ status: 'ready' });

  expect(said.join()).toContain(`${url} takes no more requests for now: trying again in 1 s.`);
  server.close();
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  return `http://127.0.0.1:${port}`;
}

const json = { accept: 'application/json' };

describe.each<[string, Fetch]>([
  ['node:http', fetchJson],
  ['fetch', fetch],
])('a request for JSON through %s', (_name, fetched) => {
  it('sends method, headers and body', async () => {
    const url = await serving(async (request, response) => {
      response.end(JSON.stringify([request.method, request.url, request.headers['x-a'], await text(request)]));
    });

    const response = await fetched(`${url}/v1?a=1`, { method: 'POST', headers: { ...json, 'x-a': 'b' }, body: '"é"' });

    expect(await response.json()).toEqual(['POST', '/v1?a=1', 'b', '"é"']);
  });

  it('returns status, address and headers', async () => {
    const url = await serving((_, response) => response.writeHead(429, { 'Retry-After': '3' }).end('{}'));

    const { status, url: address, headers } = await fetched(`${url}/v1`, { headers: json });

    expect([status, address, headers.get('retry-after'), headers.has('etag'), headers.get('etag')]).toEqual([
      429,
      `${url}/v1`,
      '3',
      false,
      null,
    ]);
  });

  it('decompresses a response', async () => {
    const url = await serving((request, response) => {
      expect(request.headers['accept-encoding']).toContain('gzip');
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"text":"é"}'));
    });

    const response = await fetched(url, { headers: json });

    expect(await response.json()).toEqual({ text: 'é' });
  });

  it('follows a redirect with its method and body', async () => {
    const url = await serving(async (request, response) => {
      if (request.url === '/new') response.end(JSON.stringify([request.method, await text(request)]));
      else response.writeHead(308, { location: '/new' }).end();
    });

    const response = await fetched(`${url}/old`, { method: 'POST', headers: json, body: '1' });

    expect(await response.json()).toEqual(['POST', '1']);
  });

  it('rejects with the reason of a signal, before the response and within it', async () => {
    const url = await serving((request, response) => {
      if (request.url === '/begun') response.write('{');
    });
    const client = createHttpClient({ url, fetch: fetched, retries: 0 });
    const gone = new Error('left');

    await expect(client.readiness({ signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
    const leaving = new AbortController();
    const begun = await fetched(`${url}/begun`, { headers: json, signal: leaving.signal });
    leaving.abort(gone);
    await expect(begun.json()).rejects.toThrow();
  });

  it('reports a refused connection, a time limit and a broken response', async () => {
    const url = await serving((request, response) => {
      if (request.url === '/readyz')
        response.writeHead(200, { 'content-length': '10' }).write('{', () => response.destroy());
    });
    const client = (at: string, timeoutMs = 30_000) =>
      createHttpClient({ url: at, fetch: fetched, retries: 0, timeoutMs });

    await expect(client(`http://127.0.0.1:${await freePort()}`).readiness()).rejects.toThrow(
      /does not answer: .*ECONNREFUSED/,
    );
    await expect(client(`${url}/late/`, 200).readiness()).rejects.toThrow('nothing came for 200 ms');
    await expect(client(url).readiness()).rejects.toThrow(`${url} does not answer: `);
  });
});

describe('a request for something else than JSON', () => {
  it('goes through fetch: streams, files and forms', async () => {
    const url = await serving(async (request, response) => {
      response.setHeader('content-type', String(request.headers['content-type'] ?? 'text/event-stream'));
      response.end(await buffer(request));
    });
    const form = new FormData();
    form.set('a', 'b');

    const events = await fetchJson(url, { headers: { accept: 'text/event-stream' } });
    const sent = await fetchJson(url, { method: 'POST', headers: json, body: form });

    expect(events.body).toBeInstanceOf(ReadableStream);
    expect(await sent.text()).toContain('name="a"');
  });
});
