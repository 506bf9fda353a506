import type { Wait } from '../definitions/outcome.ts';
import type { Event, EventOf, JournalEntry } from '../engine/records/event.ts';
import type { Failure } from '../model/failure.ts';
import type { ActivationId, MessageId, ScopeId } from '../model/ids.ts';
import type { MessageRef } from '../model/messages/message.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Usage } from '../model/usage/usage.ts';
import type { FileChange } from '../model/workspace.ts';
import type { GraphPlan, Plan } from '../plan/plan.ts';
import { Place } from './place.ts';

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
  readonly settledAt?: number | undefined;
  /** Time at which it became ready by the clock of the run for durations; see `Host.runTime`. */
  readonly readyRunTime: number;
  /** Time at which it was settled by this clock. */
  readonly settledRunTime?: number | undefined;
  /** Its failure; absent if it did not fail, or if a retry succeeded. */
  readonly failure?: Failure | undefined;
}

/** A graph, cycle or fan-out. */
class RecordedScope extends Place {
  graph: GraphPlan | undefined;

  constructor(graph: GraphPlan | undefined, ...place: ConstructorParameters<typeof Place>) {
    super(...place);
    this.graph = graph;
  }

  /** Returns the label of a node and of what happens with it; the count of votes has no id. */
  label(node: number, what: string): string {
    return `${JSON.stringify(this.graph?.nodes[node]?.id ?? '')}${what}`;
  }
}

/** An activation. All of its fields are there from the beginning, so that those of a long run take little memory. */
class Recorder extends Place implements RecordedActivation {
  readonly activation: ActivationId;
  steps: RecordedStep[] = none;
  answers: RecordedAnswer[] = none;
  output: MessageRef | undefined;
  settledAt: number | undefined;
  readyRunTime: number;
  settledRunTime: number | undefined;
  failure: Failure | undefined;
  /** Its last question, or the event that it waits for. */
  wait: Wait | undefined;

  constructor(activation: ActivationId, readyRunTime: number, ...place: ConstructorParameters<typeof Place>) {
    super(...place);
    this.activation = activation;
    this.readyRunTime = readyRunTime;
  }
}

/** The list of an activation that has nothing to list; nothing is added to it. */
const none: never[] = [];

/** Fold of a journal: the activations of a run with their steps and answers, in their places. */
export class Recording {
  readonly #plan: Pick<Plan, 'graphs'>;
  readonly #root = new RecordedScope(undefined);
  /** Scopes and activations by their numbers: a Map of hundreds of thousands copies all of them at once when it grows. */
  readonly #scopes: RecordedScope[] = [];
  readonly #numbered: Recorder[] = [];
  /** The activations in the order in which they became ready. */
  readonly #recorders: Recorder[] = [];
  /** The activations that were settled, in their order. */
  readonly #settled: Recorder[] = [];
  #stoodStillMs = 0;
  /** Number of steps that were begun, without those that took a recorded result. */
  #made = 0;
  /** Steps that took a recorded result. */
  readonly #taking: TakingStep[] = [];

  /** `plan`: that of the run. */
  constructor(plan: Pick<Plan, 'graphs'>) {
    this.#plan = plan;
  }

  /** Adds the next entry of the journal. */
  add({ event, at }: JournalEntry): void {
    if (event.type === 'run.resumed' || event.type === 'run.forked') this.#standStill(event);
    if (!this.#begin(event, at) && 'activation' in event && event.activation !== undefined) {
      const recorder = this.#recorder(event.activation);
      if (recorder !== undefined) this.#record(recorder, event, at);
    }
  }

  /** The activations in the order in which they became ready. */
  get activations(): readonly RecordedActivation[] {
    return this.#recorders;
  }

  /** Returns an activation; undefined if the journal does not contain it. */
  of(activation: ActivationId): RecordedActivation | undefined {
    return this.#recorder(activation);
  }

  /** Returns the place of an activation; undefined if the journal does not contain it. */
  placeOf(activation: ActivationId): Place | undefined {
    return this.#recorder(activation);
  }

  /** Returns the activation at a place, be it of another recording; undefined if there is none. */
  at(place: Place | undefined): RecordedActivation | undefined {
    return place && this.#at(place);
  }

  #at(place: Place): Recorder | undefined {
    const found = this.#root.find(place);
    return found instanceof Recorder ? found : undefined;
  }

  /** The run has made a step that took no recorded result. */
  get wentLive(): boolean {
    return this.#made > 0;
  }

  /** Steps of a replay that have taken a result of its source, in their order. */
  get taking(): readonly TakingStep[] {
    return this.#taking;
  }

  /** Returns a step by its place. */
  step({ activation, step }: StepPlace): RecordedStep | undefined {
    return this.#recorder(activation)?.steps[step];
  }

  /**
   * Returns how much later the run was at the same place than another one, by their clocks for durations: where an
   * activation was settled last of which `counts` holds. Undefined if there is none.
   */
  lagBehind(other: Recording, counts: (recorded: RecordedActivation) => boolean): number | undefined {
    for (let last = this.#settled.length - 1; last >= 0; last--) {
      const here = this.#settled[last];
      const there = here && other.#at(here);
      if (here?.settledRunTime === undefined || there?.settledRunTime === undefined || !counts(there)) continue;
      return here.settledRunTime - there.settledRunTime;
    }
    return undefined;
  }

  #standStill({ type, stoodStillMs = 0 }: EventOf<'run.resumed' | 'run.forked'>): void {
    this.#stoodStillMs += stoodStillMs;
    if (type !== 'run.forked') return;
    // The history of a fork has the time of the fork, and ended before it.
    for (const recorder of this.#recorders) {
      recorder.readyRunTime -= stoodStillMs;
      if (recorder.settledRunTime !== undefined) recorder.settledRunTime -= stoodStillMs;
    }
  }

  #settle(recorder: Recorder, at: number): void {
    recorder.settledAt = at;
    recorder.settledRunTime = at - this.#stoodStillMs;
    this.#settled.push(recorder);
  }

  /** Adds a scope or activation that begins with this event. Returns false for other events. */
  #begin(event: Event, at: number): boolean {
    switch (event.type) {
      case 'graph.entered': {
        const { caller, scope } = event;
        const graph = this.#plan.graphs.get(event.graph);
        if (caller === undefined) this.#root.graph = graph;
        else this.#enter(scope, { graph, ...caller, what: '()' });
        return true;
      }
      case 'cycle.entered': {
        // A node is the entry of one cycle of its scope at most.
        const { scope, parent, entry } = event;
        this.#enter(scope, { scope: parent, node: entry, what: '~' });
        return true;
      }
      case 'fanout.entered': {
        const { scope, parent, node } = event;
        this.#enter(scope, { scope: parent, node, what: '*' });
        return true;
      }
      case 'activation.ready': {
        const { activation, node, part, unit } = event;
        const scope = this.#scope(event.scope);
        const label = scope.label(node, `.${part}`);
        const recorder = new Recorder(activation, at - this.#stoodStillMs, scope, label, unit);
        this.#numbered[numberOf(activation)] = recorder;
        this.#recorders.push(recorder);
        return true;
      }
      default:
        return false;
    }
  }

  /** Adds a scope to the one that it is in; with the same graph unless another one is given. */
  #enter(id: ScopeId, { scope, node, unit, what, ...other }: Entrance): void {
    const within = this.#scope(scope);
    const { graph } = 'graph' in other ? other : within;
    this.#scopes[numberOf(id)] = new RecordedScope(graph, within, within.label(node, what), unit);
  }

  /** Returns a scope; those that the journal does not have are the root graph. */
  #scope(id: ScopeId): RecordedScope {
    return this.#scopes[numberOf(id)] ?? this.#root;
  }

  #recorder(id: ActivationId): Recorder | undefined {
    return this.#numbered[numberOf(id)];
  }

  #record(recorder: Recorder, event: Event, at: number): void {
    switch (event.type) {
      case 'step.started': {
        const { name, request, counts } = event;
        this.#made += 1;
        if (recorder.steps === none) recorder.steps = [];
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
        if (recorder.wait === undefined || recorder.wait.kind === 'budget') break;
        if (recorder.answers === none) recorder.answers = [];
        recorder.answers.push({ message: event.answer, wait: recorder.wait });
        break;
      case 'activation.completed':
        this.#settle(recorder, at);
        recorder.failure = event.failure;
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
        recorder.steps = none;
        recorder.answers = none;
        recorder.settledAt = undefined;
        recorder.settledRunTime = undefined;
        recorder.failure = undefined;
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
}

/** Where a scope is entered. */
interface Entrance {
  readonly graph?: GraphPlan | undefined;
  readonly scope: ScopeId;
  readonly node: number;
  readonly unit?: number | undefined;
  readonly what: string;
}

/** Returns the call of a model that a step was, in its run or in the recording that it took the result from. */
function callOf({ usage, model, recorded }: EventOf<'step.completed'>): Pick<RecordedStep, 'recorded'> {
  const call =
    usage === undefined
      ? omitUndefined({ usage: recorded?.usage, model: recorded?.model })
      : omitUndefined({ usage, model });
  return call.usage === undefined ? {} : { recorded: call };
}

const numberOf = (id: ActivationId | ScopeId): number => Number(id.slice(1));
