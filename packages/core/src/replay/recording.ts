import type { Event, JournalEntry } from '../engine/records/event.ts';
import type { ActivationId, MessageId, ScopeId } from '../model/ids.ts';
import { rootScope } from '../model/ids.ts';
import type { MessageRef } from '../model/message.ts';
import type { Failure } from '../model/outcome.ts';
import type { FileChange } from '../model/workspace.ts';

/**
 * Where an activation stands in its run, whatever happened at the same time: the scopes that it is in, its node, its unit,
 * and the how-manieth time that is. Ids tell in which order things came about; places are the same in every run that goes
 * the same way.
 */
export type ReplayPath = string;

/** A step as a journal has it. */
export interface RecordedStep {
  readonly name: string;
  /** Hash of the request. */
  readonly request: string;
  /** Which counts of the run it raised. */
  readonly counts?: readonly string[];
  /** Absent: the journal does not say what it came to. */
  readonly result?: MessageId;
  readonly failed?: true;
  /** What it changed in its workspace. */
  readonly files?: readonly FileChange[];
}

/** What a journal has about one activation; messages are those of the run that the journal is of. */
export interface RecordedActivation {
  readonly activation: ActivationId;
  /** By number; those that a later one made void are left out. */
  readonly steps: readonly RecordedStep[];
  /** What people answered, in order. */
  readonly answers: readonly MessageRef[];
  /** It was given this output in place of being executed. */
  readonly output?: MessageRef;
  /** When it was settled, in milliseconds since 1970; absent when it never was. */
  readonly settledAt?: number;
  /** What it failed with; absent when it did not, or did better when it was retried. */
  readonly failure?: Failure;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Recorder extends Omit<Mutable<RecordedActivation>, 'steps' | 'answers'> {
  steps: RecordedStep[];
  answers: MessageRef[];
  /** What it asks is whether the run may spend more. */
  asksForMoney: boolean;
}

/** What the activations of a run did and were told, by their places: a fold of its journal. */
export class Recording {
  readonly #scopes = new Map<ScopeId, ReplayPath>();
  readonly #places = new Map<ActivationId, ReplayPath>();
  readonly #recorders = new Map<ActivationId, Recorder>();
  readonly #ids = new Map<ReplayPath, ActivationId>();
  readonly #times = new Map<string, number>();

  /** Takes in the next entry of the journal. */
  add({ event, at }: JournalEntry): void {
    if (!this.#place(event) && 'activation' in event && event.activation !== undefined) {
      const recorder = this.#recorders.get(event.activation);
      if (recorder !== undefined) this.#record(recorder, event, at);
    }
  }

  /** The place of an activation; undefined when the journal does not have it. */
  pathOf(activation: ActivationId): ReplayPath | undefined {
    return this.#places.get(activation);
  }

  /** What happened at a place; undefined when nothing did. */
  at(place: ReplayPath): RecordedActivation | undefined {
    const id = this.#ids.get(place);
    return id === undefined ? undefined : this.#recorders.get(id);
  }

  /** Gives what begins its place. Says whether it was such an event. */
  #place(event: Event): boolean {
    switch (event.type) {
      case 'graph.entered': {
        const { caller, scope } = event;
        const within = caller && this.#next(`${this.#scopes.get(caller.scope)}/${caller.node}${unitOf(caller)}()`);
        this.#scopes.set(scope, within ?? rootScope);
        return true;
      }
      case 'cycle.entered': {
        const { scope, parent, item, entry } = event;
        this.#scopes.set(scope, this.#next(`${this.#scopes.get(parent)}/~${item}.${entry}`));
        return true;
      }
      case 'fanout.entered': {
        const { scope, parent, node } = event;
        this.#scopes.set(scope, this.#next(`${this.#scopes.get(parent)}/${node}*`));
        return true;
      }
      case 'activation.ready': {
        const { activation, scope, node, part } = event;
        const place = this.#next(`${this.#scopes.get(scope)}/${node}${unitOf(event)}.${part}`);
        this.#places.set(activation, place);
        this.#ids.set(place, activation);
        this.#recorders.set(activation, { activation, steps: [], answers: [], asksForMoney: false });
        return true;
      }
      default:
        return false;
    }
  }

  #record(recorder: Recorder, event: Event, at: number): void {
    switch (event.type) {
      case 'step.started': {
        const { name, request, counts } = event;
        recorder.steps.length = Math.min(recorder.steps.length, event.step);
        recorder.steps[event.step] = { name, request, ...(counts && { counts: Object.keys(counts) }) };
        break;
      }
      case 'step.completed': {
        const { result, failed } = event;
        this.#change(recorder, event.step, { result, ...(failed && { failed }) });
        break;
      }
      case 'files.changed':
        // What a node changed outside of steps it does again.
        if (event.step !== undefined) this.#change(recorder, event.step, { files: event.files });
        break;
      case 'activation.suspended':
        recorder.asksForMoney = event.wait.kind === 'budget';
        break;
      case 'activation.answered':
        // The node itself is never told what somebody said about the budget.
        if (!recorder.asksForMoney) recorder.answers.push(event.answer);
        break;
      case 'activation.completed':
        recorder.settledAt = at;
        delete recorder.failure;
        if (event.failure !== undefined) recorder.failure = event.failure;
        break;
      case 'activation.opened':
        recorder.settledAt = at;
        break;
      case 'activation.failed':
        recorder.settledAt = at;
        recorder.failure = event.error;
        break;
      case 'run.forked':
        recorder.steps = [];
        recorder.answers = [];
        delete recorder.settledAt;
        delete recorder.failure;
        if (event.output !== undefined) recorder.output = event.output;
        break;
      default:
      // Anything else tells a node nothing.
    }
  }

  #change({ steps }: Recorder, at: number, change: Partial<RecordedStep>): void {
    const step = steps[at];
    if (step !== undefined) steps[at] = { ...step, ...change };
  }

  /** What happens at one place comes one after the other, so that counting it does not depend on anything else. */
  #next(base: string): ReplayPath {
    const time = (this.#times.get(base) ?? 0) + 1;
    this.#times.set(base, time);
    return `${base}#${time}`;
  }
}

const unitOf = ({ unit }: { readonly unit?: number }): string => (unit === undefined ? '' : `[${unit}]`);
