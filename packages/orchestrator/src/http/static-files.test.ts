import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../../../test/support/fixtures.ts';
import { fileSender } from './static-files.ts';

const root = directoryBeforeEach();

function serving() {
  const app = fastify();
  const sendFile = fileSender(root);
  app.get('/*', async (request, reply) => sendFile(request, reply, (request.params as { '*': string })['*']));
  return app;
}

const text = 'export const a = 1;\n'.repeat(100);

describe('a file that exists as its compressed copy alone', () => {
  beforeEach(() => writeFileSync(join(root, 'a.js.gz'), gzipSync(text)));

  it.each(['gzip', 'gzip, deflate, br, zstd'])('is sent compressed to callers that accept %s', async (accepted) => {
    const { statusCode, headers } = await serving().inject({ url: '/a.js', headers: { 'accept-encoding': accepted } });

    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': expect.stringContaining('javascript'),
    });
  });

  it('is decompressed for all others, also in a request for a range', async () => {
    const app = serving();
    const plain = await app.inject({ url: '/a.js' });
    const range = await app.inject({ url: '/a.js', headers: { range: 'bytes=0-9' } });

    expect([plain, range].map(({ statusCode, body }) => [statusCode, body === text])).toEqual([
      [200, true],
      [200, true],
    ]);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['content-type']).toContain('javascript');
  });

  it('is described without a body, and not sent again while it is unchanged', async () => {
    const app = serving();
    const { headers } = await app.inject({ url: '/a.js' });
    const head = await app.inject({ method: 'HEAD', url: '/a.js' });
    const again = await app.inject({ url: '/a.js', headers: { 'if-none-match': String(headers.etag) } });

    expect([head.statusCode, head.body, again.statusCode, again.body]).toEqual([200, '', 304, '']);
  });
});

it('finds no file outside of its folder, and no missing one', async () => {
  const app = serving();

  expect((await app.inject('/%2e%2e/etc/passwd')).statusCode).toBe(404);
  expect((await app.inject('/b.js')).statusCode).toBe(404);
});
