import type { ModelLookup, RateRule, RunId, Skills, ToolRule, Vocabulary, Wake } from '@millrace/core';
import type { Clock, ForeignFormat, Instrumentations, KeyedMutex, Runs, SecretMask } from '@millrace/runtime';
import { LruMap } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { ReadableFiles } from '../files/confined-path.ts';
import type { DigestCache } from '../files/known-digests.ts';
import type { RunFolders } from '../files/run-folders.ts';
import type { Interpreters } from '../programs/interpreter.ts';
import type { Sandbox } from '../programs/sandbox.ts';
import type { AttemptSupervisor } from './attempt-supervisor.ts';
import type { MemoryCache } from './memory-cache.ts';

/** A step that a node asks for, whether it is made, or has a result already. */
export interface AskedStep {
  /** Id of the node. */
  readonly node: string;
  /** Number of the step in its activation, from 0. */
  readonly step: number;
  readonly name: string;
  /** Hash of `asked`. */
  readonly request: string;
  /** The part of the request by which the step is recognised, as JSON. */
  readonly asked: unknown;
}

/** Resources that all activations of a worker share. */
export interface WorkerContext {
  readonly runs: Runs;
  /** Clock by which the work on activations waits. */
  readonly clock: Clock;
  readonly vocabulary: Vocabulary;
  readonly worker: string;
  readonly log: Logger;
  /** Returns the `fetch` for URLs that the workflow of a run names; it reaches what the tenant of the run may reach. */
  readonly fetchFor: (run: RunId) => typeof fetch;
  readonly secret: (name: string) => string | undefined;
  /** Hides secrets in the results of steps before they are stored or published. */
  readonly mask: SecretMask;
  /** Directory in which programs of nodes leave their files, run by run. */
  readonly workspaces: string;
  readonly readableFiles: ReadableFiles;
  readonly skills: Skills;
  readonly interpreters: Interpreters;
  readonly sandbox: Sandbox;
  readonly memories: MemoryCache;
  /** Digests of the files of workspaces on this machine. */
  readonly digests: DigestCache;
  /** The folders of runs below `workspaces`. */
  readonly folders: RunFolders;
  /** Number of workers that may die over an activation; then it fails. */
  readonly maxDeaths: number;
  /** Facts about models. */
  models(): ModelLookup;
  /** Rate limits of models, whatever a workflow says. */
  readonly rateLimits: readonly RateRule[];
  /** Policy of the operator for calls of tools, whatever a workflow says. */
  readonly toolPolicy: readonly ToolRule[];
  /** Serialises activations of a run whose terminations observe again because their state has moved. */
  readonly observationMutex: KeyedMutex;
  readonly supervisor: AttemptSupervisor;
  /** Logs the runs that are left to another version. */
  readonly foreignFormatLog: ForeignFormatLog;
  /** Called for each step that a node asks for, in each attempt. */
  readonly onStep?: ((activation: Pick<Wake, 'run' | 'activation'>, step: AskedStep) => void) | undefined;
  /** Receives attempts and steps. */
  readonly instrumentation: Instrumentations;
  /** Settlements that are not confirmed, whose jobs are off the queue already. */
  readonly pendingSettlements: Map<object, Promise<void>>;
}

/** Number of runs whose log line is remembered. */
const limit = 500;

/** Logs each run that another version of Millrace stores once, however often a wake of it comes. */
export class ForeignFormatLog {
  readonly #log: Logger;
  readonly #reported = new LruMap<void>({ limit });

  constructor(log: Logger) {
    this.#log = log;
  }

  note({ run, format }: ForeignFormat): void {
    void this.#reported.of(`${run} ${format}`, async () => {
      this.#log.warn({ run, format }, 'skipped a run that another version of Millrace stores');
    });
  }
}
