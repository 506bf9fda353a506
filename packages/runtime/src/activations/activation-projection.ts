import type {
  ActivationId,
  ActivationPart,
  ActivationRecord,
  Event,
  Failure,
  GraphPlan,
  JournalEntry,
  MessageRef,
  ModelUsage,
  ScopeId,
  UnknownRule,
  Usage,
  Wait,
  Warning,
} from '@millrace/core';
import { addModelCall, isExecuting, isWaiting, noModelUsage, omitUndefined } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import type { ActivationApproval, Approvals } from './activation-approvals.ts';
import { withApproval } from './activation-approvals.ts';
import type { MessageHead } from './message-heads.ts';

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
  /** The execution of a graph, loop or fan-out that it belongs to. */
  readonly scope: ScopeId;
  /** Iteration of the innermost loop around it, from 1; absent outside of loops. */
  readonly iteration?: number;
  /** Number of its unit in a fan-out. */
  readonly unit?: number;
  readonly state: ActivationState;
  /** Number of attempts that workers have announced; work that ends at once is not announced. */
  readonly attempts: number;
  /** Worker of the last announced attempt. */
  readonly worker?: string;
  readonly readyAt: number;
  readonly startedAt?: number;
  readonly settledAt?: number;
  /** Reason of its last failure. */
  readonly error?: Failure;
  /** Time at which it continues, while it is postponed. */
  readonly until?: number;
  /** Question that it asks a person. */
  readonly wait?: Wait;
  /** Its last question, answered or not. */
  readonly asked?: Wait;
  /** Time of that question. */
  readonly askedAt?: number;
  readonly warnings: readonly Warning[];
  /** Its calls of models, tools and programs, in order. */
  readonly calls: readonly ActivationStep[];
  /** Calls of tools that people were asked about, in the order of their places. */
  readonly approvals: readonly ActivationApproval[];
  /** Usage of its calls of models; absent without any. */
  readonly usage?: ModelUsage;
  /** The edges of its node, once it has completed, and whether a message passed each of them. */
  readonly routes?: readonly ActivationRoute[];
  /** Messages that it has put out. */
  readonly outputs: readonly MessageRef[];
  /** Beginning of the last one, in lists that want it. */
  readonly lastOutput?: MessageHead;
}

/** An edge of a completed activation. */
export interface ActivationRoute {
  /** Number of the edge in its graph. */
  readonly edge: number;
  /** Id of its target. */
  readonly to: string;
  readonly met: boolean;
}

/** A step of an activation. */
export interface ActivationStep {
  readonly step: number;
  readonly name: string;
  /** The model that gave no answer, in whose place another one was asked. */
  readonly insteadOf?: string;
  readonly startedAt: number;
  /** Absent while the step is executing. */
  readonly completedAt?: number;
  readonly usage?: Usage;
  /** A replay took the result from its recording; the usage there is charged to nobody. */
  readonly recorded?: NonNullable<Extract<Event, { type: 'step.completed' }>['recorded']>;
  /** The step failed or was interrupted. */
  readonly failed?: true;
  /** Its outcome was unknown, and this rule has decided what follows. */
  readonly unknown?: UnknownRule;
  /** A result came that does not count. */
  readonly late?: true;
}

/** An activation as far as the journal that was read describes it. */
export interface ActivationProjection
  extends Pick<Activation, 'id' | 'node' | 'graph' | 'part' | 'scope' | 'iteration' | 'unit' | 'readyAt'> {
  readonly calls: Map<number, ActivationStep>;
  approvals: Approvals;
  attempts: number;
  worker?: string;
  until?: number;
  usage?: ModelUsage;
  /** Edges that it passed messages to; absent before it has completed. */
  passed?: readonly number[];
  startedAt?: number;
  settledAt?: number;
  last?: 'opened' | 'completed' | 'failed' | 'dropped';
  error?: Failure;
  asked?: Wait;
  askedAt?: number;
  warnings: readonly Warning[];
  outputs: readonly MessageRef[];
}

/** Location of an activation: its graph by key, its node by id, and its loop. */
export type ActivationLocation = Pick<ActivationProjection, 'node' | 'graph' | 'scope' | 'iteration'>;

/** Begins the projection of an activation that has become ready. */
export function beginProjection(
  at: number,
  { activation: id, part, unit }: Extract<Event, { type: 'activation.ready' }>,
  place: ActivationLocation,
): ActivationProjection {
  const facts = { id, ...place, part, readyAt: at, ...(unit === undefined ? {} : { unit }) };
  return { ...facts, calls: new Map(), approvals: new Map(), attempts: 0, warnings: [], outputs: [] };
}

/** Notes an event of the activation. */
export function applyToProjection(projection: ActivationProjection, entry: JournalEntry): void {
  const { at, event } = entry;
  projection.approvals = withApproval(projection.approvals, entry);
  // Whatever happens to it ends a delay.
  delete projection.until;
  // Its calls so far are those of the original run.
  if (event.type === 'run.forked') projection.calls.clear();
  else if (event.type === 'activation.started') {
    projection.attempts += 1;
    projection.worker = event.worker;
    projection.startedAt ??= at;
  } else if (event.type === 'activation.postponed') {
    projection.until = event.until;
  } else if (event.type === 'step.started') {
    const { step, name, insteadOf } = event;
    projection.calls.set(step, { step, name, startedAt: at, ...omitUndefined({ insteadOf }) });
  } else if (event.type === 'step.completed') {
    applyStep(projection, event, at);
  } else if (event.type === 'step.unknown' || event.type === 'step.late') {
    noteLostCall(projection, event);
  } else if (event.type === 'activation.completed') {
    Object.assign(projection, settled(at, 'completed'), {
      outputs: event.outputs,
      warnings: [...projection.warnings, ...(event.warnings ?? [])],
      passed: passedBy(event),
    });
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

function noteLostCall(
  projection: ActivationProjection,
  event: Extract<Event, { type: 'step.unknown' | 'step.late' }>,
): void {
  projection.warnings = [...projection.warnings, event.warning];
  const call = projection.calls.get(event.step);
  if (call === undefined) return;
  const fact = event.type === 'step.late' ? { late: true as const } : { unknown: event.rule };
  projection.calls.set(event.step, { ...call, ...fact });
}

const passedBy = ({ routes }: Extract<Event, { type: 'activation.completed' }>): readonly number[] =>
  routes.flatMap(({ edge, dropped }) => (edge >= 0 && !dropped ? [edge] : []));

const settled = (settledAt: number, last: NonNullable<ActivationProjection['last']>) => ({ settledAt, last });

function applyStep(
  projection: ActivationProjection,
  event: Extract<Event, { type: 'step.completed' }>,
  completedAt: number,
): void {
  const { step, usage, failed, recorded } = event;
  const begun = projection.calls.get(step) ?? { step, name: '', startedAt: completedAt };
  if (usage !== undefined) projection.usage = addModelCall(projection.usage ?? noModelUsage, usage);
  projection.calls.set(step, {
    ...begun,
    completedAt,
    ...(usage === undefined ? {} : { usage }),
    ...omitUndefined({ failed, recorded }),
  });
}

/** Returns the activation as people see it, from the events that were noted and the present run. */
export function activationOf(projection: ActivationProjection, { plan, state }: OpenRun): Activation {
  const { last: _last, calls, approvals, passed, ...facts } = projection;
  const now = state.get(`activation/${facts.id}`);
  return {
    ...facts,
    ...(now?.wait !== undefined && isWaiting(now) ? { wait: now.wait } : {}),
    state: presentState(projection, now),
    calls: [...calls.values()].sort((one, other) => one.step - other.step),
    approvals: [...approvals.values()].sort((one, other) => one.place - other.place),
    ...(passed === undefined ? {} : { routes: routesOf(plan.graphs.get(facts.graph), facts.node, passed) }),
  };
}

/** Returns the state of an activation: a postponed one waits, although it is ready for the engine. */
function presentState({ last, until }: ActivationProjection, now: ActivationRecord | undefined): ActivationState {
  if (now === undefined) return last ?? 'dropped';
  const state = stateOf(now);
  return state === 'ready' && until !== undefined ? 'waiting' : state;
}

function routesOf(graph: GraphPlan | undefined, id: string, passed: readonly number[]): readonly ActivationRoute[] {
  const node = graph?.nodes.find((one) => one.id === id);
  return (node?.out ?? []).flatMap((index) => {
    const edge = graph?.edges[index];
    const to = graph?.nodes[edge?.to ?? -1]?.id;
    return edge === undefined || edge.exit || to === undefined
      ? []
      : [{ edge: index, to, met: passed.includes(index) }];
  });
}

/** Returns the state of an activation that has a record. */
export function stateOf(
  record: ActivationRecord,
): Extract<ActivationState, 'ready' | 'working' | 'waiting' | 'failed'> {
  if (record.failed) return 'failed';
  if (isWaiting(record)) return 'waiting';
  return isExecuting(record) ? 'working' : 'ready';
}
