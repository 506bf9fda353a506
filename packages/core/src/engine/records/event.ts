import type { Failure } from '../../model/errors.ts';
import type { ActivationId, AlarmId, RunId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Budget } from '../../model/usage/budget.ts';
import type { ActivationEvent, StepEvent } from './activation-event.ts';
import type { BudgetEvent } from './budget-event.ts';
import type { FileEvent } from './file-event.ts';
import type { DefinitionRef, JournalPart, Origin, Replay } from './origin.ts';
import type { CycleEvent, FanOutEvent, GraphEvent } from './scope-event.ts';
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
      /** Input of the activation instead of the messages that it had. */
      readonly input?: readonly MessageRef[];
      /** Hash of the plan with which the run continues, and its text; absent: the earlier plan. */
      readonly plan?: string;
      readonly definition?: DefinitionRef;
      /** Tags of the run; absent: those of the original one. */
      readonly tags?: readonly string[];
      /** The run reads its further steps from the journal of the fork that it repeats. */
      readonly replay?: Replay;
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

/** The error of a run, and the activation that it happened in. */
export interface RunError extends Failure {
  readonly activation?: ActivationId;
  readonly node?: string;
}

export type EventType = Event['type'];

/** Final status of a run. */
export type FinalStatus = 'completed' | 'failed' | 'cancelled' | 'terminated';

/** An event with its position in the journal. */
export interface JournalEntry {
  /** `<version>-<n>`: the commit, and the event's number in it from 0. */
  readonly id: string;
  /** Milliseconds since 1970 by Redis' clock. */
  readonly at: number;
  readonly event: Event;
}
