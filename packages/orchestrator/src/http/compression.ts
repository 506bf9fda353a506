import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from './server.ts';

/** Minimum size of bodies that are compressed, in bytes; smaller ones fit into one packet in any case. */
const minimumBytes = 1024;

const brotli = promisify(brotliCompress);
const params = {
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  // As fast as gzip, and smaller; the default level is for files that are compressed once.
  [constants.BROTLI_PARAM_QUALITY]: 4,
};

const encoders = {
  br: (text: string): Promise<Buffer> => brotli(text, { params }),
  gzip: promisify<string, Buffer>(gzip),
} as const;

/**
 * Compresses the JSON of the API, for callers that accept it. The size of a compressed body tells an observer of the
 * connection whether two parts of it are alike (BREACH), so a body with a secret beside text that a caller chose is
 * sent as it is. These are the responses that no cache may store (`cache-control: no-store`).
 */
export function addCompression(server: Server): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!isCompressible(request, reply)) return payload;
    // Caches may have to keep several forms of it; a 304 has the headers of the response that it confirms.
    reply.header('vary', withEncoding(reply.getHeader('vary')));
    // Files and streams are never strings.
    if (typeof payload !== 'string' || Buffer.byteLength(payload) < minimumBytes) return payload;
    const encoding = negotiate(request.headers['accept-encoding'] ?? '', ['br', 'gzip']);
    if (encoding === null) return payload;
    const tag = reply.getHeader('etag');
    // A strong tag would belong to the uncompressed bytes only.
    if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return encoders[encoding](payload);
  });
}

function isCompressible({ routeOptions: { url = '' } }: FastifyRequest, reply: FastifyReply): boolean {
  if (!url.startsWith('/v1/') && url !== '/openapi.json') return false;
  if (reply.getHeader('cache-control') === 'no-store') return false;
  const type = String(reply.getHeader('content-type') ?? '');
  return reply.statusCode === 304 || /^application\/json\b/.test(type);
}

function withEncoding(vary: ReturnType<FastifyReply['getHeader']>): string {
  const names = [vary ?? []].flat().map(String);
  return [...names, 'accept-encoding'].join(', ');
}
