import type { Event, EventOf, JournalEntry } from '../engine/records/event.ts';
import type { Failure } from '../model/failure.ts';
import type { ActivationId, MessageId, ScopeId } from '../model/ids.ts';
import { rootScope } from '../model/ids.ts';
import type { MessageRef } from '../model/messages/message.ts';
import type { FileChange } from '../model/workspace.ts';

/**
 * Path of an activation in its run, independent of what happened at the same time: its scopes, its node, its unit, and
 * how often it has been there. Ids depend on the order of events; paths are the same in every run that takes the same
 * way.
 */
export type ReplayPath = string;

/** A step as recorded in a journal. */
export interface RecordedStep {
  readonly name: string;
  /** Hash of the request. */
  readonly request: string;
  /** Tallies of the run that it raised. */
  readonly counts?: readonly string[];
  /** Absent: the journal has no result. */
  readonly result?: MessageId;
  readonly failed?: true;
  /** Its changes in the workspace. */
  readonly files?: readonly FileChange[];
}

/** The record of one activation in a journal; messages are those of the recorded run. */
export interface RecordedActivation {
  readonly activation: ActivationId;
  /** Steps by number, without those that a later one made void. */
  readonly steps: readonly RecordedStep[];
  /** Answers of people, in order. */
  readonly answers: readonly MessageRef[];
  /** Output that replaced its execution. */
  readonly output?: MessageRef | undefined;
  /** Time at which it was settled, in milliseconds since 1970; absent if it was not. */
  readonly settledAt?: number;
  /** Time at which it became ready by the clock of the run for durations; see `Host.runTime`. */
  readonly readyRunTime: number;
  /** Time at which it was settled by this clock. */
  readonly settledRunTime?: number;
  /** Its failure; absent if it did not fail, or if a retry succeeded. */
  readonly failure?: Failure;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Recorder extends Omit<Mutable<RecordedActivation>, 'steps' | 'answers'> {
  steps: RecordedStep[];
  answers: MessageRef[];
  /** Its question is if the run may spend more. */
  asksForBudget: boolean;
}

/** Fold of a journal: the activations of a run with their steps and answers, by their paths. */
export class Recording {
  readonly #scopes = new Map<ScopeId, ReplayPath>();
  readonly #paths = new Map<ActivationId, ReplayPath>();
  readonly #recorders = new Map<ActivationId, Recorder>();
  readonly #ids = new Map<ReplayPath, ActivationId>();
  readonly #times = new Map<string, number>();
  /** Paths of the activations that were settled, in their order. */
  readonly #settled: ReplayPath[] = [];
  #stoodStillMs = 0;

  /** Adds the next entry of the journal. */
  add({ event, at }: JournalEntry): void {
    if (event.type === 'run.resumed' || event.type === 'run.forked') this.#standStill(event);
    if (!this.#assignPath(event, at) && 'activation' in event && event.activation !== undefined) {
      const recorder = this.#recorders.get(event.activation);
      if (recorder !== undefined) this.#record(recorder, event, at);
    }
  }

  /** Returns the path of an activation; undefined if the journal does not contain it. */
  pathOf(activation: ActivationId): ReplayPath | undefined {
    return this.#paths.get(activation);
  }

  /** Returns the activation at a path; undefined if there is none. */
  at(path: ReplayPath): RecordedActivation | undefined {
    const id = this.#ids.get(path);
    return id === undefined ? undefined : this.#recorders.get(id);
  }

  /**
   * Returns how much later the run was at the same place than another one, by their clocks for durations: where an
   * activation was settled last of which `counts` holds. Undefined if there is none.
   */
  lagBehind(other: Recording, counts: (recorded: RecordedActivation) => boolean): number | undefined {
    for (let last = this.#settled.length - 1; last >= 0; last--) {
      const path = this.#settled[last] ?? '';
      const [here, there] = [this.at(path)?.settledRunTime, other.at(path)];
      if (here === undefined || there?.settledRunTime === undefined || !counts(there)) continue;
      return here - there.settledRunTime;
    }
    return undefined;
  }

  #standStill({ type, stoodStillMs = 0 }: EventOf<'run.resumed' | 'run.forked'>): void {
    this.#stoodStillMs += stoodStillMs;
    if (type !== 'run.forked') return;
    // The history of a fork has the time of the fork, and ended before it.
    for (const recorder of this.#recorders.values()) {
      recorder.readyRunTime -= stoodStillMs;
      if (recorder.settledRunTime !== undefined) recorder.settledRunTime -= stoodStillMs;
    }
  }

  #settle(recorder: Recorder, at: number): void {
    recorder.settledAt = at;
    recorder.settledRunTime = at - this.#stoodStillMs;
    const path = this.#paths.get(recorder.activation);
    if (path !== undefined) this.#settled.push(path);
  }

  /** Assigns a path to a scope or activation that begins with this event. Returns false for other events. */
  #assignPath(event: Event, at: number): boolean {
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
        const path = this.#next(`${this.#scopes.get(scope)}/${node}${unitOf(event)}.${part}`);
        this.#paths.set(activation, path);
        this.#ids.set(path, activation);
        this.#recorders.set(activation, {
          activation,
          steps: [],
          answers: [],
          output: undefined,
          readyRunTime: at - this.#stoodStillMs,
          asksForBudget: false,
        });
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
        // A node repeats changes that it makes outside of steps.
        if (event.step !== undefined) this.#change(recorder, event.step, { files: event.files });
        break;
      case 'activation.suspended':
        recorder.asksForBudget = event.wait.kind === 'budget';
        break;
      case 'activation.answered':
        // The node itself does not receive answers about the budget.
        if (!recorder.asksForBudget) recorder.answers.push(event.answer);
        break;
      case 'activation.completed':
        this.#settle(recorder, at);
        delete recorder.failure;
        if (event.failure !== undefined) recorder.failure = event.failure;
        if (event.given) recorder.output = event.outputs.at(-1);
        break;
      case 'activation.opened':
        this.#settle(recorder, at);
        break;
      case 'activation.failed':
        this.#settle(recorder, at);
        recorder.failure = event.error;
        break;
      case 'run.forked':
        recorder.steps = [];
        recorder.answers = [];
        delete recorder.settledAt;
        delete recorder.settledRunTime;
        delete recorder.failure;
        recorder.output = event.output;
        break;
      default:
      // Other events do not concern the replay of a node.
    }
  }

  #change({ steps }: Recorder, at: number, change: Partial<RecordedStep>): void {
    const step = steps[at];
    if (step !== undefined) steps[at] = { ...step, ...change };
  }

  /**
   * Returns the next path with this base. Events at one path are sequential, so the count depends on nothing else.
   */
  #next(base: string): ReplayPath {
    const time = (this.#times.get(base) ?? 0) + 1;
    this.#times.set(base, time);
    return `${base}#${time}`;
  }
}

const unitOf = ({ unit }: { readonly unit?: number }): string => (unit === undefined ? '' : `[${unit}]`);
