import type { Vocabulary } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import type { Logger } from 'pino';
import { activate } from './activate.ts';
import { secretFromEnvironment } from './config.ts';

/** What a worker needs. */
export interface WorkerOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'queue'>;
  readonly vocabulary: Vocabulary;
  /** Activations worked on at a time. */
  readonly concurrency: number;
  /** Shown in journals and lists of workers. */
  readonly name: string;
  readonly log: Logger;
  /** The value of a variable that a secret field names; default: the environment of the process. */
  readonly secret?: (name: string) => string | undefined;
}

/** A worker at work. */
export interface RunningWorker {
  /** Takes no new work and waits for the work in hand. */
  close(): Promise<void>;
}

/** Works on activations from the queue until it is closed. */
export function startWorker({
  runtime,
  vocabulary,
  concurrency,
  name,
  log,
  secret = secretFromEnvironment,
}: WorkerOptions): RunningWorker {
  const crew = { runs: runtime.runs, vocabulary, worker: name, log, secret };
  return runtime.queue.consume((wake, signal) => activate(crew, wake, signal), { concurrency, name });
}
