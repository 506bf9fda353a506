import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { SignalFields } from '../../model/messages/signal.ts';
import { fieldsOf, passesFilter, signalBody } from '../../model/messages/signal.ts';
import type { GraphPlan, Plan } from '../../plan/plan.ts';
import { acceptedSignalsKey, keptSignalsKey } from '../evolve/evolve-signal.ts';
import type { KeptSignal } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { activeTerminations, terminationOf } from '../state/enclosing-terminations.ts';
import { hasEnded, isWaiting } from '../state/live.ts';
import { activationsOf, frameOf, graphOf, runOf, scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';
import { giveSignal } from '../termination/alarms.ts';
import { stepTermination } from '../termination/step-terminations.ts';

/*
 * A signal is an event from outside. It goes to the nodes that wait for it: of those whose filter it passes, to the one
 * that became ready first. If there is none, but a node can still begin to wait for it, the run keeps it, in the order of
 * arrival. Terminations observe a signal at once or not at all; it is never kept for them.
 */

/** Delivers a signal to the nodes and terminations that wait for one of this name. */
interface SignalCommand {
  readonly type: 'signal';
  readonly name: string;
  readonly note?: string;
  /** Its sender's id of the event; the run accepts each id once. */
  readonly id?: string;
  /** Data of the event, as JSON has it. */
  readonly data?: unknown;
}

/** Number of events that a run keeps for nodes that do not wait for them yet. */
const maxKeptSignals = 100;

/** Delivers a signal to the nodes and terminations that wait for it. Refused if there are none and never will be. */
export function signal(context: DecisionContext, command: SignalCommand): Refusal | undefined {
  const { draft, plan } = context;
  const { name, id, data } = command;
  // A sender that received no response sends the event again.
  if (id !== undefined && isAccepted(context, name, id)) return undefined;
  const { status } = runOf(draft);
  if (hasEnded({ status })) return refuse('RUN_ENDED', `The run has ended: ${status}.`);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}. Only a running or paused run accepts signals.`);
  const paths = filteredPaths(plan, name);
  const arrival = paths === undefined ? unknown(name) : arrivalOf(context, { name, fields: fieldsOf(data, paths) });
  if (!('code' in arrival)) receive(context, command, arrival);
  const isObserved = stepObservingTerminations(context, command);
  if (isObserved) advanceAll(context);
  return isObserved || !('code' in arrival) ? undefined : arrival;
}

const isAccepted = ({ draft }: DecisionContext, name: string, id: string): boolean =>
  draft.list(acceptedSignalsKey).some((accepted) => accepted.name === name && accepted.id === id);

const unknown = (name: string): Refusal =>
  refuse('SIGNAL_UNKNOWN', `No node or termination of the run waits for the signal "${name}".`);

type ReceivedSignal = Pick<KeptSignal, 'name' | 'fields'>;

/** An event that the run receives, and the activation that takes it; absent: it is kept. */
interface SignalArrival extends ReceivedSignal {
  readonly taker: ActivationId | undefined;
}

function arrivalOf({ draft, plan, at }: DecisionContext, received: ReceivedSignal): SignalArrival | Refusal {
  const { name } = received;
  const taker = takerOf(draft, received, at);
  if (taker !== undefined) return { ...received, taker };
  if (!canBeAwaited(plan, draft, name))
    return refuse(
      'SIGNAL_NOT_AWAITED',
      `No node of the run can take this signal "${name}": none begins to wait for it any more, and it does not pass the filter of those that wait.`,
    );
  if (draft.list(keptSignalsKey).length >= maxKeptSignals)
    return refuse(
      'SIGNALS_FULL',
      `The run keeps ${maxKeptSignals} signals already that no node has taken. Send the signal "${name}" again when it has taken some.`,
    );
  return { ...received, taker };
}

function receive(
  context: DecisionContext,
  { id, data, note }: SignalCommand,
  { name, fields, taker }: SignalArrival,
): void {
  const { emit, writeMessage } = context;
  const message = { ...writeMessage(signalBody({ name, data: data ?? note, id })), source: name };
  emit({ type: 'signal.received', name, ...(id === undefined ? {} : { id }), message, fields, bodies: 1 });
  if (taker !== undefined) giveSignal(context, taker, message);
}

/** Steps the terminations that wait for a signal. Returns false if there are none. */
function stepObservingTerminations(context: DecisionContext, { name, note }: SignalCommand): boolean {
  const { draft, plan } = context;
  let isObserved = false;
  for (const at of activeTerminations(plan, draft)) {
    const observations = (terminationOf(plan, draft, at)?.leaves ?? []).flatMap(({ path, config, definition }) => {
      const observed = definition.onSignal?.(config, note === undefined ? { name } : { name, note });
      return observed === undefined ? [] : [[path, observed] as const];
    });
    if (observations.length === 0) continue;
    isObserved = true;
    stepTermination(context, at, { leaves: Object.fromEntries(observations) });
  }
  return isObserved;
}

/** Returns the paths in the data of an event that its nodes filter by; undefined if no node waits for such events. */
function filteredPaths(plan: Plan, name: string): ReadonlySet<string> | undefined {
  const awaiting = [...plan.graphs.values()].flatMap(({ nodes }) =>
    nodes.flatMap(({ awaits }) => (awaits?.event === name ? [awaits] : [])),
  );
  return awaiting.length === 0 ? undefined : new Set(awaiting.flatMap(({ paths }) => paths));
}

/** Returns whether an activation waits for an event at this time, in milliseconds since 1970. */
const awaitsAt = (record: ActivationRecord, at: number): boolean =>
  isWaiting(record) && record.wait?.event !== undefined && (record.wait.event.until ?? Number.POSITIVE_INFINITY) > at;

/** Returns the activation that takes an event: of those that wait for it, the one that became ready first. */
function takerOf(
  state: StateView,
  { name, fields }: { readonly name: string; readonly fields: SignalFields },
  at: number,
): ActivationId | undefined {
  let first: ActivationId | undefined;
  for (const [id, record] of activationsOf(state)) {
    const { event } = record.wait ?? {};
    if (event?.name !== name || !awaitsAt(record, at) || !passesFilter(fields, event.filter)) continue;
    if (first === undefined || numberOf(id) < numberOf(first)) first = id;
  }
  return first;
}

/** Activations are numbered in the order in which they become ready. */
const numberOf = (id: ActivationId): number => Number(id.slice(1));

/**
 * Returns whether a node can still begin to wait for an event of this name: it can be reached from what is executing, waiting
 * or due.
 */
function canBeAwaited(plan: Plan, state: StateView, name: string): boolean {
  for (const [frame, { graph, items }] of liveItems(plan, state)) {
    for (const item of state.list(`due/${frame}`)) items.add(item);
    for (const item of withSuccessors(graph, items))
      if ((graph.items[item]?.members ?? []).some((node) => awaitsInside(plan, graph, { node, name }))) return true;
  }
  return false;
}

/** Items of one execution of a graph. */
interface FrameItems {
  readonly graph: GraphPlan;
  readonly items: Set<number>;
}

/** Returns the executions of graphs, each with the items in which something is live. */
function liveItems(plan: Plan, state: StateView): ReadonlyMap<ScopeId, FrameItems> {
  const frames = new Map<ScopeId, FrameItems>();
  const within = (scope: ScopeId): FrameItems => {
    const record = scopeOf(state, scope);
    const frame = frameOf(record, scope);
    const known = frames.get(frame) ?? { graph: graphOf(plan, record), items: new Set() };
    frames.set(frame, known);
    return known;
  };
  const add = (scope: ScopeId, node: number) => {
    const { graph, items } = within(scope);
    const item = graph.itemOf[node];
    if (item !== undefined) items.add(item);
  };
  for (const key of state.keys('scope/')) {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const record = scopeOf(state, id);
    if (record.type !== 'graph') add(id, record.type === 'cycle' ? record.entry : record.node);
    else {
      within(id);
      if (record.caller !== undefined) add(record.caller.scope, record.caller.node);
    }
  }
  for (const [, record] of activationsOf(state)) {
    if (isPast(state, record)) addSuccessors(within(record.scope), record.node);
    else add(record.scope, record.node);
  }
  return frames;
}

/** Returns whether an activation has begun its wait for an event, outside of loops and fan-outs, and waits for no further one. */
const isPast = (state: StateView, { wait, scope }: ActivationRecord): boolean =>
  wait?.kind === 'event' && scopeOf(state, scope).type === 'graph';

function addSuccessors({ graph, items }: FrameItems, node: number): void {
  for (const next of graph.items[graph.itemOf[node] ?? -1]?.successors ?? []) items.add(next);
}

/** Returns items with all that come after them. */
function withSuccessors(graph: GraphPlan, from: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set(from);
  for (const item of found) for (const next of graph.items[item]?.successors ?? []) found.add(next);
  return found;
}

interface NamedWait {
  readonly node: number;
  readonly name: string;
}

/** Returns whether a node, or a node of the graphs inside it, waits for events of this name. */
function awaitsInside(plan: Plan, graph: GraphPlan, { node: index, name }: NamedWait): boolean {
  const node = graph.nodes[index];
  if (node === undefined) return false;
  if (node.awaits?.event === name) return true;
  const inner = node.graph === undefined ? undefined : plan.graphs.get(node.graph);
  return inner?.nodes.some((_, at) => awaitsInside(plan, inner, { node: at, name })) ?? false;
}
