import type {
  ActivationId,
  ActivationPart,
  ActivationRecord,
  Event,
  Failure,
  JournalEntry,
  MessageRef,
  StateView,
  Usage,
  Wait,
} from '@millrace/core';
import { isExecuting, isWaiting } from '@millrace/core';

/** State of an activation. `dropped`: the run ended, or was stopped, before it had settled. */
export type ActivationState = 'ready' | 'working' | 'waiting' | 'opened' | 'completed' | 'failed' | 'dropped';

/** An activation of a node as people see it. Times are milliseconds since 1970. */
export interface Activation {
  readonly id: ActivationId;
  /** Empty for the activation that counts the votes of a voting graph. */
  readonly node: string;
  /** The key of its graph: empty for the root. */
  readonly graph: string;
  readonly part: ActivationPart;
  /** Number of its unit in a fan-out. */
  readonly unit?: number;
  readonly state: ActivationState;
  /** Number of attempts that workers have announced; work that ends at once is not announced. */
  readonly attempts: number;
  readonly readyAt: number;
  readonly startedAt?: number;
  readonly settledAt?: number;
  /** Reason of its last failure. */
  readonly error?: Failure;
  /** Question that it asks a person. */
  readonly wait?: Wait;
  /** Its last question, answered or not. */
  readonly asked?: Wait;
  /** Time of that question. */
  readonly askedAt?: number;
  readonly warnings: readonly string[];
  /** Its calls of models, tools and programs, in order. */
  readonly calls: readonly ActivationStep[];
}

/** A step of an activation. */
export interface ActivationStep {
  readonly step: number;
  readonly name: string;
  readonly startedAt: number;
  /** Absent while the step is executing. */
  readonly completedAt?: number;
  readonly usage?: Usage;
  /** The step failed or was interrupted. */
  readonly failed?: true;
}

/** An activation as far as the journal that was read describes it. */
export interface ActivationProjection extends Pick<Activation, 'id' | 'node' | 'graph' | 'part' | 'unit' | 'readyAt'> {
  readonly calls: Map<number, ActivationStep>;
  attempts: number;
  startedAt?: number;
  settledAt?: number;
  last?: 'opened' | 'completed' | 'failed' | 'dropped';
  error?: Failure;
  asked?: Wait;
  askedAt?: number;
  warnings: readonly string[];
  outputs: readonly MessageRef[];
}

/** Location of an activation: its graph by key, its node by id. */
export type ActivationLocation = Pick<ActivationProjection, 'node' | 'graph'>;

/** Begins the projection of an activation that has become ready. */
export function beginProjection(
  at: number,
  { activation: id, part, unit }: Extract<Event, { type: 'activation.ready' }>,
  place: ActivationLocation,
): ActivationProjection {
  const facts = { id, ...place, part, readyAt: at, ...(unit === undefined ? {} : { unit }) };
  return { ...facts, calls: new Map(), attempts: 0, warnings: [], outputs: [] };
}

/** Notes an event of the activation. */
export function applyToProjection(projection: ActivationProjection, { at, event }: JournalEntry): void {
  if (event.type === 'activation.started') {
    projection.attempts += 1;
    projection.startedAt ??= at;
  } else if (event.type === 'step.started') {
    projection.calls.set(event.step, { step: event.step, name: event.name, startedAt: at });
  } else if (event.type === 'step.completed') {
    applyStep(projection, event, at);
  } else if (event.type === 'activation.completed') {
    Object.assign(projection, settled(at, 'completed'), { outputs: event.outputs, warnings: event.warnings ?? [] });
  } else if (event.type === 'activation.suspended') {
    Object.assign(projection, { asked: event.wait, askedAt: at });
  } else if (event.type === 'activation.opened') {
    Object.assign(projection, settled(at, 'opened'));
  } else if (event.type === 'activation.failed') {
    Object.assign(projection, settled(at, 'failed'), { error: event.error });
  } else if (event.type === 'activation.dropped') {
    projection.last = 'dropped';
  }
}

const settled = (settledAt: number, last: NonNullable<ActivationProjection['last']>) => ({ settledAt, last });

function applyStep(
  projection: ActivationProjection,
  event: Extract<Event, { type: 'step.completed' }>,
  completedAt: number,
): void {
  const { step, usage, failed } = event;
  const begun = projection.calls.get(step) ?? { step, name: '', startedAt: completedAt };
  projection.calls.set(step, {
    ...begun,
    completedAt,
    ...(usage === undefined ? {} : { usage }),
    ...(failed === undefined ? {} : { failed }),
  });
}

/** Returns the activation as people see it, from the events that were noted and its present state. */
export function activationOf({ calls, ...projection }: ActivationProjection, state: StateView): Activation {
  const { last, outputs: _outputs, ...facts } = projection;
  const now = state.get(`activation/${projection.id}`);
  return {
    ...facts,
    ...(now?.wait !== undefined && isWaiting(now) ? { wait: now.wait } : {}),
    state: now === undefined ? (last ?? 'dropped') : stateOf(now),
    calls: [...calls.values()].sort((one, other) => one.step - other.step),
  };
}

/** Returns the state of an activation that has a record. */
export function stateOf(
  record: ActivationRecord,
): Extract<ActivationState, 'ready' | 'working' | 'waiting' | 'failed'> {
  if (record.failed) return 'failed';
  if (isWaiting(record)) return 'waiting';
  return isExecuting(record) ? 'working' : 'ready';
}
