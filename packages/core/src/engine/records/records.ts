import type { Amount } from '../../model/budget.ts';
import type { ActivationId, MessageId, QueueName, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/message.ts';
import type { Wait } from '../../model/outcome.ts';
import type { FileChange } from '../../model/workspace.ts';
import type { BudgetRecord } from './budget-record.ts';
import type { ActivationPart, ArchivedSegment, FinalStatus, GraphCaller, Route, RunError } from './event.ts';
import type {
  ArchiveKey,
  BudgetQueueKey,
  ChangesKey,
  DueKey,
  FilesKey,
  InboxKey,
  ListKey,
  PendingKey,
  RecordKey,
  ResultKey,
  WorkspaceQueueKey,
} from './keys.ts';
import type { Origin } from './origin.ts';
import type { ConditionStates, ScopeRef, StopReason } from './stop.ts';
import type { ModelUsage } from './usage.ts';

/**
 * The state of a run is a set of small records and lists, each under its own key, so that a commit writes what
 * changed and nothing else. What they hold is bounded by the graph and its live activations, never by history
 * (except for contexts that the author made unlimited). This file is the complete list of them.
 *
 * A frame is one execution of a graph: the root, or one call of a subgraph; it is named by its scope. Node ids stand
 * last in a key because they may hold any character.
 */
export interface Records {
  run: RunRecord;
  origin: Origin;
  scope: ScopeRecord;
  /** Fired trigger edges inside a cycle: edge indices, ascending. One record for a cycle and all cycles in it. */
  fired: readonly number[];
  /** An item of the acyclic part that still waits for predecessors. */
  item: ItemRecord;
  node: NodeRecord;
  activation: ActivationRecord;
  alarm: AlarmRecord;
  /** A finished unit of a fan-out, until its siblings are done too. */
  result: ResultRecord;
  step: StepRecord;
  /** How often something was counted in the run, such as requests to the scripted model. */
  tally: number;
  /** Absent for a run that may spend what it wants. */
  budget: BudgetRecord;
  /** What the model calls of a node have used, over all executions of its graph; by `<node>` or `<graph>/<node>`. */
  usage: ModelUsage;
  /** A loop counter's value. */
  counters: unknown;
  /** A loop timer's start. */
  timers: unknown;
  /** What a controller remembers of its rounds. */
  controllers: unknown;
  /** What a call of a node has left for the next one; see persistent-state.ts. */
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
            : MessageRef;

export interface RunRecord {
  /**
   * Only a run that is `running` starts anything. While it is `paused`, `stopping` or `failing`, what workers have
   * begun may finish and is routed, and everything else is parked; `stopping` and `failing` end when nothing is at work.
   */
  readonly status: 'running' | 'paused' | 'stopping' | 'failing' | FinalStatus;
  readonly plan: string;
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly pausedAt?: number;
  /** Stretches between ends: 1 until it has ended and was resumed. */
  readonly segment: number;
  /** How long a segment may take, pauses not counted, in milliseconds. */
  readonly timeoutMs?: number;
  readonly nextActivation: number;
  readonly nextMessage: number;
  readonly nextScope: number;
  /** Orders messages over a node's two inbox lists. */
  readonly nextArrival: number;
  /** Activations that are not settled, and how many of them wait for somebody outside or for money. */
  readonly live: number;
  readonly waiting: number;
  readonly activations: number;
  readonly usage: ModelUsage;
  /** Cycles that the iteration cap cut: `<node id>` of their entry. */
  readonly capped?: readonly string[];
  readonly output?: MessageRef;
  /** Why it is failing or has failed, or was cancelled. */
  readonly error?: RunError;
  /** Why it is stopping or was terminated. */
  readonly stop?: StopReason;
  /** Named scopes that are entered. */
  readonly entered?: readonly ScopeRef[];
  /** Scopes inside the run that are being stopped. */
  readonly halting?: readonly ScopeRef[];
}

export type ScopeRecord = GraphScope | CycleScope | FanOutScope;

/** One execution of a graph. */
export interface GraphScope {
  readonly type: 'graph';
  readonly graph: string;
  /** Absent for the root. */
  readonly caller?: GraphCaller;
  /** Items at work. The graph is done when none is left. */
  readonly live: number;
}

/** One stay in a cycle; see scopes/cycle.ts. */
export interface CycleScope {
  readonly type: 'cycle';
  readonly graph: string;
  readonly frame: ScopeId;
  readonly parent: ScopeId;
  /** The outermost cycle around, which holds the fired edges of all. */
  readonly outermost: ScopeId;
  /** Its place among its siblings: an item index in a graph, the lowest member in a cycle. */
  readonly item: number;
  readonly members: readonly number[];
  readonly entry: number;
  readonly limit: number | null;
  readonly iteration: number;
  readonly roots: readonly number[];
  /** The next level to dispatch. */
  readonly level: number;
  /** The member that a person has named to go on, until it is dispatched. */
  readonly told?: number;
  /** Members of the level that are still at work. */
  readonly live: number;
  /** Members of the level that were dispatched: lowest node of each. Empty between levels. */
  readonly dispatched: readonly number[];
  /** Targets outside the cycle that its edges have triggered. */
  readonly exits: readonly number[];
}

/** One fan-out of one node. */
export interface FanOutScope {
  readonly type: 'map' | 'tree';
  readonly graph: string;
  readonly frame: ScopeId;
  readonly parent: ScopeId;
  readonly node: number;
  readonly statics: readonly MessageRef[];
  readonly groupSize: number;
  readonly maxParallel: number;
  /** Executions of the current layer: units of a map, groups of a tree. */
  readonly total: number;
  readonly next: number;
  readonly settled: number;
  readonly layer: number;
}

/** How near a scope is to its termination. Of a named scope, also that it has been entered and is not through. */
export interface TerminationRecord {
  /** Begin of the segment, moved on by the time during which the run had ended. */
  readonly startedAt: number;
  readonly pausedMs: number;
  readonly cells: ConditionStates;
  /** Named scope: how many of its nodes are at work. */
  readonly open: number;
  /** Messages from this number on are said since it was entered. */
  readonly since: number;
  /** It is being stopped: nothing in it is started any more. */
  readonly stop?: StopReason;
  /** Of a graph that is being stopped, when nothing in it is at work any more: how many of the nodes that come last were started. */
  readonly exits?: number;
}

export interface ItemRecord {
  /** Predecessors that have neither settled nor been skipped. */
  readonly remaining: number;
  /** Nodes of the item that an edge from outside has triggered. */
  readonly triggered: readonly number[];
  /** A person has named the triggered node: a cycle may be entered there, whatever it starts with. */
  readonly told?: true;
}

export interface NodeRecord {
  /** Completed activations; a fan-out counts as one. */
  readonly runs: number;
  /** The last output. */
  readonly last?: MessageRef;
}

export interface ActivationRecord {
  readonly scope: ScopeId;
  readonly node: number;
  readonly part: ActivationPart;
  readonly unit?: number;
  readonly token: string;
  readonly readyAt: number;
  /** Since when a worker is known to be at work on it. */
  readonly startedAt?: number;
  readonly attempt: number;
  readonly wait?: Wait;
  readonly answer?: MessageRef;
  /** It is held until it gets the lock of the workspace. */
  readonly held?: true;
  /** What it comes to, in place of being executed. */
  readonly output?: MessageRef;
  /** Steps begun, in all attempts. */
  readonly steps?: number;
  readonly from?: ResultKey;
  /** What its next call may use, for which the budget has no room now. */
  readonly short?: Amount;
  /** Why the graph was stopped that it closes. */
  readonly stop?: StopReason;
  /** It failed and waits for a retry; it does not count as live. */
  readonly failed?: true;
  /** Whose workers are woken for it; absent: those of the default queue. */
  readonly queue?: QueueName;
}

/** Something that happens in the run at a time, unless it is called off before. */
export interface AlarmRecord {
  /** Milliseconds since 1970; moves on by as long as the run had ended, or, for the run's own time, was paused. */
  readonly dueAt: number;
  readonly token: string;
}

export interface ResultRecord {
  readonly outputs: readonly MessageRef[];
  readonly routes: readonly Route[];
  /** Whose changes of files are the result's, too; they count when the units are joined. */
  readonly changes?: ActivationId;
}

export interface StepRecord {
  readonly name: string;
  /** Hash of the request, to detect a retry that asks for something else. */
  readonly request: string;
  /** The run's tallies that this step counted, with their new values. */
  readonly counts?: Readonly<Record<string, number>>;
  /** What is set aside for it while it is under way. */
  readonly reserved?: Amount;
  /** The stored result; absent while it is under way. */
  readonly result?: MessageId;
  /** It came to nothing; a retry of the activation tries it again. */
  readonly failed?: true;
}

/** A message at a node. `n` grows with every arrival in the run. */
export interface InboxEntry extends MessageRef {
  readonly n: number;
  /** It came over a dynamic edge. */
  readonly dynamic?: true;
}

/** A delivery that does not count yet. */
export interface PendingEntry {
  /** Position of the source among its siblings; entries are applied in this order, then in order of arrival. */
  readonly from: number;
  /** -1: the node's own output, which its context window keeps. */
  readonly edge: number;
  readonly dropped?: true;
  readonly message?: MessageRef;
}
