import type { Budget, BudgetAnswer, WorstCase } from '../../model/budget.ts';
import type { ActivationId, AlarmId, MessageId, RunId } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody, MessageRef, Role } from '../../model/message.ts';
import type { Failure, StateWrite, Wait } from '../../model/outcome.ts';
import type { Usage } from '../../model/price.ts';
import type { FileChange } from '../../model/workspace.ts';
import type { ArchivedSegment, Event, RunError } from '../records/event.ts';
import type { Origin } from '../records/origin.ts';
import type { InFlight, ScopeRef, StopReason } from '../records/stop.ts';

/** A message that a command brings: a body that is stored already, or a new one. */
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

/** What somebody asks of a run. `decide` turns it into events, or refuses it. */
export type Command =
  | {
      readonly type: 'start';
      readonly plan: string;
      readonly origin: Origin;
      /** How long the run may take, in milliseconds. */
      readonly timeoutMs?: number;
      readonly budget?: Budget;
      readonly task: readonly NewMessage[];
      readonly presets: readonly NewPreset[];
      readonly bodies: readonly MessageBody[];
      /** What the graph's termination sees in the task. */
      readonly observed?: ConditionObservations;
    }
  /** Begins a run with the past of run `of`, and with one activation of it anew. */
  | {
      readonly type: 'fork';
      readonly of: RunId;
      readonly plan: string;
      readonly history: readonly Event[];
      /** The bodies that are of the past, under their ids. */
      readonly copies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
      /** When the last of the past happened, in milliseconds since 1970. */
      readonly until: number;
      readonly activation: ActivationId;
      /** What the activation comes to; absent: it is executed anew. */
      readonly output?: NewMessage;
      /** The webhooks of the tenant are told of it. */
      readonly told?: true;
      /** What the stores hold that live as long as the run. */
      readonly memory: readonly MemoryWrite[];
      readonly bodies: readonly MessageBody[];
    }
  | { readonly type: 'claim'; readonly activation: ActivationId; readonly token: string; readonly worker: string }
  | {
      readonly type: 'settle';
      readonly activation: ActivationId;
      readonly token: string;
      readonly result: Settlement;
      /** Files that it has changed since its last step. */
      readonly files?: readonly FileChange[];
      /** How many steps it is built on; absent: none. */
      readonly steps?: number;
      readonly bodies: readonly MessageBody[];
    }
  | {
      readonly type: 'answer';
      readonly activation: ActivationId;
      readonly answer: NewMessage;
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
      /** What a call may use at most; `unlimited` as long as its worker knows of no budget. Absent: it costs nothing. */
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
      readonly failed?: true;
      /** Files that it has changed. */
      readonly files?: readonly FileChange[];
      /** The call failed in a way that costs nothing. Without this and `usage`, it is taken to have cost all it could. */
      readonly free?: true;
      readonly bodies: readonly MessageBody[];
    }
  /** What somebody decided whom the activation has asked for more money. */
  | {
      readonly type: 'budget';
      readonly activation: ActivationId;
      readonly token: string;
      readonly answer: BudgetAnswer;
    }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Stops the run so that it can be resumed. */
  /** `scope`: only the named scope. */
  | { readonly type: 'stop'; readonly stop: StopReason; readonly inFlight: InFlight; readonly scope?: string }
  | { readonly type: 'pause' }
  /** Goes on with a run that was paused, stopped or failed; `task` is told to the activations that are woken. */
  | {
      readonly type: 'resume';
      readonly task: readonly NewMessage[];
      /** What the run may spend in all from here on; what is absent stays as it was. */
      readonly budget?: Budget;
      readonly bodies: readonly MessageBody[];
      /** The node that gets the task; without it, those that go on. */
      readonly to?: string;
      readonly observed?: ConditionObservations;
    }
  /** Lets all terminations begin anew. */
  | { readonly type: 'reset' }
  /** Tells terminations that wait for a signal of this name. */
  | { readonly type: 'signal'; readonly name: string; readonly note?: string }
  /** The same, only for a run that has failed. */
  | { readonly type: 'retry' }
  /** Says that an alarm has gone off. */
  | { readonly type: 'alarm'; readonly alarm: AlarmId; readonly token: string }
  /** Says that the journal after the version `from` is kept as a blob. */
  | ({ readonly type: 'archive'; readonly from: number } & ArchivedSegment)
  /** Ends a run that no worker can go on with. */
  | { readonly type: 'fail'; readonly error: RunError };

/** What a worker found out by executing an activation, routed. */
export type Settlement =
  | {
      readonly type: 'completed';
      readonly outputs: readonly NewMessage[];
      readonly routes: readonly NewRoute[];
      readonly state?: StateWrite;
      readonly warnings?: readonly string[];
      /** What it failed with, where its error policy or an edge went on from that. */
      readonly failure?: Failure;
      /** What the terminations around it see in it, inner ones first. */
      readonly observed?: readonly ScopeObservation[];
      /** What memory stores are to remember of it; written with the settlement, and so once. */
      readonly memory?: readonly MemoryWrite[];
    }
  /** The subgraph's task. */
  | {
      readonly type: 'called';
      readonly task: readonly NewMessage[];
      readonly presets: readonly NewPreset[];
      readonly observed?: ConditionObservations;
    }
  /** The units of a fan-out and the inputs that every unit gets. */
  | { readonly type: 'split'; readonly statics: readonly NewMessage[]; readonly units: readonly NewMessage[] }
  /** With an answer that is known already it does not wait. */
  | { readonly type: 'suspended'; readonly wait: Wait; readonly answer?: NewMessage }
  /** It is to be executed again at that time, in milliseconds since 1970, over the steps that it remembers. */
  | { readonly type: 'postponed'; readonly until: number }
  | { readonly type: 'failed'; readonly error: Failure };

/** What the leaves of a tree see in a delta, by path; nothing where they see nothing. */
export type ConditionObservations = Readonly<Record<string, unknown>>;

/** The same with the scope that the tree is of. */
export interface ScopeObservation extends ScopeRef {
  readonly leaves: ConditionObservations;
}

export interface NewPreset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly NewMessage[];
}

/** Counts of the run by key, as they were read; a step that counts is refused when one has moved since. */
export type Tallies = Readonly<Record<string, number>>;
