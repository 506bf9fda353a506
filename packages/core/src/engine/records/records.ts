import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { ModelUsage } from '../../model/usage/usage.ts';
import type { FileChange } from '../../model/workspace.ts';
import type { Route } from './activation-events.ts';
import type { ActivationRecord, StepRecord } from './activation-record.ts';
import type { BudgetRecord } from './budget-record.ts';
import type { AcceptedSignal, ArchivedSegment, FinalStatus, KeptSignal, RunError } from './event.ts';
import type {
  AcceptedSignalsKey,
  ArchiveKey,
  BudgetQueueKey,
  ChangesKey,
  DueKey,
  FilesKey,
  InboxKey,
  KeptSignalsKey,
  ListKey,
  PendingKey,
  RecordKey,
  WorkspaceQueueKey,
} from './keys.ts';
import type { Origin } from './origin.ts';
import type { ScopeRecord } from './scope-record.ts';
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
  /** A count that steps raise, such as the number of requests to the scripted model. */
  tally: number;
  /** Absent for a run without limits. */
  budget: BudgetRecord;
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
  /** State that a call of a node saves for the next one; see persistent-state.ts. */
  lasting: unknown;
  /** The holder of the lock of a workspace: an activation, or a fan-out for all of its units. */
  turn: ActivationId | ScopeId;
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
  ? InboxEntry
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
                : MessageRef;

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
  /** Number of the current segment: 1, and one more for each resume after an end. */
  readonly segment: number;
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
}

export interface RunWarning {
  readonly activation: ActivationId;
  /** `<node>`, or `<graph>/<node>` in a subgraph. */
  readonly node: string;
  readonly message: string;
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
}
