import type { Vocabulary } from '@millrace/core';
import type { ApiKeys, Queue } from '@millrace/runtime';

/**
 * What all routes work with, whoever asks. What belongs to a tenant is not here: it is in the caller of a request, so
 * that no route can forget whose it is.
 */
export interface Api {
  readonly vocabulary: Vocabulary;
  readonly keys: ApiKeys;
  readonly queue: Pick<Queue, 'consumers'>;
  /** Aborted when the server closes: who waits is answered at once. */
  readonly closing: AbortSignal;
}
