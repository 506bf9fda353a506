import type {
  AgendaItem,
  ArchivedSegment,
  BudgetRecord,
  Decision,
  EndedStatus,
  Event,
  JournalEntry,
  MemoryItem,
  MessageBody,
  MessageId,
  MessageRef,
  ModelUsage,
  RequestError,
  RunId,
  RunRecord,
  RunStatus,
  Starter,
  State,
  StateView,
  TenantId,
} from '@millrace/core';
import { hasEnded, omitUndefined } from '@millrace/core';
import type { BatchRows } from './batch-rows.ts';
import type { Registry } from './registry.ts';
import type { StoredBytes } from './stored-bytes.ts';
import type { UsageByDay, UsageCount } from './usage.ts';

/** A message body as a store keeps it: whole, or by the digest of its JSON among the blobs. */
export type StoredBody = MessageBody | { readonly blob: string };

/** A decision whose long messages are blobs already. */
export interface StoredDecision extends Omit<Decision, 'bodies'> {
  readonly bodies: readonly { readonly id: MessageId; readonly body: StoredBody }[];
}

/** An atomic write: all of it is written, or nothing. */
export interface Commit {
  readonly run: RunId;
  /** The version this was decided on; 0 for a run that does not exist yet. */
  readonly version: number;
  /**
   * Nonce of the commit that made that version: a version alone would be wrong when Redis loses its newest writes in a
   * power loss.
   */
  readonly nonce: string;
  /** This commit's own nonce, which identifies a commit that is sent twice. */
  readonly next: string;
  /** Time of the events: milliseconds since 1970 by the store's clock. */
  readonly at: number;
  readonly decision: StoredDecision;
  /** The state of the run that it was decided on. */
  readonly before: StateView;
  /** Set when the run starts or its status or waiting changes: what lists of runs show. */
  readonly summary?: RunSummary | undefined;
  /** Previous status in lists of runs; absent when the run starts. */
  readonly formerly?: RunStatus | undefined;
  /** The run has got its first open question, or lost its last one. */
  readonly asking?: 'began' | 'ended' | undefined;
  /** Ids of those of its events that are written to the outbox. */
  readonly outboxEntries?: readonly string[] | undefined;
  /** Changes of the usage by day. */
  readonly usage?: readonly UsageCount[] | undefined;
  /** Preconditions of the commit that starts a run, checked with the version. */
  readonly preconditions?: StartPreconditions | undefined;
}

/** Conditions of the start of a run, so that nothing has to be read before its first commit. */
export interface StartPreconditions {
  /** Hash of a plan that is stored. */
  readonly plan: string;
  /** Hash of a text that is stored. */
  readonly text?: string;
  /** A register, and whether it has entries. */
  readonly register: { readonly name: string; readonly hasEntries: boolean };
}

/** Position of a run relative to the version and nonce that a caller knows. */
export type KnownPosition =
  | { readonly type: 'committed'; readonly version: number }
  /** Others have committed since: the commits that the caller has missed, at least one, each decoded when it is reached. */
  | { readonly type: 'behind'; readonly missed: Iterable<MissedCommit> }
  /** The store does not know the version and nonce, and cannot tell what was missed: load the run again. */
  | { readonly type: 'diverged' };

/** A commit of another process, from which a caller that knows the version before it makes this version. */
export interface MissedCommit {
  readonly version: number;
  readonly nonce: string;
  readonly at: number;
  readonly events: readonly Event[];
}

/** `unmet`: a precondition of the commit does not hold, and nothing was written. */
export type CommitResult = KnownPosition | { readonly type: 'unmet' };

/** Outcome of a confirmation. */
export type Confirmation =
  | { readonly type: 'confirmed' }
  /** Too few replicas have the version by now; the error is for callers. */
  | { readonly type: 'unconfirmed'; readonly error: RequestError }
  /** The store has lost the version. */
  | { readonly type: 'diverged' };

/** One line in a list of runs. Times are milliseconds since 1970. */
export interface RunSummary {
  readonly run: RunId;
  readonly workflow: string;
  readonly plan: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly tags?: readonly string[];
  /** It has open questions. */
  readonly asks?: true;
  /** Usage at the last change of its status; absent when there was none. */
  readonly usage?: ModelUsage;
  /** First line of the task, at most 120 characters. */
  readonly title?: string;
  /** The error for which it is failing, has failed, or was cancelled. */
  readonly error?: { readonly code: string };
  /** Reason for which it stops, or was stopped; absent for other runs. */
  readonly stopCode?: string;
  /** Absent when a caller started it. */
  readonly origin?: RunOrigin;
  /** Limit and usage at the last change of its status; absent when the run has no budget. */
  readonly budget?: Pick<BudgetRecord, 'limit' | 'spent'>;
  /** Hash of the text of its workflow; absent for a run that was started without it. */
  readonly version?: string;
  /** Number of activations when its status last changed. */
  readonly activations: number;
  /** Time at which a temporary run is removed; lists do not show such runs. */
  readonly expiresAt?: number;
}

/** Source of a run: the run that it replays or was forked from, its batch or schedule, the job, or the tool. */
export interface RunOrigin {
  readonly type: 'replay' | 'fork' | 'batch' | Starter['type'];
  readonly of: string;
}

/** Part of the runs of a tenant. Times are milliseconds since 1970. */
export interface RunScope {
  /** Absent: the default tenant. */
  readonly tenant?: TenantId;
  readonly workflow?: string;
  readonly tag?: string;
  /** Started then or later. */
  readonly since?: number;
  /** Started before. */
  readonly until?: number;
}

/** Numbers of runs. */
export interface RunCounts {
  /** Without the statuses that no run has. */
  readonly byStatus: Readonly<Partial<Record<RunStatus, number>>>;
  /** Number of runs with open questions. */
  readonly asks: number;
  /** Only the newest of these runs were counted. */
  readonly capped: boolean;
}

/** Runs of one workflow: their number, and the one that began last. */
export interface WorkflowRuns {
  readonly count: number;
  /** Absent when there is none. */
  readonly newest?: RunCursor;
}

/** Filter of a list of runs, newest first. Times are milliseconds since 1970. */
export interface RunQuery extends RunScope {
  /** Only runs with this status, or one of these. */
  readonly status?: RunStatus | readonly RunStatus[];
  /** Only runs with open questions. */
  readonly asks?: true;
  /** Words: each begins the id of a run, a word of its title, a tag, or the name of its workflow. Letter case is ignored. */
  readonly q?: string;
  /** Words that the task or the result of a run contains. Letter case is ignored. The store knows no contents: `Runs.list` does. */
  readonly text?: string;
  /** Only replays and forks of this run. */
  readonly of?: RunId;
  /** Only runs of this version of a workflow, by the hash of its text. */
  readonly version?: string;
  /** Only runs that were stopped for this reason, such as `budget`. */
  readonly stop?: string;
  /** Default: the runs that began last come first. */
  readonly order?: 'oldest';
  readonly limit: number;
  /** Cursor: the last run of the previous page. */
  readonly after?: RunCursor;
}

/** Position of a run in lists. */
export type RunCursor = Pick<RunSummary, 'run' | 'startedAt'>;

/** A part of a list. A page may have fewer runs than were asked for, or none, and yet not be the last. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Number of runs that were read to find these. */
  readonly looked: number;
  /** Cursor of the next page; absent when there is none. */
  readonly next?: RunCursor;
}

/** Part of the contents of a memory store. */
export interface MemoryPage {
  /** Id of the oldest memory that it still holds; absent when it is empty. */
  readonly oldest?: string;
  readonly items: readonly MemoryItem[];
}

/**
 * Operations on a journal that is partly archived. Readers get the archived part from the blobs where it is removed here; a store that has
 * room for everything removes nothing.
 */
export interface Archive {
  /**
   * Returns the commits after a version, whole, until their events have this size together; never the newest commit of the
   * run. An event counts as 1, and each unit that it has stored as 1 more.
   */
  oldest(run: RunId, after: { readonly version: number; readonly size: number }): Promise<readonly JournalEntry[]>;
  /**
   * Removes the journal up to a segment, if the stored state names it: a failover may have lost the commit that added it. Repeating
   * it has no effect.
   */
  trim(run: RunId, segment: ArchivedSegment): Promise<void>;
  /** Removes the bodies up to the end of a segment, all of which are in segments, that are not referred to; on the same condition. */
  sweep(run: RunId, segment: ArchivedSegment, referred: { has(id: MessageId): boolean }): Promise<void>;
}

/** Capacity for one more run; `evicting`: this policy may evict stored runs. */
export type StoreCapacity =
  | { readonly type: 'enough' | 'full' }
  | { readonly type: 'evicting'; readonly policy: string };

/** End of a run: its time in milliseconds since 1970, and its result if it has one; `absent`: there is no such run. */
export type RunEnd =
  | { readonly type: 'absent' | 'live' }
  | { readonly type: 'ended'; readonly at: number; readonly output?: MessageRef };

/** Returns the end that the record of a run names. */
export const endOfRecord = (run: RunRecord | undefined): RunEnd =>
  run === undefined
    ? { type: 'absent' }
    : hasEnded(run) && run.finishedAt !== undefined
      ? { type: 'ended', at: run.finishedAt, ...omitUndefined({ output: run.output }) }
      : { type: 'live' };

/** Store of runs. Every adapter passes the same contract suite (test/contract/store/store.ts). */
export interface Store {
  /** Says whether what is stored survives the process. */
  readonly durable: boolean;
  /** Returns whether there is room for one more run; the rest is reserved for runs that exist. */
  capacity(): Promise<StoreCapacity>;
  commit(commit: Commit): Promise<CommitResult>;
  /**
   * Waits until as many replicas as are configured have a version of a run, which this process has committed or read. Absent
   * where none are.
   */
  confirm?(known: Parameters<Store['since']>[0]): Promise<Confirmation>;
  /** Returns whether a failed commit is refused as wrong: trying it again cannot succeed. */
  refuses(error: Error): boolean;
  /** Returns the commits after a version that this process knows; `committed` with that version when there are none. */
  since(known: { readonly run: RunId; readonly version: number; readonly nonce: string }): Promise<KnownPosition>;
  /** Undefined when there is no such run. */
  load(run: RunId): Promise<LoadedRun | undefined>;
  /** Returns whether and when a run has ended, without loading it. */
  endOf(run: RunId): Promise<RunEnd>;
  /** Journal entries after the id `after` (`'0'`: from the start), oldest first, at most `limit`. */
  journal(run: RunId, after: string, limit: number): Promise<readonly JournalEntry[]>;
  /**
   * Waits until there are entries after `after`, or the signal is aborted (then: none). Throws RequestError when the
   * run is removed.
   */
  follow(run: RunId, after: string, signal: AbortSignal): Promise<readonly JournalEntry[]>;
  /** Absent where the journal is kept whole. */
  readonly archive?: Archive;
  /** Bodies in the order of the ids. Throws when one does not exist: that is a bug. */
  bodies(run: RunId, ids: readonly MessageId[]): Promise<readonly StoredBody[]>;
  /** First 2,048 bytes of the JSON of bodies, in the order of the ids; undefined for one that does not exist. */
  heads(run: RunId, ids: readonly MessageId[]): Promise<readonly (string | undefined)[]>;
  /** Keeps a compiled workflow's source under its content hash. Saving the same one again changes nothing. */
  savePlan(hash: string, json: string): Promise<void>;
  loadPlan(hash: string): Promise<string | undefined>;
  /** Keeps the text of a workflow file under its hash. Saving the same one again changes nothing. */
  saveText(hash: string, text: string): Promise<void>;
  loadText(hash: string): Promise<string | undefined>;
  /**
   * Returns a page of runs. The cost depends on the page; with filters that match few, a fixed number of runs is read.
   */
  runs(query: RunQuery): Promise<RunPage>;
  /** Counts runs. The cost is that of reading 10,000 runs at most. */
  countRuns(scope: RunScope): Promise<RunCounts>;
  /** Returns the runs of each of these workflows, in their order. */
  runsOf(workflows: readonly string[], tenant?: TenantId): Promise<readonly WorkflowRuns[]>;
  readonly registry: Registry;
  readonly outbox: Outbox;
  readonly rows: BatchRows;
  readonly retention: Retention;
  readonly usage: UsageByDay;
  readonly stored: StoredBytes;
  /**
   * Waits until an item of the agenda may be due, for some seconds at most; returns whether one may be. Returns at once
   * where that costs nothing.
   */
  untilDue(signal: AbortSignal): Promise<boolean>;
  /** Returns the items due at `now` (milliseconds), oldest first; each is postponed to `until` atomically. */
  overdue(now: number, until: number, limit: number): Promise<readonly AgendaItem[]>;
  /** Returns all items, due or not, soonest first. */
  agenda(): Promise<readonly AgendaItem[]>;
  /** Returns those of the items that are on the agenda. */
  onAgenda(items: readonly AgendaItem[]): Promise<readonly AgendaItem[]>;
  /** Repairs the agenda outside of any commit: adds missing items, overdue at once, and removes the others. */
  repairAgenda(repairs: {
    readonly missing: readonly AgendaItem[];
    readonly needless: readonly AgendaItem[];
  }): Promise<void>;
  /** Returns the memories of a store after the id `after` (`'0'`: from the start), oldest first, at most `limit`. */
  memory(identity: string, after: string, limit: number): Promise<MemoryPage>;
  /** Returns stored vectors in base64, by key; undefined where there is none (any more). */
  vectors(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /**
   * Stores vectors for a while. A key always has the same vector, so it does not matter which process stores it first.
   */
  keepVectors(vectors: ReadonlyMap<string, string>): Promise<void>;
  /**
   * Milliseconds since 1970 by the store's clock, without a request: the offset is learned from its replies. It goes
   * back only with that clock, by more than a second.
   */
  now(): number;
  close(): Promise<void>;
}

/** A run as loaded from the store. */
export interface LoadedRun {
  readonly state: State;
  readonly version: number;
  readonly nonce: string;
  /** Time of its last commit, in milliseconds since 1970. */
  readonly at: number;
}

/** Record of an event in a run whose events are relayed. */
export interface OutboxEntry {
  /** Id of the entry itself. */
  readonly id: string;
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
}

/**
 * Entries that are to be relayed. An entry is written in the commit of its event, so none is lost, and stays until it
 * is done. It is given to one consumer, and to another one when it is not done after a while.
 */
export interface Outbox {
  /** Waits for entries and returns some; none when the signal is aborted, or occasionally while there are none. */
  take(signal: AbortSignal): Promise<readonly OutboxEntry[]>;
  done(ids: readonly string[]): Promise<void>;
}

/** Part of the runs that have ended or expired; `until` in milliseconds since 1970. */
interface EndedQuery {
  readonly until: number;
  /** Number of runs that are skipped. */
  readonly skip: number;
  readonly limit: number;
}

/** Retention of ended and of temporary runs in a store. */
export interface Retention {
  /** Temporary runs of all tenants that are to be removed at `until` or before, the longest ago first. Costs as much as it gives. */
  expired(query: EndedQuery): Promise<readonly RunId[]>;
  /** Runs of all tenants that ended with this status at `until` or before, the longest ago first. Costs as much as it gives. */
  ended(status: EndedStatus, query: EndedQuery): Promise<readonly RunId[]>;
  /**
   * Removes everything of a run atomically, if it has not changed since it was loaded; returns whether it did. The
   * blobs with its journal are marked as discarded in the same step.
   */
  remove(run: RunId, loaded: LoadedRun): Promise<boolean>;
  /** All runs of all tenants, each at least once; of those that begin or go meanwhile, some. */
  all(): AsyncIterable<RunId>;
  /**
   * Yields all texts of a run: every digest of contents that it refers to is in one of them. Nothing when the run does
   * not exist.
   */
  writings(run: RunId): AsyncIterable<string>;
  /** Digests of blobs of removed runs that may not be deleted yet. */
  discarded(limit: number): Promise<readonly string[]>;
  /** Notes that these are. */
  deleted(digests: readonly string[]): Promise<void>;
}
