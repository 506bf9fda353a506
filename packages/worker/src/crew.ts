import type { Vocabulary } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import type { Logger } from 'pino';

/** What every activation of a worker shares. */
export interface Crew {
  readonly runs: Runs;
  readonly vocabulary: Vocabulary;
  readonly worker: string;
  readonly log: Logger;
  readonly secret: (name: string) => string | undefined;
}
