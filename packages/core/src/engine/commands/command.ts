import type { StateWrite, Wait } from '../../definitions/outcome.ts';
import type { Failure } from '../../model/errors.ts';
import type { ActivationId, AlarmId, MessageId, RunId } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody, MessageRef, Role } from '../../model/messages/message.ts';
import type { Budget, BudgetAnswer, WorstCase } from '../../model/usage/budget.ts';
import type { Usage } from '../../model/usage/price.ts';
import type { FileChange } from '../../model/workspace.ts';
import type { ArchivedSegment, Event, RunError } from '../records/event.ts';
import type { DefinitionRef, Origin, Replay } from '../records/origin.ts';
import type { KeptSignal } from '../records/signal-event.ts';
import type { InFlight, ScopeRef, StopReason } from '../records/stop.ts';

/** A message of a command: a reference to a stored body, or to a new one. */
export interface NewMessage {
  readonly role: Role;
  readonly source: string;
  readonly keep?: true;
  /** Either the id of a stored body, or the index of a new one in the command's `bodies`. */
  readonly body: MessageRef['id'] | number;
}

/** A route before the engine has given new bodies their ids. */
export interface NewRoute {
  readonly edge: number;
  readonly output: number;
  readonly dropped?: true;
  readonly message?: NewMessage;
}

/** A request to change a run. `decide` turns it into events, or refuses it. */
export type Command =
  | {
      readonly type: 'start';
      readonly plan: string;
      readonly origin: Origin;
      /** Time limit of the run, in milliseconds. */
      readonly timeoutMs?: number;
      readonly budget?: Budget;
      readonly task: readonly NewMessage[];
      readonly presets: readonly NewPreset[];
      /** Events from outside that the run begins with. */
      readonly signals?: readonly NewSignal[];
      readonly bodies: readonly MessageBody[];
      /** Observations of the graph's termination in the task. */
      readonly observed?: ConditionObservations;
    }
  /** Starts a run with the history of run `of`, and executes one of its activations again. */
  | {
      readonly type: 'fork';
      readonly of: RunId;
      readonly plan: string;
      readonly history: readonly Event[];
      /** The bodies that belong to the history, under their ids. */
      readonly copies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
      /** Time of the last event of the history, in milliseconds since 1970. */
      readonly until: number;
      readonly activation: ActivationId;
      /** The result of the activation; absent: it is executed again. */
      readonly output?: NewMessage;
      /** Input of the activation instead of the messages that it had. */
      readonly input?: readonly NewMessage[];
      /** Text of the workflow, if `plan` is another one than that of the history. */
      readonly definition?: DefinitionRef;
      /** The run repeats a fork under another plan, with the steps of its journal. */
      readonly replay?: Replay;
      /** The webhooks of the tenant are notified. */
      readonly told?: true;
      /** Contents of the memory stores that live as long as the run. */
      readonly memory: readonly MemoryWrite[];
      readonly bodies: readonly MessageBody[];
    }
  | { readonly type: 'claim'; readonly activation: ActivationId; readonly token: string; readonly worker: string }
  | {
      readonly type: 'settle';
      readonly activation: ActivationId;
      readonly token: string;
      readonly result: Settlement;
      /** Files that the activation has changed since its last step. */
      readonly files?: readonly FileChange[];
      /** Number of steps that the result depends on; absent: none. */
      readonly steps?: number;
      readonly bodies: readonly MessageBody[];
    }
  | {
      readonly type: 'answer';
      readonly activation: ActivationId;
      readonly answer: NewMessage;
      /** Name of the person who answers, if it is known. */
      readonly by?: string;
      readonly bodies: readonly MessageBody[];
    }
  | {
      readonly type: 'step.start';
      readonly activation: ActivationId;
      readonly token: string;
      readonly step: number;
      readonly name: string;
      readonly request: string;
      readonly tallies?: Tallies;
      /**
       * Most that the call may use; `unlimited` as long as the worker knows of no budget. Absent: the call costs
       * nothing.
       */
      readonly worst?: WorstCase | 'unlimited';
    }
  | {
      readonly type: 'step.complete';
      readonly activation: ActivationId;
      readonly token: string;
      readonly step: number;
      readonly name: string;
      /** Hash of the request that the result belongs to. */
      readonly request: string;
      readonly usage?: Usage;
      /** The model that was asked; absent for other calls. */
      readonly model?: string;
      readonly failed?: true;
      /** Files that the activation has changed. */
      readonly files?: readonly FileChange[];
      /** The call failed and costs nothing. Without this and `usage`, it is charged its worst case. */
      readonly free?: true;
      readonly bodies: readonly MessageBody[];
    }
  /** The answer of a person to an activation that asked for a larger budget. */
  | {
      readonly type: 'budget';
      readonly activation: ActivationId;
      readonly token: string;
      readonly answer: BudgetAnswer;
    }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Stops the run, or only the named scope, so that it can be resumed. */
  | { readonly type: 'stop'; readonly stop: StopReason; readonly inFlight: InFlight; readonly scope?: string }
  | { readonly type: 'pause' }
  /** Resumes a run that was paused, stopped or failed; the activations that are woken receive `task`. */
  | {
      readonly type: 'resume';
      readonly task: readonly NewMessage[];
      /** New limits of the whole run; limits that are absent do not change. */
      readonly budget?: Budget;
      readonly bodies: readonly MessageBody[];
      /** The node that receives the task; absent: the activations that are woken. */
      readonly to?: string;
      readonly observed?: ConditionObservations;
    }
  /** Resets all terminations. */
  | { readonly type: 'reset' }
  /** Delivers a signal to the nodes and terminations that wait for one of this name. */
  | {
      readonly type: 'signal';
      readonly name: string;
      readonly note?: string;
      /** Its sender's id of the event; the run accepts each id once. */
      readonly id?: string;
      /** Data of the event, as JSON has it. */
      readonly data?: unknown;
    }
  /** Resumes a run that has failed. */
  | { readonly type: 'retry' }
  /** Reports that an alarm is due. */
  | { readonly type: 'alarm'; readonly alarm: AlarmId; readonly token: string }
  /** Reports that the journal after the version `from` is stored as a blob. */
  | ({ readonly type: 'archive'; readonly from: number } & ArchivedSegment)
  /** Ends a run that no worker can continue. */
  | { readonly type: 'fail'; readonly error: RunError };

/** Result of one execution of an activation, routed. */
export type Settlement =
  | {
      readonly type: 'completed';
      readonly outputs: readonly NewMessage[];
      readonly routes: readonly NewRoute[];
      readonly state?: StateWrite;
      readonly warnings?: readonly string[];
      /** The failure after which its error policy or an edge continued. */
      readonly failure?: Failure;
      /** Its output replaced its execution: a fork that the run repeats was given it. */
      readonly given?: true;
      /** Observations of the enclosing terminations, inner ones first. */
      readonly observed?: readonly ScopeObservation[];
      /** Writes to memory stores; they are written with the settlement, so exactly once. */
      readonly memory?: readonly MemoryWrite[];
    }
  /** The node calls its subgraph with this task. */
  | {
      readonly type: 'called';
      readonly task: readonly NewMessage[];
      readonly presets: readonly NewPreset[];
      readonly observed?: ConditionObservations;
    }
  /** The units of a fan-out, and the inputs that every unit gets. */
  | { readonly type: 'split'; readonly statics: readonly NewMessage[]; readonly units: readonly NewMessage[] }
  /** The node waits; with an `answer`, which is then known already, it does not. */
  | { readonly type: 'suspended'; readonly wait: Wait; readonly answer?: NewMessage }
  /** The activation is executed again at `until`, in milliseconds since 1970, with the results of its steps. */
  | { readonly type: 'postponed'; readonly until: number }
  | { readonly type: 'failed'; readonly error: Failure };

/** Observations of the leaves of a termination in a delta, by path; a leaf that observes nothing has no entry. */
export type ConditionObservations = Readonly<Record<string, unknown>>;

/** Observations with the scope whose termination made them. */
export interface ScopeObservation extends ScopeRef {
  readonly leaves: ConditionObservations;
}

export interface NewPreset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly NewMessage[];
}

/** An event from outside that no node has taken yet. */
export type NewSignal = Pick<KeptSignal, 'name' | 'facts'> & { readonly message: NewMessage };

/**
 * Tallies of the run by key, as a worker read them; a step that counts is refused when one of them has changed since.
 */
export type Tallies = Readonly<Record<string, number>>;
