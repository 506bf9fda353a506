import type { Decision, Event, ListKey, RecordKey, Wake, Write } from '@millrace/core';
import { State } from '@millrace/core';
import type { Commit, LoadedRun, RunSummary, Store } from '@millrace/runtime';
import { expect } from 'vitest';

/** Two processes on the same data. An adapter that cannot be shared gives the same store twice. */
export interface StoreFixture {
  readonly store: Store;
  readonly other: Store;
  close(): Promise<void>;
}

/** The fixture of the test that is running; open from its start to its end. */
export class StoreHarness {
  readonly #open: () => Promise<StoreFixture>;
  #fixture: StoreFixture | undefined;

  constructor(open: () => Promise<StoreFixture>) {
    this.#open = open;
  }

  get store(): Store {
    return this.#opened.store;
  }

  get other(): Store {
    return this.#opened.other;
  }

  async open(): Promise<void> {
    this.#fixture = await this.#open();
  }

  async close(): Promise<void> {
    await this.#fixture?.close();
  }

  /** The run as the other process finds it. */
  async loaded(): Promise<LoadedRun> {
    const found = await this.other.load(run);
    if (found === undefined) throw new Error(`${run} is not there.`);
    return found;
  }

  /** Commits the writes on top of what there is. */
  async write(...writes: Write[]): Promise<LoadedRun> {
    const { version, state } = (await this.other.load(run)) ?? { version: 0, state: new State() };
    expect(await this.store.commit(commitAt(version, { writes, before: state }))).toEqual({
      type: 'committed',
      version: version + 1,
    });
    return this.loaded();
  }

  get #opened(): StoreFixture {
    if (this.#fixture === undefined) throw new Error('No test is running.');
    return this.#fixture;
  }
}

/** Returns the contents of a state in a form that can be compared. */
export const contents = ({ state }: Pick<LoadedRun, 'state'>) => ({
  records: new Map(state.records),
  lists: new Map(state.lists),
});

/** The run that most of it is about. */
export const run = 'run_1';
/** A node id that is hard to keep apart from everything else in a key. */
export const odd = 'a/b c:ü "quoted" __proto__ 💡';

/** An event that can be told from its siblings. */
export const event = (item: number): Event => ({ type: 'items.skipped', scope: 's0', items: [item] });
/** That many events. */
export const eventsUpTo = (count: number): Event[] => Array.from({ length: count }, (_, index) => event(index));
/** Sets a record. */
export const set = (key: RecordKey, value: unknown): Write => ({ type: 'set', key, value });
/** Appends to a list. */
export const append = (key: ListKey, ...entries: unknown[]): Write => ({ type: 'append', key, entries });
/** Trims a list. */
export const trim = (key: ListKey, keep: number): Write => ({ type: 'trim', key, keep });
/** A wake of the run. */
export const wakeOf = (sequence: number, token = 'n1'): Wake => ({ run, activation: `a${sequence}`, token });
/** The line of a run in lists of runs. */
export const summaryOf = (id: string, startedAt: number): RunSummary => ({
  run: id,
  workflow: 'w',
  plan: 'p',
  status: 'running',
  startedAt,
  activations: 0,
});

type Step = Partial<Decision> & Partial<Pick<Commit, 'run' | 'at' | 'before' | 'summary' | 'formerly' | 'asking'>>;

/** The commit of `version` to `version + 1` in a history of which the nonces are n1, n2 … */
export function commitAt(version: number, step: Step = {}): Commit {
  const { run: id = run, at = 1000 + version, before = new State(), summary, formerly, asking, ...decision } = step;
  return {
    run: id,
    version,
    nonce: version === 0 ? '' : `n${version}`,
    next: `n${version + 1}`,
    at,
    before,
    decision: {
      events: [event(version)],
      writes: [],
      bodies: [],
      wakes: [],
      later: [],
      settled: [],
      memory: [],
      ...decision,
    },
    ...(summary === undefined ? {} : { summary }),
    ...(formerly === undefined ? {} : { formerly }),
    ...(asking === undefined ? {} : { asking }),
  };
}
