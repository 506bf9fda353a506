import { createVocabulary } from '@millrace/catalog';
import type { RunId, RunStatus, Workflow } from '@millrace/core';
import { defineTool, textMessage } from '@millrace/core';
import type { Queue, Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import type { Redis } from 'ioredis';
import pino from 'pino';
import { z } from 'zod';
import type { Cost } from '../cost.ts';
import { costOf } from '../cost.ts';
import { hasCompleted, onStatus } from './ends.ts';

/** The engine as it is measured: a runtime and, while something is measured, a worker in this process. */
export interface Bench {
  /** Cost from the first start to the end of the last run. */
  time(workflow: Workflow, options: { readonly runs: number; readonly concurrency: number }): Promise<Cost>;
  /** Cost of runs that are started on an idle worker, one after the other; the time of each ends when the worker has it in hand. */
  starts(workflow: Workflow, count: number): Promise<Cost>;
  /** Cost from the first answer to the end of the last run, of runs that wait for one answer each. */
  answers(workflow: Workflow, options: { readonly runs: number; readonly concurrency: number }): Promise<Cost>;
  /** Runs until it waits for an answer, or has ended, and leaves it there. */
  leave(workflow: Workflow): Promise<RunId>;
  readonly runtime: Runtime;
  close(): Promise<void>;
}

/** Prefix of all keys that the engine stores. */
export const prefix = '{bench}';

/** Connects the engine to a Redis; what it warns of goes to stderr. */
export function openEngine(redisUrl: string): Promise<Runtime> {
  return openRuntime({ redisUrl, prefix }, vocabulary, (message, error) => log.error({ err: error }, message));
}

/** Works on runs in this process until it is closed. */
export function work({ runs, queue }: Pick<Runtime, 'runs' | 'queue'>, concurrency: number) {
  return startWorker({ runtime: { runs, queue }, vocabulary, concurrency, name: 'bench', log });
}

/** Tool of the agents: what it takes is nothing beside the steps that record its call. */
const note = defineTool<{ word: string }>({
  name: 'note',
  description: 'Notes a word.',
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => `noted ${word}`,
});
const vocabulary = createVocabulary({ tools: [note] });
const log = pino({ level: 'warn' }, process.stderr);

/** Opens the engine for what is measured in one process. */
export async function openBench(redisUrl: string, connection: Redis): Promise<Bench> {
  const runtime = await openEngine(redisUrl);
  const until = statuses(runtime);
  const begin = (workflow: Workflow, runs: number) =>
    Promise.all(Array.from({ length: runs }, () => runtime.runs.start({ workflow, input: 'go' })));
  const ends = (ids: readonly RunId[]) => Promise.all(ids.map((id) => until(id, hasCompleted)));
  return {
    async time(workflow, { runs, concurrency }) {
      const worker = work(runtime, concurrency);
      const cost = await costOf(connection, async () => {
        const started = performance.now();
        await ends(await begin(workflow, runs));
        return performance.now() - started;
      });
      await worker.close();
      return cost;
    },
    async starts(workflow, count) {
      const watched = watchWakes(runtime);
      const worker = work(watched.runtime, 1);
      const cost = await costOf(connection, async () => {
        let took = 0;
        for (let at = 0; at < count; at++) {
          const taken = watched.next();
          const started = performance.now();
          const [ids] = await Promise.all([begin(workflow, 1), taken]);
          took += (await taken) - started;
          await ends(ids);
        }
        return took;
      });
      await worker.close();
      return cost;
    },
    async answers(workflow, { runs, concurrency }) {
      const worker = work(runtime, concurrency);
      const ids = await begin(workflow, runs);
      await Promise.all(ids.map((id) => until(id, waitsOrHasEnded)));
      const answer = { message: textMessage('user', 'ok', 'person') };
      // People answer a question by its id, from a list of questions.
      const questions = (await Promise.all(ids.map((id) => runtime.runs.tasks(id)))).flat();
      const cost = await costOf(connection, async () => {
        const started = performance.now();
        await Promise.all(questions.map((question) => runtime.runs.answer(question.run, question, answer)));
        await ends(ids);
        return performance.now() - started;
      });
      await worker.close();
      return cost;
    },
    async leave(workflow) {
      const worker = work(runtime, 1);
      const run = await runtime.runs.start({ workflow, input: 'go' });
      await until(run, waitsOrHasEnded);
      await worker.close();
      return run;
    },
    runtime,
    close: () => runtime.close(),
  };
}

type StatusTest = (run: RunId, status: RunStatus) => boolean;

const waitsOrHasEnded: StatusTest = (run, status) => hasCompleted(run, status) || status === 'waiting';

/** Follows the status of all runs; returns a function that waits until a run has reached a status. */
function statuses({ store }: Runtime): (run: RunId, reached: StatusTest) => Promise<void> {
  const known = new Map<RunId, RunStatus>();
  const waiting = new Map<RunId, () => void>();
  onStatus(store, (run, status) => {
    known.set(run, status);
    waiting.get(run)?.();
  });
  return (run, reached) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const status = known.get(run);
        try {
          if (status === undefined || !reached(run, status)) return;
          waiting.delete(run);
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      waiting.set(run, look);
      look();
    });
}

/** The runtime with an eye on when a worker takes something in hand. */
function watchWakes({ runs, queue }: Runtime) {
  let taken: (at: number) => void = () => {};
  const consume: Queue['consume'] = (process, options) =>
    queue.consume((wake, signal, deaths) => {
      taken(performance.now());
      return process(wake, signal, deaths);
    }, options);
  return {
    runtime: { runs, queue: { ...queue, consume } },
    /** Resolves with the time at which a worker takes the next wake. */
    next: () =>
      new Promise<number>((resolve) => {
        taken = resolve;
      }),
  };
}
