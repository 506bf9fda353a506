import { createGunzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import send from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Replies with the file at a path of a folder; with its compressed copy `.gz`, if there is one and the caller accepts it. */
export type SendFile = (request: FastifyRequest, reply: FastifyReply, path: string) => Promise<FastifyReply>;

/** Returns a function that replies with files of a folder, and never with a file outside of it. */
export function fileSender(root: string): SendFile {
  const find = async (raw: FastifyRequest['raw'], path: string) => {
    const found = await send(raw, encodeURI(path), { root, cacheControl: false, index: false, dotfiles: 'ignore' });
    return found.type === 'file' ? found : undefined;
  };
  /** Finds the file of which only a compressed copy exists, as in published packages, and decompresses it. */
  const findPacked = async (
    { method, headers: { range: _range, ...headers } }: FastifyRequest['raw'],
    path: string,
  ) => {
    const found = await find({ method, headers } as FastifyRequest['raw'], `${path}.gz`); // send reads these two
    if (found === undefined) return undefined;
    const { 'Content-Length': _size, ...kept } = found.headers as Record<string, string>;
    const type = { 'content-type': send.mime.getType(path) ?? 'text/plain' };
    const decompresses = method === 'GET' && found.statusCode === 200;
    const stream = decompresses ? found.stream.pipe(createGunzip()) : found.stream;
    return { statusCode: found.statusCode, headers: { ...kept, ...type }, stream };
  };
  return async (request, reply, path) => {
    const encoding = negotiate(request.headers['accept-encoding'] ?? '', ['gzip']);
    const compressed = encoding === null ? undefined : await find(request.raw, `${path}.gz`);
    const found = compressed ?? (await find(request.raw, path)) ?? (await findPacked(request.raw, path));
    if (found === undefined) {
      reply.callNotFound();
      return reply;
    }
    reply.code(found.statusCode).headers({ ...found.headers, vary: 'accept-encoding' });
    if (compressed !== undefined && encoding !== null) {
      reply.headers({ 'content-encoding': encoding, 'content-type': send.mime.getType(path) ?? 'text/plain' });
    }
    return reply.send(found.stream);
  };
}
