import type { AskedCall, Wait } from '../../definitions/outcome.ts';
import type { Warning } from '../../model/failure.ts';
import type { ActivationId, MessageId, QueueName, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Amount, Budget, WorstCase } from '../../model/usage/budget.ts';
import { addAmounts, formatDollars } from '../../model/usage/budget.ts';
import type { ModelUsage } from '../../model/usage/usage.ts';
import type { FileChange } from '../../model/workspace.ts';
import type { ActivationPart, Route } from './activation-events.ts';
import type { AcceptedSignal, ArchivedSegment, EventOf, FinalStatus, KeptSignal, RunError } from './event.ts';
import type { FanOutScope, JoinedDelivery, JoinedInboxEntry, JoinedMessage, JoinedOutputs } from './fan-out-records.ts';
import type {
  AcceptedSignalsKey,
  ArchiveKey,
  BudgetQueueKey,
  ChangesKey,
  DueKey,
  FilesKey,
  InboxKey,
  JoinedKey,
  KeptSignalsKey,
  ListKey,
  OutputsKey,
  PendingKey,
  RecordKey,
  ResultKey,
  SharedTextsKey,
  WorkspaceQueueKey,
} from './keys.ts';
import type { Origin } from './origin.ts';
import type { GraphCaller } from './scope-events.ts';
import type { ConditionStates, ScopeRef, StopReason } from './stop.ts';

/**
 * The state of a run is a set of small records and lists, each under its own key, so that a commit writes only what has
 * changed. Their size is bounded by the graph and its live activations, never by the history (except for contexts that
 * the author made unlimited). This file lists all of them.
 *
 * A frame is one execution of a graph: the root, or one call of a subgraph; it is named by its scope. Node ids come last
 * in a key because they may contain any character.
 */
export interface Records {
  run: RunRecord;
  origin: Origin;
  scope: ScopeRecord;
  /** Fired trigger edges inside a cycle: edge indices, ascending. One record for a cycle and all cycles in it. */
  fired: readonly number[];
  /** An item outside of cycles that still waits for predecessors. */
  item: ItemRecord;
  node: NodeRecord;
  activation: ActivationRecord;
  alarm: AlarmRecord;
  /** The result of a finished unit of a fan-out, until its siblings are finished. */
  result: ResultRecord;
  step: StepRecord;
  /** Calls of tools that an activation has asked people about, in the order of their places. */
  approvals: readonly ApprovalRecord[];
  /** A count that steps raise, such as the number of requests to the scripted model. */
  tally: number;
  /** Absent for a run without limits. */
  budget: BudgetRecord;
  /** Part of `lost` of the budget: that of the calls of one model. */
  lost: Amount;
  /** Absent: none. */
  warnings: RunWarnings;
  /** Usage of the model calls of a node, over all executions of its graph; by `<node>` or `<graph>/<node>`. */
  usage: ModelUsage;
  /** A loop counter's value. */
  counters: unknown;
  /** A loop timer's start. */
  timers: unknown;
  /** State of a controller over its rounds. */
  controllers: unknown;
  /** State that a call of a node saves for the next one. */
  lasting: unknown;
  /** The holder of the lock of a workspace: an activation, or a fan-out for all of its units. */
  lock: ActivationId | ScopeId;
  termination: TerminationRecord;
}

/** The type of the record under a key. */
export type RecordOf<K extends RecordKey> = K extends `${infer Kind extends keyof Records}/${string}`
  ? Records[Kind]
  : K extends 'run'
    ? RunRecord
    : K extends 'origin'
      ? Origin
      : K extends 'budget'
        ? BudgetRecord
        : K extends 'warnings'
          ? RunWarnings
          : never;

/** The type of the entries of the list under a key. */
export type EntryOf<K extends ListKey> = K extends InboxKey
  ? InboxEntry | JoinedInboxEntry
  : K extends JoinedKey
    ? JoinedMessage
    : K extends OutputsKey
      ? MessageRef | JoinedOutputs
      : K extends PendingKey
        ? PendingEntry
        : K extends DueKey
          ? number
          : K extends FilesKey | ChangesKey
            ? FileChange
            : K extends WorkspaceQueueKey | BudgetQueueKey
              ? ActivationId
              : K extends ArchiveKey
                ? ArchivedSegment
                : K extends KeptSignalsKey
                  ? KeptSignal
                  : K extends AcceptedSignalsKey
                    ? AcceptedSignal
                    : K extends SharedTextsKey
                      ? SharedTextRecord
                      : MessageRef;

/** A message that calls of models share, by the hash of its content. */
export interface SharedTextRecord {
  readonly digest: string;
  readonly id: MessageId;
}

export interface RunRecord {
  /**
   * Only a run that is `running` starts anything. While it is `paused`, `stopping` or `failing`, activations that
   * workers have started may finish and are routed, and all others are parked; `stopping` and `failing` end when
   * nothing is executing.
   */
  readonly status: 'running' | 'paused' | 'stopping' | 'failing' | FinalStatus;
  readonly plan: string;
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly pausedAt?: number;
  /** Time that timers of nodes do not count: while the run had ended, or before a fork began. Absent: none. */
  readonly stoodStillMs?: number;
  /** The part of it from before a fork began, which is also when the fork started. Absent: none. */
  readonly stoodStillBeforeForkMs?: number;
  /** Number of the current segment: 1, and one more for each resume after an end. */
  readonly segment: number;
  /** Token of the resumption that began the current segment; absent: the run has not ended before. */
  readonly resumed?: string;
  /** Time limit of a segment without its pauses, in milliseconds. */
  readonly timeoutMs?: number;
  readonly nextActivation: number;
  readonly nextMessage: number;
  readonly nextScope: number;
  /** Next number of a message in an inbox; it orders messages over a node's two inbox lists. */
  readonly nextArrival: number;
  /**
   * Number of activations that are not settled (`live`), and how many of them wait for an answer or for room in the
   * budget.
   */
  readonly live: number;
  readonly waiting: number;
  /** Number of those that wait for an event from outside; absent: none. */
  readonly listening?: number;
  readonly activations: number;
  readonly usage: ModelUsage;
  /** Recorded usage of the calls whose results a replay took from its source: nobody paid for them again. Absent: none. */
  readonly recorded?: ModelUsage;
  /** Number of steps of a replay that took a recorded result, and of those that took one of another place; absent: none. */
  readonly reused?: { readonly steps: number; readonly moved: number };
  /** Cycles that the iteration limit ended, by the id of their entry node. */
  readonly capped?: readonly string[];
  readonly output?: MessageRef;
  /** The error for which it is failing, has failed, or was cancelled. */
  readonly error?: RunError;
  /** The reason for which it is stopping or was terminated. */
  readonly stop?: StopReason;
  /** Named scopes that are active. */
  readonly entered?: readonly ScopeRef[];
  /** Scopes inside the run that are being stopped. */
  readonly halting?: readonly ScopeRef[];
}

/** Problems that did not change the outcome of a run, such as a condition that failed. */
export interface RunWarnings {
  readonly count: number;
  /** The newest ones, oldest first; at most `keptWarnings`. */
  readonly latest: readonly RunWarning[];
  /** Messages of those that a run has once; absent: none. */
  readonly once?: readonly string[];
}

export interface RunWarning extends Warning {
  readonly activation: ActivationId;
  /** `<node>`, or `<graph>/<node>` in a subgraph. */
  readonly node: string;
}

/** Progress of a scope towards its termination. The record of a named scope exists while the scope is active. */
export interface TerminationRecord {
  /** Start of the segment, moved by the time during which the run had ended; milliseconds since 1970. */
  readonly startedAt: number;
  readonly pausedMs: number;
  readonly cells: ConditionStates;
  /** Named scope: number of its nodes that are executing. */
  readonly open: number;
  /** Number of the first message that was written after the scope was entered. */
  readonly since: number;
  /** The reason for which it is being stopped: nothing in it is started any more. */
  readonly stop?: StopReason;
  /** Number of exit nodes that were started, in a graph that is being stopped and has nothing else executing. */
  readonly exits?: number;
}

export interface ItemRecord {
  /** Number of predecessors that have neither settled nor been skipped. */
  readonly remaining: number;
  /** Nodes of the item that an edge from outside has triggered. */
  readonly triggered: readonly number[];
  /** A person has named the triggered node: a cycle is entered there, whatever its entry is. */
  readonly told?: true;
}

export interface NodeRecord {
  /** Completed activations; a fan-out counts as one. */
  readonly runs: number;
  /** The last output. */
  readonly last?: MessageRef;
}

/** A time at which something happens in the run, unless the alarm is cleared before. */
export interface AlarmRecord {
  /**
   * Milliseconds since 1970; moved by the time during which the run had ended or, for the run's time limit, was paused.
   */
  readonly dueAt: number;
  readonly token: string;
}

export interface ResultRecord {
  readonly outputs: readonly MessageRef[];
  readonly routes: readonly Route[];
  /** The activation whose file changes belong to the result; they are merged when the units are joined. */
  readonly changes?: ActivationId;
}

/** A message in the inbox of a node. `n` grows with every arrival in the run. */
export interface InboxEntry extends MessageRef {
  readonly n: number;
  /** It came over a dynamic edge. */
  readonly dynamic?: true;
}

/** A delivery that is not applied yet. */
export interface PendingEntry {
  /** Position of the source among its siblings; entries are applied in this order, then in order of arrival. */
  readonly from: number;
  /** -1: the node's own output, which its context window keeps. */
  readonly edge: number;
  readonly dropped?: true;
  readonly message?: MessageRef;
  /** It stands for all that a fan-out delivers to the node; `edge` is one of its edges, which triggers the node if one does. */
  readonly delivery?: JoinedDelivery;
}

/**
 * Limits of a run, what it has spent, and what is reserved for calls under way. The worst case of a call is reserved in
 * the commit that starts its step, and replaced by the actual usage in the commit that completes it. So `spent` stays
 * within the limit, whatever happens in parallel or is lost, as long as no call uses more than its worst case.
 */
export interface BudgetRecord {
  readonly limit: Budget;
  readonly spent: Amount;
  readonly reserved: Amount;
  /** Part of `spent`: worst cases of calls whose outcome will never be known. */
  readonly lost: Amount;
  /** The activation that asks a person for a larger budget, while it waits for the answer. */
  readonly asking?: ActivationId;
}

/** Tells when the budget has room for an amount: now, later if calls under way use less than reserved, or never. */
export function budgetCapacityFor({ limit, spent, reserved }: BudgetRecord, need: Amount): 'now' | 'later' | 'never' {
  if (!isWithin(addAmounts(spent, need), limit)) return 'never';
  return isWithin(addAmounts(addAmounts(spent, reserved), need), limit) ? 'now' : 'later';
}

const isWithin = ({ tokens, microUsd }: Amount, limit: Budget): boolean =>
  tokens <= (limit.tokens ?? Number.POSITIVE_INFINITY) && microUsd <= (limit.microUsd ?? Number.POSITIVE_INFINITY);

/** Returns the amount to reserve for a worst case; undefined if the worst case lacks a price that the budget needs. */
export function reservationFor({ limit }: BudgetRecord, worst: WorstCase): Amount | undefined {
  if (limit.microUsd !== undefined && worst.microUsd === undefined) return undefined;
  return { tokens: worst.tokens, microUsd: worst.microUsd ?? 0 };
}

/** Returns the text that tells people why the budget does not allow the next call. */
export function budgetExceededText({ limit, spent }: BudgetRecord, need: Amount): string {
  const { tokens, microUsd } = limit;
  if (tokens !== undefined && spent.tokens + need.tokens > tokens)
    return `The budget of ${tokens} tokens is used up: ${spent.tokens} are spent, and the next call may use ${need.tokens}.`;
  return `The budget of ${formatDollars(microUsd ?? 0)} is used up: ${formatDollars(spent.microUsd)} is spent, and the next call may cost ${formatDollars(need.microUsd)}.`;
}

/** Progress of a graph, a cycle or a fan-out. */
export type ScopeRecord = GraphScope | CycleScope | FanOutScope;

/** One execution of a graph. */
export interface GraphScope {
  readonly type: 'graph';
  readonly graph: string;
  /** Absent for the root. */
  readonly caller?: GraphCaller;
  /** Number of items that are executing. The graph is settled when it is 0 and nothing is due. */
  readonly live: number;
}

/** One execution of a cycle; see scopes/cycle.ts. */
export interface CycleScope {
  readonly type: 'cycle';
  readonly graph: string;
  readonly frame: ScopeId;
  readonly parent: ScopeId;
  /** The outermost enclosing cycle, whose record holds the fired edges of all. */
  readonly outermost: ScopeId;
  /** Its position among its siblings: an item index in a graph, the lowest member in a cycle. */
  readonly item: number;
  readonly members: readonly number[];
  readonly entry: number;
  readonly limit: number | null;
  readonly iteration: number;
  readonly roots: readonly number[];
  /** The next level to dispatch. */
  readonly level: number;
  /** The member that a person has named to continue at, until it is dispatched. */
  readonly told?: number;
  /** Number of members of the level that are still executing. */
  readonly live: number;
  /** Members of the level that were dispatched: lowest node of each. Empty between levels. */
  readonly dispatched: readonly number[];
  /** Nodes outside of the cycle that its edges have triggered. */
  readonly exits: readonly number[];
}

/** An activation that is not settled, or that waits for a retry. */
export interface ActivationRecord {
  readonly scope: ScopeId;
  readonly node: number;
  readonly part: ActivationPart;
  readonly unit?: number;
  readonly token: string;
  readonly readyAt: number;
  /** Time since which a worker is known to execute it, in milliseconds since 1970. */
  readonly startedAt?: number;
  readonly attempt: number;
  readonly wait?: Wait;
  /** Number of its suspensions; absent: none. */
  readonly suspensions?: number;
  readonly answer?: MessageRef;
  /** It is held until it gets the lock of the workspace. */
  readonly held?: true;
  /** Result that replaces its execution. */
  readonly output?: MessageRef;
  /** Number of steps that were started, in all attempts. */
  readonly steps?: number;
  readonly from?: ResultKey;
  /** Units that it has stored for the fan-out that it will open under this scope, and the hash of their input. */
  readonly stored?: { readonly scope: ScopeId; readonly cut: string };
  /** Worst case of its next call, for which the budget has no room now. */
  readonly short?: Amount;
  /** The reason for which the graph that it closes was stopped. */
  readonly stop?: StopReason;
  /** It failed and waits for a retry; it does not count as live. */
  readonly failed?: true;
  /** The queue whose workers are woken for it; absent: the default queue. */
  readonly queue?: QueueName;
}

/** A call of a tool that a person was asked about. */
export interface ApprovalRecord extends AskedCall {
  /** Absent: nobody has decided yet. */
  readonly decided?: Omit<EventOf<'tool.decided'>, 'type' | 'activation' | 'place' | 'question' | 'bodies'>;
  /** Number of the step that has made the call: an approval is used once. */
  readonly used?: number;
  /** That step failed and is made again by a retry, which needs another approval. */
  readonly spent?: true;
}

/** A step of an activation. */
export interface StepRecord {
  readonly name: string;
  /** Hash of the request, by which a retry with a different request is detected. */
  readonly request: string;
  /** The tallies that this step raised, with their new values. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Amount that is reserved for it while it is under way. */
  readonly reserved?: Amount;
  /** The model that it asks, as long as an amount is reserved for it. */
  readonly model?: string;
  /** Its request is in the journal. */
  readonly asked?: true;
  /** Hash of the approved call that it makes; absent: it needs no approval. */
  readonly approval?: string;
  /** It makes no call: a rule or a person refuses it. Absent: its call may have been made. */
  readonly refused?: true;
  /** The stored result; absent while it is under way. */
  readonly result?: MessageId;
  /** It failed; a retry of the activation tries it again. */
  readonly failed?: true;
  /** A replay took the result from its source. */
  readonly recorded?: true;
}
