import { setTimeout as sleep } from 'node:timers/promises';
import type { RunLine } from '@millrace/client';
import { Millrace } from '@millrace/client';
import type { Profile } from './profiles.ts';

/** Latencies of a load, in milliseconds. */
export interface Latencies {
  /** From the request that starts a run to its response. */
  readonly start: number[];
  /** From the start of a run to its end, by the times of its journal. */
  readonly run: number[];
  /** From the request that answers a question to its response. */
  readonly answer: number[];
}

/** A load that is being applied. */
export interface Load {
  /** Latencies since the last call. */
  taken(): Latencies;
  /** Rejects with the first failure. */
  readonly failed: Promise<never>;
  /** Starts no more runs; resolves when those in progress have ended. */
  stop(): Promise<void>;
}

const workflow = 'load';
/** Interval in which lost events are looked for, and age from which a run is looked at. */
const checkEveryMs = 1000;
const overdueMs = 5000;

/** A run in progress. */
interface RunInProgress {
  readonly began: number;
  readonly done: () => void;
}

/** Keeps this number of runs in progress. */
export async function applyLoad(apiUrl: string, profile: Profile, inProgress: number): Promise<Load> {
  const millrace = new Millrace({ url: apiUrl });
  await millrace.workflows.publish(workflow, profile.yaml);
  const ending = new AbortController();
  const running = new Map<string, RunInProgress>();
  const answered = new Set<string>();
  let latencies = empty();
  let stopping = false;
  let started = 0;

  const oneRun = async () => {
    const runId = `load-${++started}`;
    const began = performance.now();
    const ended = new Promise<void>((resolve) => running.set(runId, { began, done: resolve }));
    await millrace.runs.start(workflow, { runId, input: 'Go.' });
    latencies.start.push(performance.now() - began);
    await ended;
  };
  const slot = async () => {
    while (!stopping) await oneRun();
  };
  const answer = async (task: string) => {
    if (answered.has(task)) return;
    answered.add(task);
    const began = performance.now();
    await millrace.tasks.answer(task, { text: 'Yes.' });
    latencies.answer.push(performance.now() - began);
  };
  const note = ({
    runId,
    status,
    startedAt,
    finishedAt,
  }: Pick<RunLine, 'runId' | 'status' | 'startedAt' | 'finishedAt'>) => {
    const run = running.get(runId);
    if (finishedAt === undefined || run === undefined) return;
    if (status !== 'completed') throw new Error(`The run ${runId} ended as ${status}, so the load means nothing.`);
    latencies.run.push(finishedAt - startedAt);
    running.delete(runId);
    run.done();
  };
  const follow = async (fail: (error: unknown) => void) => {
    for await (const event of millrace.events({ signal: ending.signal })) {
      if (event.type === 'run') note(event.run);
      else if (event.type === 'task' && event.change === 'opened' && event.task !== undefined)
        answer(event.task).catch(fail);
    }
  };
  // Live events may be lost, as when a process does not know yet that a client listens.
  const check = async () => {
    for (;;) {
      await sleep(checkEveryMs, undefined, { signal: ending.signal });
      if (profile.asks) for await (const { id } of millrace.tasks.list()) await answer(id);
      const since = performance.now() - overdueMs;
      const overdue = [...running].filter(([, { began }]) => began < since).slice(0, 100);
      for (const [runId] of overdue) note(await millrace.runs.get(runId).describe('head'));
    }
  };
  const followed = new Promise<never>((_, reject) => {
    const fail = (error: unknown) => ending.signal.aborted || reject(error);
    follow(fail).catch(fail);
    check().catch(fail);
  });
  const slots = Promise.all(Array.from({ length: inProgress }, slot));
  const failed = Promise.race([followed, slots.then(() => followed)]);
  // The measurement waits for it; a later failure does not matter.
  failed.catch(() => undefined);
  return {
    taken() {
      const taken = latencies;
      latencies = empty();
      return taken;
    },
    failed,
    async stop() {
      stopping = true;
      await Promise.race([slots, failed]);
      ending.abort();
    },
  };
}

const empty = (): Latencies => ({ start: [], run: [], answer: [] });
