import type { Queue, Store } from '@millrace/runtime';

/** Commit that fails, and the kind of failure. */
export interface CrashPoint {
  /** Counted from 1 over all runs. */
  readonly commit: number;
  /** Time of the failure: before or after the commit is carried out. */
  readonly when: 'before' | 'after';
  /** State of the process from then on: it continues, or it has no store. */
  readonly process: 'continues' | 'is dead';
}

/** All kinds of failures of a commit. */
export const kindsOfCrashes: readonly Omit<CrashPoint, 'commit'>[] = [
  { when: 'before', process: 'is dead' },
  { when: 'after', process: 'is dead' },
  { when: 'before', process: 'continues' },
  { when: 'after', process: 'continues' },
];

/** Storage of runs that outlives the processes. */
export interface LastingStorage {
  readonly store: Store;
  openQueue(): Queue;
}

/** A store that goes wrong once. */
export interface FailingStore {
  readonly store: Store;
  /** Resolves when it has. */
  readonly failed: Promise<void>;
  hasFailed(): boolean;
}

/** Wraps a store so that it goes wrong at one point. */
export function failingStore(inner: Store, point: CrashPoint): FailingStore {
  let commits = 0;
  let dead = false;
  let fail = (): void => undefined;
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const lost = () => new Error('the connection to the store was lost');
  const whileAlive =
    <A extends unknown[], R>(action: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (dead) throw lost();
      return action(...args);
    };
  return {
    failed,
    hasFailed: () => commits >= point.commit,
    store: {
      ...inner,
      commit: whileAlive(async (commit) => {
        if (++commits !== point.commit) return inner.commit(commit);
        dead = point.process === 'is dead';
        if (point.when === 'after') await inner.commit(commit);
        fail();
        throw lost();
      }),
      since: whileAlive(inner.since),
      load: whileAlive(inner.load),
      journal: whileAlive(inner.journal),
      follow: whileAlive(inner.follow),
      bodies: whileAlive(inner.bodies),
      savePlan: whileAlive(inner.savePlan),
      loadPlan: whileAlive(inner.loadPlan),
      saveText: whileAlive(inner.saveText),
      loadText: whileAlive(inner.loadText),
      overdue: whileAlive(inner.overdue),
      close: async () => undefined,
    },
  };
}
