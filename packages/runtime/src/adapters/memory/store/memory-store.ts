import type { ArchivedSegment, JournalEntry, MessageId, RunId, TenantId } from '@millrace/core';
import { messageSize, omitUndefined, State } from '@millrace/core';
import { LruMap } from '../../../blobs/read-through-cache.ts';
import type { Clock } from '../../../clock/clock.ts';
import { realClock } from '../../../clock/real-clock.ts';
import { textsOfPart } from '../../../journal/archive/part-texts.ts';
import type { OpenSegment, StoredSegment } from '../../../journal/archive/segment.ts';
import {
  blobsOfRun,
  endOf,
  indexAfter,
  openSegment,
  readArchivedBodies,
  readArchivedJournal,
} from '../../../journal/archive/segment.ts';
import { headOf } from '../../../journal/message-head.ts';
import type { Blobs } from '../../../ports/blobs.ts';
import { BodyMissing, runGone } from '../../../ports/store/errors.ts';
import { nextVersion } from '../../../ports/store/next-version.ts';
import type {
  Commit,
  KnownPosition,
  LoadedRun,
  MissedCommit,
  Retention,
  RunCounts,
  RunPage,
  RunQuery,
  RunScope,
  RunSummary,
  StartPreconditions,
  Store,
  StoredBody,
  WorkflowRuns,
} from '../../../ports/store/port.ts';
import { endOfRecord } from '../../../ports/store/port.ts';
import { comesAfter, countLimit, countsOf, cursorOf, isBehind, isWanted } from '../../../ports/store/run-query.ts';
import { createLocalAgenda } from './local-agenda.ts';
import { createLocalArchive } from './local-archive.ts';
import { createLocalBatchRows } from './local-batch-rows.ts';
import { createLocalMemories } from './local-memories.ts';
import { createLocalOutbox } from './local-outbox.ts';
import { createLocalRegistry } from './local-registry.ts';
import { createLocalStoredBytes } from './local-stored-bytes.ts';
import { createLocalUsage } from './local-usage.ts';

interface StoredRun {
  readonly state: State;
  readonly journal: JournalEntry[];
  readonly bodies: Map<MessageId, StoredBody>;
  /** Number of characters of the messages in it. */
  characters: number;
  /** Nonces of all commits; the commit that made version n is at n - 1. */
  readonly nonces: string[];
  /** Called once when there are new entries. */
  readonly followers: Set<() => void>;
}

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Store of the archived parts of journals; absent: nothing is archived. */
  readonly blobs?: Blobs;
  /** It must never go back. Default: the clock of the process. */
  readonly clock?: Clock;
  /** Time after its commit at which a wake is overdue, in milliseconds; by a virtual clock, none ever is. */
  readonly graceMs?: number;
}

/** Creates a store in this process only: for tests and for runs that need not survive it. */
export function createMemoryStore({ blobs, clock = realClock, graceMs = 8000 }: MemoryStoreOptions = {}): Store {
  const runs = new Map<RunId, StoredRun>();
  const summaries = new Map<RunId, RunSummary>();
  const agenda = createLocalAgenda(clock);
  const memories = createLocalMemories();
  const outbox = createLocalOutbox();
  const usage = createLocalUsage();
  const registry = createLocalRegistry(clock.now);
  const sources = sourcesByHash();

  const journalOf = (run: RunId): readonly JournalEntry[] => runs.get(run)?.journal ?? [];
  const journalAfter = (run: RunId, after: string, limit?: number): readonly JournalEntry[] => {
    const journal = journalOf(run);
    const from = indexAfter(journal, after);
    return journal.slice(from, limit === undefined ? undefined : from + limit);
  };

  /** Parts of the journal of a run that a fork has copied: only blobs have them. */
  const copiedParts = (run: RunId): readonly ArchivedSegment[] =>
    (runs.get(run)?.state.list('archive/journal') ?? []).filter(({ copiedAt }) => copiedAt !== undefined);
  const recent = new LruMap<OpenSegment>({ limit: 2 });
  const readPart = async (part: StoredSegment): Promise<OpenSegment> => {
    if (blobs === undefined) throw new Error('this store has no archived parts');
    return recent.of(part.digest, () => openSegment(blobs, part));
  };
  const journalPage = async (run: RunId, after: string, limit?: number): Promise<readonly JournalEntry[]> => {
    const parts = copiedParts(run);
    const found =
      parts.length === 0
        ? undefined
        : await readArchivedJournal(readPart, parts, { after, limit: limit ?? Number.POSITIVE_INFINITY });
    return found ?? journalAfter(run, after, limit);
  };
  const bodiesOf = async (run: RunId, ids: readonly MessageId[]): Promise<readonly (StoredBody | undefined)[]> => {
    const stored = ids.map((id) => runs.get(run)?.bodies.get(id));
    const gone = ids.filter((_, at) => stored[at] === undefined);
    const copied = gone.length === 0 ? undefined : await readArchivedBodies(readPart, copiedParts(run), gone);
    return ids.map((id, at) => stored[at] ?? copied?.get(id));
  };

  return {
    durable: false,
    capacity: async () => ({ type: 'enough' }),
    refuses: () => false,
    async commit(commit) {
      const isUnmet =
        commit.preconditions !== undefined && !(await holds({ ...sources, registry }, commit.preconditions));
      const run = runs.get(commit.run) ?? emptyRun();
      const verdict = verdictOn(run, commit);
      if (verdict !== undefined) return verdict;
      if (isUnmet) return { type: 'unmet' };
      runs.set(commit.run, run);
      apply(run, commit);
      memories.write(commit.decision.memory);
      agenda.note(commit, graceMs);
      outbox.note(commit);
      usage.note(commit);
      if (commit.summary !== undefined) summaries.set(commit.run, commit.summary);
      for (const follower of run.followers) follower();
      return { type: 'committed', version: run.nonces.length };
    },
    async since({ run, version, nonce }) {
      const stored = runs.get(run) ?? emptyRun();
      // No commit has an empty nonce, so the result can only be up to date, behind or diverged.
      return verdictOn(stored, { version, nonce, next: '' }) ?? { type: 'committed', version };
    },
    async load(id) {
      const run = runs.get(id);
      return run && run.nonces.length > 0 ? copyOf(run) : undefined;
    },
    endOf: async (id) => endOfRecord(runs.get(id)?.state.get('run')),
    journal: journalPage,
    async follow(id, after, signal) {
      const run = runs.get(id) ?? emptyRun();
      runs.set(id, run);
      const isBehind = (await journalPage(id, after, 1)).length > 0;
      // There may have been a commit meanwhile.
      if (!isBehind && journalAfter(id, after, 1).length === 0) await nextCommit(run, signal);
      if (signal.aborted) return [];
      if (runs.get(id) !== run) throw runGone();
      return journalPage(id, after);
    },
    bodies: async (run, ids) =>
      (await bodiesOf(run, ids)).map((body, at) => {
        if (body === undefined) throw new BodyMissing(run, ids[at] ?? 'm0');
        return body;
      }),
    heads: async (run, ids) => (await bodiesOf(run, ids)).map(headOf),
    ...sources,
    ...listsOf(summaries),
    registry,
    outbox: outbox.access,
    rows: createLocalBatchRows(),
    usage: usage.access,
    stored: createLocalStoredBytes((run) => runs.get(run)?.characters ?? 0),
    retention: retentionOver(runs, { summaries, blobs }),
    ...(blobs === undefined ? {} : { archive: createLocalArchive(journalOf) }),
    ...agenda.access,
    ...memories.access,
    now: () => Math.floor(clock.now()),
    async close() {
      for (const run of runs.values()) for (const follower of run.followers) follower();
    },
  };
}

async function holds(
  { loadPlan, loadText, registry }: Pick<Store, 'loadPlan' | 'loadText' | 'registry'>,
  { plan, text, register: { name, hasEntries } }: StartPreconditions,
): Promise<boolean> {
  const isStored = (await loadPlan(plan)) !== undefined && (text === undefined || (await loadText(text)) !== undefined);
  return isStored && (await registry.page(name, '', 1)).length > 0 === hasEntries;
}

function sourcesByHash(): Pick<Store, 'savePlan' | 'loadPlan' | 'saveText' | 'loadText'> {
  const plans = new Map<string, string>();
  const texts = new Map<string, string>();
  return {
    async savePlan(hash, json) {
      plans.set(hash, json);
    },
    loadPlan: async (hash) => plans.get(hash),
    async saveText(hash, text) {
      texts.set(hash, text);
    },
    loadText: async (hash) => texts.get(hash),
  };
}

const listsOf = (summaries: ReadonlyMap<RunId, RunSummary>): Pick<Store, 'runs' | 'countRuns' | 'runsOf'> => ({
  runs: async (query) => listed(summaries.values(), query),
  countRuns: async (scope) => counted(summaries.values(), scope),
  runsOf: async (workflows, tenant) => workflows.map(runsIn(summaries, tenant)),
});

function retentionOver(
  runs: Map<RunId, StoredRun>,
  { summaries, blobs }: { readonly summaries: Map<RunId, RunSummary>; readonly blobs: Blobs | undefined },
): Retention {
  const discarded = new Set<string>();
  return {
    async ended(status, { until, skip, limit }) {
      const ended = [...summaries.values()].filter(
        (one) => one.status === status && one.expiresAt === undefined && (one.finishedAt ?? 0) <= until,
      );
      const oldestFirst = ended.sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0));
      return oldestFirst.slice(skip, skip + limit).map(({ run }) => run);
    },
    async expired({ until, skip, limit }) {
      const expired = [...summaries.values()].filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= until);
      const oldestFirst = expired.sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
      return oldestFirst.slice(skip, skip + limit).map(({ run }) => run);
    },
    async remove(run, { version, nonce }) {
      const stored = runs.get(run);
      if (stored?.nonces.length !== version || stored.nonces.at(-1) !== nonce) return false;
      summaries.delete(run);
      runs.delete(run);
      for (const digest of blobsOfRun(stored.state)) discarded.add(digest);
      for (const follower of stored.followers) follower();
      return true;
    },
    async *all() {
      yield* summaries.keys();
    },
    async *writings(run) {
      const stored = runs.get(run);
      if (stored === undefined) return;
      yield JSON.stringify([stored.journal, [...stored.bodies]]);
      for (const part of stored.state.list('archive/journal'))
        if (part.copiedAt !== undefined) yield* textsOfPart(blobs, part);
    },
    discarded: async (limit) => [...discarded].slice(0, limit),
    async deleted(digests) {
      for (const digest of digests) discarded.delete(digest);
    },
  };
}

function counted(all: Iterable<RunSummary>, scope: RunScope): RunCounts {
  const wanted = [...all].filter((summary) => isWanted(summary, scope));
  const newest = wanted.sort((a, b) => (isBehind(a, b) ? 1 : -1)).slice(0, countLimit);
  return countsOf(newest, newest.length < wanted.length);
}

const runsIn =
  (summaries: ReadonlyMap<RunId, RunSummary>, tenant: TenantId | undefined) =>
  (workflow: string): WorkflowRuns => {
    const scope = omitUndefined({ workflow, tenant });
    const found = [...summaries.values()].filter((summary) => isWanted(summary, scope));
    const [newest] = found.sort((a, b) => (isBehind(a, b) ? 1 : -1));
    return newest === undefined ? { count: 0 } : { count: found.length, newest: cursorOf(newest) };
  };

function listed(all: Iterable<RunSummary>, query: RunQuery): RunPage {
  const summaries = [...all];
  const wanted = summaries.filter((summary) => isWanted(summary, query));
  const isAfter = comesAfter(query);
  const runs = wanted.sort((a, b) => (isAfter(a, b) ? 1 : -1)).slice(0, Math.max(query.limit, 0));
  const last = runs.at(-1);
  const page = { runs, looked: summaries.length };
  return last === undefined || runs.length === wanted.length ? page : { ...page, next: cursorOf(last) };
}

const emptyRun = (): StoredRun => ({
  state: new State(),
  journal: [],
  bodies: new Map(),
  characters: 0,
  nonces: [],
  followers: new Set(),
});

/** Returns the refusal of a commit; undefined for one that is carried out. */
function verdictOn(run: StoredRun, commit: Pick<Commit, 'version' | 'nonce' | 'next'>): KnownPosition | undefined {
  const version = run.nonces.length;
  const nonce = run.nonces.at(-1) ?? '';
  const known = commit.version === 0 ? '' : run.nonces[commit.version - 1];
  if (version === commit.version && nonce === commit.nonce) return undefined;
  if (nonce === commit.next) return { type: 'committed', version };
  if (version <= commit.version || known !== commit.nonce) return { type: 'diverged' };
  return { type: 'behind', missed: { [Symbol.iterator]: () => commitsAfter(run, commit.version) } };
}

/** Yields the commits after a version. */
function* commitsAfter({ journal, nonces }: StoredRun, known: number): Generator<MissedCommit> {
  for (let version = known + 1; version <= nonces.length; version += 1) {
    const entries = journal.slice(indexAfter(journal, endOf(version - 1)), indexAfter(journal, endOf(version)));
    const [{ at } = { at: 0 }] = entries;
    yield { version, nonce: nonces[version - 1] ?? '', at, events: entries.map(({ event }) => event) };
  }
}

function apply(run: StoredRun, commit: Commit): void {
  const version = nextVersion(run.nonces.length, commit.decision.events);
  // The commits of copied parts are those of another run.
  while (run.nonces.length < version - 1) run.nonces.push('');
  run.nonces.push(commit.next);
  commit.decision.events.forEach((event, index) => {
    run.journal.push({ id: `${version}-${index}`, at: commit.at, event });
  });
  for (const { id, body } of commit.decision.bodies) {
    run.bodies.set(id, body);
    if (!('blob' in body)) run.characters += messageSize(body);
  }
  run.state.apply(commit.decision.writes);
}

const copyOf = ({ state, nonces, journal }: StoredRun): LoadedRun => ({
  state: state.copy(),
  version: nonces.length,
  nonce: nonces.at(-1) ?? '',
  at: journal.at(-1)?.at ?? 0,
});

function nextCommit(run: StoredRun, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      run.followers.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    if (signal.aborted) return resolve();
    run.followers.add(done);
    signal.addEventListener('abort', done);
  });
}
