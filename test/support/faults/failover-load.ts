import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Violation } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { audit } from '../runs/audit.ts';
import type { Scenario } from '../runs/scenario.ts';
import { driveRunByPolling, resultWithoutFaults, workflowOf } from '../runs/scenario.ts';
import { human } from '../runs/scenarios.ts';
import { untilEnded } from '../runs/watching.ts';

/** Runs that are started and attended to without a pause while something happens to their Redis. */
export interface FailoverLoad {
  /** Number of starts that were acknowledged so far. */
  started(): number;
  /** Resolves when so many more starts have been acknowledged, with the time that took in milliseconds. */
  untilStarted(more: number): Promise<number>;
  /** Resolves when the runtime has reported a line that matches. */
  untilReported(pattern: RegExp): Promise<void>;
  /** Ends the load, and examines what was acknowledged. */
  finish(): Promise<LoadOutcome>;
  /** Returns whether a run exists. */
  knows(run: RunId): Promise<boolean>;
  close(): Promise<void>;
}

/** State of acknowledged work. */
export interface LoadOutcome {
  readonly started: number;
  /** Acknowledged starts of which no run is left. */
  readonly lost: readonly RunId[];
  /** Acknowledged starts whose run has not ended by itself within a minute. */
  readonly stuck: readonly RunId[];
  /** Runs with answers of people whose result is not what it is without a fault. */
  readonly wrong: readonly unknown[];
  readonly attended: number;
  /** Number of starts and answers that were refused because of an outage, and repeated. */
  readonly refused: number;
  readonly violations: readonly Violation[];
  /** Longest time between two acknowledged starts, in milliseconds. */
  readonly longestGapMs: number;
  readonly lines: readonly string[];
}

const vocabulary = createVocabulary();
const instant: Scenario = {
  name: 'instant',
  input: 'task',
  answers: [],
  yaml: () =>
    'version: 0.4.0\ngraph:\n  id: instant\n  start: [A]\n  nodes:\n    - {id: A, type: passthrough, config: {}}\n',
};
/** Every so manieth run is audited. */
const auditedEvery = 20;

/** Opens a runtime with a worker, and starts the load: lanes that only start runs, and lanes that answer their questions. */
export async function startFailoverLoad(
  where: { readonly redisUrl: string; readonly prefix?: string; readonly replicas?: number },
  { starters = 4, attendants = 4 }: { readonly starters?: number; readonly attendants?: number } = {},
): Promise<FailoverLoad> {
  const lines: string[] = [];
  const lookers = new Set<() => void>();
  const runtime = await openRuntime(where, vocabulary, (message, error) => {
    lines.push(error === undefined ? message : `${message}: ${String(error)}`);
    for (const look of lookers) look();
  });
  const { runs } = runtime;
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 16, name: 'load', log });
  runtime.startCaretaker();
  const expected = JSON.stringify(await resultWithoutFaults(human, vocabulary));
  const acknowledged: RunId[] = [];
  const wrong: unknown[] = [];
  const listeners = new Set<() => void>();
  let [isOver, attended, refused, longestGapMs, lastAt] = [false, 0, 0, 0, performance.now()];
  const start = async (scenario: Scenario): Promise<RunId> => {
    const run = await runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input });
    acknowledged.push(run);
    longestGapMs = Math.max(longestGapMs, performance.now() - lastAt);
    lastAt = performance.now();
    for (const listener of listeners) listener();
    return run;
  };
  /** Repeats what is refused because of an outage, as clients do. */
  const withRetries = async (act: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        await sleep(20);
        if (error instanceof RequestError && error.code.startsWith('REDIS_')) {
          refused += 1;
          continue;
        }
        wrong.push(error);
        return;
      }
    }
  };
  const lane = async (work: () => Promise<void>): Promise<void> => {
    while (!isOver) await work();
  };
  const attend = async (): Promise<void> => {
    let run: RunId | undefined;
    await withRetries(async () => {
      run = await start(human);
    });
    if (run === undefined) return;
    const attending = run;
    await withRetries(async () => {
      // A failover may set the journal of a run back, which cannot be followed then.
      const result = await driveRunByPolling(runs, attending, human);
      attended += 1;
      if (result !== undefined && JSON.stringify(result) !== expected) wrong.push(result);
    });
  };
  const startOnce = () => withRetries(async () => void (await start(instant)));
  const working = [
    ...Array.from({ length: starters }, () => lane(startOnce)),
    ...Array.from({ length: attendants }, () => lane(attend)),
  ];
  return {
    started: () => acknowledged.length,
    untilStarted(more) {
      const [began, aim] = [performance.now(), acknowledged.length + more];
      return new Promise((resolve) => {
        const listener = () => {
          if (acknowledged.length < aim) return;
          listeners.delete(listener);
          resolve(performance.now() - began);
        };
        listeners.add(listener);
      });
    },
    untilReported: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          if (!lines.some((line) => pattern.test(line))) return;
          lookers.delete(look);
          resolve();
        };
        lookers.add(look);
        look();
      }),
    async finish() {
      isOver = true;
      await Promise.all(working);
      const lost: RunId[] = [];
      const stuck: RunId[] = [];
      const violations: Violation[] = [];
      for (const [at, run] of acknowledged.entries()) {
        if ((await runs.describe(run)) === undefined) lost.push(run);
        else if (!(await ends(run))) stuck.push(run);
        else if (at % auditedEvery === 0) violations.push(...(await audit(runtime.store, run, vocabulary)));
      }
      return { started: acknowledged.length, lost, stuck, wrong, attended, refused, violations, longestGapMs, lines };
    },
    knows: async (run) => (await runs.describe(run)) !== undefined,
    async close() {
      isOver = true;
      await worker.close();
      await runtime.close();
    },
  };

  /** Waits for the end of a run; returns whether it has completed. */
  async function ends(run: RunId): Promise<boolean> {
    await untilEnded(runs, run);
    return (await runs.describe(run))?.status === 'completed';
  }
}
