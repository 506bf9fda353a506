import type { JournalEntry, RunId, Vocabulary, Wake, Workflow } from '@millrace/core';
import { compile } from '@millrace/core';
import type { AuditedRun, Violation } from '../audit/audit.ts';
import { agendaErrors, auditRun } from '../audit/audit.ts';
import { stalledBy, wakesOfQuietRun } from '../audit/stalled.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store/port.ts';

/** Result of an inspection of a run. */
export type Inspection =
  | { readonly type: 'inspected'; readonly violations: readonly Violation[]; readonly mended: number }
  /** The run changed all the while, so that no consistent copy could be read. */
  | { readonly type: 'busy' }
  /** There is no such run, or its workflow no longer exists. */
  | { readonly type: 'absent' };

/** Options of an inspection. */
export interface InspectOptions {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  /** Queue that is asked for the wakes of a run without an event for a minute; absent: they are not checked. */
  readonly queue?: Pick<Queue, 'missing' | 'requeue'>;
  /** Milliseconds since 1970; default: the store's clock. */
  readonly now?: number;
  /** Repairs the agenda and queues missing wakes; all other findings are only reported. */
  readonly repair?: true;
}

/** Number of attempts to read a run that changes while it is read. */
const attempts = 20;
const page = 1000;

/** Audits a stored run while other processes may execute it; see {@link auditRun} for the invariants. */
export async function inspectRun(run: RunId, options: InspectOptions): Promise<Inspection> {
  const { store, vocabulary } = options;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const audited = await snapshotOf(run, store, vocabulary);
    if (audited === undefined) return { type: 'absent' };
    if (audited === 'moved') continue;
    const now = options.now ?? store.now();
    const stalled = (await options.queue?.missing(wakesOfQuietRun(audited, now))) ?? [];
    // A missing wake may have been in transit.
    if (stalled.length > 0 && (await hasMoved(store, audited))) continue;
    const violations = [...auditRun(audited), ...stalledBy(audited, stalled, now)];
    return { type: 'inspected', violations, mended: await repair(audited, stalled, options) };
  }
  return { type: 'busy' };
}

/** Repairs what can be repaired, if requested; returns the number of repairs. */
async function repair(
  audited: AuditedRun,
  stalled: readonly Wake[],
  { store, queue, repair: isAsked }: InspectOptions,
): Promise<number> {
  if (!isAsked) return 0;
  const { missing, needless } = agendaErrors(audited);
  if (missing.length + needless.length > 0) await store.repairAgenda({ missing, needless });
  if (stalled.length > 0) await queue?.requeue(stalled);
  return missing.length + needless.length + stalled.length;
}

/** Reads a consistent copy of the run; `moved` when another process has committed in the meantime. */
async function snapshotOf(run: RunId, store: Store, vocabulary: Vocabulary): Promise<AuditedRun | 'moved' | undefined> {
  const loaded = await store.load(run);
  const hash = loaded?.state.get('run')?.plan;
  const json = hash === undefined ? undefined : await store.loadPlan(hash);
  if (loaded === undefined || json === undefined) return undefined;
  const journal = await wholeJournal(store, run);
  const agenda = (await store.agenda()).filter((due) => due.run === run);
  if (await hasMoved(store, { run, ...loaded })) return 'moved';
  const plan = compile(JSON.parse(json) as Workflow, vocabulary); // stored under its hash, after validation
  return { run, plan, ...loaded, journal, agenda };
}

type KnownPosition = Parameters<Store['since']>[0];

const hasMoved = async (store: Store, { run, version, nonce }: KnownPosition): Promise<boolean> =>
  (await store.since({ run, version, nonce })).type !== 'committed';

async function wholeJournal(store: Store, run: RunId): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (;;) {
    const next = await store.journal(run, entries.at(-1)?.id ?? '0', page);
    if (next.length === 0) return entries;
    for (const entry of next) entries.push(entry);
  }
}
