import type { JournalEntry, RunId, Vocabulary, Wake, Workflow } from '@millrace/core';
import { compile } from '@millrace/core';
import type { AuditedRun, Violation } from '../audit/audit.ts';
import { agendaErrors, auditRun } from '../audit/audit.ts';
import { stalledBy, wakesOfQuietRun } from '../audit/stalled.ts';
import type { Queue } from '../queue/port.ts';
import type { Store } from '../store/port.ts';

/** Result of an inspection of a run. */
export type Inspection =
  | { readonly type: 'inspected'; readonly violations: readonly Violation[]; readonly mended: number }
  /** It went on all the while, so that there was no moment to look at it. */
  | { readonly type: 'busy' }
  /** There is no such run, or its workflow is gone. */
  | { readonly type: 'absent' };

/** Options of an inspection. */
export interface InspectOptions {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  /** Asked for what a run needs that has not moved for a minute; absent: that is not looked at. */
  readonly queue?: Pick<Queue, 'missing' | 'requeue'>;
  /** Milliseconds since 1970; default: by the store's clock. */
  readonly now?: number;
  /** Puts the agenda right where it is wrong and queues what is stalled; everything else is only told. */
  readonly mend?: true;
}

/** Number of attempts to read a run that changes meanwhile. */
const attempts = 20;
const page = 1000;

/** Looks at a stored run while others may work on it: see {@link auditRun} for what must hold. */
export async function inspectRun(run: RunId, options: InspectOptions): Promise<Inspection> {
  const { store, vocabulary } = options;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const audited = await snapshotOf(run, store, vocabulary);
    if (audited === undefined) return { type: 'absent' };
    if (audited === 'moved') continue;
    const now = options.now ?? store.now();
    const stalled = (await options.queue?.missing(wakesOfQuietRun(audited, now))) ?? [];
    // What was missing may have been on its way.
    if (stalled.length > 0 && (await hasMoved(store, audited))) continue;
    const violations = [...auditRun(audited), ...stalledBy(audited, stalled, now)];
    return { type: 'inspected', violations, mended: await mend(audited, stalled, options) };
  }
  return { type: 'busy' };
}

/** Puts right what can be, where that is asked for; returns how much that was. */
async function mend(
  audited: AuditedRun,
  stalled: readonly Wake[],
  { store, queue, mend: isAsked }: InspectOptions,
): Promise<number> {
  if (!isAsked) return 0;
  const { missing, needless } = agendaErrors(audited);
  if (missing.length + needless.length > 0) await store.mendAgenda({ missing, needless });
  if (stalled.length > 0) await queue?.requeue(stalled);
  return missing.length + needless.length + stalled.length;
}

/** The run as of one moment; `moved` when somebody has committed while it was read. */
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
