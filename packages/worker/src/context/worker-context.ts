import type { Prices, RateRule, RunId, Skills, Vocabulary } from '@millrace/core';
import type { Instrumentations, KeyedMutex, Runs, SecretMask } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { DigestCache } from '../files/known-digests.ts';
import type { Interpreters } from '../programs/interpreter.ts';
import type { Sandbox } from '../programs/sandbox.ts';
import type { AttemptSupervisor } from './attempt-supervisor.ts';
import type { MemoryCache } from './memory-cache.ts';
import type { LeftAlone } from './newer-format-log.ts';

/** What every activation of a worker shares. */
export interface WorkerContext {
  readonly runs: Runs;
  readonly vocabulary: Vocabulary;
  readonly worker: string;
  readonly log: Logger;
  /** For URLs that the workflow of a run names: reaches what a run of its tenant may reach. */
  readonly fetchFor: (run: RunId) => typeof fetch;
  readonly secret: (name: string) => string | undefined;
  /** Hides secrets in what steps come to, before it is told to anybody or stored. */
  readonly mask: SecretMask;
  /** Directory in which programs of nodes leave their files, run by run. */
  readonly workspaces: string;
  readonly skills: Skills;
  readonly interpreters: Interpreters;
  readonly sandbox: Sandbox;
  readonly memories: MemoryCache;
  /** What is in the files of workspaces on this machine. */
  readonly digests: DigestCache;
  /** Prices of models; the first table that names one wins. */
  readonly prices: readonly Prices[];
  /** What may be asked of models in a minute, whatever a workflow says. */
  readonly rateLimits: readonly RateRule[];
  /** Who looks at a run's conditions again because their state has moved. */
  readonly observationMutex: KeyedMutex;
  readonly supervisor: AttemptSupervisor;
  /** Says which runs are left to a newer version. */
  readonly leftAlone: LeftAlone;
  /** Hear of attempts and steps. */
  readonly instrumentation: Instrumentations;
  /** Settlements on their way whose jobs are off the queue already. */
  readonly pendingSettlements: Set<Promise<void>>;
}
