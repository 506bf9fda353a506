import type { Command, CommandVerdict, Decision, Event, Plan, RunId, RunLimits, Wake, Write } from '@millrace/core';
import { decide, NodeError } from '@millrace/core';
import { hasContents, storeContents } from '../blobs/run-contents.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Queue } from '../ports/queue.ts';
import { outboxEntries } from '../ports/store/outbox-entries.ts';
import type { Commit, CommitResult, StartPreconditions, Store, StoredDecision } from '../ports/store/port.ts';
import { usageCounts } from '../ports/store/usage-counts.ts';
import type { CachedRun, RunSource } from './cached-run.ts';
import { catchUp, reload } from './cached-run.ts';

/** Dependencies of commits. */
export interface CommitContext extends RunSource {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly nonce: () => string;
  readonly limits: RunLimits;
  /** Reports a failure that repairs itself. */
  readonly report: (message: string, error: unknown) => void;
  /** Returns the summary for lists of runs after this decision, if it has changed. */
  readonly summarise: (cached: CachedRun, decision: Decision) => Pick<Commit, 'summary' | 'formerly' | 'asking'>;
  /** Called when a run has ended, so that what is kept of it can be freed. */
  readonly ended: (run: RunId) => void;
  /** Called after each commit. */
  readonly committed: (cached: CachedRun, decision: Decision) => void;
}

/** Commands that are decided together. */
interface Batch {
  readonly commands: readonly Command[];
  readonly preconditions: StartPreconditions | undefined;
  readonly sent: () => void;
}

/** Verdicts on the commands of a batch, once they are committed. */
interface CommittedBatch {
  readonly verdicts: readonly CommandVerdict[];
  /** Fulfilled when the wakes of the commit are queued; undefined when there are none. Never rejected. */
  readonly waking: Promise<void> | undefined;
}

/**
 * Decides commands and commits the decision, again if another process has committed to the run meanwhile, or a failover has
 * lost what was decided on.
 */
export async function commitBatch(
  context: CommitContext,
  cached: CachedRun,
  { commands, preconditions, sent }: Batch,
): Promise<CommittedBatch> {
  for (;;) {
    const plan = cached.plan ?? (await planFor(context, cached, commands));
    // The clock of this process may be behind the clock of the process that made the last commit.
    const moment = { run: cached.run, at: Math.max(cached.at, context.store.now()), nonce: context.nonce() };
    const { decision, verdicts } = decide(plan, cached.state, { commands, moment, limits: context.limits });
    if (decision.events.length === 0) {
      if (await isKept(context.store, cached, awaitedBy(commands, []))) return { verdicts, waking: undefined };
      await reload(context, cached);
      continue;
    }
    // Blobs are stored before the commit that refers to them; once the commit is sent, nothing is awaited.
    const stored = hasContents(decision) ? await storeContents(context, cached.run, decision) : decision;
    const { committing, waking } = send(context, cached, { decision, stored, moment, preconditions, sent });
    const sentCommit = { result: await committing, decision, moment, commands };
    if (await isCommitted(context, cached, sentCommit)) return { verdicts, waking };
  }
}

interface SentCommit {
  readonly result: CommitResult;
  readonly decision: Decision;
  readonly moment: BatchDecision['moment'];
  readonly commands: readonly Command[];
}

/** Brings a cached run up to date with the result of a commit. Returns false if the commands are to be decided again. */
async function isCommitted(
  context: CommitContext,
  cached: CachedRun,
  { result, decision, moment, commands }: SentCommit,
): Promise<boolean> {
  const by = awaitedBy(commands, decision.events);
  switch (result.type) {
    case 'committed': {
      const committed = { run: cached.run, version: result.version, nonce: moment.nonce };
      const kept = isKept(context.store, committed, by);
      if (kept !== true && !(await kept)) break;
      cached.state.apply(decision.writes);
      cached.version = result.version;
      cached.nonce = moment.nonce;
      cached.at = moment.at;
      context.committed(cached, decision);
      return true;
    }
    case 'behind': {
      const [first] = result.missed;
      await catchUp(context, cached, result);
      // It is the first of them when its reply was lost with the connection, and others had committed before it was sent again.
      if (first?.nonce !== moment.nonce) return false;
      if (!(await isKept(context.store, cached, by))) break;
      context.committed(cached, decision);
      return true;
    }
    case 'diverged':
      break;
    case 'unmet':
      throw new PreconditionUnmet();
  }
  await reload(context, cached);
  return false;
}

/** Commands of callers, who are told their outcome: a failover must not lose what it rests on. */
const ofCallers: ReadonlySet<Command['type']> = new Set(['start', 'fork', 'answer', 'tool.decide', 'signal']);

/** Returns whether somebody outside of the run gives a command, and waits for its outcome. */
export const isOfCaller = ({ type }: Command): boolean => ofCallers.has(type);

/** The reason for which replicas must have a version of a run: a caller is told of it, or the run has ended in it. */
type AwaitedBy = 'caller' | 'end' | 'nobody';

function awaitedBy(commands: readonly Command[], events: readonly Event[]): AwaitedBy {
  if (commands.some(isOfCaller)) return 'caller';
  return events.some(({ type }) => type === 'run.finished') ? 'end' : 'nobody';
}

/**
 * Waits until replicas have a version of a run; synchronous where nothing is waited for. Returns false when the store has lost it
 * meanwhile. Throws for a caller when too few replicas have it, although it may have been stored.
 */
export function isKept(
  { confirm }: Pick<Store, 'confirm'>,
  version: Pick<CachedRun, 'run' | 'version' | 'nonce'>,
  by: AwaitedBy,
): Promise<boolean> | true {
  return confirm === undefined || version.version === 0 || by === 'nobody' ? true : isConfirmed(confirm, version, by);
}

async function isConfirmed(
  confirm: NonNullable<Store['confirm']>,
  { run, version, nonce }: Pick<CachedRun, 'run' | 'version' | 'nonce'>,
  by: AwaitedBy,
): Promise<boolean> {
  const confirmation = await confirm({ run, version, nonce });
  if (confirmation.type === 'unconfirmed' && by === 'caller') throw confirmation.error;
  return confirmation.type !== 'diverged';
}

/** A decision that is to be committed. */
interface BatchDecision extends Pick<Batch, 'preconditions' | 'sent'> {
  readonly decision: Decision;
  /** The decision with long bodies as blobs. */
  readonly stored: Commit['decision'];
  /** Time and nonce of the commit. */
  readonly moment: { readonly at: number; readonly nonce: string };
}

/**
 * Sends a commit and its wakes without waiting for each other: the wake of a commit that others have overtaken, or of a
 * start whose preconditions are not met, finds no activation with its token and is dropped.
 */
function send(
  context: CommitContext,
  cached: CachedRun,
  { decision, stored, moment, preconditions, sent }: BatchDecision,
): { readonly committing: Promise<CommitResult>; readonly waking: CommittedBatch['waking'] } {
  assertCommitFits(stored, context.limits);
  const { summary, formerly, asking } = context.summarise(cached, decision);
  const commit: Commit = {
    run: cached.run,
    version: cached.version,
    nonce: cached.nonce,
    next: moment.nonce,
    at: moment.at,
    decision: stored,
    before: cached.state,
    summary,
    formerly,
    asking,
    outboxEntries: outboxEntries(cached, decision),
    usage: usageCounts(cached, decision, moment.at),
    preconditions,
  };
  const committing = context.store.commit(commit);
  const waking = wake(context, decision.wakes);
  // Both writes are handed to the connection before the current turn of the event loop ends.
  process.nextTick(sent);
  return { committing, waking };
}

/** Thrown to the caller of a start whose preconditions are not met. */
export class PreconditionUnmet extends Error {
  constructor() {
    super('The preconditions of the start of a run are not met.');
    this.name = 'PreconditionUnmet';
  }
}

/** Returns the plan of a run. For a run that is being started, the command names it. */
async function planFor(context: CommitContext, cached: CachedRun, commands: readonly Command[]): Promise<Plan> {
  const hash =
    cached.state.get('run')?.plan ??
    commands.flatMap((command) => (command.type === 'start' || command.type === 'fork' ? [command.plan] : []))[0];
  if (cached.plan !== undefined || hash === undefined) return cached.plan ?? emptyPlan;
  try {
    cached.plan = await context.planOf(hash);
    return cached.plan;
  } catch (error) {
    // A run must be able to end even when its plan cannot be loaded.
    if (commands.every(({ type }) => type === 'fail' || type === 'cancel' || type === 'stop')) return emptyPlan;
    throw error;
  }
}

/** Placeholder for a plan that cannot be loaded. */
export const emptyPlan: Plan = { compat: false, graphs: new Map() };

/** Queues wakes. The agenda has them, too: for a lost wake, the caretaker only needs a few seconds more. */
function wake(context: CommitContext, wakes: readonly Wake[]): Promise<void> | undefined {
  return wakes.length === 0 ? undefined : queueWakes(context, wakes);
}

async function queueWakes({ queue, report }: CommitContext, wakes: readonly Wake[]): Promise<void> {
  try {
    await queue.wake(wakes);
  } catch (error) {
    report('wakes were not queued; the caretaker will do it', error);
  }
}

/** Maximum number of values in one call of Redis: before version 7, its protocol limits it (1024 * 1024). */
const maxValues = 1_000_000;
/** Approximate number of characters of a value that is not a message; entries of lists are references. */
const valueCharacters = 64;
/** Maximum number of characters of a body, as a longer one is a blob, and of most memories. */
const bodyCharacters = 64 * 1024;

/** Throws NodeError when a decision is too large for one write; contents in blobs do not count. */
function assertCommitFits(decision: StoredDecision, { commitCharacters }: RunLimits): void {
  const values = valuesIn(decision);
  if (values > maxValues) throw tooLarge(`${values.toLocaleString('en')} values`, maxValues);
  let characters = values * valueCharacters;
  // The usual case: the bodies need not be measured.
  if (characters + (decision.bodies.length + decision.memory.length) * bodyCharacters <= commitCharacters) return;
  for (const { body } of decision.bodies) characters += JSON.stringify(body).length;
  for (const { memory } of decision.memory) characters += JSON.stringify(memory).length;
  if (characters > commitCharacters) throw tooLarge(`${characters.toLocaleString('en')} characters`, commitCharacters);
}

const tooLarge = (much: string, most: number): NodeError =>
  new NodeError(
    'COMMIT_TOO_LARGE',
    `One step of the run would write ${much}; at most ${most.toLocaleString('en')} can be written at once. Pass on fewer or shorter messages, large ones as files, or raise MILLRACE_MAX_COMMIT_MB.`,
  );

function valuesIn({ events, writes, bodies, wakes, later, settled, memory }: StoredDecision): number {
  const besides = events.length + 2 * (bodies.length + wakes.length + later.length) + settled.length + memory.length;
  return writes.reduce((sum, write) => sum + valuesOf(write), besides);
}

const valuesOf = (write: Write): number => (write.type === 'append' ? write.entries.length : 2);
