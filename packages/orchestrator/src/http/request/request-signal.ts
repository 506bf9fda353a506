import { linkedController } from '@millrace/catalog';
import type { FastifyReply } from 'fastify';

/** Interval at which the caller of a long response is checked, in milliseconds. */
const checkEveryMs = 1000;

/**
 * Returns a signal that is aborted when the client has disconnected, its key is revoked or its session has ended, or the
 * server closes.
 */
export function requestSignal(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = linkedController(closing);
  const { caller } = reply.request;
  const timer = setInterval(() => {
    // During an outage no request is refused.
    caller.isStillAdmitted().then(
      (admitted) => admitted || gone.abort(),
      () => undefined,
    );
  }, checkEveryMs).unref();
  reply.raw.once('close', () => {
    clearInterval(timer);
    gone.abort();
  });
  return gone.signal;
}
