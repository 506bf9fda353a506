import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { sendContent } from './content-reply.ts';
import { createServer } from './server.ts';

it('reads nothing of contents whose headers are requested', async () => {
  const server = await createServer({ log: pino({ level: 'silent' }), trustProxy: [] });
  onTestFinished(() => server.close());
  let reads = 0;
  const read = async function* () {
    reads += 1;
    yield Buffer.from('abc');
  };
  server.get('/file', async (request, reply) =>
    sendContent(request, reply, { name: 'file', mimeType: 'text/plain', size: 3, digest: 'a'.repeat(64), read }),
  );

  const head = await server.inject({ method: 'HEAD', url: '/file' });
  const readForHead = reads;
  const got = await server.inject('/file');

  const { date: _before, 'x-request-id': _id, ...headers } = head.headers;
  expect(got.headers).toMatchObject(headers);
  expect([head.headers['content-length'], head.body, readForHead]).toEqual(['3', '', 0]);
  expect([got.body, reads]).toEqual(['abc', 1]);
});
