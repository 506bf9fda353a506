import type { FastifyReply } from 'fastify';

/** A signal that is aborted when whoever asked has gone, or the server closes. */
export function presence(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, closing]);
}
