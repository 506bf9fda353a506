import type { StateWrite, Wait } from '../../definitions/outcome.ts';
import type { Failure } from '../../model/errors.ts';
import type { ActivationId, AlarmId, MessageId, QueueName, RunId, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Amount, Budget } from '../../model/usage/budget.ts';
import type { Usage } from '../../model/usage/price.ts';
import type { BudgetEvent } from './budget-event.ts';
import type { FileEvent } from './file-event.ts';
import type { ResultKey } from './keys.ts';
import type { JournalPart, Origin } from './origin.ts';
import type { SignalEvent } from './signal-event.ts';
import type { InFlight, StopReason } from './stop.ts';
import type { TerminationEvent } from './termination-event.ts';

/**
 * An event of a run. The journal is the list of events; the state is their fold (evolve.ts). Events carry ids, never
 * bodies: a body is stored once, before or with the event that first names it.
 */
export type Event = EventBody & {
  /** Number of new message bodies that were stored with the event; they have the next ids in order. */
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
  | SignalEvent
  | TerminationEvent;

/** The journal up to this version, with the bodies that came with it, is stored as a blob from here on. */
type JournalEvent = { readonly type: 'journal.archived' } & ArchivedSegment;

/** A part of a journal that was written to a blob; it begins where the part before it ends. */
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
  /** An error ends the run: executing activations may finish, unless they are cancelled; nothing new is started. */
  | { readonly type: 'run.failing'; readonly error: RunError; readonly inFlight?: 'cancel' }
  /** The run is being stopped, likewise. A second event with `cancel` cancels what the first one lets finish. */
  | { readonly type: 'run.stopping'; readonly stop: StopReason; readonly inFlight: InFlight }
  /** Nothing new is started until the run is resumed. */
  | { readonly type: 'run.paused' }
  /**
   * The run continues from where it was paused, stopped or failed: what is parked or failed is woken with this token.
   */
  | { readonly type: 'run.resumed'; readonly segment: number; readonly token: string }
  /**
   * The events before this one were copied from the journal of run `of`, whose last event happened at `until`. The run
   * continues from here: executing activations are woken with this token, and the activation is executed again, or has
   * the result `output`.
   */
  | {
      readonly type: 'run.forked';
      readonly of: RunId;
      readonly activation: ActivationId;
      readonly until: number;
      readonly token: string;
      readonly output?: MessageRef;
      /** Another activation holds the lock of the workspace that this one needs. */
      readonly held?: true;
      /** The webhooks of the tenant are notified of this run, whatever applied to the original one. */
      readonly told?: true;
    }
  /** These activations receive further messages, because the run was resumed with them. */
  | {
      readonly type: 'run.told';
      readonly activations: readonly ActivationId[];
      readonly messages: readonly MessageRef[];
      /** A node of the root graph that continues with the messages. */
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
  /** A graph is left. `stopped`: everything inside it is removed; `last` is its result. */
  | { readonly type: 'graph.left'; readonly scope: ScopeId; readonly stopped?: true; readonly last?: MessageRef }
  /** Items outside of cycles that nothing triggered. */
  | { readonly type: 'items.skipped'; readonly scope: ScopeId; readonly items: readonly number[] };

type CycleEvent =
  | {
      readonly type: 'cycle.entered';
      readonly scope: ScopeId;
      readonly parent: ScopeId;
      /** Its position among its siblings: an item index in a graph, the lowest member in a cycle. */
      readonly item: number;
      readonly members: readonly number[];
      readonly entry: number;
      readonly limit: number | null;
      /** The level of the parent cycle at which it is entered. */
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
      /** The level of the cycle at which it is due. */
      readonly level?: number;
      /** List that holds its input, if that is not the node's inbox. */
      readonly from?: ResultKey;
      /** Another activation holds the lock of its workspace: no worker is woken until it is admitted. */
      readonly held?: true;
      /** The reason for which the graph that it closes was stopped. */
      readonly stop?: StopReason;
      /** The queue whose workers are woken; absent: the default queue. */
      readonly queue?: QueueName;
    }
  /** A worker has started it; written only for work that takes long enough to be noticed. */
  | {
      readonly type: 'activation.started';
      readonly activation: ActivationId;
      readonly attempt: number;
      readonly worker: string;
    }
  /** It continues later: a worker is woken with this token at `until`, in milliseconds since 1970. */
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
  /** Its question is withdrawn because it has more input; the worker that is woken with this token asks again. */
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
      /** Problems that did not change the outcome, such as a condition that threw and counts as satisfied. */
      readonly warnings?: readonly string[];
      /** The failure after which its error policy or an edge continued. */
      readonly failure?: Failure;
      /** Its scope was being stopped already: no termination counts it. */
      readonly late?: true;
      /** Number of its writes to stores that live as long as the run; see {@link runStoreName}. */
      readonly remembered?: Readonly<Record<string, number>>;
    }
  /** The node opened a graph or a fan-out, whose result completes it. */
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
      /** New values of the tallies that it raises. */
      readonly counts?: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'step.completed';
      readonly activation: ActivationId;
      readonly step: number;
      readonly result: MessageId;
      readonly usage?: Usage;
      /** It failed; a retry of the activation tries it again. */
      readonly failed?: true;
      /** Charge that replaces its reservation in the budget; absent: nothing. */
      readonly charge?: Amount;
    };

/** The caller of a subgraph: the node, with the scope and the unit in which it was called. */
export interface GraphCaller {
  readonly scope: ScopeId;
  readonly node: number;
  readonly unit?: number;
}

/** The error of a run, and the activation that it happened in. */
export interface RunError extends Failure {
  readonly activation?: ActivationId;
  readonly node?: string;
}

export type EventType = Event['type'];

/** Final status of a run. */
export type FinalStatus = 'completed' | 'failed' | 'cancelled' | 'terminated';

/**
 * Part of a node's work that an activation does: all of it, opening its graph or fan-out, one unit, or closing; `exit`:
 * all of it, as an exit node of a graph that is being stopped.
 */
export type ActivationPart = 'whole' | 'open' | 'unit' | 'close' | 'exit';

/** Messages that wait at a node (`input`), or count as its outputs (`output`), before the run starts. */
export interface Preset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly MessageRef[];
}

/** Edge number of a route by which a node keeps its own output in its context. */
export const selfEdge = -1;

/** Effect of one output message on one outgoing edge whose condition held. */
export interface Route {
  /** Edge index, or {@link selfEdge}. */
  readonly edge: number;
  /** Index of the output. */
  readonly output: number;
  /** The processor dropped the message: the edge still clears contexts as it says, and does nothing else. */
  readonly dropped?: true;
  /** The message as delivered; absent on an edge that carries no data. */
  readonly message?: MessageRef;
}

/** An event with its position in the journal. */
export interface JournalEntry {
  /** `<version>-<n>`: the commit, and the event's number in it from 0. */
  readonly id: string;
  /** Milliseconds since 1970 by Redis' clock. */
  readonly at: number;
  readonly event: Event;
}
