import type { Vocabulary } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { Interpreters } from './host/interpreter.ts';
import type { Sandbox } from './host/sandbox.ts';

/** What every activation of a worker shares. */
export interface Crew {
  readonly runs: Runs;
  readonly vocabulary: Vocabulary;
  readonly worker: string;
  readonly log: Logger;
  readonly secret: (name: string) => string | undefined;
  /** Directory in which programs of nodes leave their files, run by run. */
  readonly workspaces: string;
  readonly interpreters: Interpreters;
  readonly sandbox: Sandbox;
}
