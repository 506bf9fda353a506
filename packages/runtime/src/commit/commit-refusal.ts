import { NodeError } from '@millrace/core';
import { outageOf } from '../adapters/redis/outages/outage.ts';
import { UnrecoverableRunError, unrecoverable } from './unrecoverable-run.ts';

/** Error replies of Redis that are about authentication and permissions, not about the command. */
const accessTroubles = /\b(NOAUTH|WRONGPASS|NOPERM|NOSCRIPT|TRYAGAIN|MOVED|ASK|max number of clients)\b/;

/**
 * Returns the reason why a commit can never be carried out, however often it is tried: it exceeds a limit, cannot be
 * encoded, or Redis refuses it as wrong. Undefined for temporary failures, such as an outage.
 */
export function refusalOf(error: unknown): UnrecoverableRunError | undefined {
  if (error instanceof NodeError || error instanceof UnrecoverableRunError) return unrecoverable(error);
  if (!(error instanceof Error)) return undefined;
  const isOurs = error instanceof RangeError || error instanceof TypeError;
  const isTrouble = outageOf(error) !== undefined || accessTroubles.test(error.message);
  const isRefused = error.name === 'ReplyError' && !isTrouble;
  if (!isOurs && !isRefused) return undefined;
  return new UnrecoverableRunError('COMMIT_FAILED', `A step of the run cannot be stored: ${error.message}`, error);
}
