import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { Deciding } from '../deciding.ts';
import { nextActivation } from '../deciding.ts';
import { isAtWork } from '../live.ts';
import { graphOf, runOf, scopeOf } from '../lookup.ts';
import { finalOf } from '../scopes/graph-state.ts';
import type { StateView } from '../state.ts';
import type { InFlight, ScopeName, Stop } from '../stop.ts';
import { disarmTermination } from './alarms.ts';
import { terminationOf } from './around.ts';
import { activationsIn, openedBy } from './region.ts';

/** A scope inside a run that is to be stopped. */
export interface Halting extends ScopeName {
  readonly stop: Stop;
  readonly inFlight: InFlight;
  /** The node over which it stops. */
  readonly node?: number;
}

/** Begins to stop a scope inside the run. */
export function haltScope(deciding: Deciding, { scope, name, stop, inFlight, node }: Halting): void {
  const { draft, plan, emit } = deciding;
  const record = draft.get(`termination/${scope}/${name}`);
  const termination = terminationOf(plan, draft, { scope, name });
  if (record === undefined || termination === undefined) return;
  const first = record.stop === undefined && name !== '' && termination.exitTo.length > 0;
  const messages = first ? farewell(deciding, { scope, name, since: record.since }, { termination, stop }) : [];
  emit({
    type: 'scope.stopping',
    scope,
    name,
    stop: record.stop ?? stop,
    inFlight,
    messages,
    ...(first ? { bodies: 1 } : {}),
    ...(node === undefined ? {} : { node }),
  });
  for (const { id, record: activation, inner } of activationsIn(plan, draft, { scope, name })) {
    if (inFlight === 'drain' && isAtWork(activation)) continue;
    emit({ type: 'activation.dropped', activation: id, ...(inner ? { inner } : {}) });
  }
}

/** The stop message, and the last message of the scope behind it, so that a node that forwards its last message forwards that. */
function farewell(
  { draft, plan, author }: Deciding,
  { scope, name, since }: ScopeName & { readonly since: number },
  { termination, stop }: { readonly termination: PlanTermination; readonly stop: Stop },
): readonly MessageRef[] {
  const content = termination.message ?? stop.text;
  const metadata = { message_kind: 'stop', stop_reason: stop.text, stop_code: stop.code };
  const told = { ...author({ role: 'user', content, metadata }), source: name };
  const graph = graphOf(plan, scopeOf(draft, scope));
  const members = graph.scopes.find(({ id }) => id === name)?.members ?? new Set<number>();
  const { carryLast } = termination;
  const from = carryLast === true ? members : carryLast === false ? new Set<number>() : new Set([carryLast]);
  const last = lastOf(draft, { graph, frame: scope }, (node) => from.has(node));
  return last === undefined || numberOf(last) < since ? [told] : [told, { ...last, role: 'user' }];
}

const numberOf = ({ id }: MessageRef): number => Number(id.slice(1));

/** The message that was said last by certain nodes of an execution of a graph: the one with the highest number. */
export function lastOf(
  state: StateView,
  { graph, frame }: { readonly graph: GraphPlan; readonly frame: ScopeId },
  by: (node: number) => boolean = () => true,
): MessageRef | undefined {
  const lasts = graph.nodes.flatMap(({ index, id }) => {
    const last = by(index) ? state.get(`node/${frame}/${id}`)?.last : undefined;
    return last === undefined ? [] : [last];
  });
  return lasts.sort((a, b) => numberOf(b) - numberOf(a))[0];
}

/**
 * Ends scopes that are being stopped and in which nothing is at work any more. True when one has ended, so that what
 * comes after it can be started.
 */
export function pursueHalts(deciding: Deciding): boolean {
  const { draft } = deciding;
  const halting = runOf(draft).halting ?? [];
  return halting.map((scope) => pursue(deciding, scope)).some(Boolean);
}

function pursue(deciding: Deciding, scope: ScopeName): boolean {
  const { draft, plan, emit } = deciding;
  if (draft.get(`termination/${scope.scope}/${scope.name}`) === undefined) return false;
  for (const { id, record, inner } of activationsIn(plan, draft, scope)) {
    // What has asked somebody, or was put off, while it was allowed to finish.
    if (!isAtWork(record)) emit({ type: 'activation.dropped', activation: id, ...(inner ? { inner } : {}) });
  }
  if (activationsIn(plan, draft, scope).length > 0) return false;
  disarmTermination(deciding, scope);
  if (scope.name === '') leaveFrame(deciding, scope.scope);
  else {
    for (const opened of openedBy(plan, draft, scope)) emit({ type: 'scope.dropped', scope: opened });
    emit({ type: 'scope.stopped', ...scope });
  }
  return true;
}

/** A graph that was stopped gives its caller what it has come to. */
function leaveFrame({ draft, plan, emit, nonce }: Deciding, id: ScopeId): void {
  const scope = scopeOf(draft, id);
  const stop = draft.get(`termination/${id}/`)?.stop;
  if (scope.type !== 'graph' || scope.caller === undefined || stop === undefined) return;
  const graph = graphOf(plan, scope);
  const final = finalOf(draft, graph, id);
  const last =
    (final === undefined ? undefined : draft.get(`node/${id}/${final.id}`)?.last) ??
    lastOf(draft, { graph, frame: id });
  emit({ type: 'graph.left', scope: id, stopped: true, ...(last === undefined ? {} : { last }) });
  emit({
    type: 'activation.ready',
    activation: nextActivation(draft),
    ...scope.caller,
    part: 'close',
    token: nonce,
    from: `outputs/${id}/`,
    stop,
  });
}
