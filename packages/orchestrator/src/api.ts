import type { Vocabulary } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';

/** What the routes work with. */
export interface Api {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'queue'>;
  readonly vocabulary: Vocabulary;
  /** Aborted when the server closes: who waits is answered at once. */
  readonly closing: AbortSignal;
}
