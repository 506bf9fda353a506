import type { Wait } from '../definitions/outcome.ts';
import type { Event, EventOf, JournalEntry } from '../engine/records/event.ts';
import type { Failure } from '../model/failure.ts';
import type { ActivationId, MessageId, ScopeId } from '../model/ids.ts';
import { rootScope } from '../model/ids.ts';
import type { MessageRef } from '../model/messages/message.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Usage } from '../model/usage/usage.ts';
import type { FileChange } from '../model/workspace.ts';
import type { GraphPlan, Plan } from '../plan/plan.ts';

/**
 * Path of an activation in its run, independent of what happened at the same time: its scopes, its node, its unit, and
 * how often it has been there. Ids of activations depend on the order of events; paths are the same in every run that takes
 * the same way. They name nodes by their ids, so they are the same under a workflow with more nodes, too.
 */
export type ReplayPath = string;

/** A step of an activation. */
export interface StepPlace {
  readonly activation: ActivationId;
  readonly step: number;
}

/** A step of a replay that took a result of its source: that of its own place, or that of another one. */
export interface TakingStep extends StepPlace {
  readonly from?: StepPlace;
}

/** A call of a model. */
export interface RecordedCall {
  readonly usage?: Usage;
  readonly model?: string;
}

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
  /** Usage of the call of a model, made here or in a recording before, and the model that was asked. */
  readonly recorded?: RecordedCall;
  /** Its changes in the workspace. */
  readonly files?: readonly FileChange[];
}

/** An answer of a person, or an event from outside, with the wait that it ended. */
export interface RecordedAnswer {
  readonly message: MessageRef;
  readonly wait: Wait;
}

/** The record of one activation in a journal; messages are those of the recorded run. */
export interface RecordedActivation {
  readonly activation: ActivationId;
  /** Steps by number, without those that a later one made void. */
  readonly steps: readonly RecordedStep[];
  /** Answers of people, and events from outside, in order. */
  readonly answers: readonly RecordedAnswer[];
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
  answers: RecordedAnswer[];
  /** Its last question, or the event that it waits for. */
  wait: Wait | undefined;
}

/** A graph, cycle or fan-out in progress. */
interface RecordedScope {
  readonly path: ReplayPath;
  readonly graph: GraphPlan | undefined;
}

/** Fold of a journal: the activations of a run with their steps and answers, by their paths. */
export class Recording {
  readonly #plan: Pick<Plan, 'graphs'>;
  readonly #scopes = new Map<ScopeId, RecordedScope>();
  readonly #paths = new Map<ActivationId, ReplayPath>();
  readonly #recorders = new Map<ActivationId, Recorder>();
  readonly #ids = new Map<ReplayPath, ActivationId>();
  readonly #times = new Map<string, number>();
  /** Paths of the activations that were settled, in their order. */
  readonly #settled: ReplayPath[] = [];
  #stoodStillMs = 0;
  /** Number of steps that were begun, without those that took a recorded result. */
  #made = 0;
  /** Steps that took a recorded result. */
  readonly #taking: TakingStep[] = [];
  /** Steps by their names and requests; made when it is first asked for. */
  #byRequest: Map<string, StepPlace[]> | undefined;

  /** `plan`: that of the run. */
  constructor(plan: Pick<Plan, 'graphs'>) {
    this.#plan = plan;
  }

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

  /** The run has made a step that took no recorded result. */
  get wentLive(): boolean {
    return this.#made > 0;
  }

  /** Steps of a replay that have taken a result of its source, in their order. */
  get taking(): readonly TakingStep[] {
    return this.#taking;
  }

  /** Returns the steps of the whole run with this name and request, in their order by activations. */
  asking(name: string, request: string): readonly StepPlace[] {
    this.#byRequest ??= this.#index();
    return this.#byRequest.get(`${name}\n${request}`) ?? [];
  }

  #index(): Map<string, StepPlace[]> {
    const index = new Map<string, StepPlace[]>();
    for (const { activation, steps } of this.#recorders.values())
      for (const [step, { name, request }] of steps.entries()) {
        const key = `${name}\n${request}`;
        const places = index.get(key) ?? [];
        index.set(key, places);
        places.push({ activation, step });
      }
    return index;
  }

  /** Returns a step by its place. */
  step({ activation, step }: StepPlace): RecordedStep | undefined {
    return this.#recorders.get(activation)?.steps[step];
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
        const { caller, scope, graph } = event;
        const base = caller && `${this.#nodeIn(caller.scope, caller.node)}${unitOf(caller)}()`;
        const path = base === undefined ? rootScope : this.#next(base);
        this.#scopes.set(scope, { path, graph: this.#plan.graphs.get(graph) });
        return true;
      }
      case 'cycle.entered': {
        // A node is the entry of one cycle of its scope at most.
        const { scope, parent, entry } = event;
        this.#enter(scope, parent, `~${this.#nodeIn(parent, entry)}`);
        return true;
      }
      case 'fanout.entered': {
        const { scope, parent, node } = event;
        this.#enter(scope, parent, `${this.#nodeIn(parent, node)}*`);
        return true;
      }
      case 'activation.ready': {
        const { activation, scope, node, part } = event;
        const path = this.#next(`${this.#nodeIn(scope, node)}${unitOf(event)}.${part}`);
        this.#paths.set(activation, path);
        this.#ids.set(path, activation);
        this.#recorders.set(activation, {
          activation,
          steps: [],
          answers: [],
          output: undefined,
          readyRunTime: at - this.#stoodStillMs,
          wait: undefined,
        });
        return true;
      }
      default:
        return false;
    }
  }

  /** Assigns a path to a scope inside of a graph. */
  #enter(scope: ScopeId, parent: ScopeId, base: string): void {
    this.#scopes.set(scope, { path: this.#next(base), graph: this.#scopes.get(parent)?.graph });
  }

  /** Returns the path of a node in a scope, by the id of the node; the count of votes has none. */
  #nodeIn(scope: ScopeId, node: number): string {
    const within = this.#scopes.get(scope);
    return `${within?.path}/${JSON.stringify(within?.graph?.nodes[node]?.id ?? '')}`;
  }

  #record(recorder: Recorder, event: Event, at: number): void {
    switch (event.type) {
      case 'step.started': {
        const { name, request, counts } = event;
        this.#made += 1;
        recorder.steps.length = Math.min(recorder.steps.length, event.step);
        recorder.steps[event.step] = { name, request, ...(counts && { counts: Object.keys(counts) }) };
        break;
      }
      case 'step.completed': {
        const { result, failed } = event;
        this.#countTaken(event);
        this.#change(recorder, event.step, { result, ...(failed && { failed }), ...callOf(event) });
        break;
      }
      case 'files.changed':
        // A node repeats changes that it makes outside of steps.
        if (event.step !== undefined) this.#change(recorder, event.step, { files: event.files });
        break;
      case 'activation.suspended':
        recorder.wait = event.wait;
        break;
      case 'activation.answered':
        // The node itself does not receive answers about the budget.
        if (recorder.wait !== undefined && recorder.wait.kind !== 'budget')
          recorder.answers.push({ message: event.answer, wait: recorder.wait });
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

  #countTaken({ activation, step, recorded }: EventOf<'step.completed'>): void {
    if (recorded === undefined) return;
    this.#made -= 1;
    this.#taking.push({ activation, step, ...omitUndefined({ from: recorded.from }) });
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

/** Returns the call of a model that a step was, in its run or in the recording that it took the result from. */
function callOf({ usage, model, recorded }: EventOf<'step.completed'>): Pick<RecordedStep, 'recorded'> {
  const call =
    usage === undefined
      ? omitUndefined({ usage: recorded?.usage, model: recorded?.model })
      : omitUndefined({ usage, model });
  return call.usage === undefined ? {} : { recorded: call };
}

const unitOf = ({ unit }: { readonly unit?: number }): string => (unit === undefined ? '' : `[${unit}]`);
