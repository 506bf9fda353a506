import type { ActivationId, AgendaItem, JournalEntry, RunId, Vocabulary, Wake, Workflow } from '@millrace/core';
import { agendaItemId, compile, locateActivation } from '@millrace/core';
import type { AuditedRun, Violation } from '../audit/audit.ts';
import { agendaErrors, auditRun, expectedDues } from '../audit/audit.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store/port.ts';

/** Result of an inspection of a run. */
export type Inspection =
  | { readonly type: 'inspected'; readonly violations: readonly Violation[]; readonly mended: number }
  /** The run changed all the while, so that no consistent copy could be read. */
  | { readonly type: 'busy' }
  /** There is no such run, or its state or its workflow is missing. */
  | { readonly type: 'absent' };

/** Options of an inspection. */
export interface InspectOptions {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  /** The agenda as it was read for many runs; absent: it is read for this run. */
  readonly agenda?: AgendaByRun;
  /** Queue that is asked for the wakes of a run without an event for a minute; absent: they are not checked. */
  readonly queue?: Pick<Queue, 'missing' | 'requeue'>;
  /** Milliseconds since 1970; default: the store's clock. */
  readonly now?: number;
  /** Repairs the agenda and queues missing wakes; all other findings are only reported. */
  readonly repair?: true;
}

/** Items of an agenda by their runs. */
export type AgendaByRun = ReadonlyMap<RunId, readonly AgendaItem[]>;

/** Reads the whole agenda. */
export async function readAgenda(store: Pick<Store, 'agenda'>): Promise<AgendaByRun> {
  const byRun = new Map<RunId, AgendaItem[]>();
  for (const due of await store.agenda()) {
    const some = byRun.get(due.run);
    if (some === undefined) byRun.set(due.run, [due]);
    else some.push(due);
  }
  return byRun;
}

/** Number of attempts to read a run that changes while it is read. */
const attempts = 20;
const page = 1000;

/** Audits a stored run while other processes may execute it; see {@link auditRun} for the invariants. */
export async function inspectRun(run: RunId, options: InspectOptions): Promise<Inspection> {
  const { store } = options;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const audited = await snapshotOf(run, options);
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
async function snapshotOf(
  run: RunId,
  { store, vocabulary, agenda: known }: InspectOptions,
): Promise<AuditedRun | 'moved' | undefined> {
  const loaded = await store.load(run);
  const hash = loaded?.state.get('run')?.plan;
  const json = hash === undefined ? undefined : await store.loadPlan(hash);
  if (loaded === undefined || json === undefined) return undefined;
  const journal = await wholeJournal(store, run);
  const listed = (known ?? (await readAgenda(store))).get(run) ?? [];
  const agenda = await store.onAgenda(unique([...expectedDues(run, loaded.state), ...listed]));
  if (await hasMoved(store, { run, ...loaded })) return 'moved';
  const plan = compile(JSON.parse(json) as Workflow, vocabulary); // stored under its hash, after validation
  return { run, plan, ...loaded, journal, agenda };
}

const unique = (items: readonly AgendaItem[]): readonly AgendaItem[] => [
  ...new Map(items.map((due) => [agendaItemId(due), due])).values(),
];

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

/** Time without an event after which a run counts as quiet, in milliseconds. */
const quietMs = 60_000;
/** Maximum number of wakes that are looked up. */
const maxWakes = 1000;

type IdleRun = Pick<AuditedRun, 'run' | 'state' | 'journal'>;

/**
 * Returns the wakes that a run needs to continue, when no event has happened for a minute: each of them should be
 * queued or executing. Activations that wait for a person, a budget or a later time are not included.
 */
export function wakesOfQuietRun({ run, state, journal }: IdleRun, now: number): readonly Wake[] {
  const last = journal.at(-1);
  if (last === undefined || now - last.at < quietMs) return [];
  const postponed = new Map<ActivationId, number>();
  for (const { event } of journal)
    if (event.type === 'activation.postponed') postponed.set(event.activation, event.until);
  const wakes = expectedDues(run, state).flatMap((due): Wake[] => ('activation' in due ? [due] : []));
  return wakes.filter(({ activation }) => (postponed.get(activation) ?? 0) <= now - quietMs).slice(0, maxWakes);
}

/**
 * Returns the findings about a run whose wakes are neither queued nor executing although no event has happened for a
 * minute.
 */
export function stalledBy(audited: AuditedRun, missing: readonly Wake[], now: number): readonly Violation[] {
  const { run, plan, state, journal } = audited;
  const quietSeconds = Math.round((now - (journal.at(-1)?.at ?? now)) / 1000);
  return missing.map(({ activation }) => {
    const record = state.get(`activation/${activation}`);
    const node = record && locateActivation(plan, state, record).node?.id;
    const message = `Nothing has happened in the run for ${quietSeconds} s, and the activation${node === undefined ? '' : ` of node "${node}"`} is neither queued nor executing.`;
    return { code: 'STALLED', run, subject: activation, message };
  });
}
