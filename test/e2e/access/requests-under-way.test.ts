import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { waitUntil } from '../../support/waiting.ts';

const underWay = { requests: 3, bodyBytes: 1000 };
const api = openBeforeAll(() => serveApi({ httpLimits: { underWay } }));
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));
const other = openBeforeAll(() => api.tenant('other', 'admin'));

/** Opens a connection that sends this, and keeps it open until the end of the test. */
function sending(url: string, head: readonly string[], body = ''): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

/** Returns the head of the first response. */
const answerTo = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));

const posting = (key: string, size: string, type = 'application/json'): Socket =>
  sending(api.orchestrator.url, [
    'POST /v1/workflows/validate HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${key}`,
    `content-type: ${type}`,
    size,
  ]);

describe('the requests of a tenant that are under way', () => {
  it('are refused beyond a number, with all of its keys together, until others end', async () => {
    const streams = Array.from({ length: underWay.requests }, () =>
      sending(api.orchestrator.url, [
        'GET /v1/events HTTP/1.1',
        'host: localhost',
        `authorization: Bearer ${acme.key}`,
      ]),
    );
    for (const stream of streams) expect(await answerTo(stream)).toContain('200 OK');
    const second = await api.keyOf('acme', 'read');

    const refused = await api.ask(second, '/v1/runs');
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', detail: expect.stringContaining('3 requests under way') },
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await other.ask('/v1/runs')).status).toBe(200);

    for (const stream of streams) stream.destroy();
    await waitUntil(async () => (await api.ask(second, '/v1/runs')).status === 200);
  });

  it.each(['content-length: 900', 'transfer-encoding: chunked'])(
    'hold bodies up to a size together, as much as they announce by "%s"',
    async (size) => {
      const held = posting(acme.key, size);
      await waitUntil(async () => {
        const answer = answerTo(posting(acme.key, 'content-length: 200'));
        const first = await Promise.race([answer, acme.ask('/v1/runs')]);
        return typeof first === 'string' && first.includes('429');
      });

      expect((await acme.ask('/v1/runs')).status).toBe(200);
      expect((await other.ask('/v1/workflows/validate', { yaml: 'x'.repeat(900) })).status).toBe(200);
      held.destroy();
      await waitUntil(async () => (await acme.ask('/v1/workflows/validate', { yaml: 'x'.repeat(900) })).status === 200);
    },
  );

  it('are never refused for the size of a single body', async () => {
    expect((await acme.ask('/v1/workflows/validate', { yaml: 'x'.repeat(5000) })).status).toBe(200);
  });

  it('are as many as are counted: a request contains one message of MCP', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    expect(await acme.ask('/mcp', [message, message])).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID', detail: expect.stringContaining('a request of its own') },
    });
  });
});

describe('what cannot be read as a request', () => {
  const slow = openBeforeAll(() => serveApi({ where: { local: true }, httpLimits: { arrivesWithinMs: 200 } }));
  const started = ['POST /v1/sign-in HTTP/1.1', 'host: localhost', 'content-type: application/json'];

  it.each([
    ['no HTTP', 400, ['hello'], ''],
    ['headers beyond their limit', 431, ['GET / HTTP/1.1', 'host: localhost', `x: ${'y'.repeat(20_000)}`], ''],
    ['two lengths', 400, [...started, 'content-length: 2', 'content-length: 3'], '{}'],
    ['a length beside chunks', 400, [...started, 'content-length: 2', 'transfer-encoding: chunked'], '0\r\n\r\n'],
    ['an encoding that is none', 400, [...started, 'transfer-encoding: xchunked'], '0\r\n\r\n'],
    ['a body that does not end', 408, [...started, 'content-length: 100'], '{'],
    ['chunks that do not end', 408, [...started, 'transfer-encoding: chunked'], '1\r\n{\r\n'],
    ['a line that ends without a carriage return', 400, ['GET / HTTP/1.1\nhost: localhost'], ''],
  ])('is refused as all refusals are: %s', async (_what, status, head, body) => {
    const socket = sending(slow.orchestrator.url, head, body);

    const answer = await text(socket);

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('content-type: application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status, code: 'REQUEST_INVALID' });
  });
});
