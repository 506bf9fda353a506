import type {
  AgendaItem,
  ArchivedSegment,
  BudgetRecord,
  Decision,
  JournalEntry,
  MemoryItem,
  MessageBody,
  MessageId,
  ModelUsage,
  RunId,
  Starter,
  TenantId,
} from '@millrace/core';
import type { BatchRows } from './batch-rows.ts';
import type { Loaded } from './loaded.ts';
import type { Outbox } from './outbox.ts';
import type { Registry } from './registry.ts';
import type { Retention } from './retention.ts';

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
  /** The nonce of the commit that made that version: a version alone is fooled when Redis steps back after a power loss. */
  readonly nonce: string;
  /** This commit's own nonce; a commit sent twice is recognised by it. */
  readonly next: string;
  /** Time of the events: milliseconds since 1970 by the store's clock. */
  readonly at: number;
  readonly decision: StoredDecision;
  /** Set when the run starts or its status or waiting changes: what lists of runs show. */
  readonly summary?: RunSummary;
  /** The status that lists have shown so far; absent when the run starts. */
  readonly formerly?: RunStatus;
  /** The run has begun, or ceased, to ask people something. */
  readonly asking?: 'began' | 'ended';
  /** Ids of those of its events that somebody outside is to be told of. */
  readonly outboxEntries?: readonly string[];
}

export type CommitResult =
  | { readonly type: 'committed'; readonly version: number }
  /** Somebody else committed first: these entries were missed, and the run stands at this version and nonce. */
  | {
      readonly type: 'behind';
      readonly missed: readonly JournalEntry[];
      readonly version: number;
      readonly nonce: string;
    }
  /** The store is not where this process thought and cannot say what was missed: load the run anew. */
  | { readonly type: 'diverged' };

/** Where a run stands, for people. `waiting`: nothing goes on before somebody outside does something. */
export type RunStatus =
  | 'running'
  | 'waiting'
  | 'paused'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'terminated';

/** One line in a list of runs. Times are milliseconds since 1970. */
export interface RunSummary {
  readonly run: RunId;
  readonly workflow: string;
  readonly plan: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly tags?: readonly string[];
  /** It asks people something. */
  readonly asks?: true;
  /** What it had used when its status last changed; absent when that was nothing. */
  readonly usage?: ModelUsage;
  /** First line of the task, at most 120 characters. */
  readonly title?: string;
  /** The error for which it is failing, has failed, or was cancelled. */
  readonly error?: { readonly code: string };
  /** Absent when a caller started it. */
  readonly origin?: RunOrigin;
  /** Limit and what was spent of it when its status last changed; absent when the run has no budget. */
  readonly budget?: Pick<BudgetRecord, 'limit' | 'spent'>;
  /** Number of activations when its status last changed; lines of earlier versions lack it. */
  readonly activations?: number;
}

/** Source of a run: the run that it replays or was forked from, its batch or schedule, the job, or the tool. */
export interface RunOrigin {
  readonly type: 'replay' | 'fork' | 'batch' | Starter['type'];
  readonly of: string;
}

/** Which runs a list shows, newest first. Times are milliseconds since 1970. */
export interface RunQuery {
  /** Absent: the default tenant. */
  readonly tenant?: TenantId;
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly tag?: string;
  /** Only those that ask people something. */
  readonly asks?: true;
  /** Started then or later. */
  readonly since?: number;
  /** Started before. */
  readonly until?: number;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: RunPlace;
}

/** The place of a run in lists. */
export type RunPlace = Pick<RunSummary, 'run' | 'startedAt'>;

/** A part of a list. A page may have fewer runs than were asked for, or none, and yet not be the last. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Cursor of the next page; absent when there is none. */
  readonly next?: RunPlace;
}

/** Part of what a memory store holds. */
export interface MemoryPage {
  /** Id of the oldest memory that it still holds; absent when it is empty. */
  readonly oldest?: string;
  readonly items: readonly MemoryItem[];
}

/** What a store does to a journal of which a part is kept elsewhere. Its readers are given that part from there. */
export interface Archive {
  /**
   * Removes the journal up to a segment that is committed, and the bodies that are in it or in segments before it,
   * except those that are still referred to. Doing it again changes nothing.
   */
  trim(run: RunId, segment: ArchivedSegment, referred: ReadonlySet<MessageId>): Promise<void>;
}

/** Capacity for one more run; `evicting`: what is stored may be dropped by this policy. */
export type StoreCapacity =
  | { readonly type: 'enough' | 'full' }
  | { readonly type: 'evicting'; readonly policy: string };

/** Store of runs. Every adapter passes the same contract suite (test/contract/store.ts). */
export interface Store {
  /** Says whether what is stored survives the process. */
  readonly durable: boolean;
  /** Returns whether there is room for one more run; the rest is reserved for runs that exist. */
  capacity(): Promise<StoreCapacity>;
  commit(commit: Commit): Promise<CommitResult>;
  /** What was committed after a version that this process knows; `committed` with that version when nothing was. */
  since(known: { readonly run: RunId; readonly version: number; readonly nonce: string }): Promise<CommitResult>;
  /** Undefined when there is no such run. */
  load(run: RunId): Promise<Loaded | undefined>;
  /** Journal entries after the id `after` (`'0'`: from the start), oldest first, at most `limit`. */
  journal(run: RunId, after: string, limit: number): Promise<readonly JournalEntry[]>;
  /** Waits until there are entries after `after`, or the signal is aborted (then: none). Throws RequestError when the run goes. */
  follow(run: RunId, after: string, signal: AbortSignal): Promise<readonly JournalEntry[]>;
  /** Absent where the journal is kept whole. */
  readonly archive?: Archive;
  /** Bodies in the order of the ids. Throws when one does not exist: that is a bug. */
  bodies(run: RunId, ids: readonly MessageId[]): Promise<readonly StoredBody[]>;
  /** Keeps a compiled workflow's source under its content hash. Saving the same one again changes nothing. */
  savePlan(hash: string, json: string): Promise<void>;
  loadPlan(hash: string): Promise<string | undefined>;
  /** Keeps the text of a workflow file under its hash. Saving the same one again changes nothing. */
  saveText(hash: string, text: string): Promise<void>;
  loadText(hash: string): Promise<string | undefined>;
  /** Costs as much as the page, and no more than a fixed number of runs when filters leave few. */
  runs(query: RunQuery): Promise<RunPage>;
  readonly registry: Registry;
  readonly outbox: Outbox;
  readonly rows: BatchRows;
  readonly retention: Retention;
  /** What is due at `now` (milliseconds), oldest first; each is put off to `until` in the same stroke. */
  overdue(now: number, until: number, limit: number): Promise<readonly AgendaItem[]>;
  /** All that is looked after, due or not, soonest first. */
  agenda(): Promise<readonly AgendaItem[]>;
  /** Puts right what is looked after, outside of any commit: adds what is missing, overdue at once, and takes off the rest. */
  mendAgenda(mending: {
    readonly missing: readonly AgendaItem[];
    readonly needless: readonly AgendaItem[];
  }): Promise<void>;
  /** What a memory store holds after the id `after` (`'0'`: from the start), oldest first, at most `limit`. */
  memory(identity: string, after: string, limit: number): Promise<MemoryPage>;
  /** Vectors in base64 that were kept before, by key; undefined where there is none (any more). */
  vectors(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Keeps vectors for a while. What a key stands for never changes, so it does not matter who keeps it first. */
  keepVectors(vectors: ReadonlyMap<string, string>): Promise<void>;
  /** Milliseconds since 1970 by the store's clock, without asking it: the offset is learned from its replies. Never goes back. */
  now(): number;
  close(): Promise<void>;
}
