import { setTimeout as sleep } from 'node:timers/promises';
import type { ActiveWork, WorkerReport } from '../ports/admin.ts';
import type { Registry } from '../ports/store/registry.ts';
import type { Instrumentation } from './instrumentation.ts';

/*
 * Workers write every two seconds what they are at, or every six if that has not changed, so that operators see it; a
 * report expires soon after its worker has died. Nothing depends on these reports.
 */

/** Properties of a worker that do not change. */
export type WorkerIdentity = Pick<WorkerReport, 'version' | 'concurrency'> & { readonly name: string };

const everyMs = 2000;
/** Number of these intervals after which a report without news is repeated. */
const quietIntervals = 3;
const validMs = 10_000;
const workShown = 20;

const nameOf = (worker: string): string => `worker/${worker}`;

/** A worker that reports its state. */
export interface WorkerReporter {
  /** Observes what the worker executes. */
  readonly instrumentation: Instrumentation;
  close(): void;
}

/** Starts to report the state of a worker. */
export function startWorkerReporter(
  registry: Pick<Registry, 'replace'>,
  { name, version, concurrency }: WorkerIdentity,
): WorkerReporter {
  const work = new Set<ActiveWork>();
  const startedAt = Date.now();
  const stop = new AbortController();
  let written = '';
  let quiet = 0;
  const report = async () => {
    const shown = [...work].slice(0, workShown);
    const node = process.versions.node;
    const state: WorkerReport = { version, node, startedAt, concurrency, active: work.size, work: shown };
    const text = JSON.stringify(state);
    quiet += 1;
    if (text === written && quiet < quietIntervals) return;
    await registry.replace(nameOf(name), text, validMs);
    written = text;
    quiet = 0;
  };
  const repeat = async () => {
    while (!stop.signal.aborted) {
      // Redis is unavailable, so nothing can be reported.
      await report().catch(() => undefined);
      await sleep(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  void repeat();
  return {
    instrumentation: {
      attempt({ run, activation, node, unit }) {
        const one: ActiveWork = { run, activation, node, unit, since: Date.now() };
        work.add(one);
        return () => void work.delete(one);
      },
    },
    close: () => stop.abort(),
  };
}

/** Returns the reports of workers by their names; those without a recent report are left out. */
export async function readWorkerReports(
  registry: Pick<Registry, 'held'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, WorkerReport>> {
  const texts = names.length === 0 ? [] : await registry.held(names.map(nameOf));
  const reports = new Map<string, WorkerReport>();
  for (const [at, name] of names.entries()) {
    const text = texts[at];
    if (text !== undefined) reports.set(name, JSON.parse(text) as WorkerReport); // written above
  }
  return reports;
}
