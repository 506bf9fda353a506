import { linkedController } from '@millrace/catalog';
import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the client has disconnected, or the server closes. */
export function requestSignal(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = linkedController(closing);
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
