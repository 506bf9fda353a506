import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { sendContent } from './content-reply.ts';

/** Returns the headers of the response that sends contents of a media type. */
async function headersOf(mimeType: string) {
  const server = Fastify();
  const digest = 'a'.repeat(64);
  const read = async function* () {
    yield Buffer.from('x');
  };
  server.get('/file', async (request, reply) =>
    sendContent(request, reply, { name: 'file', mimeType, size: 1, digest, read }),
  );
  const { headers } = await server.inject('/file');
  await server.close();
  return headers;
}

it.each([
  'text/javascript',
  'application/x-javascript; charset=utf-8',
  'text/ecmascript',
  'text/css',
  'text/html',
  'application/xhtml+xml',
  'text/xml',
  'application/wasm',
])('sends %s as plain text, which no page executes', async (mimeType) => {
  expect(await headersOf(mimeType)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="file"',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
});

it.each([
  'image/svg+xml',
  'application/pdf',
  'application/json',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
])('sends %s as it is, in a sandbox', async (mimeType) => {
  expect(await headersOf(mimeType)).toMatchObject({
    'content-type': mimeType,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
});

it.each([
  'text/javascript,x',
  'text/javascript,alert(1)//',
  'text/html, text/plain',
  'text/html\r\nset-cookie: a=b',
  'text/plain; a="\n"',
  'text',
  '',
  'текст/html',
  `text/${'x'.repeat(10_000)}`,
])('sends contents of the type %j, which is none, as bytes', async (mimeType) => {
  expect(await headersOf(mimeType)).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  });
});

it.each(['text/plain; charset=utf-8', 'multipart/mixed;boundary="a b"', 'audio/mpeg', 'video/mp4; codecs=avc1.42E01E'])(
  'sends %s with its parameters',
  async (mimeType) => {
    expect(await headersOf(mimeType)).toMatchObject({ 'content-type': mimeType });
  },
);
