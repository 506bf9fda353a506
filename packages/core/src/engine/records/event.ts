import type { Amount, Budget } from '../../model/budget.ts';
import type { ActivationId, AlarmId, MessageId, QueueName, RunId, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/message.ts';
import type { Failure, StateWrite, Wait } from '../../model/outcome.ts';
import type { Usage } from '../../model/price.ts';
import type { BudgetEvent } from './budget-event.ts';
import type { FileEvent } from './file-event.ts';
import type { ResultKey } from './keys.ts';
import type { JournalPart, Origin } from './origin.ts';
import type { InFlight, StopReason } from './stop.ts';
import type { TerminationEvent } from './termination-event.ts';

/**
 * What happened in a run. The journal is the list of these; the state is their fold (evolve.ts). Events carry ids,
 * never bodies: a body is stored once, before or with the event that first names it.
 */
export type Event = EventBody & {
  /** How many new message bodies were stored with it; they took the next ids in order. */
  readonly bodies?: number;
};

type EventBody =
  | RunEvent
  | JournalEvent
  | AlarmEvent
  | GraphEvent
  | CycleEvent
  | FanOutEvent
  | ActivationEvent
  | BudgetEvent
  | StepEvent
  | FileEvent
  | TerminationEvent;

/** The journal up to this version, and the bodies that came with it, are kept as a blob from here on. */
type JournalEvent = { readonly type: 'journal.archived' } & ArchivedSegment;

/** A part of a journal that was written to a blob; it begins where the one before it ends. */
export type ArchivedSegment = JournalPart & {
  /** Its last version. */
  readonly to: number;
};

type RunEvent =
  | {
      readonly type: 'run.started';
      readonly plan: string;
      readonly origin: Origin;
      readonly timeoutMs?: number;
      readonly budget?: Budget;
    }
  /** Something went wrong that ends the run: what is at work may finish, unless it is cancelled; nothing new is started. */
  | { readonly type: 'run.failing'; readonly error: RunError; readonly inFlight?: 'cancel' }
  /** The same for a run that is stopped. A second one with `cancel` cuts short what the first let finish. */
  | { readonly type: 'run.stopping'; readonly stop: StopReason; readonly inFlight: InFlight }
  /** Nothing new is started until the run is resumed. */
  | { readonly type: 'run.paused' }
  /** The run goes on from where it was paused, stopped or failed: what is parked or failed is woken with this token. */
  | { readonly type: 'run.resumed'; readonly segment: number; readonly token: string }
  /**
   * What is before this was copied from the journal of run `of`, where the last of it happened at `until`. Here it goes
   * on: what was at work is woken with this token, and the activation begins anew, or comes to `output`.
   */
  | {
      readonly type: 'run.forked';
      readonly of: RunId;
      readonly activation: ActivationId;
      readonly until: number;
      readonly token: string;
      readonly output?: MessageRef;
      /** Another activation holds the lock of the workspace that it needs. */
      readonly held?: true;
      /** The webhooks of the tenant are told of it, whatever was told of its past. */
      readonly told?: true;
    }
  /** Somebody told these activations more, as the run was resumed. */
  | {
      readonly type: 'run.told';
      readonly activations: readonly ActivationId[];
      readonly messages: readonly MessageRef[];
      /** A node of the root graph that goes on with them. */
      readonly node?: number;
    }
  | {
      readonly type: 'run.finished';
      readonly status: FinalStatus;
      readonly output?: MessageRef;
      readonly error?: RunError;
      readonly stop?: StopReason;
    };

type AlarmEvent =
  | { readonly type: 'alarm.set'; readonly alarm: AlarmId; readonly dueAt: number; readonly token: string }
  | { readonly type: 'alarm.cleared'; readonly alarm: AlarmId };

type GraphEvent =
  /** A graph is entered: the root (`scope` s0) or one call of a subgraph. */
  | {
      readonly type: 'graph.entered';
      readonly scope: ScopeId;
      readonly graph: string;
      readonly caller?: GraphCaller;
      readonly task: readonly MessageRef[];
      readonly presets: readonly Preset[];
    }
  /** `stopped`: with all that is inside; `last` is what it has come to. */
  | { readonly type: 'graph.left'; readonly scope: ScopeId; readonly stopped?: true; readonly last?: MessageRef }
  /** Items of the acyclic part that nothing triggered. */
  | { readonly type: 'items.skipped'; readonly scope: ScopeId; readonly items: readonly number[] };

type CycleEvent =
  | {
      readonly type: 'cycle.entered';
      readonly scope: ScopeId;
      readonly parent: ScopeId;
      /** Its place among its siblings: an item index in a graph, the lowest member in a cycle. */
      readonly item: number;
      readonly members: readonly number[];
      readonly entry: number;
      readonly limit: number | null;
      /** The level of the parent cycle that it is part of. */
      readonly level?: number;
    }
  /** A sweep over the cycle starts; `roots` are the nodes that are due whatever precedes them. */
  | {
      readonly type: 'cycle.iterated';
      readonly scope: ScopeId;
      readonly iteration: number;
      readonly roots: readonly number[];
    }
  /** All members of the level have settled: their deliveries count from here on. */
  | { readonly type: 'cycle.levelled'; readonly scope: ScopeId }
  | { readonly type: 'cycle.left'; readonly scope: ScopeId; readonly reason: 'exit' | 'ended' | 'limit' };

type FanOutEvent =
  | {
      readonly type: 'fanout.entered';
      readonly scope: ScopeId;
      readonly parent: ScopeId;
      readonly node: number;
      readonly kind: 'map' | 'tree';
      /** Inputs that every unit gets (a tree: every group of its first layer). */
      readonly statics: readonly MessageRef[];
      readonly units: readonly MessageRef[];
      readonly groupSize: number;
      readonly maxParallel: number;
    }
  /** Tree: the results of one layer are the units of the next. */
  | { readonly type: 'fanout.layered'; readonly scope: ScopeId }
  | { readonly type: 'fanout.left'; readonly scope: ScopeId };

type ActivationEvent =
  | {
      readonly type: 'activation.ready';
      readonly activation: ActivationId;
      readonly scope: ScopeId;
      /** Node index; -1 for the count of votes of a voting root graph. */
      readonly node: number;
      readonly part: ActivationPart;
      readonly token: string;
      readonly unit?: number;
      /** The level of the cycle that it is part of. */
      readonly level?: number;
      /** Where its input is, when that is not the node's inbox. */
      readonly from?: ResultKey;
      /** Another activation holds the lock of its workspace: nobody is woken until it is admitted. */
      readonly held?: true;
      /** Why the graph was stopped that it closes. */
      readonly stop?: StopReason;
      /** Whose workers are woken; absent: those of the default queue. */
      readonly queue?: QueueName;
    }
  /** A worker took it; only told for work that takes long enough to be seen. */
  | {
      readonly type: 'activation.started';
      readonly activation: ActivationId;
      readonly attempt: number;
      readonly worker: string;
    }
  /** It goes on later: a worker is woken with this token at that time, in milliseconds since 1970. */
  | {
      readonly type: 'activation.postponed';
      readonly activation: ActivationId;
      readonly until: number;
      readonly token: string;
    }
  | { readonly type: 'activation.suspended'; readonly activation: ActivationId; readonly wait: Wait }
  | {
      readonly type: 'activation.answered';
      readonly activation: ActivationId;
      readonly answer: MessageRef;
      readonly token: string;
      readonly held?: true;
    }
  /** What it asks is withdrawn, and asked anew by whoever is woken with this token: its input has become more. */
  | {
      readonly type: 'activation.renewed';
      readonly activation: ActivationId;
      readonly token: string;
      readonly held?: true;
    }
  | {
      readonly type: 'activation.completed';
      readonly activation: ActivationId;
      readonly outputs: readonly MessageRef[];
      readonly routes: readonly Route[];
      readonly state?: StateWrite;
      /** What went wrong without changing the outcome, such as a condition that threw and counts as met. */
      readonly warnings?: readonly string[];
      /** What it failed with, where its error policy or an edge went on from that. */
      readonly failure?: Failure;
      /** Its scope was being stopped already: it counts for no termination. */
      readonly late?: true;
      /** How often it wrote to stores that live as long as the run; see {@link runStoreName}. */
      readonly remembered?: Readonly<Record<string, number>>;
    }
  /** The node opened a graph or a fan-out; what comes out of that completes it. */
  | { readonly type: 'activation.opened'; readonly activation: ActivationId }
  /** It was held, and holds the lock of the workspace now. */
  | { readonly type: 'activation.admitted'; readonly activation: ActivationId; readonly token: string }
  | { readonly type: 'activation.failed'; readonly activation: ActivationId; readonly error: Failure };

type StepEvent =
  | {
      readonly type: 'step.started';
      readonly activation: ActivationId;
      readonly step: number;
      readonly name: string;
      /** Hash of the request. */
      readonly request: string;
      /** New values of the tallies that it counts. */
      readonly counts?: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'step.completed';
      readonly activation: ActivationId;
      readonly step: number;
      readonly result: MessageId;
      readonly usage?: Usage;
      /** It came to nothing; a retry of the activation tries it again. */
      readonly failed?: true;
      /** What it takes from the budget in place of what was set aside; absent: nothing. */
      readonly charge?: Amount;
    };

/** Where a subgraph's result goes: the node, and the scope and unit it was called as. */
export interface GraphCaller {
  readonly scope: ScopeId;
  readonly node: number;
  readonly unit?: number;
}

/** Why a run failed, and where. */
export interface RunError extends Failure {
  readonly activation?: ActivationId;
  readonly node?: string;
}

export type EventType = Event['type'];

/** How a run can end. */
export type FinalStatus = 'completed' | 'failed' | 'cancelled' | 'terminated';

/**
 * What a node is made to do: all of its work, only opening what is inside it, one unit of it, or only closing it; `exit`:
 * all of its work, as what comes last in a graph that is being stopped.
 */
export type ActivationPart = 'whole' | 'open' | 'unit' | 'close' | 'exit';

/** Messages that wait at (`input`) or count as produced by (`output`) a node before the run starts. */
export interface Preset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly MessageRef[];
}

/** Stands for an edge where a node keeps its own output in its context. */
export const selfEdge = -1;

/** What one output message did on one outgoing edge whose condition held. */
export interface Route {
  /** Edge index, or {@link selfEdge}. */
  readonly edge: number;
  /** Index of the output. */
  readonly output: number;
  /** The processor dropped the message: queues are cleared as the edge says, nothing else happens. */
  readonly dropped?: true;
  /** The message as delivered; absent on an edge that carries no data. */
  readonly message?: MessageRef;
}

/** An event with its place in the journal. */
export interface JournalEntry {
  /** `<version>-<n>`: the commit, and the event's number in it from 0. */
  readonly id: string;
  /** Milliseconds since 1970 by Redis' clock. */
  readonly at: number;
  readonly event: Event;
}
