import { negotiate } from '@fastify/accept-negotiator';
import send from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Compressed copies that a build leaves beside its files, by the name of the encoding. */
const extensions = { br: '.br', gzip: '.gz' } as const;

/** Replies with the file at a path of a folder; with a compressed copy, if there is one that the caller accepts. */
export type SendFile = (request: FastifyRequest, reply: FastifyReply, path: string) => Promise<FastifyReply>;

/** Returns a function that replies with files of a folder, and never with a file outside of it. */
export function fileSender(root: string): SendFile {
  const find = async ({ raw }: FastifyRequest, path: string) => {
    const found = await send(raw, encodeURI(path), { root, cacheControl: false, index: false, dotfiles: 'ignore' });
    return found.type === 'file' ? found : undefined;
  };
  return async (request, reply, path) => {
    const encoding = negotiate(request.headers['accept-encoding'] ?? '', ['br', 'gzip']);
    const compressed = encoding === null ? undefined : await find(request, `${path}${extensions[encoding]}`);
    const found = compressed ?? (await find(request, path));
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
